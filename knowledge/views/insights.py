"""Insights: the list, one of them, editing it."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods
from django.views.decorators.vary import vary_on_headers
from rest_framework.exceptions import NotFound as NoSuchPage
from rest_framework.request import Request

from accounts.authentication import PageRequest
from accounts.models import LogEntry
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.filters import InsightFilter, InsightPages
from knowledge.forms.insights import EditForm, RowForm, SearchForm
from knowledge.lifecycle.actions import use
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import Retrieved, retrieve
from knowledge.review.actions import curate, triage
from knowledge.review.actions.revert import REVERSIBLE
from knowledge.review.rules.saved_filters import Listing
from knowledge.rules.vocabulary import Status, Trust
from knowledge.views import notices, saved

# What a page shows of a long history and of a long list of anchors; the API gives all of it.
LINES = 100

# What is done to several at once.
BULK = ("promote", "deprecate", "pin", "forget")
# The acts a status leaves open, in the order of the buttons.
ACTS = {
    Status.DRAFT: ("promote", "deprecate"),
    Status.PROMOTED: ("deprecate",),
    Status.DEPRECATED: ("promote", "restore"),
    Status.ARCHIVED: ("restore",),
}


@login_required
@require_GET
@vary_on_headers("HX-Request")
def insights(request: PageRequest) -> HttpResponse:
    """Search as an agent would, or leaf through the newest. HTMX gets the results alone."""
    form = SearchForm(request.GET, member=request.member)
    context: dict[str, Any] = {
        "form": form,
        "editable": True,
        "here": request.get_full_path(),
        "leads": triage.leads(request.member),
        "bulk_verbs": BULK,
        "quick": _quick(request.member),
        **saved.bar(request, Listing.INSIGHTS),
    }
    if form.is_valid() and form.cleaned_data["q"]:
        context |= _found(request, form)
    elif form.is_valid():
        context |= _newest(request)
    part = request.htmx and not request.htmx.history_restore_request
    template = "knowledge/_insight_results.html" if part else "knowledge/insight_list.html"
    return render(request, template, context)


@login_required
@require_GET
def insight(request: PageRequest, ref: str) -> HttpResponse:
    """One insight: what it says, how strong it is, where it came from, what happened to it."""
    member = request.member
    row = use.open_insight(ref=ref, by=member, now=timezone.now())
    said = row.corroborations.all().select_related("user", "unmerged_into").order_by("at", "pk")
    pairs = Pair.objects.visible_to(member).touching([row]).open().select_related("a", "b")
    history = list(LogEntry.objects.visible_to(member).about(*row.names())[:LINES])
    may_lead = member.may(row.team_id, Level.LEAD)
    context = {
        "insight": row,
        "history": history,
        "revertible": may_lead and bool(history) and history[0].verb in REVERSIBLE,
        "chain": triage.chain(row, by=member),
        "said": said[:LINES],
        "signals": row.signals.all().ratings().told()[:LINES],
        "standing": triage.standing_of(row),
        "contradictions": pairs.filter(question=Pair.Question.CONTRADICTION),
        "proposals": pairs.filter(question=Pair.Question.SUPERSESSION),
        "acts": _acts(row, member),
        "may_lead": may_lead,
        "may_edit": curate.may_edit(row, member),
        "may_rate": member.may(row.team_id, Level.CONTRIBUTOR),
        "elsewhere": [team for team in member.teams if _may_receive(team.id, row, member)],
    }
    return render(request, "knowledge/insight_detail.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: PageRequest, ref: str) -> HttpResponse:
    """Change an insight as it was when the form was made. What changed meanwhile is shown; no typing is lost. Who came
    from a queue is back in it afterwards, at that row.
    """
    row = _find(request.member, ref)
    form = EditForm(request.POST) if request.method == "POST" else EditForm.of(row)
    home = reverse("knowledge:insight", kwargs={"ref": ref})
    back = (request.POST.get("back") or request.GET.get("back", ""))[:4_000]
    context: dict[str, Any] = {"insight": row, "back": back, "cancel": notices.own_path(back, otherwise=home)}
    if form.is_valid() and form.save(ref=ref, by=request.member, now=timezone.now()):
        messages.success(request, f"{ref} saved.")
        return notices.back(back, otherwise=home, at=f"row-{ref}" if back else "")
    if form.stale:
        context |= {
            "conflicts": form.conflicts(row),
            "meanwhile": form.meanwhile(row),
            "line": _last(row, request.member),
        }
        form = form.on_top_of(row)
    return render(request, "knowledge/insight_edit.html", {**context, "form": form})


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
    context: dict[str, Any] = {"insight": found, "form": form, "acts": _moves(found, request.member)}
    if form.is_valid() and form.save(ref=ref, by=request.member, now=timezone.now()):
        messages.success(request, f"{ref} saved.")
        return render(
            request,
            "knowledge/_insight_row.html",
            {**context, "insight": _find(request.member, ref), "editable": True, "told": True, "hit": None},
        )
    if form.stale:
        context |= {"conflicts": form.conflicts(found), "meanwhile": form.meanwhile(found)}
        context |= {"line": _last(found, request.member), "form": form.on_top_of(found)}
    return render(request, "knowledge/_insight_inline.html", context, status=412 if form.stale else 200)


def _found(request: PageRequest, form: SearchForm) -> dict[str, Any]:
    """The agents' own ranking. Filters that a question does not have are laid over its answer."""
    answer: Retrieved = retrieve(ask=form.ask(), by=request.member, now=timezone.now())
    ids = [hit.insight.pk for hit in answer.hits]
    kept = set(_narrowed(request).filter(pk__in=ids).values_list("pk", flat=True))
    hits = [hit for hit in answer.hits if hit.insight.pk in kept]
    return {"answer": answer, "hits": hits, "hidden": len(answer.hits) - len(hits)}


