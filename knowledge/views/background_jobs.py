"""Long work asked for on a page, and how far it is: bringing notes in, grouping a team's topics again."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.authentication import PageRequest
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.forms.background_jobs import BringForm
from knowledge.jobs.actions import background
from knowledge.models import BackgroundJob, Insight, Query
from knowledge.querysets.background_jobs import BackgroundJobQuerySet
from knowledge.review.proposals.actions.decide import fields_of
from knowledge.review.rules.relevant_part import passage_for
from knowledge.rules.draft import searchable

# As many as one looks back for.
SHOWN = 5


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def bring_in(request: PageRequest) -> HttpResponse:
    """Send notes; the worker makes insights of them, and the page tells how far it is, also when one comes back."""
    form = BringForm(request.POST or None, request.FILES or None, member=request.member)
    if form.is_valid():
        sent = {"by": request.member, "now": timezone.now()}
        if form.attempt(background.ask_import, **form.asked(), **sent):
            return redirect("knowledge:bring-in")
    context = {"form": form, "jobs": seen_by(request, BackgroundJob.Kind.IMPORT)[:SHOWN]}
    return render(request, "knowledge/insight_import.html", context)


@login_required
@never_cache
@require_GET
def job(request: PageRequest, job_id: int) -> HttpResponse:
    """How far one is: the part of the page that looks for it."""
    row = seen_by(request).filter(pk=job_id).first()
    if row is None:
        raise NotFound
    if not request.htmx:
        return redirect(_page(row))
    context = _job_context(row) | {"replayed": replayed_questions(row, request.member)}
    return render(request, "knowledge/_background_job.html", context)


@login_required
@require_POST
def stop(request: PageRequest, job_id: int) -> HttpResponse:
    row = background.stop(job_id=job_id, by=request.member, now=timezone.now())
    if request.htmx:
        context = _job_context(row) | {"replayed": replayed_questions(row, request.member)}
        return render(request, "knowledge/_background_job.html", context)
    what = "stopped" if row.over else "stops after the current batch"
    messages.success(request, f"The {NAMES[row.kind]} {what}. Finished work is kept.")
    return redirect(_page(row))


@login_required
@require_POST
def regroup(request: PageRequest) -> HttpResponse:
    """Group the topics of a team one leads again, now."""
    background.ask_regroup(team=request.POST.get("team", "")[:60], by=request.member, now=timezone.now())
    return redirect(f"{reverse('knowledge:topics')}#regroup")


@login_required
@require_POST
def replay(request: PageRequest, proposal_id: int) -> HttpResponse:
    """Rank the questions of the last month with a suggested edit."""
    row = background.ask_replay(proposal_id=proposal_id, by=request.member, now=timezone.now())
    if request.htmx:
        context = _job_context(row) | {"proposal": row.proposal, "may_replay": True, "asked": True}
        return render(request, "knowledge/_proposal_replay.html", context)
    back = request.POST.get("back", "")[:4_000]
    if back.partition("?")[0] == reverse("knowledge:inbox"):
        return redirect(f"{back.partition('?')[0]}?tab=edits&at={proposal_id}#replay")
    return redirect(f"{reverse('knowledge:proposal', args=[proposal_id])}#replay")


NAMES = {
    BackgroundJob.Kind.IMPORT.value: "import",
    BackgroundJob.Kind.REGROUP.value: "reclustering",
    BackgroundJob.Kind.REPLAY.value: "replay",
}


def seen_by(request: PageRequest, kind: str = "") -> BackgroundJobQuerySet:
    rows: BackgroundJobQuerySet = BackgroundJob.objects.all().shown_to(request.member).newest()
    return rows.filter(kind=kind) if kind else rows


def _page(row: BackgroundJob) -> str:
    if row.kind == BackgroundJob.Kind.REPLAY:
        return reverse("knowledge:proposal", args=[row.proposal_id])
    return "knowledge:topics" if row.kind == BackgroundJob.Kind.REGROUP else "knowledge:bring-in"


@dataclass(frozen=True)
class ReplayedQuestion:
    """One of the member's own questions, and how often it was asked, with its first answers: each the insight, as far
    as the member may see it still, and its reference, empty where there is no answer. `passages`: what speaks to it
    in the text as it is and as suggested, where the insight stays the first answer.
    """

    text: str
    before: Insight | None
    after: Insight | None
    refs: tuple[str, str]
    times: int
    passages: tuple[str, str] | None


def replayed_questions(row: BackgroundJob | None, member: Member) -> list[ReplayedQuestion]:
    """The questions of a replay that get another first answer, then those whose first answer stays the insight: as far
    as the member asked them and may see the answers. A question that was asked several times is there once.
    """
    if row is None or not row.results:
        return []
    asked = Query.objects.all().asked_by(member).filter(pk__in=[one[0] for one in row.results])
    texts = {str(pk): text for pk, text in asked.values_list("pk", "text")}
    refs = {ref for one in row.results for ref in one[1:]}
    seen = {one.ref: one for one in Insight.objects.visible_to(member).with_ref([*refs])}
    said: Counter[tuple[str, str, str]] = Counter()
    for pk, old, new in row.results:
        if pk in texts:
            said[" ".join(texts[pk].split()), old, new] += 1
    now, then = _versions(row)
    shown = [
        ReplayedQuestion(
            question,
            seen.get(old),
            seen.get(new),
            (old, new),
            times,
            (passage_for(now, question), passage_for(then, question)) if old == new else None,
        )
        for (question, old, new), times in said.items()
    ]
    return sorted(shown, key=lambda one: one.passages is not None)


def _versions(row: BackgroundJob) -> tuple[str, str]:
    """The text of the insight as it is, and as the suggestion would make it."""
    if row.proposal is None:
        return "", ""
    insight = row.proposal.insight
    merged = {one.name: one.merged for one in fields_of(row.proposal)}
    then = (str(merged.get(name, getattr(insight, name))) for name in ("title", "body", "reasoning"))
    return searchable(insight.title, insight.body, insight.reasoning), searchable(*then)


def _job_context(row: BackgroundJob) -> dict[str, Any]:
    return {"job": row, "arrived": row.over}
