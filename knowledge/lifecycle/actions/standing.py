"""Standing: contributors whose unreviewed notes no longer precede confirmed ones, and how a lead restores standing."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.models import ContributorStanding
from knowledge.retrieval.actions.standings import records
from knowledge.retrieval.rules.standing import WINDOW, Record


@dataclass(frozen=True)
class Contributor:
    """One contributor in one team. `may_restore`: whether the member leads that team."""

    team: str
    slug: str
    record: Record
    restored_at: datetime | None
    may_restore: bool


def contributors(*, by: Member, now: datetime) -> list[Contributor]:
    """Return the contributors whose claims leads of the member's teams have settled within the window, those without
    standing first.
    """
    teams = {team.id: team for team in by.teams}
    claiming = ContributorStanding.objects.all().claiming(list(teams), since=now - WINDOW)
    rows = ContributorStanding.objects.filter(team_id__in=teams, restored_at__isnull=False)
    restored = {(row.team_id, row.user_id): row.restored_at for row in rows}
    found = [
        Contributor(
            teams[team_id].name,
            teams[team_id].slug,
            record,
            restored.get((team_id, user_id)),
            by.may(team_id, Level.LEAD),
        )
        for (team_id, user_id), record in records({*claiming, *restored}, now).items()
    ]
    return sorted(found, key=lambda one: (one.record.trusted, one.team, -one.record.rejected, one.record.name))


def restore_standing(*, team: str, username: str, by: Member, now: datetime, why: str = "") -> ContributorStanding:
    """Restore a contributor's standing: earlier rejections no longer count. Only for leads. Raises NoSuchTeam,
    NotAllowed, NotFound.
    """
    with transaction.atomic():
        standing = _of(team, username, by)
        standing.restore(by=by, at=now, why=masked(why))
    return standing


def withdraw_standing(*, team: str, username: str, by: Member, now: datetime) -> ContributorStanding:
    """Undo `restore_standing`: every rejection counts again. Only for leads. Raises as `restore_standing` does."""
    with transaction.atomic():
        standing = _of(team, username, by)
        standing.take_back(by=by, at=now)
    return standing


def _of(team: str, username: str, by: Member) -> ContributorStanding:
    """Return the contributor's row, locked. Raises NotFound for somebody without a record in that team."""
    named = by.named(team)
    by.require(named.id, Level.LEAD)
    user = User.objects.filter(username=username, memberships__team_id=named.id).first()
    if user is None:
        raise NotFound
    row, _ = ContributorStanding.objects.get_or_create(team_id=named.id, user=user)
    held: ContributorStanding = ContributorStanding.objects.select_for_update(no_key=True).get(pk=row.pk)
    return held
