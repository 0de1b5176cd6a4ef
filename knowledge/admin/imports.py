"""Import of insights from a table, in the Django admin: look at it first, then deposit.

The pages are ours and not django-import-export's: that writes the file to disk before anybody has looked for secrets in
it, then writes rows. Here nothing is kept between the two steps but what the page itself carries, signed: those rows
that passed the guard. They go through the same door as an agent's deposit.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.text import Truncator
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget

from accounts.authentication import PageRequest
from accounts.forms import ActionForm
from accounts.rules.guard.detection import masked
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.imports.actions.import_rows import Fate, PlannedRow, RowEntry, import_rows, plan
from knowledge.imports.rules import sheet
from knowledge.rules.draft import derive_title
from knowledge.rules.vocabulary import Kind
from knowledge.serializers.insights import DraftIn

# A preview is looked through and confirmed within the hour; then what is there may be another thing.
FRESH = 3600
SALT = "knowledge.admin.imports"
# Rows in one request: the page says how far it is after each request. A row takes some 0.05 s of a core, several times
# that on a machine with other work, and a browser waits for the first byte.
STEP = 20
# What a row is called on the page, and what is said of it, at most.
LONGEST_SHOWN = 120
LONGEST_FAULT = 300


class TableForm(ActionForm):
    """Which table, and into which team: a shared one that the person leads."""

    team = forms.ChoiceField(widget=UnfoldAdminSelectWidget)
    file = forms.FileField(
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv,.tsv,.txt,.json"}),
        help_text=f"CSV or JSON in UTF-8, at most {sheet.MOST_ROWS} rows and {sheet.LARGEST:,} bytes.",
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        led = [team for team in member.teams if team.kind is not TeamKind.PERSONAL and member.may(team.id, Level.LEAD)]
        choices = [("", "Choose a team"), *((team.slug, team.name) for team in led)]
        self.fields["team"].choices = choices  # type: ignore[attr-defined]

    def clean_file(self) -> Any:
        """Before any of it is read: how large it is."""
        file = self.cleaned_data["file"]
        if file.size > sheet.LARGEST:
            raise forms.ValidationError(f"It has {file.size:,} bytes; the limit is {sheet.LARGEST:,}.")
        return file

    def rows(self) -> list[sheet.Row]:
        """The rows of the file; none if it cannot be read, which the form then says."""
        return self.attempt(sheet.read, data=self.cleaned_data["file"].read()) or []


@dataclass(frozen=True)
class ImportLine:
    """One row as the pages show it. Nothing of a secret is in it."""

    number: int
    fate: str
    ref: str
    kind: str
    title: str
    why: str
    errors: dict[str, list[str]]


class ImportedTable(ModelAdmin):
    """A list into which a table may be brought, by anyone who may add to it."""

    import_export_change_list_template = "admin/import_export/change_list_import_export.html"

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_add_permission(request))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        may = {"has_import_permission": self.has_import_permission(request)}
        return super().changelist_view(request, {**(extra_context or {}), **may})

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="knowledge_insight_import"), *super().get_urls()]

    def import_view(self, request: PageRequest) -> HttpResponse:
        """The form; with a file, what would become of it; with a preview confirmed, what became of it."""
        if not self.has_import_permission(request):
            raise PermissionDenied
        if "planned" in request.POST:
            return self._deposit(request, request.POST["planned"])
        form = TableForm(request.POST or None, request.FILES or None, member=request.member)
        rows = form.rows() if form.is_valid() else []
        if not rows:
            return self._page(
                request, "Import insights", form=form, columns=sheet.READ, needed=sheet.NEEDED, kinds=[*Kind]
            )
        return self._preview(request, rows, form.cleaned_data["team"])

    def _preview(self, request: PageRequest, rows: Sequence[sheet.Row], team: str) -> HttpResponse:
        entries, refused = entered(rows, request.member)
        told = plan(entries=entries, team=team, by=request.member, now=timezone.now())
        lines = _lines(rows, [*refused, *told])
        ready = {line.number for line in lines if line.fate == Fate.READY}
        planned = {
            "user": request.member.user_id,
            "team": team,
            "total": len(ready),
            "rows": [asdict(row) for row in rows if row.number in ready],
            "left": [asdict(line) for line in lines if line.number not in ready],
        }
        return self._page(
            request,
            "Import insights: preview",
            lines=lines,
            team=request.member.named(team),
            act=f"Import {len(ready)} row{'' if len(ready) == 1 else 's'}",
            planned=sealed(planned) if ready else "",
        )

    def _deposit(self, request: PageRequest, planned: str) -> HttpResponse:
        """The next rows of what was confirmed; then a page that goes on by itself, or what became of all of them."""
        try:
            kept = signing.loads(planned, salt=SALT, max_age=FRESH)
        except signing.BadSignature:
            kept = {}
        if kept.get("user") != request.member.user_id:
            messages.error(request, "This preview is more than an hour old, or not yours. Upload the file again.")
            return HttpResponseRedirect(reverse("admin:knowledge_insight_import"))
        rows = [sheet.Row(**row) for row in kept["rows"][:STEP]]
        entries, refused = entered(rows, request.member)
        told = import_rows(entries=entries, team=kept["team"], by=request.member, now=timezone.now())
        kept["rows"] = kept["rows"][STEP:]
        kept["left"] += [asdict(line) for line in _lines(rows, [*refused, *told])]
        if kept["rows"]:
            total = kept["total"]
            done = total - len(kept["rows"])
            step = {"done": done, "total": total, "percent": 100 * done // total}
            return self._page(request, "Import insights", planned=sealed(kept), **step)
        lines = sorted((ImportLine(**line) for line in kept["left"]), key=lambda line: line.number)
        return self._page(request, "Import insights: done", lines=lines, team=request.member.named(kept["team"]))

    def _page(self, request: HttpRequest, title: str, **context: Any) -> HttpResponse:
        """One template tells all: the `form`, how much is `done`, or `lines`, `planned` if they are to be confirmed."""
        fates = Counter(line.fate for line in context.get("lines", ()))
        context["counts"] = [(fate.value, fates[fate]) for fate in Fate if fates[fate]]
        shared = {**self.admin_site.each_context(request), "opts": self.opts, "title": title}
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "admin/insight_import.html", {**shared, **context})


def sealed(planned: dict[str, Any]) -> str:
    """What is carried from one step to the next, so that nobody changes it on the way."""
    return signing.dumps(planned, salt=SALT, compress=True)


def entered(rows: Iterable[sheet.Row], member: Member) -> tuple[list[RowEntry], list[PlannedRow]]:
    """The rows as drafts, by the rules of the API's door; and those that are none, with the reason."""
    entries, refused = [], []
    for row in rows:
        door = DraftIn(data=row.said, context={"member": member})
        if row.fault:
            refused.append(PlannedRow(row.number, Fate.REFUSED, why=row.fault))
        elif door.is_valid():
            entries.append(RowEntry(row.number, door.draft(), row.ref))
        else:
            refused.append(PlannedRow(row.number, Fate.REFUSED, errors=_by_column(door.errors)))
    return entries, refused


