"""Pages of how one wants work done: one's own preferences beside those of one's teams."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.actions import preferences as actions
from accounts.authentication import PageRequest
from accounts.forms import PreferenceChangeForm, PreferenceForm
from accounts.models import LogEntry, Preference
from accounts.rules.preferences import Stated
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member, TeamAccess, TeamKind


@login_required
@require_http_methods(["GET", "POST"])
def preferences(request: PageRequest) -> HttpResponse:
    """Mine and the teams' side by side, and what holds of them. A POST states one."""
    member = request.member
    form = PreferenceForm(request.POST or None, member=member)
    if form.is_valid():
        held = [one for held in actions.effective(by=member) for one in (held.held, *held.over)]
        before = {(one.team.id, one.key): one.value for one in held}
        done = form.attempt(actions.state, **form.stated(), by=member, now=timezone.now())
        if done:
            said, new = done
            was = before.get((said.team.id, said.key), said.value)
            told = "" if new else f" now; it was {was}" if was != said.value else " now"
            messages.success(request, f"{said.key} is {said.value}{told}.")
            return redirect("accounts:preferences")
    effective = actions.effective(by=member)
    everything = [one for held in effective for one in (held.held, *held.over)]
    context = {
        "form": form,
        "effective": effective,
        "mine": _side(everything, member, personal=True),
        "theirs": _side(everything, member, personal=False),
        "holding": {held.held.id for held in effective},
    }
    return render(request, "accounts/preference_list.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def preference(request: PageRequest, preference_id: int) -> HttpResponse:
    """Edit one as it was when the form was made; what changed meanwhile is shown, and no typing is lost.

    What was inferred is explicit from then on.
    """
    one = _find(preference_id, request.member)
    form = PreferenceChangeForm(request.POST or None, initial=_shown(one))
    context: dict[str, Any] = {"one": one}
    if form.is_valid():
        done = form.save(actions.change, preference_id=preference_id, by=request.member, now=timezone.now())
        if done:
            messages.success(request, f"{done.key} is {done.value} now.")
            return redirect("accounts:preferences")
    if form.stale:
        one = _find(preference_id, request.member)
        lines = LogEntry.objects.visible_to(request.member).filter(team_id=one.team.id).about(one.key)
        context |= {"one": one, "conflicts": form.conflicts(_shown(one)), "line": lines.first()}
        form = form.on_top_of(_shown(one))
    return render(request, "accounts/preference_edit.html", {**context, "form": form})


@login_required
@require_POST
def confirmed(request: PageRequest, preference_id: int) -> HttpResponse:
    done = actions.confirm(preference_id=preference_id, by=request.member, now=timezone.now())
    messages.success(request, f"{done.key} is confirmed: what you do is no longer asked about it.")
    return redirect("accounts:preferences")


@login_required
@require_POST
def forgotten(request: PageRequest, preference_id: int) -> HttpResponse:
    one = _find(preference_id, request.member)
    actions.forget(preference_id=preference_id, by=request.member, now=timezone.now())
    messages.success(request, f"{one.key} is forgotten, and will not be inferred again.")
    return redirect("accounts:preferences")


def _side(everything: list[Stated], member: Member, *, personal: bool) -> list[tuple[TeamAccess, bool, list[Stated]]]:
    """Each team of one side, whether the member may change what it wants, and what that is."""
    level = Level.CONTRIBUTOR if personal else Level.LEAD
    teams = [team for team in member.teams if (team.kind is TeamKind.PERSONAL) is personal]
    rows = [(team, member.may(team.id, level), _of(everything, team)) for team in teams]
    return [row for row in rows if row[2] or row[1] or personal]


def _of(everything: list[Stated], team: TeamAccess) -> list[Stated]:
    return sorted((one for one in everything if one.team.id == team.id), key=lambda one: one.key)


def _find(preference_id: int, member: Member) -> Stated:
    row = Preference.objects.visible_to(member).live().filter(pk=preference_id).first()
    if row is None:
        raise NotFound
    return actions.stated(row, member)


def _shown(one: Stated) -> dict[str, Any]:
    return {
        "value": one.value,
        "category": one.category,
        "statement": one.statement,
        "read_at": one.changed_at.isoformat(),
    }
