"""Pairs for review: report, resolve and dismiss contradictions and suspected duplicates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import LogEntry, Team, User
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.successions import take_over
from knowledge.judging.actions.unlike import reports_too_much
from knowledge.judging.rules.relations import Reason, Relation, Verdict
from knowledge.models import Insight, Pair
from knowledge.models.lexicon import nothing_in_common
from knowledge.models.merging import merge_into, stand_again, take_place
from knowledge.review.actions.curate import edit
from knowledge.review.actions.optimistic_lock import since as lines_since
from knowledge.review.actions.optimistic_lock import version_of
from knowledge.review.actions.second_reviewer import require_reviewer, stated_by_another

# What can be done to several pairs at once.
IN_BULK = ("keep", "merge", "dismiss")
# The relations by which one side is superseded by the other.
REPLACING = (Relation.DUPLICATES, Relation.SUPERSEDES)


@dataclass(frozen=True)
class PairChoice:
    """A choice for one of several pairs: the side to keep, if any, and the version tokens of both."""

    pair_id: int
    keep: str = ""
    marks: str = ""


class NotAPair(Refused):
    code = "invalid"
    detail = "These two insights cannot be a pair."


class TooManyReports(Refused):
    code = "too_many"
    status = 409
    detail = "You have reached today's limit of reported contradictions between others' insights. Tell a lead."


class Settled(Refused):
    code = "wrong_status"
    status = 409
    detail = "This pair is already resolved."


class NotSettled(Refused):
    code = "wrong_status"
    status = 409
    detail = "This pair is still open."


class SidesChanged(Refused):
    """A side has changed since the page was opened."""

    code = "stale_revision"
    status = 412
    detail = "One of the insights has changed since you opened the page."


class HowSettled(Refused):
    code = "invalid"
    detail = "Choose the insight to keep, or enter the scope of each."


def report(*, a: str, b: str, reason: str, by: Member, now: datetime) -> Pair:
    """Report that two insights contradict each other, and return the pair. A repeated report returns the same pair; a
    settled one stays settled.

    Raises NotAPair on `a` or `b`, NotAllowed, TooManyReports.
    """
    if a == b:
        raise NotAPair(errors={"b": ["This is the same insight."]})
    with transaction.atomic():
        # Of two concurrent reports the second one has to count the first.
        User.objects.select_for_update(no_key=True).only("pk").filter(pk=by.user_id).first()
        held = (
            Insight.objects.visible_to(by)
            .filter(ref__in=[a, b])
            .order_by("pk")
            .select_for_update(no_key=True, of=("self",))
        )
        rows = {row.ref: row for row in held}
        for field, ref in (("a", a), ("b", b)):
            if ref not in rows:
                raise NotAPair(errors={field: [f"There is no insight {ref[:24]}."]})
            by.require(rows[ref].team_id, Level.CONTRIBUTOR)
            heir = rows[ref].superseded_by
            if heir is not None:
                raise NotAPair(errors={field: [f"{ref} was superseded by {heir.ref}; report that one."]})
        if rows[a].team_id != rows[b].team_id:
            raise NotAPair(errors={"b": ["It belongs to another team."]})
        if _is_agent(by, rows[a].team_id) and nothing_in_common(rows[a], rows[b]):
            why = "The two have nothing in common. Only a lead can report them."
            raise NotAPair(f"{a} and {b}: {why}", errors={"b": [why]}, team_id=rows[a].team_id)
        known = Pair.objects.all().of_both(rows[a].pk, rows[b].pk).filter(question=Pair.Question.CONTRADICTION)
        if not known.exists() and reports_too_much(rows[a], rows[b], by=by, at=now):
            raise TooManyReports(team_id=rows[a].team_id)
        return Pair.between(
            rows[a], rows[b], question=Pair.Question.CONTRADICTION, reason=masked(reason), by=by, at=now
        )


def _is_agent(by: Member, team_id: int) -> bool:
    """Return whether the caller is an agent, and not a lead's."""
    return by.token_id is not None and not by.may(team_id, Level.LEAD)


def marks_of(pair: Pair) -> str:
    """Return the version tokens of both sides as they are now."""
    return f"{version_of(pair.a)} {version_of(pair.b)}"


def keep_of(pair: Pair) -> str:
    """Return the side to keep if nobody chooses: the proposed replacement if there is one, otherwise the older side."""
    return pair.b.ref if pair.successor_id == pair.b_id else pair.a.ref


def since(pair: Pair, marks: str, *, by: Member) -> list[LogEntry]:
    """Return the log lines of both sides since `marks`, oldest first."""
    seen = dict(zip((pair.a.ref, pair.b.ref), marks.split(" "), strict=False))
    found = lines_since([pair.a, pair.b], seen, by=by)
    return sorted((line for some in found.values() for line in some), key=lambda line: (line.at, line.pk))


