"""The cosines of an embedder, from labelled pairs: from where a judge is asked, a person, and nobody at all.

Every embedder has a scale of its own: what is .83 to one is .62 to another. Three figures are read off pairs that people
have labelled (same, contradiction, unrelated):

- *band*: the highest cosine that still lets RECALL of those that are the same in, as the mean over the sets;
- *queue*: the lowest from the band on, from where on a pair is more often the same or its opposite than about something
  else, so that a person who is asked does not look at strangers;
- *fail-safe*: the lowest from the queue on, where merging what no cue speaks against is right in RIGHT of the cases.

Each is a hundredth. Sets without a label that a figure needs are left out of it.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from knowledge.rules.dedup import Calibration
from knowledge.rules.stance import Stance
from knowledge.rules.stance_measures import Pair

RECALL = 0.90
# Of those at most one in ten may be a stranger.
WORTH = 0.90
# What .93 gave with MiniLM; no cosine gave .95.
RIGHT = 0.925
# A share of fewer pairs than this says nothing.
FEWEST = 20
STEPS = tuple(round(step, 2) for step in np.arange(0.30, 1.0, 0.01).tolist())


def calibrated(sets: Mapping[str, Sequence[Pair]]) -> Calibration:
    """What a calibration of that embedder should say. `sets`: labelled pairs with their cosines, by the set's name."""
    held = [step for step in STEPS if _recall(sets, step) >= RECALL]
    band = max(held, default=STEPS[0])
    queue = _first(band, lambda step: _share(sets, step, _worth, _any) >= WORTH)
    fail_safe = _first(queue, lambda step: _share(sets, step, _same, _clear) >= RIGHT)
    return Calibration(band=band, queue=queue, fail_safe=fail_safe, record=" ".join(sorted(sets)))


def _recall(sets: Mapping[str, Sequence[Pair]], step: float) -> float:
    shares = []
    for pairs in sets.values():
        same = [pair.cosine for pair in pairs if pair.label is Stance.SAME]
        if len(same) >= FEWEST:
            shares.append(sum(cosine >= step for cosine in same) / len(same))
    return sum(shares) / len(shares) if shares else 0.0


def _share(
    sets: Mapping[str, Sequence[Pair]], step: float, good: Callable[[Pair], bool], counts: Callable[[Pair], bool]
) -> float:
    """Of all pairs from that cosine on that count, those that are good; 1 when there are too few to be wrong about."""
    from_here = [pair for pairs in sets.values() for pair in pairs if pair.cosine >= step and counts(pair)]
    return sum(map(good, from_here)) / len(from_here) if len(from_here) >= FEWEST else 1.0


def _first(start: float, holds: Callable[[float], bool]) -> float:
    """The lowest step from `start` on from which it holds; the highest of all if it never does."""
    return next((step for step in STEPS if step >= start and holds(step)), STEPS[-1])


def _worth(pair: Pair) -> bool:
    return pair.label is not Stance.UNRELATED


def _same(pair: Pair) -> bool:
    return pair.label is Stance.SAME


def _clear(pair: Pair) -> bool:
    return not pair.cues


def _any(pair: Pair) -> bool:
    return True
