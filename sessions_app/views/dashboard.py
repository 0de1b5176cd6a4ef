"""Pages that tell whether the memory grows and helps, and what keeps going wrong."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from sessions_app.actions.figures import figures
from sessions_app.actions.friction import friction
from sessions_app.forms import DashboardForm, FrictionForm
from sessions_app.rules.friction import DAYS


@login_required
@require_GET
def dashboard(request: PageRequest) -> HttpResponse:
    form = DashboardForm(request.GET or {"days": str(DAYS)}, member=request.member)
    found = figures(by=request.member, now=timezone.now(), team=form.asked()["team"], days=form.span)
    return render(request, "sessions_app/dashboard.html", {"form": form, "figures": found})


@login_required
@require_GET
def friction_report(request: PageRequest) -> HttpResponse:
    """Errors that keep coming back and are unresolved, and where."""
    form = FrictionForm(request.GET or {"days": DAYS})
    asked = form.cleaned_data if form.is_valid() else {}
    days, repo = asked.get("days") or DAYS, asked.get("repo") or ""
    found = friction(by=request.member, now=timezone.now(), repo=repo, days=days)
    context = {"form": form, "report": found, "days": days, "narrowed": bool(repo)}
    return render(request, "sessions_app/friction.html", context)
