"""Conflicts of the vault: edits in a file that the sync could not apply. A lead keeps the stored version or takes the
file's.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import Team
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Level, Member
from knowledge.models import Conflict, Insight
from knowledge.review.actions.curate import edit


class ConflictSettled(Refused):
    code = "wrong_status"
    status = 409
    detail = "This conflict is already resolved."


class NothingToTake(Refused):
    code = "wrong_status"
    status = 409
    detail = "No change in the file can be applied here; the file is kept next to the page."


def note(
    *,
    team: str,
    ref: str,
    page: str,
    kept_as: str,
    digest: str,
    reason: str,
    theirs: Mapping[str, Any],
    by: Member,
    now: datetime,
) -> Conflict:
    """Store an edit as a conflict for the leads of a team, once while it is unresolved. `theirs`: the fields that the
    file changed.
    """
    with transaction.atomic():
        row = Team.objects.get(slug=team)
        insight = Insight.objects.filter(team=row, ref=ref).first() if ref else None
        said = {name: _each_masked(value) for name, value in theirs.items()} if insight else {}
        known = {"team": row, "page": page, "digest": digest, "state": Conflict.State.OPEN}
        more = {"insight": insight, "kept_as": kept_as, "reason": masked(reason), "theirs": said}
        conflict, new = Conflict.objects.get_or_create(
            **known, defaults={**more, "raised_by_id": by.user_id or None, "raised_at": now}
        )
        if new:
            line = f"{conflict.name}: an edit in the vault awaits review"
            conflict.note(verb="conflict", line=line, by=by, at=now, why=conflict.reason)
    return conflict


def settled_in(team: Team) -> list[Conflict]:
    """Return a team's resolved conflicts, for a reader who has the files at hand."""
    return list(Conflict.objects.all().of_teams([team.pk]).settled().order_by("pk"))


def keep(*, conflict_id: int, by: Member, now: datetime, why: str = "") -> Conflict:
    """Keep the version that is stored in Loam. Raises NotFound, NotAllowed, ConflictSettled."""
    with transaction.atomic():
        conflict = _open(conflict_id, by)
        conflict.settle(Conflict.State.KEPT, verb="kept", by=by, at=now, why=masked(why))
    return conflict


def take(
    *,
    conflict_id: int,
    revision: int,
    by: Member,
    now: datetime,
    changes: Mapping[str, Any] | None = None,
    why: str = "",
) -> Conflict:
    """Edit the insight as in the file, or by `changes` based on it; `revision`: of the insight as the person saw it.

    Raises NotFound, NotAllowed, ConflictSettled, NothingToTake, and what `curate.edit` raises; then nothing was
    changed. If the team requires a second reviewer, the person who takes somebody else's edit is the second one.
    """
    with transaction.atomic():
        conflict = _open(conflict_id, by)
        wanted = conflict.theirs if changes is None else changes
        if conflict.insight is None or not wanted:
            raise NothingToTake
        before = Insight.objects.whole().get(pk=conflict.insight.pk)
        ours = {name: getattr(before, name) for name in wanted}
        reviewed = changes is None and conflict.raised_by_id not in (None, by.user_id)
        sent: dict[str, Any] = {"changes": wanted, "revision": revision, "by": by, "now": now, "reviewed": reviewed}
        done = edit(ref=before.ref, **sent, why=why or "from the vault")
        conflict.take(ours, done.revision)
        conflict.settle(Conflict.State.TAKEN, verb="taken", by=by, at=now, why=masked(why))
    return conflict


def suggest(*, conflict_id: int, by: Member, now: datetime, why: str = "") -> Conflict:
    """Resolve the conflict, because the file's version has become a suggested edit. Raises NotFound, NotAllowed,
    ConflictSettled.
    """
    with transaction.atomic():
        conflict = _open(conflict_id, by)
        conflict.settle(Conflict.State.TAKEN, verb="taken", by=by, at=now, why=masked(why))
    return conflict


def reopen(*, conflict_id: int, by: Member, now: datetime) -> Conflict:
    """Undo `keep` or `take`: restore the insight, and put the edit before the leads again.

    Raises NotFound, NotAllowed, ConflictSettled if it is unresolved, Stale if the insight was changed since.
    """
    with transaction.atomic():
        conflict = _lock_conflict(conflict_id, by)
        if conflict.state == Conflict.State.OPEN:
            raise ConflictSettled("It is already awaiting review.")
        if conflict.state == Conflict.State.TAKEN and conflict.insight and conflict.revision is not None:
            if conflict.insight.revision != conflict.revision:
                raise Stale(f"{conflict.name} was changed since; change it back on its own page.")
            edit(
                ref=conflict.insight.ref,
                changes=conflict.ours,
                revision=conflict.revision,
                by=by,
                now=now,
                why="the edit in the vault was reverted",
                reviewed=True,
            )
        conflict.reopen(by=by, at=now)
    return conflict


def one(*, conflict_id: int, by: Member) -> Conflict:
    """Return a conflict of a team the member leads, resolved or not. Raises NotFound, NotAllowed."""
    conflict = Conflict.objects.visible_to(by).with_insight().filter(pk=conflict_id).first()
    if conflict is None:
        raise NotFound
    by.require(conflict.team_id, Level.LEAD, of=conflict.insight.ref if conflict.insight else "")
    return conflict


def _lock_conflict(conflict_id: int, by: Member) -> Conflict:
    conflict = one(conflict_id=conflict_id, by=by)
    Conflict.objects.select_for_update(no_key=True).get(pk=conflict.pk)
    return Conflict.objects.all().with_insight().get(pk=conflict.pk)


def _open(conflict_id: int, by: Member) -> Conflict:
    conflict = _lock_conflict(conflict_id, by)
    if conflict.state != Conflict.State.OPEN:
        raise ConflictSettled
    return conflict


def _each_masked(value: Any) -> Any:
    return [masked(one) for one in value] if isinstance(value, list) else masked(value)
