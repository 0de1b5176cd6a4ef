"""Delete what is left of a team that moved to another cell, and say beforehand what a vault does not carry."""

from datetime import datetime

from django.db import transaction

from accounts.actions.moving import CannotMove, NoSuchTeamToMove
from accounts.models import Invitation, LogEntry, Team, Webhook
from accounts.rules.rights import Member, TeamKind
from knowledge.evidence.models import KnowledgeCluster, Source
from knowledge.models import BackgroundJob, Comment, ContributorStanding, EditProposal, FormerRef, Insight
from knowledge.rules.vocabulary import Kind, Status
from sessions_app.models import AgentSession, CodeIndex
from skills.models import Skill

# What a vault has no pages of, in words.
STAYS = {
    "suggested edits": EditProposal,
    "comments": Comment,
    "contributors whose trust was withdrawn": ContributorStanding,
    "webhooks": Webhook,
    "invitations": Invitation,
    "background jobs": BackgroundJob,
    "evidence sources": Source,
    "saved answers from files": KnowledgeCluster,
    "code indexes": CodeIndex,
    "sessions": AgentSession,
}


def left_behind(slug: str) -> dict[str, int]:
    """How many of what a vault does not carry the team has, by what they are; of sessions only a handoff goes along."""
    counts = {name: model._default_manager.filter(team__slug=slug).count() for name, model in STAYS.items()}
    return {name: count for name, count in counts.items() if count}


def delete_moved(*, slug: str, by: Member, now: datetime) -> int:
    """Delete the team here with all that is its own; returns how many rows that were.

    Other teams keep theirs. What gave way to one of its insights stays deprecated, and of an insight that was another
    team's before, that team keeps the number, as of one that was erased.

    Raises NoSuchTeamToMove, CannotMove if it has not moved.
    """
    with transaction.atomic():
        team = Team.objects.select_for_update(no_key=True).filter(slug=slug).first()
        if team is None:
            raise NoSuchTeamToMove(f"There is no team {slug} in this cell.")
        if not team.moved_to:
            raise CannotMove(f"The team {slug} has not moved: only what is in another cell is deleted here.")
        mine = Insight.objects.filter(team=team)
        Insight.objects.filter(superseded_by__in=mine).exclude(team=team).update(
            superseded_by=None, status=Status.DEPRECATED
        )
        mine.update(superseded_by=None)
        Skill.objects.filter(team=team).update(live=None, ahead=None, status="draft")
        former = list(FormerRef.objects.filter(insight__in=mine).exclude(team=team).select_related("team"))
        rows = sum(some.delete()[0] for some in (Skill.objects.filter(team=team), mine))
        rows += team.delete()[0]
        _keep_numbers(former, f"It moved with {team.name} to {team.moved_to}", by, now)
        everyone = Team.objects.get(kind=TeamKind.EVERYONE)
        line = f"{team.name} deleted here, {rows:,} rows: it moved to {team.moved_to}"
        LogEntry.write(team_id=everyone.pk, verb="team deleted", line=line, by=by, at=now)
    return rows


def _keep_numbers(former: list[FormerRef], why: str, by: Member, now: datetime) -> None:
    """Store what erasing leaves in place of each of these references."""
    for one in former:
        left = Insight.objects.create(
            team_id=one.team_id,
            ref=one.ref,
            number=one.number,
            kind=Kind.CONTEXT,
            strength_at=now,
            created_at=one.at,
            updated_at=now,
            forgotten_at=now,
            erased_at=now,
        )
        left.note(verb="forgotten", line=f"{left.ref} forgotten", by=by, at=now, why=why)
