"""Pages of how one wants work done: one's own preferences beside those of one's teams."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.actions import preferences as actions
from accounts.authentication import PageRequest
from accounts.forms import AsReadForm, PreferenceChangeForm, PreferenceForm
from accounts.models import LogEntry, Preference
from accounts.rules.guard.detection import strip_invisible
from accounts.rules.preferences import Stated, key_of
from accounts.rules.refused import NotFound
from accounts.rules.rights import PERSONAL, Level, Member, TeamAccess, TeamKind
from accounts.views.confirmation import ask_to_confirm


@login_required
@require_http_methods(["GET", "POST"])
def preferences(request: PageRequest) -> HttpResponse:
    """Mine and the teams' side by side, and what holds of them. A POST states one; over what another lead has stated,
    only once that was shown.
    """
    member = request.member
    form = PreferenceForm(request.POST or None, member=member)
    if form.is_valid():
        held = [one for holds in actions.effective(by=member) for one in (holds.stated, *holds.over)]
        before = {(one.team.id, one.key): one.value for one in held}
        done = form.attempt(actions.state, **form.stated(), by=member, now=timezone.now())
        if done:
            said, new = done
            was = before.get((said.team.id, said.key), said.value)
            told = "" if new else f" now, previously {was}" if was != said.value else " now"
            messages.success(request, f"{said.key} is {said.value}{told}.")
            return redirect("accounts:preferences")
    context: dict[str, Any] = {}
    if form.stale:
        one = _stated(form.cleaned_data["key"], form.cleaned_data["team"], member)
        context = {"one": one, "conflicts": form.conflicts(_initial_values(one)), "line": _last(one, member)}
        form = form.on_top_of(_initial_values(one), member=member)
    return _both_sides(request, form, context)


def _both_sides(request: PageRequest, form: PreferenceForm, context: dict[str, Any]) -> HttpResponse:
    member = request.member
    effective = actions.effective(by=member)
    everything = [one for holds in effective for one in (holds.stated, *holds.over)]
    context = context | {
        "form": form,
        "effective": effective,
        "mine": _side(everything, member, personal=True),
        "theirs": _side(everything, member, personal=False),
        "holding": {one.stated.id for one in effective},
    }
    return render(request, "accounts/preference_list.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def preference(request: PageRequest, preference_id: int) -> HttpResponse:
    """Edit one as it was when the form was made; what changed meanwhile is shown, and no typing is lost.

    What was inferred is explicit from then on.
    """
    gone = Preference.objects.visible_to(request.member).filter(pk=preference_id, forgotten_at__isnull=False).first()
    if gone and request.POST:
        return _form_for_deleted(request, gone)
    one = _find(preference_id, request.member)
    form = PreferenceChangeForm(request.POST or None, initial=_initial_values(one))
    context: dict[str, Any] = {"one": one}
    if form.is_valid():
        done = form.save(actions.change, preference_id=preference_id, by=request.member, now=timezone.now())
        if done:
            messages.success(request, f"{done.key} is {done.value} now.")
            return redirect("accounts:preferences")
    if form.stale:
        one = _find(preference_id, request.member)
        context |= {"one": one, "conflicts": form.conflicts(_initial_values(one)), "line": _last(one, request.member)}
        form = form.on_top_of(_initial_values(one))
    return render(request, "accounts/preference_edit.html", {**context, "form": form})


def _form_for_deleted(request: PageRequest, gone: Preference) -> HttpResponse:
    """What was typed of one that somebody has forgotten meanwhile, ready to be stated again."""
    access = request.member.access(gone.team_id)
    team = PERSONAL if access and access.kind is TeamKind.PERSONAL else access and access.slug
    line = LogEntry.objects.visible_to(request.member).filter(team_id=gone.team_id).about(gone.key).first()
    who = line.actor if line else "Somebody"
    messages.warning(
        request,
        f"{who} deleted {gone.key} while you were editing. Your input is below; save it to add the preference again.",
    )
    typed = {name: request.POST.get(name, "") for name in ("value", "category", "statement")}
    return _both_sides(
        request, PreferenceForm(initial={**typed, "key": gone.key, "team": team}, member=request.member), {}
    )


@login_required
@require_POST
def confirmed(request: PageRequest, preference_id: int) -> HttpResponse:
    """As it was read: what has changed since is told, and not confirmed."""
    one = _find(preference_id, request.member)
    form = AsReadForm(request.POST)
    if form.act(actions.confirm, preference_id=preference_id, by=request.member, now=timezone.now()):
        messages.success(request, f"{one.key} confirmed. It is now explicit.")
    else:
        _tell(request, one)
    return redirect("accounts:preferences")


@login_required
@require_POST
def forgotten(request: PageRequest, preference_id: int) -> HttpResponse:
    """As it was read: what has changed since is told, and stays. It asks first: the value is not kept."""
    one = _find(preference_id, request.member)
    unchanged = request.POST.get("read_at", "") in ("", one.changed_at.isoformat())
    asked = unchanged and ask_to_confirm(
        request,
        title=f"Delete the preference {one.key}?",
        lines=[f"Its value “{one.value}” is deleted, and {one.key} is not inferred again.", "This cannot be undone."],
        button="Delete preference",
        cancel=reverse("accounts:preferences"),
    )
    if asked:
        return asked
    form = AsReadForm(request.POST)
    if form.act(actions.forget, preference_id=preference_id, by=request.member, now=timezone.now()):
        messages.success(request, f"{one.key} deleted. It will not be inferred again.")
    else:
        _tell(request, one)
    return redirect("accounts:preferences")


def _tell(request: PageRequest, one: Stated) -> None:
    """That nothing was done, and what another has made of it."""
    line = _last(one, request.member)
    who = line.actor if line else "Somebody"
    was = line.before.get("value") if line else None
    before = f", previously {was}" if was and was != one.value else ""
    messages.warning(request, f"Not saved: {who} changed {one.key} to {one.value}{before}.")


def _last(one: Stated, member: Member) -> LogEntry | None:
    """The last that happened to it, and who did it."""
    return LogEntry.objects.visible_to(member).filter(team_id=one.team.id).about(one.key).first()


def _stated(key: str, team: str, member: Member) -> Stated:
    """The one of a key in a team that the member writes to."""
    rows = Preference.objects.visible_to(member).live().filter(team_id=member.named(team).id)
    row = rows.filter(key=key_of(strip_invisible(key).text.strip())).first()
    if row is None:
        raise NotFound
    return actions.stated(row, member)


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


def _initial_values(one: Stated) -> dict[str, Any]:
    return {
        "value": one.value,
        "category": one.category,
        "statement": one.statement,
        "read_at": one.changed_at.isoformat(),
    }
