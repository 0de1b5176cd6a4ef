"""One's recent actions, each with its undo."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from knowledge.review.actions.recent_actions import KEPT, recent_actions, undo_refusals


@login_required
@never_cache
@require_GET
def recent(request: PageRequest) -> HttpResponse:
    """The last fifty; HTMX gets the list alone."""
    actions = recent_actions(by=request.member)
    refused = undo_refusals(actions, by=request.member)
    context = {"actions": [(one, refused.get(one.pk, "")) for one in actions], "kept": KEPT}
    part = request.htmx and not request.htmx.history_restore_request
    return render(request, "knowledge/_actions.html" if part else "knowledge/actions.html", context)
