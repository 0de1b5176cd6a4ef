"""The closeness from which on a deposit asks: read off notes that are known to be about different things.

The share of such notes that would ask decides how much work a team has with what is nothing: ASKED of its deposits put
a question to their agents, PAIRED become a pair that waits for a person. Both in hundredths.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np

from knowledge.judging.rules.dedup import UNCALIBRATED, Calibration

ASKED = 0.045
PAIRED = 0.03


def calibrated(closest: Sequence[float]) -> Calibration:
    """What the calibration of an embedder should say. `closest`: of each note the closeness of what stands out most
    beside it among the notes before.
    """
    asked, paired = (ceil(float(np.quantile(closest, 1 - share)) * 100) / 100 for share in (ASKED, PAIRED))
    return Calibration(UNCALIBRATED.band, asked, paired, f"{len(closest):,} notes, {ASKED:.1%} and {PAIRED:.0%}")
