"""How likely it is that conversations answer a question.

Theory of operation. A question about a subject that was discussed is near several passages, because people stay on a
subject; a chance likeness is to one passage. So the ten nearest are averaged. A conversation that leads the others
speaks for an answer, and words of the question that nobody ever said speak against it. As with insights, among more
passages the nearest unrelated ones are nearer:

    strength = mean cosine of the ten nearest + .25 · lead of the best conversation
               - .06 · share of the words never said - .08 · ln(passages / 1000)

A conversation about several things has only a few passages on each, so its ten nearest include passages of others. Then
the lead of the nearest passage decides. It is compared with the seventh to twelfth conversation, because an earlier and
a later one on the same subject are among the five before. The length of the question counts: no passage is near all of
a long question, which says what happened, what is wanted and by when, while a short one is near some passage by chance:

    prominence = mean of (three nearest, ten nearest) + .5 · (nearest - mean of the seventh to twelfth conversation)
                 + .1 · ln(words, at most 24) - .25 · share of the words never said - .06 · ln(passages / 1000)

From 1,500 passages on the nearest unrelated ones get nearer so slowly that the last term has a third of its weight.

Strength or prominence alone admits an answer; for a prompt, strength needs some prominence as well. Both have a lower
floor for questions than for prompts, because an irrelevant answer to a prompt costs the agent's attention each time.

Where the constants come from, with all the figures: docs/decisions/0019-searching-conversations.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log

import numpy as np

from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.score import standing_out
from sessions_app.conversations.rules.spread import NEARLY, NEARLY_UNASKED

# NEAREST and LEAD are rounded from a regression. It gave .12 for the words never said, but then 11 % of the questions
# of a held-out dialogue got no answer, because people ask in their own words; with .06 it is 4 %.
NEAREST, LEAD, NEVER_SAID, RISE = 10, 0.25, 0.06, 0.08
# A small collection averages fewer than ten, one for each TENTH passages.
TENTH = 10
# The rise is relative to PER passages, within the sizes it was measured on. Below 200 passages the threshold must not
# fall further: with 100 as the limit, four to 40 conversations answered half of the long prompts about something else.
PER, SIZES = 1_000, (200, 5_000)
# From MANY passages on prominence needs a smaller rise. For 300 questions on other matters to 1,534, 4,315 and 8,873
# passages the 95th percentile is .716, .728 and .738 before it. With .06 throughout 12, 2 and 1 are answered, but one
# of 17 decisions is lost from 4,000 on; with this 12, 11 and 11, and none is lost (27 Nov 2026).
MANY, LATER_RISE = 1_500, 0.02
# The weights of prominence, chosen from 256 settings on 26 Nov 2026, on the measured dialogues. A greater rise looks
# better on dialogues, but answers 12 to 31 % of the unrelated questions to 10 to 40 conversations.
FEW, AHEAD, WORDS, FEWEST_WORDS, LEAD_RISE = 3, 0.5, 0.1, 3, 0.06
# More words make no better answer: without this limit bug reports of other projects are answered. Nobody said .4 to .6
# of the words of such a report; of a question that has an answer it is .1.
MOST_WORDS, LEAD_NEVER_SAID = 24, 0.25
# The ranks of the conversations that the nearest passage is compared with, by their nearest passages.
COMPARED = slice(6, 12)
# Prominence uses only the nearest passages, as many as a search returns.
LOOKED_AT = 100


@dataclass(frozen=True)
class Floor:
    """The least strength or prominence of an answer.

    `beside`: the prominence that an answer by strength needs as well. `names`: a lower floor, from which on up to
    `most_named` of the nearest conversations are named, so that the agent can judge them; None to name none. `of_file`:
    what a file of the question adds to both if somebody talked about it; 0 for prompts, where the file may only be what
    is to be tidied. `replied`: a conversation in which the agent never said anything is no answer. `worded`: the least
    cosine of the question without its file names to some passage of the best conversation; None for no limit. `nearly`:
    the share of the best passage's weight that other passages need.
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
        """Return whether there is an answer. `clear`: one conversation stands out; required if there is no strength,
        for want of vectors.
        """
        if strength is None:
            return clear
        return (strength >= self.least and prominence >= self.beside) or prominence >= self.prominent


# The least cosine between the question without its file names and some passage of the answer. A question below it is
# answered with the mark that this may be no answer; UNASKED uses it for prompts.
WORDED = 0.4

# Figures of each, on answers and on unrelated questions: docs/decisions/0019-searching-conversations.md.
ASKED = Floor(0.47, 0.70, names=Floor(-inf, -inf, most_named=3, of_file=0.1), of_file=0.1)
# Below this floor the text says that it may be no answer.
SURE = Floor(0.50, 0.75)
# A short prompt is somewhat near ten passages of any small collection: by strength "fix the typo in the readme" is an
# answer among ten conversations, but its nearest passage has no lead. So a prompt needs prominence beside strength. Of
# 4,000 unrelated prompts to collections of 5 to 80 conversations 3.3 % are quoted one without that condition, 2.3 %
# with it; of 920 that need a decision 464 and 456 are quoted the right one (27 Nov 2026).
#
# An order that names a file ("Add type hints to retry.py") is near what was said of the file by the name alone. So its
# other words need a least cosine. Of 72 orders on the files of 158 conversations 10 are quoted one without it and 3
# with .4. It is .06 to .28 for seven of the ten, and .53 and more for the other three and for all 25 orders that need a
# decision, name its file and are quoted one (27 Nov 2026). The share of an order's words that were said there separates
# them less: .27 and more for the 25, and .00 to .71 for the ten.
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
    """The searched collection: its number of `passages`, the number of words of the question, and the share of them
    that nobody ever said.
    """

    passages: int
    words: int
    never_said: float

    def discount(self, never_said: float, rise: float, later_rise: float) -> float:
        """Return what the collection's size and the words that nobody said take from an answer; `later_rise`: from MANY
        passages on.
        """
        size = min(max(self.passages, SIZES[0]), SIZES[1])
        growth = rise * log(min(size, MANY) / PER) + later_rise * log(max(size / MANY, 1.0))
        return never_said * self.never_said + growth

    @property
    def taken(self) -> int:
        """How many of the nearest passages are averaged."""
        return min(max(self.passages // TENTH, 1), NEAREST)


def strength(cosines: Floats, sessions: Sequence[int], evidence: Floats, of: Collection, unseen: float = 0.0) -> float:
    """Return how much speaks for an answer, in cosine. Three columns of the candidate passages.

    `unseen`: the greatest evidence that a passage outside the candidates may have; then the result is an upper bound.
    """
    if not len(cosines):
        return 0.0
    nearest = float(np.sort(cosines)[-of.taken :].mean())
    first, *others = _best_of_each(sessions, evidence)
    return nearest + LEAD * standing_out(max(first, unseen), others) - of.discount(NEVER_SAID, RISE, RISE)


def prominence(cosines: Floats, sessions: Sequence[int], of: Collection) -> float:
    """Return how far the nearest passages are ahead of the others, in cosine. Two columns of the candidate passages."""
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
    """Return the greatest value of each session, in falling order."""
    best: dict[int, float] = {}
    for session, value in zip(sessions, values.tolist(), strict=True):
        best[session] = max(best.get(session, value), value)
    return sorted(best.values(), reverse=True)


def never_said(rarity: Mapping[str, float], df: Mapping[str, int]) -> float:
    """Return the share of these words, by rarity, that occur nowhere; 0 without words."""
    total = sum(rarity.values())
    return sum(weight for word, weight in rarity.items() if not df.get(word)) / total if total else 0.0
