"""How an insight rises and falls: signals move its strength, its strength moves its status.

A signal is an act of somebody on the insight. It changes the strength that is left at that moment, and the result is
stored with the moment. From then on only time changes it (`decay`), so the moment at which it crosses the next
threshold is known when it is written: `fades_at`. A sweep selects the rows whose moment has come, and this module
decides their new status.

    draft ──(3 people in favour, its author among them; or a lead)──▶ promoted
    draft, promoted ──(below 10, nightly; never a DECISION)──▶ deprecated ──(below 1, nightly)──▶ archived
    deprecated ──(a signal lifts it to 10, or it is repeated)──▶ draft

The deltas and the thresholds are those of the product design, 3.2. Promotion and demotion count people, not sessions
(docs/decisions/0020-people-count.md): anybody with an account can start as many sessions as they like.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import combinations

from knowledge.lifecycle.rules import decay
from knowledge.rules.vocabulary import Stability, Status


class SignalKind(StrEnum):
    """The kind of an act on an insight."""

    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"
    CORROBORATED = "corroborated"
    USED = "used"


# Bad advice costs more than good advice gains. A corroboration by somebody else proves more than a vote. Use is weak
# evidence: an agent opens what it was shown, right or wrong.
DELTA = {SignalKind.HELPFUL: 6.0, SignalKind.UNHELPFUL: -8.0, SignalKind.CORROBORATED: 10.0, SignalKind.USED: 1.0}

# A person who rates has seen the outcome; an agent rates what it believes. The factor applies to ratings alone: a
# corroboration is the same text from either.
HUMAN_FACTOR = 3.0
RATINGS = frozenset({SignalKind.HELPFUL, SignalKind.UNHELPFUL})


def delta(signal: SignalKind, human: bool) -> float:
    """Return by how much the signal moves the strength, in points of 100."""
    return DELTA[signal] * (HUMAN_FACTOR if human and signal in RATINGS else 1.0)


def strengthened(left: float, signal: SignalKind, human: bool, replaced: float = 0.0) -> float:
    """Return the strength after a signal. `left`: the effective strength when it came; `replaced`: by how much the
    weaker signal that it replaces had moved it.
    """
    return min(max(left + delta(signal, human) - replaced, 0.0), decay.MAXIMUM)


# A user's agents may rate one insight after every question. So one rating a week counts per insight and kind. Per day a
# limited number of insights count: 20 objections, as many as an agent finds that checks all it uses; 50 helpful ones,
# of five busy sessions.
SIGNAL_STANDS = timedelta(days=7)
MOST_A_DAY = {SignalKind.HELPFUL: 50, SignalKind.UNHELPFUL: 20}
DAY = timedelta(days=1)
# Objections do not demote a promoted insight, however many object, because accounts are cheap. Objections of fewer
# people than these do not lower it below LEAST_AGAINST_FEW, from which it fades in four months; of as many people or
# more, not below LEAST_AGAINST_MANY: then leads have it in the inbox, and it fades in two months if none looks. An
# objection by a lead in person is not bounded (docs/decisions/0026-objections.md).
DISTINCT_OBJECTORS = 3
LEAST_AGAINST_FEW = 25.0
LEAST_AGAINST_MANY = 15.0
# An objection counts as long as it lowers answers to similar questions (`feedback.WINDOW_DAYS`).
OBJECTION_STANDS = timedelta(days=90)


def replaces_voice(human: bool, earlier_human: bool) -> bool:
    """Return whether a person's rating replaces their earlier one of the week, of the same kind: their own replaces
    that of their agents.
    """
    return human and not earlier_human


def signal_counts(signal: SignalKind, last: datetime | None, today: int, at: datetime) -> bool:
    """Return whether a user's signal moves the strength. `last`: when their last counted one of this kind on this
    insight came; `today`: the number of insights on which one of this kind counted within a day.
    """
    return (last is None or at - last >= SIGNAL_STANDS) and today < MOST_A_DAY.get(signal, math.inf)


def objected(before: float, after: float, status: Status, people: int, lead: bool) -> float:
    """Return the strength after an objection that would leave `after`. `people`: the number who object; `lead`: whether
    one of them leads the team, and objects in person.
    """
    if status is not Status.PROMOTED or lead:
        return after
    least = LEAST_AGAINST_FEW if people < DISTINCT_OBJECTORS else LEAST_AGAINST_MANY
    return min(before, max(after, least))


# The number of files and names that one contributor may add to another's insight. Fifty of them would serve it wherever
# anybody works. All together may add as many as a note of a large change has.
MOST_ANCHORS_OF_ONE = 12
MOST_ANCHORS = 60


def room_for_anchors(anchors: int, given: int) -> int:
    """Return how many more anchors a re-telling may add to an insight that has `anchors`, `given` of them by the same
    user's earlier re-tellings.
    """
    return max(min(MOST_ANCHORS - anchors, MOST_ANCHORS_OF_ONE - given), 0)


# The number of words that one contributor's re-tellings may add to an insight, and those of all. A note retold in other
# words has some 40 new ones. With a dictionary every question would find it and, because it is long, rank it lower for
# its own.
MOST_WORDS_OF_ONE = 120
MOST_WORDS = 400


def heard_words(own: Collection[str], said: Iterable[tuple[object, Iterable[str]]]) -> list[str]:
    """Return the words, each once, that re-tellings add to an insight's `own`. `said`: the author and the words of
    each, the first re-telling first.
    """
    heard: dict[str, None] = {}
    given: Counter[object] = Counter()
    for who, words in said:
        for word in words:
            if len(heard) >= MOST_WORDS or given[who] >= MOST_WORDS_OF_ONE:
                break
            if word not in own and word not in heard:
                heard[word] = None
                given[who] += 1
    return list(heard)


def counts_as_used(last: datetime | None, at: datetime) -> bool:
    """Return whether a use at `at` counts, if the last counted one was at `last`: one a day, by the calendar of UTC."""
    return last is None or last.astimezone(UTC).date() < at.astimezone(UTC).date()


@dataclass(frozen=True)
class Given:
    """A signal as it was given. `human`: in person; `user`: the id of its user, None if the account is gone."""

    signal: SignalKind
    human: bool = False
    user: int | None = None


# Two may be friends, or one person with two accounts; three people in favour have met it in three places.
PEOPLE_IN_FAVOUR = 3


@dataclass(frozen=True)
class SignalTally:
    """The sum of all ratings and corroborations of one insight, without uses.

    `people`: the number in favour, its author included; `balance`: the sum of what each of them, and each who objects,
    moves the strength by.
    """

    people: int
    balance: float

    @property
    def earns_promotion(self) -> bool:
        return self.people >= PEOPLE_IN_FAVOUR and self.balance > 0

    @property
    def why(self) -> str:
        return f"{self.people} people in support, including the author; balance {self.balance:+.0f}"


def tally(signals: Iterable[Given], author: int | None, *, says_something: bool = True) -> SignalTally:
    """Return the sum of the signals, by people: each with the best they said for it and the worst against it.

    `author`: the depositor. The deposit is their one voice in favour, like a rating; later praise by them adds nothing.
    Without `says_something` (below the quality gate) the deposit is no voice. All users whose account is gone count as
    one.
    """
    best: dict[int | None, float] = {}
    worst: dict[int | None, float] = {}
    for given in signals:
        points = delta(given.signal, given.human)
        if given.signal is SignalKind.USED or (points > 0 and given.user == author):
            continue
        side, pick = (best, max) if points > 0 else (worst, min)
        side[given.user] = pick(side.get(given.user, points), points)
    said = [best.get(user, 0.0) + worst.get(user, 0.0) for user in best.keys() | worst.keys()]
    people = sum(points > 0 for points in said) + says_something
    return SignalTally(people, sum(said) + (DELTA[SignalKind.HELPFUL] if says_something else 0.0))


def of_two_teams(leads: Mapping[int, Set[int]]) -> bool:
    """Return whether two of these people lead different teams. `leads`: user → the shared teams they lead."""
    return any(len(one | other) > 1 for one, other in combinations([led for led in leads.values() if led], 2))


# Half of the way down from a new draft's 50 to nothing takes two half-lives; a fifth of it is left after 32 days.
DEPRECATED_BELOW = 10.0
# Another 23 days at the pace of a deprecated insight.
ARCHIVED_BELOW = 1.0


def status_after(signal: SignalKind, status: Status, before: float, after: float) -> Status:
    """Return the status after a signal took the effective strength from `before` to `after`, without promotion.

    A deprecated insight returns when it regains the threshold. One that a lead deprecated while it was strong does not
    return by a vote, because it never was below; it does when somebody learns the same again.
    """
    regained = before < DEPRECATED_BELOW <= after or signal is SignalKind.CORROBORATED
    if status is Status.DEPRECATED and regained and after >= DEPRECATED_BELOW:
        return Status.DRAFT
    return status


def faded(status: Status, left: float, kind: str) -> Status:
    """Return the status that a sweep gives an insight with the strength `left`: the same one, or the next one down."""
    threshold = _threshold(status, kind)
    if threshold is None or left >= threshold:
        return status
    return Status.ARCHIVED if status is Status.DEPRECATED else Status.DEPRECATED


def _threshold(status: Status, kind: str) -> float | None:
    """Return the strength below which the sweep takes it one status down; None for never."""
    if status is Status.ARCHIVED or decay.holds(status, kind):
        return None
    return ARCHIVED_BELOW if status is Status.DEPRECATED else DEPRECATED_BELOW


def fades_at(
    strength: float, at: datetime, status: Status, stability: Stability, pinned: bool, kind: str
) -> datetime | None:
    """Return the first whole second after `at` at which the strength is below the status's threshold, if nothing
    happens.

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


def raised_by_hand(left: float) -> float:
    """Return the strength of an insight that a person promotes or restores: at least that of a new one, or the next
    sweep would undo it.
    """
    return max(left, decay.INITIAL)


# Confirmed insights do not vanish in numbers by themselves: then a clock is wrong or a signal was abused.
BUDGET = 0.20
# This many may always fall: a fifth of a small team's is less than one, and its sweep would stop every night.
BUDGET_FLOOR = 3


def over_budget(falling: int, promoted: int) -> bool:
    """Return whether a sweep must stop and ask before it changes `falling` of a team's `promoted` insights."""
    return falling > max(BUDGET * promoted, BUDGET_FLOOR)
