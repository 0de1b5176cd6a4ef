"""Pages of one's teams: who is of them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.actions.members import remove_member, set_level
from accounts.authentication import PageRequest
from accounts.forms import MemberForm
from accounts.models import Membership
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, TeamAccess, TeamKind


@login_required
@require_GET
def teams(request: PageRequest) -> HttpResponse:
    members = Membership.objects.visible_to(request.member).with_people()
    by_team = [(team, [row for row in members if row.team_id == team.id]) for team in request.member.teams]
    return render(request, "accounts/team_list.html", {"teams": by_team})


@login_required
@require_http_methods(["GET", "POST"])
def team(request: PageRequest, slug: str) -> HttpResponse:
    """Who is of the team. A POST adds a person or changes their level."""
    access = _access(request, slug)
    form = MemberForm(request.POST or None)
    if form.is_valid():
        row = form.attempt(set_level, team_slug=slug, **form.cleaned_data, by=request.member, now=timezone.now())
        if row:
            level = row.get_level_display()
            messages.success(request, f"{row.user.username} is a {level} of {access.name} now.")
            return redirect("accounts:team", slug=slug)
    context = {
        "team": access,
        "form": form,
        "memberships": Membership.objects.visible_to(request.member).filter(team_id=access.id).with_people(),
        "levels": [(level.value, level.name.lower()) for level in Level],
        "may_lead": access.kind is TeamKind.SHARED and request.member.may(access.id, Level.LEAD),
    }
    return render(request, "accounts/team_detail.html", context)


@login_required
@require_POST
def remove(request: PageRequest, slug: str, username: str) -> HttpResponse:
    remove_member(team_slug=slug, username=username, by=request.member, now=timezone.now())
    messages.success(request, f"{username} is no longer of this team. What they deposited stays.")
    mine = any(team.slug == slug for team in request.member.teams) and username != request.member.username
    return redirect("accounts:team", slug=slug) if mine else redirect("accounts:teams")


def _access(request: PageRequest, slug: str) -> TeamAccess:
    found = next((team for team in request.member.teams if team.slug == slug), None)
    if found is None:
        raise NotFound
    return found
