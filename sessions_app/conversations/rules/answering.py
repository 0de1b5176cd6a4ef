"""How likely it is that what was said answers a question.

Theory of operation. A question about what was talked about lies near several passages, for people go on about a
subject; a chance likeness is to one. So the ten nearest are taken together. One conversation that leads the others
speaks for an answer, and words of the question that nobody ever said speak against it. Among more passages the nearest
unrelated ones are nearer, as with insights:

    strength = mean cosine of the ten nearest + .25 · lead of the best conversation
               - .12 · share of the words never said - .03 · ln(passages / 1000)

One measure with two floors: who asked is answered sooner than who only wrote a prompt, for a prompt that is told of
something else costs its agent's attention each time. Where one conversation stands out (`score.stands_out`), as that of
a decision does, either floor is lower.

Where the constants come from, with all the figures: docs/decisions/0019-searching-conversations.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.score import standing_out

# Rounded from a regression over the choosing half; each may change by a third at .01 of the answers, both ways.
NEAREST, LEAD, NEVER_SAID, RISE = 10, 0.25, 0.12, 0.03
# Of a few passages ten would be all: of so many one is taken.
TENTH = 10
# The rise is from PER passages on, and held to the sizes it was measured on.
PER, SIZES = 1_000, (100, 5_000)


@dataclass(frozen=True)
class Floor:
    """The least strength of an answer; `clear`: where one conversation stands out."""

    least: float
    clear: float

    def admits(self, strength: float | None, *, clear: bool) -> bool:
        """`clear`: whether one conversation stands out. Without vectors there is no strength, and it must."""
        if strength is None:
            return clear
        return strength >= (self.clear if clear else self.least)


# Of the held-out unrelated questions to repositories of this trade 5.2 % are answered above the first floor and 2.5 %
# above the second; of the held-out dialogues' own 91 % (LoCoMo) and 100 % (BEAM), and 79 % and 97 %.
ASKED, UNASKED = Floor(0.46, 0.40), Floor(0.50, 0.46)


def strength(cosines: Floats, sessions: Sequence[int], evidence: Floats, never_said: float, passages: int) -> float:
    """How much speaks for an answer, in cosine. Three columns of the candidate passages; `never_said`: the share of the
    question's words, by rarity, that none of all `passages` has.
    """
    if not len(cosines):
        return 0.0
    taken = min(max(passages // TENTH, 1), NEAREST)
    nearest = float(np.sort(cosines)[-taken:].mean())
    best: dict[int, float] = {}
    for session, value in zip(sessions, evidence.tolist(), strict=True):
        best[session] = max(best.get(session, 0.0), value)
    first, *others = sorted(best.values(), reverse=True)
    size = log(min(max(passages, SIZES[0]), SIZES[1]) / PER)
    return nearest + LEAD * standing_out(first, others) - NEVER_SAID * never_said - RISE * size


def never_said(rarity: Mapping[str, float], df: Mapping[str, int]) -> float:
    """The share of these words, by rarity, that occur nowhere; 0 without words."""
    total = sum(rarity.values())
    return sum(weight for word, weight in rarity.items() if not df.get(word)) / total if total else 0.0
