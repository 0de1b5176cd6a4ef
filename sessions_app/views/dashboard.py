"""Pages that tell whether the memory grows and helps, and what keeps going wrong."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.authentication import PageRequest
from sessions_app.actions.annotations import may_change
from sessions_app.actions.figures import figures
from sessions_app.actions.friction import friction
from sessions_app.forms import DashboardForm, FrictionForm, NewAnnotationForm
from sessions_app.rules.friction import DAYS
from sessions_app.views import charts


@login_required
@require_GET
def dashboard(request: PageRequest) -> HttpResponse:
    form = DashboardForm(request.GET or {"days": str(DAYS)}, member=request.member)
    team, now = form.asked()["team"], timezone.now()
    found = figures(by=request.member, now=now, team=team, days=form.span)
    drawn, names, marks = charts.charts_of(found, team), charts.labels(found.axis), charts.marked(found)
    started = {"day": found.axis[-1].last, "team": team}
    context = {
        "form": form,
        "figures": found,
        "charts": [(one, charts.chart_rows(one, names, marks)) for one in drawn],
        "chart_data": charts.chart_data(drawn, names, marks),
        "addresses": charts.figure_addresses(found, team),
        "strength": charts.strength_rows(found, team),
        "statuses": charts.status_rows(found, team),
        "top": charts.top_rows(found, team),
        "annotations": [(row, may_change(row, request.member)) for row in found.annotations],
        "annotation_form": NewAnnotationForm(member=request.member, initial=started),
        "days_of_step": found.axis[-1].days,
    }
    return render(request, "sessions_app/dashboard.html", context)


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
