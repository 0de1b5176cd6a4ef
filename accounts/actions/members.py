"""Teams and their members."""

from collections.abc import Callable
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import MOST_CONVERSATION_DAYS, LogEntry, Membership, Team, User
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import ALL_SCOPES, Level, Member, MovedTeam, Scope, TeamAccess, TeamKind

# Functions that other apps run when a person leaves a team, in the transaction that ends the membership: each is called
# with user_id, team_id, by and now. Apps add to it at startup.
LEAVING: list[Callable[..., None]] = []


class NoSuchPerson(Refused):
    code = "invalid"


class TeamTaken(Refused):
    code = "invalid"


class NotThisTeam(Refused):
    code = "invalid"
    detail = "The members of this team are fixed."


class BadDays(Refused):
    code = "invalid"


class TooFewLeads(Refused):
    code = "too_few_leads"
    status = 409
    detail = "A second reviewer needs at least two leads. Make another member a lead first."


class LastLead(Refused):
    code = "last_lead"
    status = 409
    detail = "A team keeps at least one lead."


def acting(*, team: str, username: str | None = None) -> Member:
    """Return the member on whose behalf an operator's command runs: the named account, otherwise the first lead of the
    team.

    Raises NoSuchPerson.
    """
    people = User.objects.filter(is_active=True)
    if username:
        user = people.filter(username=username).first()
        why = f"There is no account '{username}'."
    else:
        leads = people.filter(memberships__team__slug=team, memberships__level=Level.LEAD)
        user = leads.order_by("memberships__pk").first()
        why = f"There is no team '{team}', or it has no lead: name an account with --user."
    if user is None:
        raise NoSuchPerson(errors={"user": [why]})
    return member_of(user=user)


