"""Export from a list of the admin: the rows it shows, in columns that are named one by one, as text in a spreadsheet.

django-import-export does the pages and the files. What is ours: who may, which rows (those of the list's own queryset,
whatever ids are sent), which columns, cells that no spreadsheet takes for a formula, a bound, and a line in the log.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR, IncorrectLookupParameters
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from import_export.admin import ExportMixin
from import_export.fields import Field
from import_export.formats import base_formats
from import_export.resources import Resource
from tablib import Dataset
from unfold.contrib.import_export.forms import SelectableFieldsExportForm

from accounts.actions.exports import note_export
from accounts.authentication import PageRequest
from accounts.rules.cells import as_text
from accounts.rules.fence import escaped

# A file is made in memory while somebody waits: 5 s of CPU as XLSX. With twice as many rows a web process took 600 MB.
# A whole memory leaves by `manage.py vault`.
MOST_ROWS = 10_000
# Rows that are ticked one by one travel as fields of a form, of which Django takes 1,000.
MOST_TICKED = 500
# So many are read from the database at a time.
CHUNK = 500


# --- what a file has in it ----------------------------------------------------------------------------------
class ExportColumn(Field):
    """One column: what it says of a row, by a function. A moment is written as ISO 8601, in UTC."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        super().__init__(readonly=True)
        self.read = read

    def export(self, instance: Any, **kwargs: Any) -> Any:
        value = self.read(instance)
        if isinstance(value, datetime):
            return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return "" if value is None else value


