"""Activity: the log of one's teams as a table to search, filter and export."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from accounts.authentication import PageRequest
from accounts.models import LogEntry, Membership
from accounts.views.teams import access_to
from knowledge.review.actions.export_table import exported_rows
from knowledge.review.rules.saved_filters import Listing
from knowledge.views import saved
from knowledge.views.listing import PAGE, capped, count, csv_file, require_valid, table_columns
from sessions_app.actions.activity import LOG_LINES, activity_of, exported_log, one_line
from sessions_app.actions.named_objects import named_objects
from sessions_app.forms import ActivityForm
from sessions_app.querysets.activity import latest_verbs, listed_log, page_beyond
from sessions_app.rules.activity import ACTIVITY, cursor

# What a lead looks for: what was tried against the team's memory, and who objects to what it has confirmed.
QUICK = (("Refused attempts", "verb=refused"), ("Objections", "verb=objected"))
# What the fields suggest: verbs of that many of the newest lines, and that many people.
VERBS_OF, PEOPLE = 2_000, 200


@login_required
@require_GET
def activity(request: PageRequest) -> HttpResponse:
    """What happened in one's teams, the newest first unless asked otherwise."""
    form = ActivityForm(request.GET, member=request.member)
    context: dict[str, Any] = {"form": form, **saved.bar(request, Listing.ACTIVITY)}
    if form.is_valid():
        context |= _page(request, form)
    return render(request, "sessions_app/activity.html", context)


def _page(request: PageRequest, form: ActivityForm) -> dict[str, Any]:
    """One page of the log, by its key, with links to what is named in it."""
    found = activity_of(by=request.member, **form.asked())
    ordering, order = ACTIVITY.ordering_of(request.GET.get("ordering", ""))
    before, after = form.cleaned_data["before"], form.cleaned_data["after"]
    rows = page_beyond(listed_log(found), order, PAGE + 1, before or after, back=bool(before))
    beyond = len(rows) > PAGE
    rows = (rows[-PAGE:] if before else rows[:PAGE]) if beyond else rows
    total = len(rows) if not (before or after or beyond) else count(found)
    mine = LogEntry.objects.visible_to(request.member)
    return {
        "rows": rows,
        "objects": named_objects(rows, by=request.member),
        "newer": cursor(rows[0].at, rows[0].pk) if rows and (beyond if before else after) else "",
        "older": cursor(rows[-1].at, rows[-1].pk) if rows and (before or beyond) else "",
        "total": capped(total),
        "verbs": latest_verbs(mine, VERBS_OF),
        "quick": QUICK,
        "people": list(Membership.objects.people_of(request.member, "")[:PEOPLE]),
        **table_columns(request, ACTIVITY, ordering),
    }


@login_required
@require_GET
@vary_on_headers("HX-Request")
def activity_line(request: PageRequest, line_id: int) -> HttpResponse:
    """One line of the log with what was changed by it. HTMX gets the changes alone."""
    line = one_line(line_id=line_id, by=request.member)
    context = {"line": line, "objects": named_objects([line], by=request.member)}
    template = "sessions_app/_activity_changes.html" if request.htmx else "sessions_app/activity_line.html"
    return render(request, template, context)


@login_required
@require_GET
def activity_export(request: PageRequest) -> HttpResponseBase:
    """A CSV file of what the address narrows to. Raises BadFilters."""
    form = ActivityForm(request.GET, member=request.member)
    require_valid(form)
    rows = exported_log(activity_of(by=request.member, **form.asked()))
    return csv_file("activity", exported_rows(LOG_LINES, rows, by=request.member, now=timezone.now()))


@login_required
@require_GET
def team_activity(request: PageRequest, slug: str) -> HttpResponse:
    """The activity of one team is the activity, narrowed to it."""
    access = access_to(request, slug)
    return redirect(f"{reverse('sessions:activity')}?team={access.slug}")
