"""Move an insight to another team, under a reference of that team.

What it superseded moves with it, as its history. So do its anchors, ratings and corroborations, and its log, except for
lines from a personal team, which stay their owner's. Who gave a rating, and for which question, is shown only in the
team where it was given (`provenance`); the same holds for the authors of log lines. The old reference still finds the
insight, for those who may see it. A log line in the old team says that it left (docs/decisions/0007-forgetting.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime

from accounts.models import GuardTerm, LogEntry, Membership, Team
from accounts.rules.guard.detection import find_secrets, masked
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Level, Member, TeamAccess, TeamKind
from knowledge.models import Corroboration, FormerRef, InboxState, Insight, Lexicon, Pair, Topic
from knowledge.models.quota import take_numbers
from knowledge.review.actions.second_reviewer import NeedsReviewer
from knowledge.rules.vocabulary import Status


class NotThere(Refused):
    code = "invalid"
    detail = "The insight cannot be moved there."


class PartOfAnother(Refused):
    code = "wrong_status"
    status = 409


class NothingMoved(Refused):
    code = "wrong_status"
    status = 409
    detail = "You have no move to undo."


class SecretThere(Refused):
    code = "secret_found"
    detail = "A term on its team's secret allowlist is a secret in the other team. Nothing was moved."


# If at most this many people could read it after the move, they are listed by name.
NAMED = 10
# The resolution of a pair whose two sides are in different teams after a move.
PARTED = "moved to another team"
# The name shown for the author of a log line who was not a member of the team.
ELSEWHERE = "member of another team"


@dataclass(frozen=True)
class MovePlan:
    """What a move would do: who could read the insight, and what moves with it.

    `readers`: the number of members of the team; `wider`: how many of them cannot read it now; `named`: their names, if
    they are few and the member may see that team's members; `demoted`: it would arrive as a draft; `older`: the
    insights it superseded; `pairs`: open pairs that would be dismissed.
    """

    insight: Insight
    there: TeamAccess
    readers: int
    wider: int
    named: list[str]
    demoted: bool
    older: list[Insight]
    corroborations: int
    ratings: int
    pairs: int


def plan_move(*, ref: str, team: str, by: Member) -> MovePlan:
    """Return what `move` would do, without doing it. Raises what `move` raises, except SecretThere."""
    row = Insight.objects.visible_to(by).whole().filter(ref=ref).first()
    if row is None:
        raise NotFound
    by.require(row.team_id, Level.LEAD)
    there = by.named(team)
    by.require(there.id, Level.CONTRIBUTOR)
    _may_go(row, there, by)
    people = set(Membership.objects.filter(team_id=there.id).values_list("user_id", flat=True))
    known = set(Membership.objects.filter(team_id=row.team_id).values_list("user_id", flat=True))
    older = _superseded(row, lock=False)
    return MovePlan(
        insight=row,
        there=there,
        readers=len(people),
        wider=len(people - known),
        named=_names(people - known, there, by),
        demoted=not by.may(there.id, Level.LEAD) and (row.status == Status.PROMOTED or row.pinned),
        older=older,
        corroborations=row.corroborations.all().merged().count(),
        ratings=row.signals.all().ratings().count(),
        pairs=sum(1 for pair in _open_pairs([row, *older]) if not {pair.a_id, pair.b_id} <= _ids([row, *older])),
    )


def _names(people: set[int], there: TeamAccess, by: Member) -> list[str]:
    """Return the names of these people, if they are few."""
    if len(people) > NAMED:
        return []
    shown = Membership.objects.visible_to(by).filter(team_id=there.id, user_id__in=people)
    return list(shown.order_by("user__username").values_list("user__username", flat=True))


def move(*, ref: str, team: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Move an insight to the team of that slug. Only for leads who may write there.

    If the member does not lead that team, the insight arrives as a draft, for that team to review. Only one's own
    deposits can be moved to one's personal team. Raises NotFound, NotAllowed, NoSuchTeam and NotThere on `team`,
    PartOfAnother, NeedsReviewer, SecretThere.
    """
    with transaction.atomic():
        seen = Insight.objects.visible_to(by).filter(ref=ref).first()
        if seen is None:
            raise NotFound
        by.require(seen.team_id, Level.LEAD)
        there = by.named(team)
        by.require(there.id, Level.CONTRIBUTOR)
        list(Team.objects.filter(pk__in=[seen.team_id, there.id]).order_by("pk").select_for_update(no_key=True))
        row = Insight.objects.select_for_update(no_key=True).get(pk=seen.pk)
        _may_go(row, there, by)
        rows = _with_history(row)
        _guard(rows, there)
        _part_pairs(rows, by, now)
        _move_all(rows, there, _numbers(there, len(rows)), by, now, masked(why))
    return Insight.objects.whole().get(pk=row.pk)


