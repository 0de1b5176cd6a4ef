"""Which notes are named to the agent of a deposit where nothing stands out enough to be asked about.

The likely ones of the nearest, and what its session was served just before: who deposits in the middle of a task has
often found that what it was told is outdated, and what has come in its place need not share a word with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from knowledge.judging.rules.closeness import UNRELATED

# As many are named as are asked about.
MOST_NAMED = 3
# Of these, so many that are named only because the session was served them.
MOST_SERVED = 2
# The mean cosine of two random notes (4,100 pairs of the notes of `evaluate truth`; the 95th percentile is .29): a note
# farther away is as likely to be about the subject as any other.
CHANCE = 0.13
# What was served counts as so much nearer, the first of an answer as so much. Of 15 changes told in entirely other
# words (cosine .10 to .52) 12 are named, without 4; of the 205 changed facts of `evaluate truth` 205 and 203, and 201
# where the session had asked something else (docs/decisions/0032-later-notes.md).
SERVED, SERVED_FIRST = 0.05, 0.2

# From this likelihood on one of the nearest is named. In three runs of an outsider's 198 notes, and the 1,871 notes on
# distinct things, each among those before it: of 63 rows on the same case 50 are named, with .46 52, with .54 46; of
# all 441 rows 116 (144, 93); of the 1,871 deposits 478 name something (614, 352), 1,740 did
# (docs/decisions/0032-later-notes.md).
LIKELY = 0.5


@dataclass(frozen=True)
class ServedNote:
    """A note that the session was served. `first`: it came first in an answer; `similarity`: its cosine with the
    deposit.
    """

    pk: int
    ref: str
    similarity: float
    first: bool

    @property
    def score(self) -> float:
        return self.similarity + (SERVED_FIRST if self.first else SERVED)


def likelihood(cosine: float, own_words: float, shared: float, surroundings: float) -> float:
    """How likely a note near a deposit is about the same thing; the measures are those of `closeness`."""
    return cosine + own_words + 0.5 * shared - 1.5 * (surroundings - UNRELATED)


def named(nearest: Mapping[int, float], served: Mapping[int, ServedNote]) -> list[int]:
    """The ids of the notes to name, likeliest first; the likeliest of the served notes is always among them. `nearest`:
    the cosines of the nearest notes, by id.
    """
    scores = dict(nearest) | {pk: one.score for pk, one in served.items() if one.similarity >= CHANCE}
    ordered = sorted(scores, key=lambda pk: (-scores[pk], pk))
    only_served = [pk for pk in ordered if pk not in nearest][:MOST_SERVED]
    found = [pk for pk in ordered if pk in nearest or pk in only_served][:MOST_NAMED]
    best = next((pk for pk in ordered if pk in served), None)
    return found if best is None or best in found else [*found[: MOST_NAMED - 1], best]
