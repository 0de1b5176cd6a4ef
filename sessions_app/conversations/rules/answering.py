"""How likely it is that what was said answers a question.

Theory of operation. A question about what was talked about lies near several passages, for people go on about a
subject; a chance likeness is to one. So the ten nearest are taken together. One conversation that leads the others
speaks for an answer, and words of the question that nobody ever said speak against it. Among more passages the nearest
unrelated ones are nearer, as with insights:

    strength = mean cosine of the ten nearest + .25 · lead of the best conversation
               - .06 · share of the words never said - .04 · ln(passages / 1000)

One measure with two floors: who asked is answered sooner than who only wrote a prompt, for a prompt that is told of
something else costs its agent's attention each time. Where one conversation stands out (`score.stands_out`), as that of
a decision does, either floor is lower; and lower still for a long question, which says what happened, what is wanted
and by when, so that nothing is near all of it.

A conversation about several things has only a few passages on each, so that the ten nearest are of others. But they
stand together: an exchange, that is a passage with two on each side of it, all of which are near the question. How near
the best exchange is, and how far it stands out from those of the next conversations, is an answer's strength by itself:

    exchange = e + (e - mean of the next four but one),  e = mean of nearest passage and exchange

One is left out of the comparison, for an earlier or a later conversation on the same subject has such an exchange, too.

Where the constants come from, with all the figures: docs/decisions/0019-searching-conversations.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.score import LONG, SHORT, standing_out

# NEAREST and LEAD are rounded from a regression. It gave .12 for the words never said and a rise of .03, too, but then
# 11 % of the questions of a held-out dialogue were answered with nothing, for people ask in words of their own. With
# these it is 4 %, and of unrelated questions as many are answered (.034, .037 before). The rise is that of insights.
NEAREST, LEAD, NEVER_SAID, RISE = 10, 0.25, 0.06, 0.04
# Of a few passages ten would be all: of so many one is taken.
TENTH = 10
# The rise is from PER passages on, and held to the sizes it was measured on.
PER, SIZES = 1_000, (100, 5_000)


# By how much a long question needs less, where one conversation stands out. Of 30 unrelated ones of 18 words and more
# none has a strength above .26, of short ones 5 % have .44; of 43 that have an answer 5 % have less than .39, and with
# .05 three more of them are answered (docs/decisions/0019-searching-conversations.md).
LONG_QUESTION = 0.05


@dataclass(frozen=True)
class Floor:
    """The least strength of an answer; `clear`: where one conversation stands out; `exchange`: the least of an exchange
    that is an answer by itself.
    """

    least: float
    clear: float
    exchange: float

    def for_question(self, words: int) -> "Floor":
        """The floor for a question of so many different words."""
        less = float(np.interp(words, (SHORT, LONG), (0.0, LONG_QUESTION)))
        return Floor(self.least, self.clear - less, self.exchange)

    def admits(self, strength: float | None, *, clear: bool) -> bool:
        """`clear`: whether one conversation stands out. Without vectors there is no strength, and it must."""
        if strength is None:
            return clear
        return strength >= (self.clear if clear else self.least)


# Of 297 unrelated questions to repositories of this trade 3.4 % are above the first floor and 2.0 % above the second;
# of the held-out dialogues' own 96 % (LoCoMo) and 100 % (BEAM), and 87 % and 97 %.
# Of 300 unrelated questions 2 have an exchange above the first, none above the second; of 37 that have an answer 25 and
# 21 (docs/decisions/0019-searching-conversations.md).
ASKED, UNASKED = Floor(0.46, 0.41, 0.62), Floor(0.50, 0.46, 0.70)
# Passages on each side of the middle one of an exchange; conversations that the best exchange is compared with.
AROUND, NEXT = 2, slice(2, 6)


def strength(
    cosines: Floats,
    sessions: Sequence[int],
    evidence: Floats,
    never_said: float,
    passages: int,
    unseen: float = 0.0,
) -> float:
    """How much speaks for an answer, in cosine. Three columns of the candidate passages; `never_said`: the share of the
    question's words, by rarity, that none of all `passages` has.

    `unseen`: the most evidence that a passage may have which is not among these; then it is the most that there may be.
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
    return nearest + LEAD * standing_out(max(first, unseen), others) - NEVER_SAID * never_said - RISE * size


def exchange_strength(cosines: Mapping[tuple[int, int], float]) -> float:
    """How much the best exchange speaks for an answer. `cosines`: of the candidate passages by session and position;
    others are taken to be as near as the last of these.
    """
    if not cosines:
        return 0.0
    ordered = sorted(cosines)
    sessions, positions = np.array(ordered).T
    value = np.array([cosines[place] for place in ordered])
    least = float(value.min())
    above = value - least
    together = above.copy()
    # Places of one session are in order, so a passage so many positions further is at most so many rows further.
    for rows in range(1, AROUND + 1):
        same = (sessions[rows:] == sessions[:-rows]) & (positions[rows:] - positions[:-rows] <= AROUND)
        together[:-rows] += above[rows:] * same
        together[rows:] += above[:-rows] * same
    begins = np.flatnonzero(np.r_[True, sessions[1:] != sessions[:-1]])
    nearest = np.maximum.reduceat(value, begins)
    exchanges = least + np.maximum.reduceat(together, begins) / (2 * AROUND + 1)
    best, *others = sorted(((nearest + exchanges) / 2).tolist(), reverse=True)
    compared = [best, *others, *[least] * NEXT.stop][NEXT]
    return 2 * best - sum(compared) / len(compared)


def never_said(rarity: Mapping[str, float], df: Mapping[str, int]) -> float:
    """The share of these words, by rarity, that occur nowhere; 0 without words."""
    total = sum(rarity.values())
    return sum(weight for word, weight in rarity.items() if not df.get(word)) / total if total else 0.0
