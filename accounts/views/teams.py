"""Pages of one's teams: who is of them."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.actions.guard_terms import allow_term, reviewed_terms, withdraw_term
from accounts.actions.members import TooFewLeads, remove_member, set_conversation_days, set_level, set_second_reviewer
from accounts.authentication import PageRequest
from accounts.forms import AsReadForm, GuardTermForm, InvitationForm, MemberForm, RetentionForm, SecondReviewerForm
from accounts.models import Invitation, InvitationUse, LogEntry, Membership, Team
from accounts.querysets import GuardTermQuerySet
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member, TeamAccess, TeamKind

# Of a team's links, open or over, the newest; those before are told by the team's activity.
INVITATIONS_SHOWN = 20


@login_required
@require_GET
def teams(request: PageRequest) -> HttpResponse:
    members = Membership.objects.visible_to(request.member).with_people()
    by_team = [(team, [row for row in members if row.team_id == team.id]) for team in request.member.teams]
    return render(request, "accounts/team_list.html", {"teams": by_team})


@login_required
@require_http_methods(["GET", "POST"])
def team(request: PageRequest, slug: str) -> HttpResponse:
    """Who is of the team, and its open links. A POST adds a person or changes their level; who was added or changed
    meanwhile is shown as they are now first.
    """
    access = access_to(request, slug)
    form = MemberForm(request.POST or None)
    if form.is_valid():
        sent = {"carefully": True, "by": request.member, "now": timezone.now()}
        row = form.attempt(set_level, team_slug=slug, **form.cleaned_data, **sent)
        if row:
            level = row.get_level_display()
            messages.success(request, f"{row.user.username} is a {level} of {access.name} now.")
            return redirect("accounts:team", slug=slug)
    if form.stale:
        typed = form.cleaned_data
        messages.warning(request, _why_stale(access, typed["username"], request.member))
        form = MemberForm(initial={"username": typed["username"], "level": typed["level"]})
        return team_page(request, access, form=form, typed=typed)
    return team_page(request, access, form=form)


def _why_stale(access: TeamAccess, username: str, member: Member) -> str:
    """What stands of a person now, and by whom, whose level was not changed."""
    row = Membership.objects.visible_to(member).filter(team_id=access.id, user__username=username).first()
    is_now = (
        f"is already {row.get_level_display()} of {access.name}" if row else f"is no longer a member of {access.name}"
    )
    lines = LogEntry.objects.visible_to(member).filter(team_id=access.id, line__startswith=f"{username} ")
    line = lines.order_by("-at", "-pk").first()
    who = f", by {line.actor}" if line else ""
    return f"Not saved: {username} {is_now}{who}. Save again to change it."


def team_page(request: PageRequest, access: TeamAccess, **more: Any) -> HttpResponse:
    """The page of the team; `more`: `form` and `invite`, the forms as they were sent, `invited`, a link just made."""
    may_lead = access.kind is TeamKind.SHARED and request.member.may(access.id, Level.LEAD)
    invitations = Invitation.objects.visible_to(request.member).filter(team_id=access.id).with_people()
    row = Team.objects.get(pk=access.id)
    leads = Membership.objects.visible_to(request.member).curators([access.id]).count()
    context = {
        "team": access,
        "second_reviewer": row.second_reviewer,
        "leads": leads,
        "may_require": may_lead or (access.kind is TeamKind.EVERYONE and request.member.is_superuser),
        "form": MemberForm(),
        "invite": InvitationForm(),
        "retention": RetentionForm(initial={"days": row.conversation_days}),
        "memberships": Membership.objects.visible_to(request.member).filter(team_id=access.id).with_people(),
        "levels": [(level.value, level.name.lower()) for level in Level],
        "may_review": request.member.may(access.id, Level.LEAD),
        "may_lead": may_lead,
        "invitations": _with_state(invitations[:INVITATIONS_SHOWN]) if may_lead else [],
        **more,
    }
    return render(request, "accounts/team_detail.html", context)


def _with_state(invitations: Iterable[Invitation]) -> list[tuple[Invitation, str, list[InvitationUse]]]:
    """Each with how it stands and who came by it, in the order they came."""
    now = timezone.now()
    rows = [(row, sorted(row.uses.all(), key=lambda use: use.pk)) for row in invitations]
    return [(row, row.state(now, len(uses)), uses) for row, uses in rows]


@login_required
@require_POST
def remove(request: PageRequest, slug: str, username: str) -> HttpResponse:
    remove_member(team_slug=slug, username=username, by=request.member, now=timezone.now())
    messages.success(request, f"{username} was removed from the team. Their deposits stay.")
    mine = any(team.slug == slug for team in request.member.teams) and username != request.member.username
    return redirect("accounts:team", slug=slug) if mine else redirect("accounts:teams")


@login_required
@require_POST
def retention(request: PageRequest, slug: str) -> HttpResponse:
    """For how many days the team keeps conversations."""
    access = access_to(request, slug)
    form = RetentionForm(request.POST)
    sent = {"team_slug": slug, "by": request.member, "now": timezone.now()}
    days = form.attempt(set_conversation_days, **form.cleaned_data, **sent) if form.is_valid() else None
    if days:
        messages.success(request, f"{access.name} keeps conversations for {days} days.")
        return redirect("accounts:team", slug=slug)
    return team_page(request, access, retention=form)


@login_required
@require_POST
def second_reviewer(request: PageRequest, slug: str) -> HttpResponse:
    """Whether changes to promoted insights need another person's approval."""
    access = access_to(request, slug)
    form = SecondReviewerForm(request.POST)
    if not form.is_valid():
        return team_page(request, access, fault="Choose on or off.")
    try:
        row = set_second_reviewer(team_slug=slug, **form.cleaned_data, by=request.member, now=timezone.now())
    except TooFewLeads as refused:
        return team_page(request, access, fault=refused.message)
    said = "need the approval of another lead" if row.second_reviewer else "take effect at once"
    messages.success(request, f"Changes to promoted insights of {access.name} {said}.")
    return redirect("accounts:team", slug=slug)


