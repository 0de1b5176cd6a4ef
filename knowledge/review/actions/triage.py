"""What waits for a person: the queues of the inbox, how much is in each, and why each row is there."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import LogEntry
from accounts.rules.guard.detection import redact_secrets
from accounts.rules.refused import NotFound
from accounts.rules.rights import Level, Member
from knowledge.lifecycle.rules.lifecycle import Given, SignalKind
from knowledge.models import Conflict, EditProposal, InboxState, Insight, Pair, Signal
from knowledge.querysets.edit_proposals import EditProposalQuerySet
from knowledge.querysets.inbox_states import InboxStateQuerySet
from knowledge.querysets.insights import MEASURED_WHOLE, InsightQuerySet, PairQuerySet
from knowledge.querysets.moderation import ConflictQuerySet
from knowledge.review.rules.triage import (
    COUNTED_UP_TO,
    DECAYING_WITHIN,
    MOST_OF_ONE,
    Standing,
    Tab,
    changed_files,
    days_left,
    standing,
)

PAIRS = {
    Tab.PROPOSED: Pair.Question.SUPERSESSION,
    Tab.CONTRADICTIONS: Pair.Question.CONTRADICTION,
    Tab.DUPLICATES: Pair.Question.DUPLICATE,
}


@dataclass(frozen=True)
class Waiting:
    """One row of a queue and, in words, why it is there."""

    insight: Insight
    why: str


@dataclass(frozen=True)
class Near:
    """An insight beside another, and how alike they are (the cosine of their meanings)."""

    insight: Insight
    similarity: float


def counts(*, by: Member, now: datetime) -> dict[Tab, int]:
    """How many wait in each queue, at most one more than COUNTED_UP_TO: in one statement."""
    legs = [rows.tabbed(tab.value, COUNTED_UP_TO) for tab in Tab for rows in _queues(tab, by, now)]
    found = Counter(legs[0].union(*legs[1:], all=True))
    return {tab: found[(tab.value,)] for tab in Tab}


def _queues(
    tab: Tab, by: Member, now: datetime
) -> list[InsightQuerySet | PairQuerySet | ConflictQuerySet | EditProposalQuerySet]:
    if tab is Tab.VAULT:
        return [waiting_conflicts(by=by)]
    if tab is Tab.EDITS:
        return [waiting_proposals(by=by)]
    if tab is Tab.SNOOZED:
        return [waiting(tab, by=by, now=now), snoozed_pairs(by=by, now=now)]
    return [waiting_pairs(tab, by=by, now=now) if tab in PAIRS else waiting(tab, by=by, now=now)]


def waiting(tab: Tab, *, by: Member, now: datetime) -> InsightQuerySet:
    """The rows of one queue, of the teams the member leads; the oldest worry first. What is snoozed is in none but
    SNOOZED; what is in quarantine cannot be.
    """
    led = leads(by)
    if tab is Tab.QUARANTINED:
        return Insight.objects.of_teams(led).quarantined().order_by("quarantined_at", "pk")
    rows = Insight.objects.visible_to(by, only=led).retrievable()
    if tab is Tab.SNOOZED:
        return rows.asleep(_snoozed(now)).order_by("inbox_state__snoozed_until", "pk")
    rows = rows.awake(_snoozed(now))
    if tab is Tab.NEW:
        return rows.spoken_for(Signal.objects.all()).order_by("-created_at", "-pk")
    if tab is Tab.QUOTED:
        return rows.proposed().order_by("-created_at", "-pk")
    if tab is Tab.DRAFTS:
        return rows.never_reviewed(Signal.objects.all()).order_by("-created_at", "-pk")
    if tab is Tab.DECAYING:
        return rows.fading_by(now + DECAYING_WITHIN, seen_since=now - DECAYING_WITHIN).order_by("fades_at", "pk")
    return rows.outdated().order_by("updated_at", "pk")


def _snoozed(now: datetime) -> InboxStateQuerySet:
    found: InboxStateQuerySet = InboxState.objects.all().snoozed(now, Signal.objects.all())
    return found


def waiting_pairs(tab: Tab, *, by: Member, now: datetime) -> PairQuerySet:
    """The open pairs of one queue, of the teams the member leads, the oldest first: of each contributor so many at a
    time, and the next when those are settled or snoozed.
    """
    pairs = _open_pairs(by).filter(question=PAIRS[tab]).awake(_snoozed(now))
    return pairs.first_of_each_contributor(MOST_OF_ONE).order_by("raised_at", "pk")


def snoozed_pairs(*, by: Member, now: datetime) -> PairQuerySet:
    """The open pairs that are snoozed, of the teams the member leads."""
    return _open_pairs(by).asleep(_snoozed(now)).order_by("inbox_state__snoozed_until", "pk")


def _open_pairs(by: Member) -> PairQuerySet:
    found: PairQuerySet = Pair.objects.visible_to(by).open().current().filter(a__team_id__in=leads(by))
    return found


def waiting_proposals(*, by: Member) -> EditProposalQuerySet:
    """The suggested edits that wait for the member: to decide on, or to revise."""
    found: EditProposalQuerySet = EditProposal.objects.visible_to(by).awaiting(by, leads(by), MOST_OF_ONE)
    return found


def waiting_conflicts(*, by: Member) -> ConflictQuerySet:
    """The edits in the vault that wait, of the teams the member leads, the oldest first."""
    return Conflict.objects.visible_to(by).of_teams(leads(by)).open().order_by("raised_at", "pk")


def leads(by: Member) -> list[int]:
    """The teams in which the member decides."""
    return [team.id for team in by.teams if by.may(team.id, Level.LEAD)]


def explained(tab: Tab, rows: Sequence[Insight], *, now: datetime) -> list[Waiting]:
    """Each row with the reason why it waits. What is in quarantine has its secrets masked; nothing is saved."""
    given: dict[int, list[Given]] = {}
    if tab is Tab.NEW:
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
    """Return how far an insight is on its way to promotion, by what was said of it."""
    return _standing(row, [signal.given for signal in row.signals.all().counting()])


def _standing(row: Insight, given: Sequence[Given]) -> Standing:
    return standing(row.heard_of(given), row.author_id, says_something=row.says_something)


def _why(tab: Tab, row: Insight, given: Sequence[Given], now: datetime) -> str:
    if tab is Tab.NEW:
        return str(_standing(row, given))
    if tab is Tab.QUOTED:
        return "served to several people"
    if tab is Tab.DRAFTS:
        return "no rating yet"
    if tab is Tab.DECAYING:
        left = days_left(row.strength, row.strength_at, now, *row.decay_inputs)
        return "fades with the next sweep" if left < 1 else f"fades in {left:.0f} days"
    if tab is Tab.STALE:
        files = changed_files(row.provenance)
        return f"changed: {', '.join(files[:3])}{' …' if len(files) > 3 else ''}" if files else "source files changed"
    if tab is Tab.SNOOZED:
        state: InboxState | None = getattr(row, "inbox_state", None)
        return state.words if state else ""
    return "secret found"


@dataclass(frozen=True)
class Side:
    """One of two, with what people and agents said of it."""

    insight: Insight
    helpful: int
    unhelpful: int


def sides(pairs: Sequence[Pair]) -> list[tuple[Pair, Side, Side]]:
    """Each pair with its two sides and their votes, in one statement for all."""
    found = {(pk, kind): n for pk, kind, n in Signal.objects.all().votes([i for p in pairs for i in (p.a_id, p.b_id)])}

    def side(row: Insight) -> Side:
        return Side(
            row, found.get((row.pk, SignalKind.HELPFUL.value), 0), found.get((row.pk, SignalKind.UNHELPFUL.value), 0)
        )

    return [(pair, side(pair.a), side(pair.b)) for pair in pairs]


def mask(row: Any) -> None:
    """Its texts with secrets masked, for anyone who must look at it."""
    for name in ("title", "body", "reasoning"):
        setattr(row, name, redact_secrets(getattr(row, name))[0])


# As many as fit beside one another without scrolling past what one came for.
NEAREST = 5


def nearest(*, ref: str, by: Member) -> tuple[Insight, list[Near]]:
    """An insight and what of its team says the most alike, most alike first. Raises NotFound."""
    row = Insight.objects.visible_to(by).whole().filter(ref=ref).first()
    if row is None:
        raise NotFound
    if row.embedding is None:
        return row, []
    others = Insight.objects.visible_to(by, only=[row.team_id]).retrievable().exclude(pk=row.pk)
    few = others.values("pk")[: MEASURED_WHOLE + 1].count() <= MEASURED_WHOLE
    found = others.whole().measured(row.embedding, whole=few)[:NEAREST]
    return row, [Near(other, 1.0 - other.distance) for other in found]


# Further back nobody looks; each step is a statement.
STEPS = 6


def chain(row: Insight, *, by: Member) -> list[Insight]:
    """What it took the place of, and what those did, the latest first."""
    found: list[Insight] = []
    level = [row]
    for _ in range(STEPS):
        level = list(Insight.objects.visible_to(by).filter(superseded_by__in=level).named().order_by("-pk"))
        found += level
        if not level:
            break
    return found
