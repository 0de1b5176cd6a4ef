"""Validate: whether an insight still agrees with the files it was learned from, reported by machines, confirmed by
people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounts.models import LogEntry
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import SYSTEM, Level, Member, Scope, lacking
from accounts.rules.spoken_names import spoken_actor
from knowledge.lifecycle.rules.lifecycle import room_for_anchors
from knowledge.lifecycle.rules.staleness import (
    FileComparison,
    StaleFinding,
    compared,
    confirmed,
    moved_to,
    trust_after,
)
from knowledge.models import Anchor, Insight
from knowledge.querysets.insights import InsightQuerySet
from knowledge.retrieval.rules.locality import clean_path
from knowledge.rules.vocabulary import AnchorKind, Trust


class StillContradicted(Refused):
    code = "wrong_status"
    status = 409
    detail = "An open contradiction exists; resolve it first."


@dataclass
class Reported:
    """What a report of files changed: references with the paths that differ, and those that agree again.

    `left_for_later`: how many more differ beyond this user's limit for a day.
    """

    checked: int = 0
    stale: dict[str, list[str]] = field(default_factory=dict)
    validated: list[str] = field(default_factory=list)
    left_for_later: int = 0


# The number of insights that one user's reports may make stale in a day. A refactoring changes the files of a few.
# Those left still differ at the next report, and a report of invented hashes fills no queue.
MOST_STALE_A_DAY = 20
DAY = timedelta(days=1)


def validate(
    *, ref: str, by: Member, now: datetime, why: str = "", provenance: Sequence[Mapping[str, Any]] = ()
) -> Insight:
    """Confirm that the insight still holds, as its author or a lead.

    From now on it agrees with the files as last reported, and with those of `provenance` ([{path, sha256}]). Raises
    NotFound, NotAllowed, StillContradicted.
    """
    with transaction.atomic():
        row = Insight.objects.visible_to(by).filter(ref=ref).select_for_update(no_key=True, of=("self",)).first()
        if row is None:
            raise NotFound
        by.require(row.team_id, Level.CONTRIBUTOR if row.author_id == by.user_id else Level.LEAD)
        if row.trust == Trust.CONTRADICTED:
            raise StillContradicted
        given = {clean_path(str(item["path"])): str(item["sha256"]) for item in provenance}
        kept = [item for item in confirmed(row.provenance) if clean_path(item["path"]) not in given]
        agrees = [*kept, *({"path": path, "sha256": digest} for path, digest in given.items())]
        changes = {"trust": Trust.VALIDATED.value, "provenance": agrees}
        row.change(changes, verb="validated", line=f"{ref} validated", by=by, at=now, why=masked(why))
        if by.may(row.team_id, Level.LEAD):
            row.confirm(by=by, at=now)
    return row


def compare_files(
    *, repo: str, files: Mapping[str, str], by: Member, now: datetime, moved: Mapping[str, str] | None = None
) -> Reported:
    """Compare the insights of the member's teams on a repository with its files as they are now (path → SHA-256, "" for
    a deleted file); return what changed.

    An insight that names a file that was `moved` (path → path now) is anchored to its new path too, and is found by
    either. Only teams in which the member may write are included. Raises NotAllowed if there is none.
    """
    teams = [team.id for team in by.teams if by.may(team.id, Level.CONTRIBUTOR)]
    if not teams:
        if Scope.WRITE not in by.scopes:
            raise NotAllowed(lacking(Scope.WRITE))
        raise NotAllowed("This requires a contributor of at least one team.")
    done = Reported()
    known = Insight.objects.visible_to(by, only=teams).learned_from(repo.strip())
    today = LogEntry.objects.filter(user_id=by.user_id, verb=StaleFinding.STALE.value, at__gt=now - DAY).count()
    for row in known.order_by("pk").only("pk", "provenance"):
        done.checked += 1
        found = compared(row.provenance, files)
        if found == _nothing_new(row) and not moved_to(row.provenance, moved or {}):
            continue
        if found.finding is StaleFinding.STALE and found.provenance != row.provenance:
            if today >= MOST_STALE_A_DAY:
                done.left_for_later += 1
                continue
            today += 1
        _report(Insight.objects.visible_to(by), row.pk, files, moved or {}, done, by, now)
    return done


def compare_insight(*, pk: int, files: Mapping[str, str], now: datetime) -> Reported:
    """Compare one insight with its files as the server itself reads them (path → SHA-256, "" for a deleted file)."""
    done = Reported(checked=1)
    _report(Insight.objects.all(), pk, files, {}, done, SYSTEM, now)
    return done


def stale_reporters(rows: Sequence[Insight]) -> dict[str, str]:
    """Return, by reference of the stale insights among these, who reported that their files changed."""
    stale = [row.ref for row in rows if row.trust == Trust.STALE]
    found = LogEntry.objects.all().latest_actors(stale, StaleFinding.STALE.value) if stale else {}
    return {ref: spoken_actor(actor) for ref, actor in found.items()}


def validated_by(row: Insight) -> str:
    """Return who last confirmed a validated insight, and whether that is its author; "" if it is not validated. An
    author's own confirmation is no review.
    """
    if row.trust != Trust.VALIDATED:
        return ""
    line = LogEntry.objects.all().about(*row.names()).filter(verb=StaleFinding.VALIDATED.value).first()
    if line is None:
        return ""
    own = line.user_id is not None and line.user_id == row.author_id
    return f"{spoken_actor(line.actor)}{', its author' if own else ''}"


def anchored(*, repo: str, by: Member, refs: Sequence[str] = (), limit: int) -> list[Insight]:
    """Return the insights on a repository that name files they were learned from and that the member may see; only
    those of `refs`, if given.
    """
    known = Insight.objects.visible_to(by).retrievable().learned_from(repo.strip())
    known = known.with_ref(refs) if refs else known
    return list(known.order_by("-pk").only("pk", "ref", "provenance", "created_at")[:limit])


def _nothing_new(row: Insight) -> FileComparison:
    return FileComparison(StaleFinding.UNCHANGED, [], [dict(item) for item in row.provenance])


@transaction.atomic
def _report(
    rows: InsightQuerySet,
    pk: int,
    files: Mapping[str, str],
    moved: Mapping[str, str],
    done: Reported,
    by: Member,
    now: datetime,
) -> None:
    """Apply a report to one row under its lock; what was decided outside is decided again."""
    row = rows.filter(pk=pk).select_for_update(no_key=True, of=("self",)).first()
    if row is None:
        return
    found = compared(row.provenance, files)
    trust = trust_after(Trust(row.trust), found.finding)
    if found.finding is StaleFinding.STALE:
        done.stale[row.ref] = found.changed
    elif found.finding is StaleFinding.VALIDATED:
        done.validated.append(row.ref)
    joined = _follow(row, moved_to(row.provenance, moved))
    if trust == row.trust and found.provenance == row.provenance and not joined:
        return
    why = f"changed: {', '.join(found.changed)}"[:400] if found.changed else ""
    changes = {"trust": trust.value, "provenance": found.provenance}
    verb = "compared" if found.finding is StaleFinding.UNCHANGED else found.finding.value
    also: tuple[dict[str, Any], dict[str, Any]] = ({}, {"anchors": joined}) if joined else ({}, {})
    row.change(changes, verb=verb, line=f"{row.ref} {verb}", by=by, at=now, why=why, also=also)


def _follow(row: Insight, paths: Sequence[str]) -> list[str]:
    """Anchor the row to the new paths of moved files, as far as it has room; return the paths that were added."""
    room = room_for_anchors(row.anchors.count(), 0) if paths else 0
    return sorted(
        value for _, value in row.join_anchors(Anchor(kind=AnchorKind.FILE, value=path) for path in paths[:room])
    )
