"""The cosines of an embedder: from where on a judge is asked, a person, and nobody at all.

Every embedder has a scale of its own: what is .83 to one is .62 to another. Two figures are read off pairs that people
have labelled (same, contradiction, unrelated), one off notes that are known to be about different things:

- *band*: the highest cosine that lets RECALL of the pairs that are the same in;
- *fail-safe*: the lowest from the band on, from where on merging what no cue speaks against is right in RIGHT of the
  cases;
- *queue*: the lowest that at most CROWD of the notes reach with their nearest neighbour. The share decides how much
  work people have: of a team's deposits about as many are put before them because nobody could tell.

Shares are means over the sets, each with as much say as the other. All are hundredths.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from knowledge.rules.dedup import Calibration
from knowledge.rules.stance import Stance
from knowledge.rules.stance_measures import Pair

RECALL = 0.90
# What the seed's .93 gives with MiniLM; none of its cosines gives .95.
RIGHT = 0.92
CROWD = 0.02
# A share of fewer pairs than this says nothing.
FEWEST = 20
STEPS = tuple(round(step, 2) for step in np.arange(0.30, 1.0, 0.01).tolist())

Sets = Mapping[str, Sequence[Pair]]


def calibrated(sets: Sets, nearest: NDArray[np.floating]) -> Calibration:
    """What the calibration of that embedder should say.

    `sets`: labelled pairs with their cosines, by the set's name. `nearest`: of each note the cosine of its nearest.
    """
    band = max((step for step in STEPS if _recall(sets, step) >= RECALL), default=STEPS[0])
    fail_safe = next((step for step in STEPS if step >= band and _right(sets, step) >= RIGHT), STEPS[-1])
    crowd = ceil(float(np.quantile(nearest, 1 - CROWD)) * 100) / 100 if len(nearest) else STEPS[-1]
    record = f"{', '.join(sorted(sets))}; {len(nearest):,} notes"
    return Calibration(band=band, queue=max(band, crowd), fail_safe=fail_safe, record=record)


def _recall(sets: Sets, step: float) -> float:
    return _mean(sets, lambda pair: pair.label is Stance.SAME, lambda pair: pair.cosine >= step)


def _right(sets: Sets, step: float) -> float:
    mixed = {name: pairs for name, pairs in sets.items() if any(pair.label is not Stance.SAME for pair in pairs)}
    return _mean(mixed, lambda pair: pair.cosine >= step and not pair.cues, lambda pair: pair.label is Stance.SAME)


def _mean(sets: Sets, of: Callable[[Pair], bool], good: Callable[[Pair], bool]) -> float:
    """Of those pairs that it is about, the good ones: the mean of the sets that have enough of them, 0 without one."""
    shares = []
    for pairs in sets.values():
        some = [pair for pair in pairs if of(pair)]
        if len(some) >= FEWEST:
            shares.append(sum(map(good, some)) / len(some))
    return sum(shares) / len(shares) if shares else 0.0