def enrol(*, user: User) -> None:
    """Give a person a personal team and membership of `everyone`. Idempotent."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        everyone = Team.objects.get(kind=TeamKind.EVERYONE)
        Membership.objects.get_or_create(team=everyone, user=user, defaults={"level": Level.CONTRIBUTOR})
        personal, _ = Team.objects.get_or_create(
            owner=user,
            defaults={
                "kind": TeamKind.PERSONAL,
                "name": f"{user.username}, personal",
                "slug": f"personal-{user.pk}",
                "prefix": f"ME{user.pk}",
                "colour": "slate",
            },
        )
        Membership.objects.get_or_create(team=personal, user=user, defaults={"level": Level.LEAD})


def member_of(
    *,
    user: User,
    scopes: frozenset[Scope] = ALL_SCOPES,
    token_id: int | None = None,
    token_name: str = "",
    only: frozenset[int] | None = None,
) -> Member:
    """Return the person as a Member, enrolled if this is their first visit.

    `only`: restrict to those team ids. A superuser leads every shared team, and reads no personal team but their own.
    """
    places = _places(user)
    if not any(team.kind == TeamKind.PERSONAL for team, _ in places):
        enrol(user=user)
        places = _places(user)
    home_id = next(team.pk for team, _ in places if team.kind == TeamKind.PERSONAL)
    if user.is_superuser:
        places = _as_superuser(places)
    reached = places if only is None else [(team, level) for team, level in places if team.pk in only]
    return Member(
        user.pk,
        user.username,
        user.is_superuser,
        home_id,
        tuple(_access(team, level) for team, level in reached if not team.moved_to),
        scopes,
        token_id,
        token_name,
        narrowed=len(reached) < len(places),
        machinery=user.machinery,
        shares_prompts=user.share_prompts == "on",
        asks_to_deposit=user.ask_to_deposit == "on",
        moved=tuple(MovedTeam(team.pk, team.slug, team.moved_to, level) for team, level in reached if team.moved_to),
    )


def create_team(*, name: str, slug: str, prefix: str, by: Member, now: datetime, colour: str = "moss") -> Team:
    """Create a shared team, led by its creator. Raises TeamTaken on `slug` or `prefix`."""
    errors = {}
    if Team.objects.filter(slug=slug).exists():
        errors["slug"] = ["A team with this name already exists."]
    if Team.objects.filter(prefix=prefix).exists():
        errors["prefix"] = ["Another team uses this prefix."]
    if errors:
        raise TeamTaken("The team was not created.", errors=errors)
    with transaction.atomic():
        team = Team(name=name, slug=slug, prefix=prefix, colour=colour)
        try:
            team.full_clean(exclude=["owner"])
        except ValidationError as fault:
            raise TeamTaken("The team was not created.", errors=fault.message_dict) from fault
        team.save(force_insert=True)
        Membership.objects.create(team=team, user_id=by.user_id, level=Level.LEAD)
        LogEntry.write(team_id=team.pk, verb="team created", line=f"Team {name} created", by=by, at=now)
    return team


def set_level(
    *,
    team_slug: str,
    username: str,
    level: Level,
    by: Member,
    now: datetime,
    carefully: bool = False,
    was: Level | None = None,
) -> Membership:
    """Add a person to a team, or change their level. Only for leads. `carefully`: only if their level is still `was`;
    None is no member.

    Raises NotFound (no such team for this member), NotAllowed, NoSuchPerson on `username`, NotThisTeam, LastLead,
    Stale.
    """
    access = _led(team_slug, by)
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise NoSuchPerson(errors={"username": [f"There is no account '{username}'."]})
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        old = Membership.objects.filter(team_id=access.id, user=person).first()
        found = old and old.level
        if carefully and found not in (was, level):
            raise Stale(errors={"level": [f"{username} is {Level(found).name.lower() if found else 'no member'} now."]})
        if old and old.level == Level.LEAD and level < Level.LEAD:
            _keep_a_lead(access)
        row, _ = Membership.objects.update_or_create(team_id=access.id, user=person, defaults={"level": level})
        LogEntry.write(
            team_id=access.id,
            verb="member set",
            line=f"{username} is {level.name.lower()} of {access.name}",
            before={"level": old.level if old else None},
            after={"level": int(level)},
            by=by,
            at=now,
        )
    return row


def remove_member(*, team_slug: str, username: str, by: Member, now: datetime) -> None:
    """End a membership. The team keeps the person's deposits; their conversations are removed with them.

    Raises what `set_level` raises.
    """
    access = _led(team_slug, by)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        row = Membership.objects.filter(team_id=access.id, user__username=username).first()
        if row is None:
            raise NoSuchPerson(errors={"username": [f"'{username}' is not a member of this team."]})
        if row.level == Level.LEAD:
            _keep_a_lead(access)
        row.delete()
        for leave in LEAVING:
            leave(user_id=row.user_id, team_id=access.id, by=by, now=now)
        LogEntry.write(
            team_id=access.id,
            verb="member removed",
            line=f"{username} left {access.name}",
            before={"level": row.level},
            by=by,
            at=now,
        )


def set_conversation_days(*, team_slug: str, days: int, by: Member, now: datetime) -> int:
    """Set for how many days a team keeps passages of conversations. For leads, and for the owner of a personal team.

    Raises NotFound, NotAllowed, BadDays on `days`.
    """
    access = next((team for team in by.teams if team.slug == team_slug), None)
    if access is None:
        raise NotFound
    by.require(access.id, Level.LEAD)
    if not 1 <= days <= MOST_CONVERSATION_DAYS:
        raise BadDays(errors={"days": [f"From 1 to {MOST_CONVERSATION_DAYS:,} days."]})
    with transaction.atomic():
        team = Team.objects.select_for_update(no_key=True).get(pk=access.id)
        before, team.conversation_days = team.conversation_days, days
        team.save(update_fields=["conversation_days"])
        if before != days:
            line = f"{access.name} keeps conversations for {days} days"
            was, now_is = {"conversation_days": before}, {"conversation_days": days}
            LogEntry.write(team_id=access.id, verb="retention set", line=line, by=by, at=now, before=was, after=now_is)
    return days


def set_second_reviewer(*, team_slug: str, required: bool, by: Member, now: datetime) -> Team:
    """Set whether changes to the team's promoted insights need another person's approval. Only for leads.

    Raises NotFound, NotAllowed, NotThisTeam, TooFewLeads.
    """
    access = _led(team_slug, by)
    with transaction.atomic():
        team = Team.objects.select_for_update(no_key=True).get(pk=access.id)
        if required and Membership.objects.all().curators([access.id]).count() < 2:
            raise TooFewLeads
        if team.second_reviewer != required:
            team.second_reviewer = required
            team.save(update_fields=["second_reviewer"])
            words = "requires a second reviewer" if required else "no longer requires a second reviewer"
            line = f"{access.name} {words} for changes to promoted insights"
            was, now_is = {"second_reviewer": not required}, {"second_reviewer": required}
            verb = "second reviewer set"
            LogEntry.write(team_id=access.id, verb=verb, line=line, by=by, at=now, before=was, after=now_is)
    return team


def _places(user: User) -> list[tuple[Team, Level]]:
    return [(row.team, Level(row.level)) for row in Membership.objects.all().of_person(user.pk)]


def _access(team: Team, level: Level) -> TeamAccess:
    stopped = team.writes_stopped_at is not None
    kind = TeamKind(team.kind)
    return TeamAccess(team.pk, team.slug, team.name, team.prefix, kind, level, team.calls_per_minute, stopped)


def _as_superuser(own: list[tuple[Team, Level]]) -> list[tuple[Team, Level]]:
    personal = [(team, level) for team, level in own if team.kind == TeamKind.PERSONAL]
    shared = Team.objects.all().readable_by_superusers().order_by("name")
    return [(team, Level.LEAD) for team in shared] + personal


def _led(team_slug: str, by: Member) -> TeamAccess:
    access = next((team for team in by.teams if team.slug == team_slug), None)
    if access is None:
        raise NotFound
    by.require(access.id, Level.LEAD)
    if access.kind is not TeamKind.SHARED and not (access.kind is TeamKind.EVERYONE and by.is_superuser):
        raise NotThisTeam
    return access


def _keep_a_lead(access: TeamAccess) -> None:
    if Membership.objects.filter(team_id=access.id, level=Level.LEAD).count() < 2:
        raise LastLead
