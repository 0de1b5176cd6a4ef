"""Insights: the list, one of them, editing it."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods
from django.views.decorators.vary import vary_on_headers

from accounts.authentication import PageRequest
from accounts.models import LogEntry
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.filters import InsightFilter
from knowledge.forms.insights import AS_AGENT, EditForm, RowForm, SearchForm
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import Retrieved, retrieve
from knowledge.review.actions import inbox_state, triage
from knowledge.review.actions.offered_acts import status_acts
from knowledge.review.rules.saved_filters import Listing
from knowledge.review.rules.table_columns import INSIGHTS
from knowledge.views import notices, saved
from knowledge.views.item import Curators, inbox_planned, insight_page, insight_panel, planning, row_of
from knowledge.views.listing import table_page
from knowledge.views.owners import owner_choices
from knowledge.views.writing import preview_edit, typed_text

# What is done to several at once.
BULK = ("promote", "deprecate", "leave", "pin", "forget")


@login_required
@require_GET
@vary_on_headers("HX-Request")
def insights(request: PageRequest) -> HttpResponse:
    """Search as an agent would, or leaf through the newest. HTMX gets the results alone."""
    form = SearchForm(request.GET, member=request.member)
    curators = inbox_state.curators(triage.leads(request.member), by=request.member)
    context: dict[str, Any] = {
        "form": form,
        "editable": True,
        "here": request.get_full_path(),
        "leads": triage.leads(request.member),
        "bulk_verbs": BULK,
        "planning": planning(curators, curators),
        "quick": _quick(request.member),
        **saved.bar(request, Listing.INSIGHTS),
    }
    if form.is_valid() and form.asks_as_agent:
        context |= _found(request, form, curators)
    elif form.is_valid():
        context |= _listed(request, curators)
    part = request.htmx and not request.htmx.history_restore_request
    template = "knowledge/_insight_results.html" if part else "knowledge/insight_list.html"
    return render(request, template, context)


@login_required
@require_GET
def insight(request: PageRequest, ref: str) -> HttpResponse:
    """One insight: what it says, how strong it is, where it came from, what happened to it."""
    member = request.member
    row = Insight.objects.visible_to(member).whole().with_inbox_state().called(ref).first()
    if row is None:
        raise NotFound
    context = insight_page(row, member) | {
        "elsewhere": [team for team in member.teams if _may_receive(team.id, row, member)],
        **owner_choices(member, row.team_id, row.owner_id, typed=True),
        "owner_url": reverse("knowledge:owner", args=[row.ref]),
        "here": request.path,
        # To whom is asked on a page of its own.
        "assign_link": True,
    }
    if not row.superseded_by_id:
        context |= inbox_planned(getattr(row, "inbox_state", None), row.ref, member, row.team_id, curators={})
    return render(request, "knowledge/insight_detail.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: PageRequest, ref: str) -> HttpResponse:
    """Change an insight as it was when the form was made. What changed meanwhile is shown; no typing is lost. Who came
    from a queue is back in it afterwards, at that row. `act=preview` stores nothing.
    """
    row = _find(request.member, ref)
    if request.POST.get("act") == "preview":
        return preview_edit(request, row)
    form = EditForm(request.POST) if request.method == "POST" else EditForm.of(row)
    home = reverse("knowledge:insight", kwargs={"ref": ref})
    back = (request.POST.get("back") or request.GET.get("back", ""))[:4_000]
    context: dict[str, Any] = {"insight": row, "back": back, "cancel": notices.own_path(back, otherwise=home)}
    made = form.save(ref=ref, by=request.member, now=timezone.now()) if form.is_valid() else None
    if made:
        notices.saved(request, made, was=row)
        return notices.back(back, otherwise=home, at=f"row-{ref}" if back else "")
    if form.stale:
        context |= {
            "conflicts": form.on_top_of(row).conflicts(row),
            "changed_since": form.changed_since(row),
            "overlaps": form.overlaps(row),
            "line": _last(row, request.member),
        }
        form = form.on_top_of(row)
    return render(request, "knowledge/insight_edit.html", {**context, "form": form, **typed_text(form)})


@login_required
@require_GET
def row(request: PageRequest, ref: str) -> HttpResponse:
    """One row of the list, as it stands: what is there again when editing it is given up."""
    context = {"insight": _find(request.member, ref), "editable": True, "hit": None}
    return render(request, "knowledge/_insight_row.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def inline(request: PageRequest, ref: str) -> HttpResponse:
    """Title, kind and tags, edited in the row, and its status beside them. Changed meanwhile: 412, with the difference
    and the typing.
    """
    found = _find(request.member, ref)
    form = RowForm(request.POST) if request.method == "POST" else RowForm.of(found)
    context: dict[str, Any] = {"insight": found, "form": form, "acts": status_acts(found, request.member)}
    made = form.save(ref=ref, by=request.member, now=timezone.now()) if form.is_valid() else None
    if made:
        notices.saved(request, made, was=found)
        if not request.htmx:
            # Sent before the form was wired, or without JavaScript: a row alone is no page.
            return redirect("knowledge:insight", ref)
        return render(
            request,
            "knowledge/_insight_row.html",
            {**context, "insight": _find(request.member, ref), "editable": True, "told": True, "hit": None},
        )
    if form.stale:
        context |= {"conflicts": form.on_top_of(found).conflicts(found), "changed_since": form.changed_since(found)}
        context |= {"overlaps": form.overlaps(found)}
        context |= {"line": _last(found, request.member), "form": form.on_top_of(found)}
    return render(request, "knowledge/_insight_inline.html", context, status=412 if form.stale else 200)


def _found(request: PageRequest, form: SearchForm, curators: Curators) -> dict[str, Any]:
    """The agents' own ranking. Filters that a question does not have are laid over its answer."""
    answer: Retrieved = retrieve(ask=form.ask(), by=request.member, now=timezone.now(), recorded=False)
    ids = [hit.insight.pk for hit in answer.hits]
    kept = set(narrowed(request).filter(pk__in=ids).values_list("pk", flat=True))
    hits = [hit for hit in answer.hits if hit.insight.pk in kept]
    context = {"answer": answer, "hits": hits, "hidden": len(answer.hits) - len(hits)}
    if not hits:
        return context
    first = row_of(request.member, hits[0].insight.ref, None)
    return {**context, "chosen": first, **insight_panel(first, request.member, None, curators=curators)}


