"""Which notes are named to the depositing agent if none stands out enough to be asked about.

They are the likely ones of the nearest, and the notes that its session was served just before. A deposit in the middle
of a task often replaces a served note that was outdated, and need not share a word with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from knowledge.judging.rules.closeness import UNRELATED

# The largest number of notes named: as many as may be asked about.
MOST_NAMED = 3
# The largest number of them that are named only because the session was served them.
MOST_SERVED = 2
# The mean cosine of two random notes (4,100 pairs of the notes of `evaluate truth`; the 95th percentile is .29). A note
# farther away is as likely to be about the subject as any other.
CHANCE = 0.13
# A served note counts as this much nearer, the first of an answer as this much. Of 15 changes in entirely other words
# (cosine .10 to .52) 12 are named, 4 without this; of the 205 changed facts of `evaluate truth` 205 and 203, and 201 if
# the session had asked something else (docs/decisions/0032-later-notes.md).
SERVED, SERVED_FIRST = 0.05, 0.2

# From this likelihood on one of the nearest is named. Measured in three runs of an outsider's 198 notes, and on the
# 1,871 notes on distinct things, each among those before it. Of 63 rows on the same case 50 are named, with .46 52,
# with .54 46; of all 441 rows 116 (144, 93); of the 1,871 deposits 478 name something (614, 352; 1,740 before this
# rule) (docs/decisions/0032-later-notes.md).
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
    """Return how likely a note near a deposit is about the same thing; the measures are those of `closeness`."""
    return cosine + own_words + 0.5 * shared - 1.5 * (surroundings - UNRELATED)


def named(nearest: Mapping[int, float], served: Mapping[int, ServedNote]) -> list[int]:
    """Return the ids of the notes to name, likeliest first; the likeliest of the served notes is always among them.
    `nearest`: the cosines of the nearest notes, by id.
    """
    scores = dict(nearest) | {pk: one.score for pk, one in served.items() if one.similarity >= CHANCE}
    ordered = sorted(scores, key=lambda pk: (-scores[pk], pk))
    only_served = [pk for pk in ordered if pk not in nearest][:MOST_SERVED]
    found = [pk for pk in ordered if pk in nearest or pk in only_served][:MOST_NAMED]
    best = next((pk for pk in ordered if pk in served), None)
    return found if best is None or best in found else [*found[: MOST_NAMED - 1], best]