def _by_column(errors: Any) -> dict[str, list[str]]:
    """What the door found, by the name the column has."""
    inner = errors.get("source", {})
    found = {name: faults for name, faults in errors.items() if name != "source"}
    if isinstance(inner, dict):
        found |= {f"source_{name}": faults for name, faults in inner.items()}
    return {name: sorted(set(_texts(faults))) for name, faults in found.items()}


def _texts(faults: Any) -> list[str]:
    """All faults of a field, of its entries too."""
    if isinstance(faults, dict):
        faults = list(faults.values())
    if isinstance(faults, list):
        return [text for fault in faults for text in _texts(fault)]
    return [masked(str(faults))[:LONGEST_FAULT]]


def _lines(rows: Iterable[sheet.Row], told: Iterable[PlannedRow]) -> list[ImportLine]:
    said = {row.number: row.said for row in rows}
    return sorted((_line(one, said[one.number]) for one in told), key=lambda line: line.number)


def _line(told: PlannedRow, said: dict[str, Any]) -> ImportLine:
    title, body = (str(said.get(name) or "") for name in ("title", "body"))
    shown = masked(title.strip() or (derive_title(body) if body.strip() else ""))
    kind = masked(str(said.get("kind") or ""))
    return ImportLine(
        told.number,
        told.fate.value,
        told.ref,
        kind[:20],
        Truncator(shown).chars(LONGEST_SHOWN),
        masked(told.why),
        told.errors,
    )
