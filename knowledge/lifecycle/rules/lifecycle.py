"""How an insight rises and falls: signals move its strength, its strength moves its status.

A signal is what somebody did with the insight; it changes the strength that is left at that moment, and the result is
stored with the moment. From then on the clock alone works (`decay`), so the moment the strength crosses the next
threshold is known when it is written: `fades_at`. A sweep asks for the rows whose moment has come, and this module says
what becomes of them.

    draft ──(3 people in favour, its author among them; or a lead)──▶ promoted
    draft, promoted ──(below 10, nightly; never a DECISION)──▶ deprecated ──(below 1, nightly)──▶ archived
    deprecated ──(a signal lifts it to 10, or it is repeated)──▶ draft

The deltas and the thresholds are those of the product design, 3.2. What promotes and what demotes counts people, not
sessions (docs/decisions/0020-people-count.md): anybody with an account can start as many sessions as they like.
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
    """What somebody did with an insight."""

    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"
    CORROBORATED = "corroborated"
    USED = "used"


# Bad advice costs more than good advice gains. To be said again by somebody else proves more than a vote. Being used
# is weak evidence: an agent opens what it was shown, right or wrong.
DELTA = {SignalKind.HELPFUL: 6.0, SignalKind.UNHELPFUL: -8.0, SignalKind.CORROBORATED: 10.0, SignalKind.USED: 1.0}

# A person who takes the trouble to rate has seen the outcome; an agent rates what it believes. It holds for ratings
# alone: a corroboration is the same text no matter who sends it.
HUMAN_FACTOR = 3.0
RATINGS = frozenset({SignalKind.HELPFUL, SignalKind.UNHELPFUL})


def delta(signal: SignalKind, human: bool) -> float:
    """By how much the signal moves the strength, in points of 100."""
    return DELTA[signal] * (HUMAN_FACTOR if human and signal in RATINGS else 1.0)


def strengthened(left: float, signal: SignalKind, human: bool, replaced: float = 0.0) -> float:
    """The strength after a signal. `left`: the effective strength when it came; `replaced`: what the weaker one moved
    it by whose place it takes.
    """
    return min(max(left + delta(signal, human) - replaced, 0.0), decay.MAXIMUM)


# A user's agents may rate one insight after every question. Per insight and kind, one rating a week counts. Per day,
# so many insights: 20 objections, as many as an agent finds that checks all it uses; 50 helpful, of five busy sessions.
SIGNAL_STANDS = timedelta(days=7)
MOST_A_DAY = {SignalKind.HELPFUL: 50, SignalKind.UNHELPFUL: 20}
DAY = timedelta(days=1)
# Objections do not demote what is promoted, however many object: accounts are cheap. Of fewer people than these they do
# not lower it below LEAST_AGAINST_FEW, from which it fades in four months; of as many, not below LEAST_AGAINST_MANY:
# then leads have it in the inbox, and it fades in two months if none looks. A lead who objects in person is not bounded
# (docs/decisions/0026-objections.md).
DISTINCT_OBJECTORS = 3
LEAST_AGAINST_FEW = 25.0
LEAST_AGAINST_MANY = 15.0
# An objection counts as long as it lowers answers to similar questions (`feedback.WINDOW_DAYS`).
OBJECTION_STANDS = timedelta(days=90)


def replaces_voice(human: bool, earlier_human: bool) -> bool:
    """Return whether a person's rating takes the place of their earlier one of the week, of the same kind: their own
    word, in person, that of their agents.
    """
    return human and not earlier_human


def signal_counts(signal: SignalKind, last: datetime | None, today: int, at: datetime) -> bool:
    """Return whether a user's signal moves the strength. `last`: when their last one of this kind on this insight did;
    `today`: on how many insights one of this kind did within a day.
    """
    return (last is None or at - last >= SIGNAL_STANDS) and today < MOST_A_DAY.get(signal, math.inf)


def objected(before: float, after: float, status: Status, people: int, lead: bool) -> float:
    """The strength after an objection that would leave `after`. `people`: how many object; `lead`: whether one of them
    leads the team, and says so in person.
    """
    if status is not Status.PROMOTED or lead:
        return after
    least = LEAST_AGAINST_FEW if people < DISTINCT_OBJECTORS else LEAST_AGAINST_MANY
    return min(before, max(after, least))


# Of another's insight one contributor says where it belongs: a few files and names. Fifty of them would serve it
# wherever anybody works. All together are as many as a note of a large change has.
MOST_ANCHORS_OF_ONE = 12
MOST_ANCHORS = 60


def room_for_anchors(anchors: int, given: int) -> int:
    """Return how many more anchors a re-telling may add to an insight that has `anchors`, `given` of them by the same
    user's earlier re-tellings.
    """
    return max(min(MOST_ANCHORS - anchors, MOST_ANCHORS_OF_ONE - given), 0)


# Words that one contributor's re-tellings add to an insight, and those of all: a note retold in other words has some 40
# new ones. A dictionary would have it found by every question, and, being long, ranked behind for its own.
MOST_WORDS_OF_ONE = 120
MOST_WORDS = 400


def heard_words(own: Collection[str], said: Iterable[tuple[object, Iterable[str]]]) -> list[str]:
    """Return the words, each once, that re-tellings add to an insight's `own`. `said`: by whom and in which words, the
    first re-telling first.
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
    """Whether a use at `at` still counts, the last that counted being at `last`: one a day, by the calendar of UTC."""
    return last is None or last.astimezone(UTC).date() < at.astimezone(UTC).date()


@dataclass(frozen=True)
class Given:
    """A signal as it was given. `human`: in person; `user`: the id of whose it is, None if the account is gone."""

    signal: SignalKind
    human: bool = False
    user: int | None = None


# Two may be friends, or one person with two accounts; three who found it right have met it in three places.
PEOPLE_IN_FAVOUR = 3


@dataclass(frozen=True)
class SignalTally:
    """What all ratings and corroborations of one insight come to. Uses are not in it.

    `people`: how many are in favour, its author included; `balance`: the sum of what each of them, and each who
    objects, moves the strength by.
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
    """Return what the signals come to, by people: each with the best they said for it and the worst against it.

    `author`: whose deposit it is. It is their one voice in favour, as a rating is; whatever they say for it later adds
    nothing. Without `says_something` (below the quality gate) the deposit is no voice. All whose account is gone are
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
# Another 23 days at a deprecated one's pace.
ARCHIVED_BELOW = 1.0


def status_after(signal: SignalKind, status: Status, before: float, after: float) -> Status:
    """The status after a signal took the effective strength from `before` to `after`; promotion apart.

    A deprecated insight returns when it regains the threshold. One that a lead deprecated while it was strong does not
    return by a vote, since it never was below; but it does when somebody learns the same again.
    """
    regained = before < DEPRECATED_BELOW <= after or signal is SignalKind.CORROBORATED
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


def raised_by_hand(left: float) -> float:
    """The strength of what a person promotes or restores: at least that of a new one, or the next sweep undoes it."""
    return max(left, decay.INITIAL)


# What the team has confirmed does not vanish in numbers by itself: if so, a clock is wrong or a signal was abused.
BUDGET = 0.20
# So many may always fall: a fifth of a small team's is less than one, and its sweep would stop every night.
BUDGET_FLOOR = 3


def over_budget(falling: int, promoted: int) -> bool:
    """Whether a sweep must stop and ask, before it changes `falling` of a team's `promoted` insights."""
    return falling > max(BUDGET * promoted, BUDGET_FLOOR)
