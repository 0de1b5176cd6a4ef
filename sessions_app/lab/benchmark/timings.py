"""How long something took, many times over."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Timings:
    """Percentiles of durations, in milliseconds; each is one that was measured (nearest rank)."""

    count: int
    p50: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Timings":
        """Raises ValueError when nothing was measured."""
        if not seconds:
            raise ValueError("nothing was measured")
        ordered = sorted(seconds)
        ranks = [ordered[max(ceil(share * len(ordered)), 1) - 1] for share in (0.50, 0.95, 0.99, 1.0)]
        return cls(len(ordered), *(round(value * 1000, 2) for value in ranks))
