"""How likely it is that what was said answers a question.

Theory of operation. A question about what was talked about lies near several passages, for people go on about a
subject; a chance likeness is to one. So the ten nearest are taken together. One conversation that leads the others
speaks for an answer, and words of the question that nobody ever said speak against it. Among more passages the nearest
unrelated ones are nearer, as with insights:

    strength = mean cosine of the ten nearest + .25 · lead of the best conversation
               - .06 · share of the words never said - .08 · ln(passages / 1000)

A conversation about several things has only a few passages on each, so that the ten nearest are of others. Then the
nearest passage tells, by how far it is ahead. The next five conversations are left out of the comparison: an earlier
and a later one on the same subject are among them. And a long question says what happened, what is wanted and by when,
so that nothing is near all of it, while a short one is near some passage by chance:

    prominence = mean of (three nearest, ten nearest) + .5 · (nearest - mean of the seventh to twelfth conversation)
                 + .1 · ln(words, at most 24) - .25 · share of the words never said - .06 · ln(passages / 1000)

From 1,500 passages on the nearest unrelated ones get nearer so slowly that the last term has a third of its weight.

Either is an answer; to a prompt strength is one only beside some prominence. Each has two floors: who asked is answered
sooner than who only wrote a prompt, for a prompt that is told of something else costs its agent's attention each time.

Where the constants come from, with all the figures: docs/decisions/0019-searching-conversations.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log

import numpy as np

from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.score import standing_out
from sessions_app.conversations.rules.spread import NEARLY, NEARLY_UNASKED

# NEAREST and LEAD are rounded from a regression. It gave .12 for the words never said, too, but then 11 % of the
# questions of a held-out dialogue were answered with nothing, for people ask in words of their own; now it is 4 %.
NEAREST, LEAD, NEVER_SAID, RISE = 10, 0.25, 0.06, 0.08
# Of a few passages ten would be all: of so many one is taken.
TENTH = 10
# The rise is from PER passages on, and held to the sizes it was measured on. A small collection is no licence: let
# down to 100 passages, four to 40 conversations answered half of the long prompts about something else.
PER, SIZES = 1_000, (200, 5_000)
# From MANY passages on prominence needs less of a rise. Of 300 questions on other matters to 1,534, 4,315 and 8,873
# passages the 95th percentile is .716, .728 and .738 before it; with .06 throughout 12, 2 and 1 are answered, but one
# of 17 decisions is lost from 4,000 on; with this 12, 11 and 11, and none is lost (27 Nov 2026).
MANY, LATER_RISE = 1_500, 0.02
# Of prominence: chosen from 256 settings on 26 Nov 2026, on the measured dialogues. A greater rise looks better
# on dialogues, and answers 12 to 31 % of the unrelated questions to 10 to 40 conversations.
FEW, AHEAD, WORDS, FEWEST_WORDS, LEAD_RISE = 3, 0.5, 0.1, 3, 0.06
# Longer ones are no better answered for their words: without this limit bug reports of other projects are. Of such a
# report nobody said .4 to .6 of the words, of a question that has an answer .1.
MOST_WORDS, LEAD_NEVER_SAID = 24, 0.25
# The conversations that the nearest passage is compared with, by their own nearest passages.
COMPARED = slice(6, 12)
# Prominence is told by the nearest passages alone, as many as a search brings.
LOOKED_AT = 100


@dataclass(frozen=True)
class Floor:
    """The least strength or prominence of an answer.

    `beside`: the prominence that an answer by strength needs as well. `names`: the lower floor from which on up to
    `most_named` of the nearest conversations are named, so that the agent can tell whether they are meant; None to name
    none. `of_file`: what a file of the question adds to both if somebody talked about it; 0 for prompts, where the file
    may just be what is to be tidied. `replied`: a conversation in which the agent never said anything is no answer.
    `worded`: the least cosine of the question without its file names to some passage of the best conversation; None for
    no limit. `nearly`: the share of the best passage's weight that other passages need.
    """

    least: float
    prominent: float
    names: "Floor | None" = None
    most_named: int = 0
    of_file: float = 0.0
    replied: bool = False
    beside: float = -inf
    worded: float | None = None
    nearly: float = NEARLY

    def admits(self, strength: float | None, prominence: float, *, clear: bool) -> bool:
        """`clear`: whether one conversation stands out. Without vectors there is no strength, and it must."""
        if strength is None:
            return clear
        return (strength >= self.least and prominence >= self.beside) or prominence >= self.prominent


# The least cosine between the question without its file names and some passage of the answer. A question is answered
# below it with the mark that this may be no answer; see below for prompts.
WORDED = 0.4

# Figures of each, on answers and on unrelated questions: docs/decisions/0019-searching-conversations.md.
ASKED = Floor(0.47, 0.70, names=Floor(-inf, -inf, most_named=3, of_file=0.1), of_file=0.1)
# Below it the text says that it may be no answer.
SURE = Floor(0.50, 0.75)
# A short prompt is somewhat near ten passages of any small collection: in strength "fix the typo in the readme" is an
# answer among ten conversations, and its nearest passage is ahead of nothing. Of 4,000 unrelated prompts to collections
# of 5 to 80 conversations 3.3 % are quoted one without what must stand beside it, 2.3 % with it; of 920 that need a
# decision 464 and 456 are quoted the right one (27 Nov 2026).
#
# An order is near what was said of its file by the file's name alone ("Add type hints to retry.py"). Of 72 orders on
# the files of 158 conversations 10 are quoted one without a least cosine of the other words and 3 with .4: it is .06 to
# .28 for seven, and .53 and more for these three and for all 25 that need a decision, name its file and are quoted one
# (27 Nov 2026). How many of the words were said there tells less: .27 and more, and .00 to .71 of the ten.
UNASKED = Floor(
    0.53,
    0.82,
    beside=0.76,
    names=replace(SURE, beside=0.72, most_named=1),
    replied=True,
    worded=WORDED,
    nearly=NEARLY_UNASKED,
)


@dataclass(frozen=True)
class Collection:
    """The searched collection: its number of `passages`, and of the question's words how many there are and the share
    that nobody ever said.
    """

    passages: int
    words: int
    never_said: float

    def discount(self, never_said: float, rise: float, later_rise: float) -> float:
        """What the words that nobody said and its size speak against an answer; `later_rise`: from MANY passages on."""
        size = min(max(self.passages, SIZES[0]), SIZES[1])
        growth = rise * log(min(size, MANY) / PER) + later_rise * log(max(size / MANY, 1.0))
        return never_said * self.never_said + growth

    @property
    def taken(self) -> int:
        """How many of the nearest passages are taken together."""
        return min(max(self.passages // TENTH, 1), NEAREST)


def strength(cosines: Floats, sessions: Sequence[int], evidence: Floats, of: Collection, unseen: float = 0.0) -> float:
    """How much speaks for an answer, in cosine. Three columns of the candidate passages.

    `unseen`: the most evidence that a passage may have which is not among these; then it is the most that there may be.
    """
    if not len(cosines):
        return 0.0
    nearest = float(np.sort(cosines)[-of.taken :].mean())
    first, *others = _best_of_each(sessions, evidence)
    return nearest + LEAD * standing_out(max(first, unseen), others) - of.discount(NEVER_SAID, RISE, RISE)


def prominence(cosines: Floats, sessions: Sequence[int], of: Collection) -> float:
    """How far the nearest passages are ahead of the others, in cosine. Two columns of the candidate passages."""
    if not len(cosines):
        return 0.0
    order = np.argsort(-cosines)[:LOOKED_AT]
    nearest = cosines[order]
    best, *others = _best_of_each([sessions[at] for at in order], nearest)
    compared = [best, *others, *[[best, *others][-1]] * COMPARED.stop][COMPARED]
    near = (nearest[: min(FEW, of.taken)].mean() + nearest[: of.taken].mean()) / 2
    ahead = best - sum(compared) / len(compared)
    words = log(min(max(of.words, FEWEST_WORDS), MOST_WORDS))
    return float(near) + AHEAD * ahead + WORDS * words - of.discount(LEAD_NEVER_SAID, LEAD_RISE, LATER_RISE)


def _best_of_each(sessions: Sequence[int], values: Floats) -> list[float]:
    """The greatest value of each session, in falling order."""
    best: dict[int, float] = {}
    for session, value in zip(sessions, values.tolist(), strict=True):
        best[session] = max(best.get(session, value), value)
    return sorted(best.values(), reverse=True)


def never_said(rarity: Mapping[str, float], df: Mapping[str, int]) -> float:
    """The share of these words, by rarity, that occur nowhere; 0 without words."""
    total = sum(rarity.values())
    return sum(weight for word, weight in rarity.items() if not df.get(word)) / total if total else 0.0
