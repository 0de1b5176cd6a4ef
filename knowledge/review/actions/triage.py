"""The queues of the inbox: what awaits a person, how many items each queue has, and why each item is there."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from math import inf
from typing import Any, TypeVar, cast

from accounts.models import LogEntry
from accounts.rules.guard.detection import redact_secrets
from accounts.rules.rights import Level, Member
from accounts.statements import BindParam, prepared
from knowledge.lifecycle.rules.lifecycle import DISTINCT_OBJECTORS, Given, SignalKind
from knowledge.lifecycle.rules.staleness import StaleFinding
from knowledge.models import Conflict, EditProposal, InboxState, Insight, Mention, Pair, Signal
from knowledge.querysets.comments import MentionQuerySet
from knowledge.querysets.contributors import Contributed
from knowledge.querysets.edit_proposals import EditProposalQuerySet
from knowledge.querysets.inbox_states import InboxStateQuerySet
from knowledge.querysets.insights import InsightQuerySet
from knowledge.querysets.moderation import ConflictQuerySet
from knowledge.querysets.pairs import PairQuerySet
from knowledge.review.actions.second_reviewer import stated_by_another
from knowledge.review.rules.triage import (
    COUNTED_UP_TO,
    DECAYING_WITHIN,
    MOST_OF_ONE,
    MOST_PRAISED_BY_ONE,
    Standing,
    Tab,
    changed_files,
    days_left,
    standing,
)
from knowledge.rules.vocabulary import Status

PAIRS = {
    Tab.PROPOSED: Pair.Question.SUPERSESSION,
    Tab.CONTRADICTIONS: Pair.Question.CONTRADICTION,
    Tab.DUPLICATES: Pair.Question.DUPLICATE,
}

# The most rows of one contributor in queues where one account alone can add rows: drafts that only they rated helpful,
# and insights that only they reported stale. Rows of the other queues need several people, or time.
GROUPED = {Tab.NEW: MOST_PRAISED_BY_ONE, Tab.STALE: MOST_OF_ONE}


@dataclass(frozen=True)
class Waiting:
    """One row of a queue, and in words why it is there."""

    insight: Insight
    why: str


@dataclass(frozen=True)
class _QueueReader:
    """The parameters of a queue's statement: the reader and the times, as values, or as bound parameters of a prepared
    statement.
    """

    team_ids: Sequence[int] | BindParam
    user_id: int | BindParam
    led: Sequence[int] | BindParam
    now: datetime | BindParam
    soon: datetime | BindParam
    lately: datetime | BindParam

    @classmethod
    def of(cls, by: Member, now: datetime) -> "_QueueReader":
        return cls(list(by.team_ids), by.user_id, leads(by), now, now + DECAYING_WITHIN, now - DECAYING_WITHIN)

    @property
    def member(self) -> Member:
        return cast(Member, self)

    @property
    def as_lead(self) -> Member:
        """The member, restricted to the teams they lead."""
        return cast(Member, replace(self, team_ids=self.led))

    @property
    def snoozed(self) -> InboxStateQuerySet:
        found: InboxStateQuerySet = InboxState.objects.all().snoozed(self.now, Signal.objects.all())
        return found


_PLACES = _QueueReader(**{place.name: BindParam(place.name) for place in fields(_QueueReader)})
_Queue = InsightQuerySet | PairQuerySet | ConflictQuerySet | EditProposalQuerySet


def counts(*, by: Member, now: datetime) -> dict[Tab, int]:
    """Return the number of rows in each queue, at most COUNTED_UP_TO + 1; rows of one contributor that are grouped
    count as one.

    One statement, run by every page of the inbox. At 100,000 insights it took 70 ms, 50 of them to compile its text, so
    it is prepared once.
    """
    found = Counter(prepared("inbox counts", _counted).run(**vars(_QueueReader.of(by, now))))
    return {tab: found[(tab.value,)] for tab in Tab}


def _counted() -> Any:
    legs = [rows.tabbed(tab.value, COUNTED_UP_TO) for tab in Tab for rows in _queues(tab, _PLACES)]
    return legs[0].union(*legs[1:], all=True)


def _queues(tab: Tab, reader: _QueueReader) -> list[_Queue]:
    if tab is Tab.VAULT:
        return [_conflicts(reader.member, reader.led)]
    if tab is Tab.EDITS:
        return [_proposals(reader).grouped(MOST_OF_ONE)]
    if tab is Tab.MENTIONS:
        unread = _unread(reader.member).grouped(MOST_OF_ONE)
        return [rows(reader.member, unread) for rows in (_mentions, _pair_mentions)]
    if tab is Tab.SNOOZED:
        return [_insights(tab, reader), _snoozed_pairs(reader), _snoozed_proposals(reader)]
    if tab in PAIRS:
        return [_pairs(tab, reader).grouped(MOST_OF_ONE)]
    # Each part is counted by its own index.
    rows = [_insights(tab, reader), *_also(tab, reader)]
    return [part.grouped(GROUPED[tab]) if tab in GROUPED else part for part in rows]


Narrowing = Callable[[InsightQuerySet], InsightQuerySet]


def waiting(
    tab: Tab, *, by: Member, now: datetime, most: int | None = None, narrowed: Narrowing = lambda rows: rows
) -> InsightQuerySet:
    """Return the rows of one queue in the teams the member leads, the most urgent first. Snoozed rows are only in
    SNOOZED, quarantined ones in none of these. `most`: the largest number of rows needed; `narrowed`: a further filter.
    """
    return _waiting(tab, _QueueReader.of(by, now), most, narrowed)


def first_waiting(tab: Tab, most: int, *, by: Member, now: datetime) -> list[Insight]:
    """Return the first `most` rows of `waiting` as a list shows them (`shown_insights`), with a prepared statement."""
    queue = prepared(("queue", tab, most), lambda: _waiting(tab, _PLACES, most, shown_insights(tab)).in_queue()[:most])
    return queue.run(**vars(_QueueReader.of(by, now)))


def shown_insights(tab: Tab, contributor: str = "") -> Narrowing:
    """Return the filter that restricts a queue of insights to the first few rows of each contributor, or to all of one
    contributor.
    """
    return (lambda rows: shown_rows(rows, contributor, GROUPED[tab])) if tab in GROUPED else (lambda rows: rows)


def hidden_insights(tab: Tab, *, by: Member, now: datetime, narrowed: Narrowing) -> list[tuple[str, int]]:
    """Return what `hidden_rows` returns, for a queue of insights."""
    rows = narrowed(_insights(tab, _QueueReader.of(by, now)))
    return hidden_rows(rows, GROUPED[tab]) if tab in GROUPED else []


def _waiting(
    tab: Tab, reader: _QueueReader, most: int | None = None, narrowed: Narrowing = lambda rows: rows
) -> InsightQuerySet:
    rows, others = narrowed(_insights(tab, reader)), [narrowed(part) for part in _also(tab, reader)]
    if not others:
        return rows
    # Each part is found by its own index; combined with OR, none would be used. Each part is limited too: otherwise all
    # waiting rows would be read to find the first few.
    order = rows.query.order_by if most else ()
    parts = [part.order_by(*order).values("pk")[:most] for part in (rows, *others)]
    found = Insight.objects.visible_to(reader.member).filter(pk__in=parts[0].union(*parts[1:], all=True))
    return found.order_by(*rows.query.order_by)


def _also(tab: Tab, reader: _QueueReader) -> list[InsightQuerySet]:
    """Return further rows of a queue, none of which are among its own: insights that the ratings of contributors
    promoted, and those that contributors object to without being able to demote them.
    """
    rows = Insight.objects.visible_to(reader.as_lead).retrievable().awake(reader.snoozed)
    if tab is Tab.NEW:
        return [rows.promoted_unseen().with_supporter(Signal.objects.all())]
    if tab is Tab.DECAYING:
        return [rows.objected(seen_since=reader.lately).lasting_beyond(reader.soon)]
    return []


def _insights(tab: Tab, reader: _QueueReader) -> InsightQuerySet:
    if tab is Tab.QUARANTINED:
        return Insight.objects.of_teams(reader.led).quarantined().order_by("quarantined_at", "pk")
    rows = Insight.objects.visible_to(reader.as_lead).retrievable()
    if tab is Tab.SNOOZED:
        return rows.asleep(reader.snoozed).order_by("inbox_state__snoozed_until", "pk")
    rows = rows.awake(reader.snoozed)
    if tab is Tab.NEW:
        return rows.awaiting_a_lead().with_supporter(Signal.objects.all()).order_by("-created_at", "-pk")
    if tab is Tab.QUOTED:
        return rows.proposed().order_by("-created_at", "-pk")
    if tab is Tab.DRAFTS:
        return rows.never_reviewed().order_by("-created_at", "-pk")
    if tab is Tab.DECAYING:
        return rows.fading_by(reader.soon, seen_since=reader.lately).order_by("fades_at", "pk")
    reported = rows.outdated().with_reporter(LogEntry.objects.all(), StaleFinding.STALE.value)
    return reported.order_by("updated_at", "pk")


def waiting_pairs(tab: Tab, *, by: Member, now: datetime) -> PairQuerySet:
    """Return the open pairs of one queue in the teams the member leads, the most urgent first."""
    return _pairs(tab, _QueueReader.of(by, now)).by_urgency()


def first_pairs(tab: Tab, most: int, *, by: Member, now: datetime) -> list[Pair]:
    """Return the first `most` of the `shown_pairs` of a queue, with a prepared statement."""
    queue = prepared(
        ("pairs of a queue", tab, most), lambda: shown_rows(_pairs(tab, _PLACES).by_urgency()).in_queue()[:most]
    )
    return queue.run(**vars(_QueueReader.of(by, now)))


def _pairs(tab: Tab, reader: _QueueReader) -> PairQuerySet:
    pairs = _open_pairs(reader).filter(question=PAIRS[tab]).awake(reader.snoozed)
    return pairs.unless_asked_more() if tab is Tab.DUPLICATES else pairs


Rows = TypeVar("Rows", bound=Contributed)


def shown_rows(waits: Rows, contributor: str = "", most: int = MOST_OF_ONE) -> Rows:
    """Return the first few rows of each contributor, or all rows of one contributor."""
    few: Rows = waits.raised_by_account(contributor) if contributor else waits.first_of_each_contributor(most)
    return few


def hidden_rows(waits: Contributed, most: int = MOST_OF_ONE) -> list[tuple[str, int]]:
    """Return (username, number of further rows) of each contributor of whom `shown_rows` leaves some out."""
    return waits.beyond_first(most)


def snoozed_pairs(*, by: Member, now: datetime) -> PairQuerySet:
    """Return the snoozed open pairs of the teams the member leads."""
    return _snoozed_pairs(_QueueReader.of(by, now))


def _snoozed_pairs(reader: _QueueReader) -> PairQuerySet:
    return _open_pairs(reader).asleep(reader.snoozed).order_by("inbox_state__snoozed_until", "pk")


def _open_pairs(reader: _QueueReader) -> PairQuerySet:
    pairs: PairQuerySet = Pair.objects.visible_to(reader.member).open().current().filter(a__team_id__any=reader.led)
    return pairs


def waiting_proposals(*, by: Member, now: datetime) -> EditProposalQuerySet:
    """Return the suggested edits that wait for the member to decide on or to revise."""
    return _proposals(_QueueReader.of(by, now))


def _proposals(reader: _QueueReader) -> EditProposalQuerySet:
    rows: EditProposalQuerySet = EditProposal.objects.visible_to(reader.member)
    return rows.awaiting(reader.member, reader.led, reader.snoozed)


def snoozed_proposals(*, by: Member, now: datetime) -> EditProposalQuerySet:
    """Return the snoozed suggested edits of the teams the member leads."""
    return _snoozed_proposals(_QueueReader.of(by, now))


def _snoozed_proposals(reader: _QueueReader) -> EditProposalQuerySet:
    rows: EditProposalQuerySet = EditProposal.objects.visible_to(reader.member)
    return rows.asleep(reader.led, reader.snoozed)


def mentions(*, by: Member, contributor: str = "") -> EditProposalQuerySet:
    """Return the suggested edits in which somebody mentions the member: the first few of each author, or all of one."""
    return _mentions(by, shown_rows(_unread(by), contributor))


def pair_mentions(*, by: Member, contributor: str = "") -> PairQuerySet:
    """Return the pairs in which somebody mentions the member, filtered as `mentions` are."""
    return _pair_mentions(by, shown_rows(_unread(by), contributor))


def hidden_mentions(*, by: Member) -> list[tuple[str, int]]:
    """Return (username, number of further rows) of each author of whom `mentions` and `pair_mentions` leave
    some out.
    """
    return hidden_rows(_unread(by))


def _unread(by: Member) -> MentionQuerySet:
    found: MentionQuerySet = Mention.objects.all().unread_by(by)
    return found


def _mentions(by: Member, unread: MentionQuerySet) -> EditProposalQuerySet:
    found: EditProposalQuerySet = EditProposal.objects.visible_to(by).mentioned_in(unread)
    return found


def _pair_mentions(by: Member, unread: MentionQuerySet) -> PairQuerySet:
    found: PairQuerySet = Pair.objects.visible_to(by).mentioned_in(unread, by)
    return found


def waiting_conflicts(*, by: Member) -> ConflictQuerySet:
    """Return the unresolved vault conflicts of the teams the member leads, oldest first."""
    return _conflicts(by, leads(by))


def _conflicts(by: Member, led: Sequence[int] | BindParam) -> ConflictQuerySet:
    return Conflict.objects.visible_to(by).of_teams(led).open().order_by("raised_at", "pk")


def leads(by: Member) -> list[int]:
    """Return the ids of the teams that the member leads."""
    return [team.id for team in by.teams if by.may(team.id, Level.LEAD)]


def explained(tab: Tab, rows: Sequence[Insight], *, now: datetime) -> list[Waiting]:
    """Return each row with the reason why it waits. Secrets of quarantined rows are masked; nothing is saved."""
    given: dict[int, list[Given]] = {}
    if tab in (Tab.NEW, Tab.DECAYING):
        for signal in Signal.objects.all().of_insights([row.pk for row in rows]).counting():
            given.setdefault(signal.insight_id, []).append(signal.given)
    if tab is Tab.QUARANTINED:
        for row in rows:
            mask(row)
    reporters = LogEntry.objects.all().latest_actors([row.ref for row in rows], "stale") if tab is Tab.STALE else {}
    return [Waiting(row, _why(tab, row, given.get(row.pk, []), now) + _by(reporters.get(row.ref))) for row in rows]


def _by(reporter: str | None) -> str:
    return f", reported by {reporter}" if reporter else ""


def standing_of(row: Insight) -> Standing:
    """Return how far an insight is from promotion, counted from its ratings and corroborations."""
    return _standing(row, [signal.given for signal in row.signals.all().counting()])


def _standing(row: Insight, given: Sequence[Given]) -> Standing:
    return standing(row.heard_of(given), row.author_id, says_something=row.says_something)


def _why(tab: Tab, row: Insight, given: Sequence[Given], now: datetime) -> str:
    if tab is Tab.NEW:
        promoted = row.status == Status.PROMOTED
        return f"promoted by ratings, {_standing(row, given)}" if promoted else str(_standing(row, given))
    if tab is Tab.QUOTED:
        return "served to several people"
    if tab is Tab.DRAFTS:
        return "no rating yet"
    if tab is Tab.DECAYING:
        left = days_left(row.strength, row.strength_at, now, *row.decay_inputs)
        fading = "fades tonight" if left < 1 else f"fades in {left:.0f} days"
        return f"{_objections(given)}{fading if left != inf else 'does not fade'}"
    if tab is Tab.STALE:
        files = changed_files(row.provenance)
        return f"changed: {', '.join(files[:3])}{' …' if len(files) > 3 else ''}" if files else "source files changed"
    if tab is Tab.SNOOZED:
        state: InboxState | None = getattr(row, "inbox_state", None)
        return state.words if state else ""
    return "secret found"


def _objections(given: Sequence[Given]) -> str:
    """Return how many people object, if they are enough to put the insight before a lead; otherwise ""."""
    people = len({one.user for one in given if one.signal is SignalKind.UNHELPFUL})
    return f"{people} people object, " if people >= DISTINCT_OBJECTORS else ""


@dataclass(frozen=True)
class Side:
    """One side of a pair, with its votes. `keep_suggested`: keeping it needs a second reviewer; `merge_suggested`:
    merging the other side into it does.
    """

    insight: Insight
    helpful: int
    unhelpful: int
    keep_suggested: bool = False
    merge_suggested: bool = False


def sides(pairs: Sequence[Pair], *, by: Member) -> list[tuple[Pair, Side, Side]]:
    """Return each pair with its two sides and their votes, as the member may settle it. One statement for all."""
    found = {(pk, kind): n for pk, kind, n in Signal.objects.all().votes([i for p in pairs for i in (p.a_id, p.b_id)])}

    def side(pair: Pair, row: Insight, other: Insight) -> Side:
        helpful, unhelpful = (found.get((row.pk, kind.value), 0) for kind in (SignalKind.HELPFUL, SignalKind.UNHELPFUL))
        keep = other.needs_reviewer and not stated_by_another(pair, row, by)
        merge = row.needs_reviewer or other.needs_reviewer
        return Side(row, helpful, unhelpful, keep_suggested=keep, merge_suggested=merge)

    return [(pair, side(pair, pair.a, pair.b), side(pair, pair.b, pair.a)) for pair in pairs]


def mask(row: Any) -> None:
    """Mask the secrets in the loaded texts of the row, for somebody who has to look at it."""
    for name in {"title", "body", "reasoning"} - row.get_deferred_fields():
        setattr(row, name, redact_secrets(getattr(row, name))[0])