def move_back(*, ref: str, revision: int, by: Member, now: datetime) -> Insight:
    """Undo a move that the member made, if nothing has changed since `revision`: restores the team, the reference, the
    status and the open pairs. Raises NotFound, NotAllowed, Stale, NothingMoved.

    The member need not lead the team that it was moved to.
    """
    with transaction.atomic():
        seen = Insight.objects.visible_to(by).filter(ref=ref).first()
        former = FormerRef.objects.filter(insight=seen).order_by("-at", "-pk").first() if seen else None
        if seen is None or former is None:
            raise NotFound
        there = next((team for team in by.teams if team.id == former.team_id), None)
        line = LogEntry.objects.visible_to(by).about(ref).filter(verb="moved", user_id=by.user_id).first()
        if there is None or line is None or line.team_id != seen.team_id:
            raise NothingMoved
        by.require(there.id, Level.LEAD)
        list(Team.objects.filter(pk__in=[seen.team_id, there.id]).order_by("pk").select_for_update(no_key=True))
        row = Insight.objects.select_for_update(no_key=True).get(pk=seen.pk)
        if row.revision != revision:
            raise Stale(errors={"revision": [f"{ref} has changed since it was moved."]}, current_revision=row.revision)
        rows = _with_history(row)
        _guard(rows, there)
        _part_pairs(rows, by, now)
        _move_all(rows, there, _former_numbers(rows, there, former.at), by, now, "undone")
        _restore_status(row, line.before, by, now)
        _reopen_pairs(rows, former.at, by, now)
    return Insight.objects.whole().get(pk=row.pk)


def _move_all(
    rows: list[Insight], there: TeamAccess, numbers: Sequence[int], by: Member, now: datetime, why: str
) -> None:
    left = {each.topic_id for each in rows if each.topic_id}
    for each, number in zip(rows, numbers, strict=True):
        _move_one(each, there, number, by, now, why)
    for topic in Topic.objects.filter(pk__in=left):
        topic.shed(at=now)
    Topic.place([row for row in rows if row.retrievable], at=now)
    # A snooze or an assignment was made by leads of the old team.
    InboxState.objects.all().about(rows).delete()
    Insight.objects.bulk_update(rows, ["topic"])


def _former_numbers(rows: list[Insight], there: TeamAccess, at: datetime) -> list[int]:
    """Return the numbers that the rows had in that team. They are in use again, so they are deleted as former
    references.
    """
    former = {one.insight_id: one for one in FormerRef.objects.filter(insight__in=rows, team_id=there.id, at=at)}
    if former.keys() != _ids(rows):
        raise NothingMoved
    FormerRef.objects.filter(pk__in=[one.pk for one in former.values()]).delete()
    return [former[row.pk].number for row in rows]


def _restore_status(row: Insight, before: dict[str, Any], by: Member, now: datetime) -> None:
    """Restore the status that the move changed to draft."""
    names = ("status", "pinned", "strength", "strength_at")
    changes = {name: before[name] for name in names if name in before}
    if changes.get("strength_at"):
        changes["strength_at"] = parse_datetime(changes["strength_at"])
    if changes:
        row.change(changes, verb="restored", line=f"{row.ref} restored as before the move", by=by, at=now)


def _reopen_pairs(rows: list[Insight], at: datetime, by: Member, now: datetime) -> None:
    """Reopen the pairs that the move dismissed."""
    parted = Pair.objects.all().touching(rows).filter(state=Pair.State.DISMISSED, resolution=PARTED, settled_at=at)
    for pair in parted.select_related("a", "b"):
        if pair.a.team_id == pair.b.team_id:
            pair.reopen(by=by, at=now)
    for row in rows:
        row.refresh_from_db(fields=["trust", "revision"])


def _ids(rows: Sequence[Insight]) -> set[int]:
    return {row.pk for row in rows}


def _open_pairs(rows: Sequence[Insight]) -> Any:
    return Pair.objects.all().touching(rows).filter(state=Pair.State.OPEN).select_related("a", "b")


def _may_go(row: Insight, there: TeamAccess, by: Member) -> None:
    if row.team_id == there.id:
        raise NotThere(errors={"team": ["It already belongs to this team."]})
    if there.kind is TeamKind.PERSONAL and row.author_id != by.user_id:
        raise NotThere(errors={"team": ["An insight of another author cannot be moved to a personal team."]})
    if row.needs_reviewer:
        raise NeedsReviewer(f"{row.ref} is promoted, and its team requires a second reviewer. Deprecate it first.")
    if row.superseded_by_id:
        raise PartOfAnother(f"{row.ref} is superseded: it moves with the insight that superseded it.")