def access_to(request: PageRequest, slug: str) -> TeamAccess:
    """The team of that slug as this person may use it. Raises NotFound."""
    found = next((team for team in request.member.teams if team.slug == slug), None)
    if found is None:
        raise NotFound
    return found


@login_required
@require_http_methods(["GET", "POST"])
def terms(request: PageRequest, slug: str) -> HttpResponse:
    """What looks like a secret and was reviewed. For leads: nobody else need read it. The reason that another lead gave
    is shown before one's own takes its place.
    """
    access = access_to(request, slug)
    request.member.require(access.id, Level.LEAD)
    form = GuardTermForm(request.POST or None)
    sent = {"carefully": True, "by": request.member, "now": timezone.now()}
    more: dict[str, Any] = {}
    done = form.attempt(allow_term, team=slug, **form.cleaned_data, **sent) if form.is_valid() else None
    if form.stale:
        there = _terms_of(access, request.member).filter(term=form.cleaned_data["term"]).first()
        more = {"there": there, "typed": form.cleaned_data["reason"]}
        data = {**request.POST.dict(), "read_at": there.added_at.isoformat() if there else ""}
        form = GuardTermForm(data)
    if done:
        messages.success(request, "Added to the team's secret allowlist.")
        return redirect("accounts:terms", slug=slug)
    context = {"team": access, "form": form, "terms": _terms_of(access, request.member), **more}
    return render(request, "accounts/team_terms.html", context)


def _terms_of(access: TeamAccess, member: Member) -> GuardTermQuerySet:
    return reviewed_terms(by=member).filter(team_id=access.id)


@login_required
@require_POST
def withdrawn(request: PageRequest, slug: str, term_id: int) -> HttpResponse:
    if AsReadForm(request.POST).act(withdraw_term, term_id=term_id, by=request.member, now=timezone.now()):
        messages.success(request, "Removed from the team's secret allowlist.")
    else:
        messages.warning(request, "Not removed: another lead has allowed it again; their reason is below.")
    return redirect("accounts:terms", slug=slug)
