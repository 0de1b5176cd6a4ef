"""How long a measurement of many steps will take: what is left of the step, and a guess at the steps after it.

The guess starts from what each step took for a million insights, scaled to the size, and follows the pace of this
machine as soon as steps are done: each step counts as long as it was expected to take.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ExpectedStep:
    """A step, and the seconds that it is expected to take."""

    name: str
    seconds: float


class Outlook:
    """What is left of steps that are taken in their order. Of a step that nobody expected only the time counts."""

    def __init__(self, expected: Sequence[ExpectedStep]) -> None:
        self._expected = expected
        self._at = -1
        self._begun_at = 0.0
        self._share_at_begin = 0.0
        self._spent = self._planned = 0.0
        self._said: tuple[float, float] | None = None

    def left(self, what: str, share: float, now: float) -> float | None:
        """Seconds to the end of all, when `share` of the step `what` is done at `now`; None if it cannot be told.

        What an earlier run had done of a step when this one began with it says nothing about the pace.
        """
        known = self._at >= 0 and what == self._expected[self._at].name
        if not known and not self._go_on(what, share, now):
            return None if self._said is None else max(self._said[0] - (now - self._said[1]), 0.0)
        step = self._expected[self._at]
        done, took = share - self._share_at_begin, now - self._begun_at
        pace = self._pace(step, done, took)
        here = (1 - share) * (took / done if done > 0 and took > 1 else step.seconds * pace)
        self._said = here + pace * sum(later.seconds for later in self._expected[self._at + 1 :]), now
        return self._said[0]

    def _go_on(self, what: str, share: float, now: float) -> bool:
        """Begin the next step of that name; False if none is expected."""
        following = [at for at in range(self._at + 1, len(self._expected)) if what == self._expected[at].name]
        if not following:
            return False
        if self._at >= 0:
            self._planned += self._expected[self._at].seconds * (1 - self._share_at_begin)
            self._spent += now - self._begun_at
        self._at, self._begun_at, self._share_at_begin = following[0], now, share
        return True

    def _pace(self, step: ExpectedStep, done: float, took: float) -> float:
        """How much longer everything takes here than was expected, by what is over and what is under way."""
        planned = self._planned + step.seconds * done
        return (self._spent + took) / planned if planned > 1 else 1.0
