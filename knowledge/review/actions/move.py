"""Move: an insight goes to another team, under a reference of that team.

What it took the place of goes along: it is its history. So do its anchors, ratings and corroborations, and its log,
but for lines from a personal team, which stay their owner's. The old reference finds it still, for who may see it; in
the old team one line says that it left (docs/decisions/0007-forgetting.md).
"""

from datetime import datetime

from django.db import transaction

from accounts.models import GuardTerm, LogEntry, Team
from accounts.rules.guard.detection import find_secrets, masked
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member, TeamAccess, TeamKind
from knowledge.models import Corroboration, FormerRef, Insight, Lexicon, Pair, Topic
from knowledge.rules.vocabulary import Status


class NotThere(Refused):
    code = "invalid"
    detail = "The insight cannot be moved there."


class PartOfAnother(Refused):
    code = "wrong_status"
    status = 409


class SecretThere(Refused):
    code = "secret_found"
    detail = "A term on its team's secret allowlist is a secret in the other team. Nothing was moved."


def move(*, ref: str, team: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Bring an insight to the team of that slug: a lead's act, who may write there.

    Where the member is no lead it arrives as a draft, for that team to judge. To one's personal team goes only what one
    deposited oneself. Raises NotFound, NotAllowed, NoSuchTeam and NotThere on `team`, PartOfAnother, SecretThere.
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
        left = {each.topic_id for each in rows if each.topic_id}
        for each, number in zip(rows, _numbers(there, len(rows)), strict=True):
            _move_one(each, there, number, by, now, masked(why))
        for topic in Topic.objects.filter(pk__in=left):
            topic.shed(at=now)
        Topic.place([row for row in rows if row.retrievable], at=now)
        Insight.objects.bulk_update(rows, ["topic"])
    return Insight.objects.whole().get(pk=row.pk)


def _may_go(row: Insight, there: TeamAccess, by: Member) -> None:
    if row.team_id == there.id:
        raise NotThere(errors={"team": ["It already belongs to this team."]})
    if there.kind is TeamKind.PERSONAL and row.author_id != by.user_id:
        raise NotThere(errors={"team": ["An insight of another author cannot be moved to a personal team."]})
    if row.superseded_by_id:
        raise PartOfAnother(f"{row.ref} is superseded: it moves with the insight that superseded it.")


def _with_history(row: Insight) -> list[Insight]:
    """The row and what it superseded, and what that did, oldest first: its number is the last."""
    found, level = [row], [row]
    while level:
        before = Insight.objects.filter(superseded_by__in=level).order_by("-pk").select_for_update(no_key=True)
        level = list(before)
        found += level
    return found[::-1]


def _guard(rows: list[Insight], there: TeamAccess) -> None:
    """The reviewed terms of one team are not another's."""
    allowed = GuardTerm.objects.all().allowed(there.id)
    texts = [(row.ref, text) for row in rows for text in (row.text, *(c.text for c in row.corroborations.all()))]
    found = {
        ref: [str(item) for item in faults] for ref, text in texts if (faults := find_secrets(text, allowed=allowed))
    }
    if found:
        raise SecretThere(errors=found)


def _part_pairs(rows: list[Insight], by: Member, now: datetime) -> None:
    """A question between what goes and what stays is nobody's to settle any more."""
    going = {row.pk for row in rows}
    for pair in Pair.objects.all().touching(rows).filter(state=Pair.State.OPEN).select_related("a", "b"):
        if not {pair.a_id, pair.b_id} <= going:
            pair.settle(Pair.State.DISMISSED, by=by, at=now, resolution="moved to another team", scope="")
            pair.unmark(by=by, at=now)
    for row in rows:
        row.refresh_from_db(fields=["trust", "revision"])


def _numbers(there: TeamAccess, count: int) -> range:
    first = Team.objects.get(pk=there.id).take_numbers(count)
    return range(first, first + count)


def _move_one(row: Insight, there: TeamAccess, number: int, by: Member, now: datetime, why: str) -> None:
    """The caller holds both teams. Its words are counted out of one and into the other."""
    old, left = row.ref, row.team
    words = row.words if row.lexemes is not None else None
    if words is not None:
        Lexicon.of(left.pk).count(removed=[words])
        Lexicon.of(there.id).count(added=[words])
        row.index_words(words, Lexicon.of(there.id).pivot)
    FormerRef.objects.create(insight=row, ref=old, team=left, number=row.number, at=now)
    row.team_id, row.number, row.ref, row.topic = there.id, number, f"{there.prefix}-{number}", None
    row.save(update_fields=["team", "number", "ref", "topic", "lexemes", "bm25", "bm25_recipe", "length", "prose"])
    for said in Corroboration.objects.filter(draft__ref=old):
        said.draft["ref"] = row.ref
        said.save(update_fields=["draft"])
    if left.kind != TeamKind.PERSONAL:
        LogEntry.objects.filter(subject=old, team=left).update(team_id=there.id, subject=row.ref)
    away = {"verb": "moved", "subject": old, "line": f"{old} moved to another team", "by": by, "at": now, "why": why}
    LogEntry.write(team_id=left.pk, **away)
    _arrive(row, old, there, by, now, why)


def _arrive(row: Insight, old: str, there: TeamAccess, by: Member, now: datetime, why: str) -> None:
    changes: dict[str, object] = {}
    if not by.may(there.id, Level.LEAD) and (row.status == Status.PROMOTED or row.pinned):
        left = row.effective_strength(now)
        changes = {"status": Status.DRAFT.value, "pinned": False, "strength": left, "strength_at": now}
    also = ({"ref": old}, {"ref": row.ref})
    row.change(changes, verb="moved", line=f"{row.ref} moved here, was {old}", by=by, at=now, why=why, also=also)