def _quick(member: Member) -> list[tuple[str, str]]:
    """Filters that many come for, as links."""
    return [
        ("Pinned", "pinned=true"),
        ("Stale", "stale=true"),
        ("Decisions", "kind=DECISION"),
        ("Promoted", "status=promoted"),
        ("Deprecated", "status=deprecated"),
        ("Mine", urlencode({"author": member.username})),
    ]


def _newest(request: PageRequest) -> dict[str, Any]:
    pages = InsightPages()
    try:
        rows: list[Insight] | None = pages.paginate_queryset(_narrowed(request).whole(), Request(request))
    except NoSuchPage as gone:
        raise Http404 from gone
    return {"rows": rows, "older": pages.get_next_link(), "newer": pages.get_previous_link()}


def _narrowed(request: PageRequest) -> Any:
    wanted = request.GET.copy()
    wanted.pop("q", None)
    return InsightFilter(wanted, Insight.objects.visible_to(request.member)).qs


def _find(member: Member, ref: str) -> Insight:
    row = Insight.objects.visible_to(member).whole().filter(ref=ref).first()
    if row is None:
        raise NotFound
    return row


def _last(row: Insight, member: Member) -> LogEntry | None:
    """The last that happened to it, and who did it."""
    return LogEntry.objects.visible_to(member).about(row.ref).first()


def _moves(row: Insight, member: Member) -> list[str]:
    """What a lead may make of its status."""
    return [act for act in ACTS[Status(row.status)] if act != "promote" or curate.may_promote(row, member)]


def _acts(row: Insight, member: Member) -> list[str]:
    """What this member may do to it as it stands."""
    if not member.may(row.team_id, Level.LEAD):
        return []
    if row.superseded_by_id:
        return ["reinstate"]
    confirm = [] if row.trust == Trust.CONTRADICTED else ["validate"]
    return [*_moves(row, member), "unpin" if row.pinned else "pin", *confirm]


def _may_receive(team_id: int, row: Insight, member: Member) -> bool:
    """Whether it may be moved there: to another team one writes in; to one's own only what one deposited."""
    own = team_id == member.home_id
    theirs = own and row.author_id != member.user_id
    return team_id != row.team_id and member.may(team_id, Level.CONTRIBUTOR) and not theirs