def _quick(member: Member) -> list[tuple[str, str]]:
    """Filters that many come for, as links."""
    return [
        ("Pinned", "pinned=true"),
        ("Stale", "stale=true"),
        ("Decisions", "kind=DECISION"),
        ("Promoted", "status=promoted"),
        ("Never reviewed", "reviewed=never"),
        ("Superseded", "status=superseded"),
        ("Mine", urlencode({"author": member.username})),
        ("Owned by me", urlencode({"owner": member.username})),
    ]


def _listed(request: PageRequest, curators: Curators) -> dict[str, Any]:
    """One page of the table, its total, and the panel of the row that is selected: by `at`, else the first."""
    tags = "tags" in ",".join(request.GET.getlist("cols")).split(",")
    listed = Insight.objects.visible_to(request.member).in_rows(anchors=tags)
    context = table_page(request, INSIGHTS, narrowed(request), listed)
    # Who searches for a reference means that one, whatever else mentions it.
    rows, at = context["rows"], request.GET.get("at", "") or request.GET.get("q", "").strip().upper()
    chosen = next((row for row in rows if row.ref == at), rows[0] if rows else None)
    context |= {"chosen": chosen, "address": _address_without_item(request)}
    if chosen is None:
        return context
    whole = row_of(request.member, chosen.ref, None)
    return {**context, **insight_panel(whole, request.member, None, curators=curators)}


def _address_without_item(request: PageRequest) -> str:
    """The query of the address without the row that is selected, for the rows to add their own."""
    kept = request.GET.copy()
    kept.pop("at", None)
    return f"{kept.urlencode()}&" if kept else ""


def narrowed(request: PageRequest) -> Any:
    """The insights that the address narrows to."""
    wanted = request.GET.copy()
    text = wanted.pop("q", [""])[-1]
    if text and wanted.get("rank") != AS_AGENT:
        wanted["text"] = text
    rows = Insight.objects.visible_to(request.member)
    # Without a filter there is no form to make of them, which is a seventh of the page.
    return InsightFilter(wanted, rows).qs if any(wanted.get(name) for name in InsightFilter.base_filters) else rows


def _find(member: Member, ref: str) -> Insight:
    row = Insight.objects.visible_to(member).whole().filter(ref=ref).first()
    if row is None:
        raise NotFound
    return row


def _last(row: Insight, member: Member) -> LogEntry | None:
    """The last that happened to it, and who did it."""
    return LogEntry.objects.visible_to(member).about(row.ref).first()


def _may_receive(team_id: int, row: Insight, member: Member) -> bool:
    """Whether it may be moved there: to another team one writes in; to one's own only what one deposited."""
    own = team_id == member.home_id
    theirs = own and row.author_id != member.user_id
    return team_id != row.team_id and member.may(team_id, Level.CONTRIBUTOR) and not theirs
