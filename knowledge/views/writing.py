"""An insight written by hand: with its text rendered and what is near it shown while one types."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from knowledge.forms.writing import NewInsightForm
from knowledge.judging.actions.deposit import deposit, preview

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
    body = str(form.data.get("body", ""))[:20_000]
    context: dict[str, Any] = {"form": form, "body": body, "reasoning": str(form.data.get("reasoning", ""))[:20_000]}
    if form.is_valid() and len(body.strip()) >= COMPARED_FROM:
        try:
            context["found"] = preview(draft=form.draft(), by=request.member, now=timezone.now())
        except Refused as refused:
            context["refused"] = refused
    template = "knowledge/_insight_draft.html" if request.htmx else "knowledge/insight_new.html"
    return render(request, template, context)
