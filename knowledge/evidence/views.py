"""Pages of what raw files say: ask them, read the briefing with its lines, keep what is worth it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.authentication import PageRequest
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level
from knowledge.evidence.actions.inquiry import Cancelled, begin
from knowledge.evidence.actions.read import read_excerpt
from knowledge.evidence.actions.search import refresh, search
from knowledge.evidence.actions.share import deposit
from knowledge.evidence.adapters.files import UnreadableFile
from knowledge.evidence.forms import AskFilesForm, KeepForm
from knowledge.evidence.models import KnowledgeCluster
from knowledge.evidence.models import Search as Asked
from knowledge.evidence.serializers import STREAM, EvidenceTelling, disconnect_check, streamed

A_PAGE = 20
# One's own last questions, to ask again.
ASKED = 8


@login_required
@require_http_methods(["GET", "POST"])
@vary_on_headers("Accept")
def evidence(request: PageRequest) -> HttpResponseBase:
    """Ask the files one may search. Who takes a stream is told of each phase as it ends, and then gets the answer
    alone; who does not, waits for the page. Either way the search stops when nobody waits any more.
    """
    linked = _question_of_link(request)
    form = AskFilesForm(request.POST or None, member=request.member, initial=linked)
    streams = STREAM in request.headers.get("Accept", "")
    answer = None
    if form.is_valid():
        asked = {
            "ask": form.ask(),
            "by": request.member,
            "now": timezone.now(),
            "gone": disconnect_check(request),
        }
        if streams:
            inquiry = form.attempt(begin, **asked)
            if inquiry:
                return streamed(inquiry, _telling(request))
        else:
            try:
                answer = form.attempt(search, **asked)
            except Cancelled:
                return HttpResponse(status=204)  # they have left: nobody reads it
    rows = Asked.objects.asked_by(request.member).order_by("-at")[: ASKED * 3]
    before = list(dict.fromkeys(row.text for row in rows))[:ASKED]
    searchable = bool(linked) and form.offers(linked["sources"])
    context = {
        "form": form,
        "answer": answer,
        "asked": before,
        "asks_now": searchable,
        "misses_source": bool(linked) and not searchable,
    }
    return render(request, "evidence/search.html", context)


def _question_of_link(request: PageRequest) -> dict[str, Any]:
    """What the address asks: a link that somebody shared, or the page loaded again. The page's script searches for it
    at once, by a POST: what is only fetched changes nothing.
    """
    given = request.GET
    said = {name: given[name] for name in ("query", "mode") if given.get(name)}
    return {**said, "sources": given.getlist("sources")} if said.get("query") else {}


def _telling(request: PageRequest) -> EvidenceTelling:
    """Phases and answer as the page shows them."""
    return EvidenceTelling(
        phase=lambda phase: {"html": render_to_string("evidence/_phase.html", {"phase": phase}, request)},
        answer=lambda answer: {"html": render_to_string("evidence/_search_answer.html", {"answer": answer}, request)},
        last="answer",
    )


# Characters of a passage that a link names, to find it in a line too long to be shown.
NEAR = 40


@login_required
@require_GET
def source_file(request: PageRequest, slug: str) -> HttpResponse:
    """A file of a source, open at the lines that an answer cites (`?path=…&from=…&to=…`), `&commit=…` and `&near=…`."""
    start, end = (_number(request.GET.get(name)) for name in ("from", "to"))
    path = request.GET.get("path", "")
    context: dict[str, Any] = {"slug": slug, "path": path, "from": start, "to": max(start, end)}
    try:
        context["file"] = read_excerpt(
            slug=slug,
            path=path,
            start=start,
            end=end,
            commit=request.GET.get("commit", ""),
            near=request.GET.get("near", "")[:NEAR],
            by=request.member,
            now=timezone.now(),
        )
    except UnreadableFile as fault:
        context["fault"] = str(fault)
    return render(request, "evidence/source_file.html", context)


def _number(given: str | None) -> int:
    return max(1, int(given)) if given and given.isdecimal() and len(given) < 10 else 1


@login_required
@require_GET
def clusters(request: PageRequest) -> HttpResponse:
    """What earlier searches have learned, the last changed first."""
    rows = KnowledgeCluster.objects.visible_to(request.member).standing().whole().order_by("-updated_at", "-pk")
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    return render(request, "evidence/cluster_list.html", {"page": page})


@login_required
@require_POST
def refresh_cluster(request: PageRequest, ref: str) -> HttpResponse:
    """Search its question again, whatever was saved."""
    answer = refresh(ref=ref, by=request.member, now=timezone.now(), gone=disconnect_check(request))
    if answer.cluster is not None and answer.cluster.ref == ref:
        messages.success(request, f"Searched again: version {answer.cluster.version}.")
    else:
        messages.warning(request, "The files do not answer this question any more. The saved answer is contested.")
    return redirect("evidence:cluster", ref=ref)


@login_required
@require_http_methods(["GET", "POST"])
def cluster(request: PageRequest, ref: str) -> HttpResponse:
    """One of them; a POST makes it an insight of its team."""
    row = KnowledgeCluster.objects.visible_to(request.member).whole().filter(ref=ref).first()
    if row is None:
        raise NotFound
    form = KeepForm(request.POST or None, initial={"title": row.name})
    if form.is_valid():
        done = form.attempt(deposit, ref=ref, **form.kept(), by=request.member, now=timezone.now())
        if done:
            messages.success(request, f"Deposited as {done.insight.ref}, a draft.")
            return redirect("knowledge:insight", ref=done.insight.ref)
    context = {
        "cluster": row,
        "hotness": row.hotness_now(timezone.now()),
        "evidences": sorted(row.evidences.all(), key=lambda one: one.rank),
        "form": form,
        "may_keep": request.member.may(row.team_id, Level.CONTRIBUTOR),
    }
    return render(request, "evidence/cluster_detail.html", context)
