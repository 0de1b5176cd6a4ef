"""How an insight rises and falls: signals move its strength, its strength moves its status.

A signal is what somebody did with the insight; it changes the strength that is left at that moment, and the result is
stored with the moment. From then on the clock alone works (`decay`), so the moment the strength crosses the next
threshold is known when it is written: `fades_at`. A sweep asks for the rows whose moment has come, and this module says
what becomes of them.

    draft ──(3 positive signals from 2 sessions, of 2 users or with a person's; or a lead)──▶ promoted
    draft, promoted ──(below 10, nightly; never a DECISION)──▶ deprecated ──(below 1, nightly)──▶ archived
    deprecated ──(a signal lifts it to 10, or it is repeated)──▶ draft

The deltas, the thresholds and the rule of promotion are those of the product design, 3.2; the rule of promotion is
Surchin's, with a second user.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from knowledge.rules import decay
from knowledge.rules.vocabulary import Stability, Status


class Signal(StrEnum):
    """What somebody did with an insight."""

    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"
    CORROBORATED = "corroborated"
    USED = "used"


# Bad advice costs more than good advice gains. To be said again by somebody else proves more than a vote. Being used
# is weak evidence: an agent opens what it was shown, right or wrong.
DELTA = {Signal.HELPFUL: 6.0, Signal.UNHELPFUL: -8.0, Signal.CORROBORATED: 10.0, Signal.USED: 1.0}

# A person who takes the trouble to rate has seen the outcome; an agent rates what it believes. It holds for ratings
# alone: a corroboration is the same text whoever sends it.
HUMAN_FACTOR = 3.0
RATINGS = frozenset({Signal.HELPFUL, Signal.UNHELPFUL})


def delta(signal: Signal, human: bool) -> float:
    """By how much the signal moves the strength, in points of 100."""
    return DELTA[signal] * (HUMAN_FACTOR if human and signal in RATINGS else 1.0)


def strengthened(left: float, signal: Signal, human: bool) -> float:
    """The strength after a signal. `left`: the effective strength when it came."""
    return min(max(left + delta(signal, human), 0.0), decay.MAXIMUM)


# One user's agents object as often as they are asked to, with a question of its own each time. Against one insight that
# is one voice a week, and a day's objections against all are as many as an agent meets that checks what it uses.
OBJECTION_STANDS = timedelta(days=7)
MOST_OBJECTIONS, OBJECTIONS_WITHIN = 20, timedelta(days=1)
# What the team has confirmed, one user alone does not take below this: a quarter of the scale, from which a promoted
# insight fades in four months if nobody else says anything.
LEAST_AGAINST_ONE = 25.0


def objection_counts(last: datetime | None, today: int, at: datetime) -> bool:
    """Whether a user's objection moves the strength. `last`: when their last one against this insight did; `today`: how
    many of theirs did within a day.
    """
    return (last is None or at - last >= OBJECTION_STANDS) and today < MOST_OBJECTIONS


def objected(before: float, after: float, status: Status, alone: bool) -> float:
    """The strength after an objection that would leave `after`. `alone`: nobody else has objected."""
    if status is Status.PROMOTED and alone:
        return min(before, max(after, LEAST_AGAINST_ONE))
    return after


def counts_as_used(last: datetime | None, at: datetime) -> bool:
    """Whether a use at `at` still counts, the last that counted being at `last`: one a day, by the calendar of UTC."""
    return last is None or last.astimezone(UTC).date() < at.astimezone(UTC).date()


@dataclass(frozen=True)
class Given:
    """A signal as it was given. `session`: what counts as one voice, the session or else the token; `user`: the id of
    whose it is, None for one whose account is gone.
    """

    signal: Signal
    session: str
    human: bool = False
    user: int | None = None


# Three may be luck and one agent in a loop; from a second session it is another experience.
POSITIVE_SIGNALS = 3
DISTINCT_SESSIONS = 2
# One user's agents share their owner's habits, and can start as many sessions as they like: their author's own notes
# would promote themselves. A second user has met it elsewhere; a person in the browser has seen the outcome.
DISTINCT_USERS = 2


@dataclass(frozen=True)
class Tally:
    """What all ratings and corroborations of one insight come to. Uses are not in it.

    `positive`: how many were in favour; `sessions` and `users`: from how many of each those came, with one user for all
    whose account is gone; `human`: whether one of those was a person's; `balance`: the sum of the deltas of all.
    """

    positive: int
    sessions: int
    users: int
    human: bool
    balance: float

    @property
    def is_independent(self) -> bool:
        """Whether somebody else than one user's agents has said so."""
        return self.users >= DISTINCT_USERS or self.human

    @property
    def earns_promotion(self) -> bool:
        enough = self.positive >= POSITIVE_SIGNALS and self.sessions >= DISTINCT_SESSIONS
        return enough and self.is_independent and self.balance > 0

    @property
    def why(self) -> str:
        users = f"{self.users} user{'' if self.users == 1 else 's'}"
        sessions = f"{self.sessions} sessions of {users}{', a person among them' if self.human else ''}"
        return f"{self.positive} positive signals from {sessions}, balance {self.balance:+.0f}"


