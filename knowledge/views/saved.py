"""Filters under a name: the bar above a list, keeping one, deleting one."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.authentication import PageRequest
from accounts.rules.refused import NotFound
from accounts.rules.rights import PERSONAL, Level, TeamKind
from knowledge.forms.saved_filters import SavedFilterForm
from knowledge.models import SavedFilter
from knowledge.review.actions.saved_filters import delete_filter, save_filter
from knowledge.review.rules.saved_filters import KNOWN, Listing, known_parameters, narrows
from knowledge.views import notices

ADDRESS = {
    Listing.INBOX: "knowledge:inbox",
    Listing.INSIGHTS: "knowledge:insights",
    Listing.ACTIVITY: "sessions:activity",
    Listing.SESSIONS: "sessions:sessions",
    Listing.SKILLS: "skills:skills",
}
# What links to a list by a filter's name says so in the address, or a changed one could not be told from another.
SAVED = "saved"
# Of all one's teams together; the rest are still found from where each was shared.
SHOWN = 60


@login_required
@require_POST
def save(request: PageRequest) -> HttpResponse:
    """Keep it, and go back to the list under its name. What is at fault, or would take the place of what another lead
    keeps under that name, is shown on a page of its own.
    """
    form = SavedFilterForm(request.POST, member=request.member)
    sent = {"by": request.member, "now": timezone.now()}
    row = form.attempt(save_filter, **form.filter(), **sent) if form.is_valid() else None
    if form.stale:
        return _theirs(request, form)
    if row is None:
        return render(request, "knowledge/filter_edit.html", {"form": form})
    messages.success(request, f"“{row.name}” saved{_shared(request, row)}.")
    return redirect(_address(row))


def _theirs(request: PageRequest, form: SavedFilterForm) -> HttpResponse:
    """Both filters of one name: what it narrows to now, and what it would."""
    sent = form.filter()
    listing = Listing(sent["listing"])
    rows = SavedFilter.objects.visible_to(request.member).of_list(listing).select_related("owner")
    there = rows.filter(team_id=request.member.named(sent["team"]).id).called(sent["name"]).first()
    if there is None:
        raise NotFound
    wanted, names = known_parameters(listing, sent["given"]), KNOWN[listing]
    differs = [(name, there.wanted.get(name, ""), wanted.get(name, "")) for name in names]
    context = {"there": there, "differs": [one for one in differs if one[1] != one[2]]}
    return render(request, "knowledge/filter_edit.html", {"form": form.on_top_of(there), **context}, status=412)


@login_required
@require_POST
def delete(request: PageRequest, filter_id: int) -> HttpResponse:
    row = delete_filter(filter_id=filter_id, by=request.member, now=timezone.now())
    messages.success(request, f"Filter “{row.name}” deleted.")
    return notices.back(request.POST.get("back", ""), otherwise=reverse(ADDRESS[Listing(row.listing)]))


def bar(request: PageRequest, listing: Listing) -> dict[str, Any]:
    """What the bar shows: the filters of this list that the member sees, and what could be kept now."""
    member, wanted = request.member, known_parameters(listing, request.GET.dict())
    rows = list(SavedFilter.objects.visible_to(member).of_list(listing)[:SHOWN])
    current = next((row for row in rows if str(row.pk) == request.GET.get(SAVED)), None)
    shared = {team.id: team.name for team in member.teams if team.kind is not TeamKind.PERSONAL}
    form = SavedFilterForm(
        member=member,
        initial={
            "page": listing.value,
            "query": urlencode(wanted),
            "name": current.name if current else "",
            "team": current.team.slug if current and current.team_id in shared else PERSONAL,
            "read_at": current.changed_at.isoformat() if current else "",
        },
    )
    return {
        "saved": [(row, _address(row), shared.get(row.team_id, "")) for row in rows],
        "deletable": [row for row in rows if member.may(row.team_id, Level.LEAD)],
        "saved_now": current,
        "saved_changed": current is not None and current.wanted != wanted,
        "saved_form": form if narrows(wanted) else None,
    }


def _address(row: SavedFilter) -> str:
    listing = Listing(row.listing)
    return f"{reverse(ADDRESS[listing])}?{urlencode({**known_parameters(listing, row.wanted), SAVED: row.pk})}"


def _shared(request: PageRequest, row: SavedFilter) -> str:
    team = request.member.access(row.team_id)
    return f"and shared with {team.name}" if team and team.kind is not TeamKind.PERSONAL else ""
