"""What is written by hand: with its text rendered and what is near it shown while one types."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from accounts.rules.rights import PERSONAL, Member, TeamKind
from knowledge.forms.insights import EditForm
from knowledge.forms.writing import NewInsightForm
from knowledge.judging.actions.deposit import deposit, preview
from knowledge.models import Insight
from knowledge.rules.draft import Draft

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


def preview_edit(request: PageRequest, row: Insight) -> HttpResponse:
    """The same for an edit of an insight, which is not near itself, and is not merged on saving."""
    form = EditForm(request.POST)
    context = {"insight": row, **typed_text(form)}
    if form.is_valid():
        team = PERSONAL if row.team.kind is TeamKind.PERSONAL else row.team.slug
        context |= _found(form.draft(team), request.member)
    return render(request, "knowledge/_insight_draft.html", context)


def typed_text(form: Form) -> dict[str, Any]:
    """The text of a form, as the preview beside it renders it."""
    return {name: str(form[name].value() or "")[:20_000] for name in ("body", "reasoning")}


def _found(draft: Draft, by: Member) -> dict[str, Any]:
    """What depositing the draft would find, or why it would be refused; nothing for a text too short to compare."""
    if len(draft.body.strip()) < COMPARED_FROM:
        return {}
    try:
        return {"found": preview(draft=draft, by=by, now=timezone.now())}
    except Refused as refused:
        return {"refused": refused}
