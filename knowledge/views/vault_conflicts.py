"""Edits in the vault that wait for a person: keep ours, take theirs, or take them edited."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.authentication import PageRequest
from accounts.rules.refused import NotFound, Refused
from knowledge.forms.conflicts import ConflictForm, TakeForm
from knowledge.forms.insights import EditForm, initial_values
from knowledge.models import Conflict, EditProposal
from knowledge.review.actions import vault_conflicts
from knowledge.rules.vocabulary import field_name
from knowledge.views import notices

QUEUE = "/?tab=vault"


@login_required
@require_POST
def settled(request: PageRequest, conflict_id: int) -> HttpResponse:
    """Keep what stands in Loam, or take what the file says."""
    conflict = vault_conflicts.one(conflict_id=conflict_id, by=request.member)
    form = ConflictForm(request.POST)
    back = request.POST.get("back", "") or QUEUE
    if not form.is_valid():
        messages.error(request, "Not resolved: choose an action.")
        return notices.back(back)
    try:
        made = form.settle(conflict_id=conflict_id, by=request.member, now=timezone.now())
    except Refused as refused:
        # Back in the queue it is shown as it is now; what is gone, or not theirs to settle, is told as anywhere.
        if refused.status in (403, 404):
            raise
        messages.warning(request, f"{conflict.name}: {refused.in_full}")
        return notices.back(back, at=f"conflict-{conflict_id}")
    _notify_outcome(request, conflict, form.cleaned_data["how"], made)
    return notices.back(back, at=request.POST.get("next", "")[:40])


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: PageRequest, conflict_id: int) -> HttpResponse:
    """The insight with the file's words in the form, to be made into what both should say."""
    conflict = vault_conflicts.one(conflict_id=conflict_id, by=request.member)
    insight = conflict.insight
    if insight is None:
        raise NotFound
    context: dict[str, Any] = {"conflict": conflict, "insight": insight, "sides": sides(conflict)}
    if request.method == "POST":
        typed = TakeForm(request.POST)
        typed.conflict_id = conflict_id
        form: EditForm = typed
        made = form.save(ref=insight.ref, by=request.member, now=timezone.now()) if form.is_valid() else None
        if made:
            _notify_outcome(request, conflict, "take", made)
            return notices.back(QUEUE)
        if form.stale:
            context |= {"stale": True, "changed_since": form.changed_since(insight)}
            form = form.on_top_of(insight)
    else:
        form = TakeForm.over(insight, conflict.theirs)
    return render(request, "knowledge/conflict_edit.html", {**context, "form": form})


def sides(conflict: Conflict) -> list[tuple[str, str, str]]:
    """Label, what stands in Loam and what the file says, of each field that the file changed."""
    if conflict.insight is None:
        return []
    ours = initial_values(conflict.insight)
    theirs = {name: TakeForm.text_of(name, value) for name, value in conflict.theirs.items()}
    return [(field_name(name).capitalize(), ours[name], theirs[name]) for name in ours if name in theirs]


def _notify_outcome(request: PageRequest, conflict: Conflict, how: str, made: Any) -> None:
    if isinstance(made, EditProposal):
        notices.suggested(request, [made])
        return
    words = "kept; vault edit rejected" if how == "keep" else "updated from the vault edit"
    notices.undoable(request, f"{conflict.name} {words}.", [["conflict", conflict.pk]])
