"""Standing of contributors: whose unreviewed notes no longer come first, and restoring that."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import PageRequest
from knowledge.forms.standings import StandingForm
from knowledge.lifecycle.actions.standing import contributors, restore_standing, withdraw_standing
from knowledge.retrieval.rules.standing import MOST_REJECTED, ROOM, WINDOW


@login_required
@never_cache
@require_GET
def standings(request: PageRequest) -> HttpResponse:
    """Everybody whose proposals leads of one's teams have settled lately."""
    context = {
        "contributors": contributors(by=request.member, now=timezone.now()),
        "days": WINDOW.days,
        "most": MOST_REJECTED,
        "room": ROOM,
    }
    return render(request, "knowledge/standings.html", context)


@login_required
@require_POST
def restore(request: PageRequest) -> HttpResponse:
    """Count no rejection of before against a contributor; with `how=withdraw`, count them again."""
    form = StandingForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing changed: choose a team and a contributor.")
        return redirect("knowledge:standings")
    data, by, now = form.cleaned_data, request.member, timezone.now()
    if data["how"] == "withdraw":
        withdraw_standing(team=data["team"], username=data["username"], by=by, now=now)
        messages.success(request, f"Rejections of {data['username']} count again.")
    else:
        restore_standing(team=data["team"], username=data["username"], by=by, now=now, why=data["why"])
        messages.success(request, f"Standing of {data['username']} restored.")
    return redirect("knowledge:standings")