def resolve(
    *, pair_id: int, by: Member, now: datetime, keep: str = "", scope: str = "", merging: bool = False, marks: str = ""
) -> Pair:
    """Settle a pair: keep one side, which supersedes the other, or state the scope in which each is true. Only for
    leads.

    With `merging` the two say the same, and the kept side also gets what the other says. `marks`: the version tokens of
    the sides. Raises Settled, SidesChanged, NeedsReviewer.
    """
    if bool(keep) == bool(scope):
        raise HowSettled(errors={"keep": ["Give either this or `scope`."]})
    with transaction.atomic():
        pair = _for_lead(pair_id, by, marks)
        kept = None
        if keep:
            kept, gone = _sides(pair, keep)
            if not kept.is_current:
                raise HowSettled(errors={"keep": [f"{keep} is not current."]})
            if not gone.superseded_by_id:
                changed = (gone, kept) if merging else (gone,)
                require_reviewer(*changed, reviewed=not merging and stated_by_another(pair, kept, by))
                _give_way(gone, kept, merging, by, now, pair.reason)
        resolution = f"kept {keep}" if keep else ""
        pair.settle(Pair.State.RESOLVED, by=by, at=now, resolution=resolution, scope=masked(scope), kept=kept)
        if scope:
            # The scope also answers whether the two are the same.
            for same in Pair.objects.all().undetermined_of(pair):
                same.settle(Pair.State.RESOLVED, by=by, at=now, resolution="", scope=masked(scope))
        pair.unmark(by=by, at=now)
    return pair


def merge_with_text(
    *, pair_id: int, keep: str, texts: Mapping[str, Any], by: Member, now: datetime, why: str = "", marks: str = ""
) -> tuple[Pair, Insight]:
    """Settle a pair by one text for both: merge the other side into `keep`, and edit that to `texts`. Either all of it
    is done or nothing. Returns the pair and the kept insight; raises what `resolve` and `curate.edit` raise.
    """
    with transaction.atomic():
        pair = resolve(pair_id=pair_id, keep=keep, merging=True, by=by, now=now, marks=marks)
        revision = Insight.objects.values_list("revision", flat=True).get(ref=keep)
        return pair, edit(ref=keep, changes=texts, revision=revision, by=by, now=now, why=why)


def dismiss(*, pair_id: int, by: Member, now: datetime, why: str = "", marks: str = "") -> Pair:
    """Dismiss a pair: there was nothing to settle. Only for leads. Raises what `resolve` raises."""
    with transaction.atomic():
        pair = _for_lead(pair_id, by, marks)
        pair.settle(Pair.State.DISMISSED, by=by, at=now, resolution=masked(why), scope="")
        pair.unmark(by=by, at=now)
    return pair


def reopen(*, pair_id: int, by: Member, now: datetime) -> Pair:
    """Undo how a pair was settled: it is open again, and the superseded side is current again. Only for leads."""
    with transaction.atomic():
        pair = lock_pair(pair_id, by)
        if pair.state == Pair.State.OPEN:
            raise NotSettled
        for gone, kept in ((pair.a, pair.b), (pair.b, pair.a)):
            by_this = pair.resolution == f"kept {kept.ref}" or pair.relation in REPLACING
            if by_this and gone.superseded_by_id == kept.pk:
                stand_again(gone, by=by, at=now, why="the pair was reopened")
        pair.unconfirm()
        pair.reopen(by=by, at=now)
    return pair


def _give_way(gone: Insight, kept: Insight, merging: bool, by: Member, now: datetime, why: str) -> None:
    if merging:
        merge_into(kept, gone, by=by, at=now, why=why)
    else:
        gone.supersede(kept, by=by, at=now, why=why)
        take_over(kept, gone, Verdict(Relation.SUPERSEDES, by.username, 0.0, Reason.STATED), by=by, at=now)
    take_place(kept, gone, by=by, at=now)


def _for_lead(pair_id: int, by: Member, marks: str) -> Pair:
    pair = lock_pair(pair_id, by)
    if pair.state != Pair.State.OPEN:
        raise Settled
    if marks and marks != marks_of(pair):
        raise SidesChanged
    return pair


def lock_pair(pair_id: int, by: Member) -> Pair:
    """Return the pair after locking its team's row. Raises NotFound, NotAllowed."""
    pair = Pair.objects.visible_to(by).filter(pk=pair_id).select_related("a", "b").first()
    if pair is None:
        raise NotFound
    for side in (pair.a, pair.b):
        by.require(side.team_id, Level.LEAD, of=f"{pair.a.ref} and {pair.b.ref}")
    Team.objects.select_for_update(no_key=True).get(pk=pair.a.team_id)
    pair.refresh_from_db()
    return pair


def _sides(pair: Pair, keep: str) -> tuple[Insight, Insight]:
    if keep not in (pair.a.ref, pair.b.ref):
        raise HowSettled(errors={"keep": [f"One of {pair.a.ref} and {pair.b.ref}."]})
    return (pair.a, pair.b) if keep == pair.a.ref else (pair.b, pair.a)