def tally(signals: Iterable[Given]) -> Tally:
    counted = [given for given in signals if given.signal is not Signal.USED]
    positive = [given for given in counted if DELTA[given.signal] > 0]
    return Tally(
        positive=len(positive),
        sessions=len({given.session for given in positive}),
        users=len({given.user for given in positive}),
        human=any(given.human for given in positive),
        balance=sum(delta(given.signal, given.human) for given in counted),
    )


# Half of the way down from a new draft's 50 to nothing takes two half-lives; a fifth of it is left after 32 days.
DEPRECATED_BELOW = 10.0
# Another 23 days at a deprecated one's pace.
ARCHIVED_BELOW = 1.0


def status_after(signal: Signal, status: Status, before: float, after: float) -> Status:
    """The status after a signal took the effective strength from `before` to `after`; promotion apart.

    A deprecated insight returns when it regains the threshold. One that a lead deprecated while it was strong does not
    return by a vote, since it never was below; but it does when somebody learns the same anew.
    """
    regained = before < DEPRECATED_BELOW <= after or signal is Signal.CORROBORATED
    if status is Status.DEPRECATED and regained and after >= DEPRECATED_BELOW:
        return Status.DRAFT
    return status


def faded(status: Status, left: float, kind: str) -> Status:
    """What a sweep makes of an insight of which `left` is left: the same status, or the next one down."""
    threshold = _threshold(status, kind)
    if threshold is None or left >= threshold:
        return status
    return Status.ARCHIVED if status is Status.DEPRECATED else Status.DEPRECATED


def _threshold(status: Status, kind: str) -> float | None:
    """Below which strength the sweep takes it one status down; None: never."""
    if status is Status.ARCHIVED or decay.holds(status, kind):
        return None
    return ARCHIVED_BELOW if status is Status.DEPRECATED else DEPRECATED_BELOW


def fades_at(
    strength: float, at: datetime, status: Status, stability: Stability, pinned: bool, kind: str
) -> datetime | None:
    """The first whole second after `at` at which the strength is below the status's threshold, if nothing happens.

    None if that never comes: archived already, or it does not fade. `at` itself if it is below by then. Store it with
    every write of strength, status, stability, pin or kind.
    """
    threshold = _threshold(status, kind)
    if threshold is None:
        return None
    if strength < threshold:
        return at
    days = decay.days_until(strength, threshold, status, stability, pinned, kind)
    return None if math.isinf(days) else at + timedelta(seconds=math.floor(days * 86_400) + 1)


def kept_by_hand(left: float) -> float:
    """The strength of what a person promotes or restores: at least that of a new one, or the next sweep undoes it."""
    return max(left, decay.INITIAL)


# What the team has confirmed does not vanish in numbers by itself: if so, a clock is wrong or a signal was abused.
BUDGET = 0.20
# So many may always fall: a fifth of a small team's is less than one, and its sweep would stop every night.
BUDGET_FLOOR = 3


def over_budget(falling: int, promoted: int) -> bool:
    """Whether a sweep must stop and ask, before it changes `falling` of a team's `promoted` insights."""
    return falling > max(BUDGET * promoted, BUDGET_FLOOR)