def _with_history(row: Insight) -> list[Insight]:
    """Return the row, what it superseded, what that superseded and so on, oldest first, so that the row itself gets the
    last number.
    """
    return [row, *_superseded(row, lock=True)][::-1]


def _superseded(row: Insight, *, lock: bool) -> list[Insight]:
    found: list[Insight] = []
    level = [row]
    while level:
        before = Insight.objects.filter(superseded_by__in=level).order_by("-pk")
        level = list(before.select_for_update(no_key=True) if lock else before)
        found += level
    return found


def _guard(rows: list[Insight], there: TeamAccess) -> None:
    """Raise if a text contains what the other team's guard finds, because one team's allowlist does not apply in
    another.
    """
    allowed = GuardTerm.objects.all().allowed(there.id)
    texts = [(row.ref, text) for row in rows for text in (row.text, *(c.text for c in row.corroborations.all()))]
    found = {
        ref: [str(item) for item in faults] for ref, text in texts if (faults := find_secrets(text, allowed=allowed))
    }
    if found:
        raise SecretThere(errors=found)


def _part_pairs(rows: list[Insight], by: Member, now: datetime) -> None:
    """Dismiss the open pairs between what moves and what stays, because nobody could settle them any more."""
    for pair in _open_pairs(rows):
        if not {pair.a_id, pair.b_id} <= _ids(rows):
            pair.settle(Pair.State.DISMISSED, by=by, at=now, resolution=PARTED, scope="")
            pair.unmark(by=by, at=now)
    for row in rows:
        row.refresh_from_db(fields=["trust", "revision"])


def _numbers(there: TeamAccess, count: int) -> range:
    first = take_numbers(there.id, count)
    return range(first, first + count)


def _move_one(row: Insight, there: TeamAccess, number: int, by: Member, now: datetime, why: str) -> None:
    """Move one row and its terms to the other team's index. The caller holds both teams."""
    old, left = row.ref, row.team
    words = row.words if row.lexemes is not None else None
    if words is not None:
        Lexicon.of(left.pk).count(removed=[words])
        Lexicon.of(there.id).count(added=[words])
        row.index_words(words, Lexicon.of(there.id).pivot)
    FormerRef.objects.create(insight=row, ref=old, team=left, number=row.number, at=now)
    row.team_id, row.number, row.ref, row.topic = there.id, number, f"{there.prefix}-{number}", None
    if row.owner_id and not Membership.objects.filter(team_id=there.id, user_id=row.owner_id).exists():
        row.owner = None
    row.save(
        update_fields=["team", "number", "ref", "topic", "owner", "lexemes", "bm25", "bm25_recipe", "length", "prose"]
    )
    for said in Corroboration.objects.filter(draft__ref=old):
        said.draft["ref"] = row.ref
        said.save(update_fields=["draft"])
    if left.kind != TeamKind.PERSONAL:
        LogEntry.objects.filter(subject=old, team=left).update(team_id=there.id, subject=row.ref)
        _name_actors(row.ref, there.id)
    away = {"verb": "moved", "subject": old, "line": f"{old} moved to another team", "by": by, "at": now, "why": why}
    LogEntry.write(team_id=left.pk, **away)
    _arrive(row, old, there, by, now, why)


def _name_actors(ref: str, team_id: int) -> None:
    """Show the names of the insight's log authors who are members of its team now, and no others; the row still stores
    who it was.
    """
    members = Membership.objects.filter(team_id=team_id).values("user_id")
    lines = LogEntry.objects.filter(subject=ref, team_id=team_id)
    lines.exclude(user_id__in=members).filter(user__isnull=False).update(actor=ELSEWHERE)
    for line in lines.filter(actor=ELSEWHERE, user_id__in=members).select_related("user", "token"):
        named = f"{line.user.username} ({line.token.name})" if line.token else line.user.username
        LogEntry.objects.filter(pk=line.pk).update(actor=named[:200])


def _arrive(row: Insight, old: str, there: TeamAccess, by: Member, now: datetime, why: str) -> None:
    changes: dict[str, object] = {}
    if not by.may(there.id, Level.LEAD) and (row.status == Status.PROMOTED or row.pinned):
        left = row.effective_strength(now)
        changes = {"status": Status.DRAFT.value, "pinned": False, "strength": left, "strength_at": now}
    also = ({"ref": old}, {"ref": row.ref})
    row.change(changes, verb="moved", line=f"{row.ref} moved here, was {old}", by=by, at=now, why=why, also=also)
