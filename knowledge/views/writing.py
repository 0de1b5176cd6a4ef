"""What is written by hand: with its text rendered and what is near it shown while one types."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from accounts.rules.rights import PERSONAL, Level, Member, TeamKind
from knowledge.forms.insights import EditForm
from knowledge.forms.writing import MergedTextForm, NewInsightForm
from knowledge.judging.actions.deposit import deposit, preview
from knowledge.models import Insight, Pair
from knowledge.review.actions import settle
from knowledge.review.rules.triage import Tab
from knowledge.rules.draft import Draft
from knowledge.views import notices

# Shorter texts say too little for anything to be near them.
COMPARED_FROM = 20
OUTCOMES = {
    "inserted": "{ref} saved as a draft.",
    "merged": "This was already known: your text was merged into {ref}, whose strength increased.",
}


@login_required
@require_http_methods(["GET", "POST"])
def new(request: PageRequest) -> HttpResponse:
    """Write an insight: the same checks as an agent's deposit. `act=preview` stores nothing."""
    form = NewInsightForm(request.POST or None, member=request.member, initial={"team": request.GET.get("team", "")})
    if request.POST.get("act") == "preview":
        return _preview(request, form)
    if form.is_valid():
        done = form.attempt(deposit, draft=form.draft(), by=request.member, now=timezone.now())
        if done:
            words = OUTCOMES.get(done.outcome, "{ref} saved.").format(ref=done.insight.ref)
            messages.success(request, words)
            return redirect("knowledge:insight", ref=done.insight.ref)
    return render(request, "knowledge/insight_new.html", {"form": form})


def _preview(request: PageRequest, form: NewInsightForm) -> HttpResponse:
    """The text as it will be shown, and what says something near it; HTMX gets that part alone."""
    context = {"form": form, **typed_text(form)}
    if form.is_valid():
        context |= _found(form.draft(), request.member)
    template = "knowledge/_insight_draft.html" if request.htmx else "knowledge/insight_new.html"
    return render(request, template, context)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def merge_pair(request: PageRequest, pair_id: int) -> HttpResponse:
    """Settle a pair by one text for both: two sides and the result, which starts from both or, by `start`, from one.
    `act=preview` stores nothing.
    """
    pair = get_object_or_404(Pair.objects.visible_to(request.member).with_sides(), pk=pair_id)
    for side in (pair.a, pair.b):
        request.member.require(side.team_id, Level.LEAD, of=f"{pair.a.ref} and {pair.b.ref}")
    if pair.state != Pair.State.OPEN or any(side.needs_reviewer for side in (pair.a, pair.b)):
        return redirect("knowledge:pair-item", pair_id=pair.pk)
    start, keep = request.GET.get("start", "")[:24], settle.keep_of(pair)
    if request.method == "POST":
        form = MergedTextForm(request.POST, pair=pair)
        if request.POST.get("act") == "preview":
            return render(request, "knowledge/_insight_draft.html", {"pair": pair, **typed_text(form)})
        marks = request.POST.get("seen", "")[:120]
        done = form.save(by=request.member, now=timezone.now(), marks=marks) if form.is_valid() else None
        if done:
            return _notify_merged(request, *done)
        pair = get_object_or_404(Pair.objects.visible_to(request.member).with_sides(), pk=pair_id)
    else:
        form = MergedTextForm.starting_from(pair, start, keep)
    context = {"pair": pair, "form": form, "start": start, **typed_text(form), "marks": settle.marks_of(pair)}
    if form.is_bound and form.stale:
        context["lines"] = settle.since(pair, marks, by=request.member)
    return render(request, "knowledge/pair_merge.html", context)


def _notify_merged(request: PageRequest, pair: Pair, kept: Insight) -> HttpResponse:
    """Back to the queue of the pair, with the way back: the text first, then the pair."""
    gone = pair.b if kept.pk == pair.a_id else pair.a
    steps = [["undo edit", kept.ref, kept.revision], ["reopen", pair.pk]]
    notices.undoable(request, f"{gone.ref} merged into {kept.ref}, with the text you wrote.", steps)
    queue = Tab.CONTRADICTIONS if pair.question == Pair.Question.CONTRADICTION else Tab.DUPLICATES
    return redirect(f"knowledge:{queue.value}" if pair.question != Pair.Question.SUPERSESSION else "knowledge:inbox")


def preview_edit(request: PageRequest, row: Insight) -> HttpResponse:
    """The same for an edit of an insight, which is not near itself, and is not merged on saving."""
    form = EditForm(request.POST)
    context = {"insight": row, "compared": form.conflicts(row), **typed_text(form)}
    if form.is_valid():
        team = PERSONAL if row.team.kind is TeamKind.PERSONAL else row.team.slug
        context |= _found(form.draft(team), request.member, itself=row.pk)
    return render(request, "knowledge/_insight_draft.html", context)


def typed_text(form: Form) -> dict[str, Any]:
    """The text of a form, as the preview beside it renders it."""
    return {name: str(form[name].value() or "")[:20_000] for name in ("body", "reasoning")}


def _found(draft: Draft, by: Member, itself: int = 0) -> dict[str, Any]:
    """What depositing the draft would find, or why it would be refused; nothing for a text too short to compare."""
    if len(draft.body.strip()) < COMPARED_FROM:
        return {}
    try:
        return {"found": preview(draft=draft, by=by, now=timezone.now(), itself=itself)}
    except Refused as refused:
        return {"refused": refused}