class Rows(Resource):
    """The columns of one list, in their order. Nothing is in a file that no column names."""

    what: ClassVar[str]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.counts: Counter[int] = Counter()

    def team_of(self, row: Any) -> int:
        """The id of its team, which is told that it left."""
        return int(row.team_id)

    def read(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows with all that the columns need."""
        return rows

    def iter_queryset(self, queryset: QuerySet[Any]) -> Iterator[Any]:
        for row in self.read(queryset).iterator(chunk_size=CHUNK):
            self.counts[self.team_of(row)] += 1
            yield row

    @classmethod
    def get_display_name(cls) -> str:
        return cls.what


# --- files --------------------------------------------------------------------------------------------------
class Spreadsheet(base_formats.TablibFormat):
    def _escape_formulae(self, dataset: Dataset) -> None:
        """In the library's place, which only takes one = away, and with it what somebody wrote."""
        headers = dataset.headers
        rows = [[self.cell(cell) if isinstance(cell, str) else cell for cell in row] for row in dataset]
        dataset.wipe()
        dataset.headers = headers
        dataset.extend(rows)

    def cell(self, text: str) -> str:
        return as_text(text)


class Csv(Spreadsheet, base_formats.CSV):
    """With a byte order mark, by which Excel knows UTF-8; every cell in quotes."""

    def export_data(self, dataset: Dataset, **kwargs: Any) -> str:
        return "\ufeff" + str(super().export_data(dataset, quoting=csv.QUOTE_ALL, **kwargs))


# What a cell of a workbook holds (Excel's specifications and limits); openpyxl drops the rest without a word.
LONGEST_CELL = 32_767
CUT = "… (truncated: the limit of a cell. CSV and JSON have the full text.)"


class Xlsx(Spreadsheet, base_formats.XLSX):
    def cell(self, text: str) -> str:
        whole = as_text(text)
        return whole if len(whole) <= LONGEST_CELL else whole[: LONGEST_CELL - len(CUT)] + CUT

    def export_data(self, dataset: Dataset, **kwargs: Any) -> bytes:
        # As wide as the longest text would be wider than Excel opens.
        return bytes(super().export_data(dataset, column_width=24, **kwargs))


class Json(base_formats.JSON):
    """The same data with the tags of speakers escaped, as a model may be given the file; nothing computes it."""

    def export_data(self, dataset: Dataset, **kwargs: Any) -> str:
        return escaped(str(super().export_data(dataset, **kwargs)))

    def _escape_formulae(self, dataset: Dataset) -> None:
        pass


class ColumnsForm(SelectableFieldsExportForm):
    """Which columns, and in which format."""

    def _get_field_label(self, resource: type[Rows], field_name: str) -> str:
        return field_name.replace("_", " ").capitalize()


# --- the list -----------------------------------------------------------------------------------------------
class ExportedAdmin(ExportMixin):
    """A list whose rows may be taken away in a file by anyone who sees them here."""

    resource_classes: tuple[type[Rows], ...]
    export_formats = (Csv, Xlsx, Json)
    export_form_class = ColumnsForm
    export_template_name = "admin/export.html"

    def has_export_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)
        if self.actions is not None and IS_POPUP_VAR not in request.GET and self.has_export_permission(request):
            actions["export_selected"] = self.get_action(export_selected)
        return actions

    def export_action(self, request: HttpRequest) -> HttpResponse:
        try:
            return super().export_action(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(f"{self.address('changelist')}?e=1")

    def init_request_context_data(self, request: HttpRequest, form: Any) -> dict[str, Any]:
        """How many rows it is about, unless they were ticked."""
        context: dict[str, Any] = super().init_request_context_data(request, form)
        count = None if form.initial.get("export_items") else self.get_export_queryset(request).count()
        return {**context, "what": self.resource_classes[0].what, "count": count, "narrowed": bool(request.GET)}

    def get_valid_export_item_pks(self, request: HttpRequest) -> list[str]:
        """Any that can be a key: which of them are rows of this list, the list's own queryset says."""
        return [sent for sent in request.POST.getlist("export_items") if self._is_key(sent)]

    def _is_key(self, sent: str) -> bool:
        try:
            self.model._meta.pk.clean(sent, None)
        except ValidationError:
            return False
        return True

    def get_export_data(self, file_format: Any, request: PageRequest, queryset: QuerySet[Any], **kwargs: Any) -> Any:
        """The file, once the log says that it leaves. Raises ValueError, which the page shows."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        if queryset[: MOST_ROWS + 1].count() > MOST_ROWS:
            raise ValueError(
                f"The list has more than {MOST_ROWS:,} rows. Filter the list first, or export everything "
                "with 'manage.py vault'."
            )
        rows = self.resource_classes[0]()
        chosen = self.get_export_resource_fields_from_form(kwargs.get("export_form"))
        table = rows.export(queryset, export_fields=chosen)
        columns = list(table.headers)
        file = file_format.export_data(table)
        note_export(
            what=rows.what,
            counts=rows.counts,
            columns=columns,
            form=file_format.get_title(),
            by=request.member,
            now=timezone.now(),
        )
        return file

    def get_export_filename(self, request: HttpRequest, queryset: QuerySet[Any], file_format: Any) -> str:
        name = self.resource_classes[0].what.replace(" ", "-")
        return f"{name}-{timezone.now():%Y-%m-%d}.{file_format.get_extension()}"

    def offer(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:
        """The choice of columns and format, for these rows of the list."""
        keys = list(chosen.values_list("pk", flat=True))
        form = self.export_form_class(self.get_export_formats(), self.resource_classes, initial={"export_items": keys})
        context = self.init_request_context_data(request, form)
        context["export_url"] = self.address("export", request)
        return TemplateResponse(request, [self.export_template_name], context)

    def address(self, name: str, request: HttpRequest | None = None) -> str:
        """Of one of the list's pages, with what the list is narrowed to."""
        path = reverse(f"admin:{self.model._meta.app_label}_{self.model._meta.model_name}_{name}")
        return f"{path}?{request.GET.urlencode()}" if request and request.GET else path


@admin.action(description="Export selected %(verbose_name_plural)s", permissions=["export"])
def export_selected(page: ExportedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """On to the choice of columns and format. All that the list has, over its pages, is what the list exports."""
    if request.POST.get("select_across") == "1":
        return HttpResponseRedirect(page.address("export", request))
    if queryset[: MOST_TICKED + 1].count() > MOST_TICKED:
        page.message_user(request, f"At most {MOST_TICKED} at once; export the list instead.", messages.WARNING)
        return None
    return page.offer(request, queryset)
