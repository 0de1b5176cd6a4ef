"""How the rows nearest to a question are looked for: every vector measured, or the index asked, and how far that looks.

Theory of operation. The HNSW index holds the vectors of all teams. It walks from neighbour to neighbour and a filter
throws away what is of another team, so a search of a hundredth of the rows visits a hundred times as many as it brings;
and what it has not come by it never finds. To measure every vector of the teams that are searched is exact, and costs
the same for each, wherever it lies. So few rows are measured whole, and where the index is asked it looks the further
the more rows it holds (docs/decisions/0033).
"""

from dataclasses import dataclass

# Up to so many rows every vector is measured: .35 µs each where they lie in an index by team (`insight_measured`), as
# much for 15,000 as for what the HNSW index takes to find 19 of 20.
MEASURED_WHOLE = 15_000
# Up to so many if they are but a fifth of all: of 48,000 in 465,000 the index finds .96 in 28 ms, to measure all takes
# 17.
MEASURED_OF_MANY, FEW = 100_000, 0.2
# Where the rows themselves are read, not the index by team, up to so many.
READ_WHOLE = 4_000
# Up to so many rows of all teams the index looks at as many neighbours as every session has it look at
# (config/database/pooling.py); beyond, at WIDE.
SMALL_INDEX = 200_000
WIDE = 600


@dataclass(frozen=True)
class SearchReach:
    """`whole`: measure every vector; `look_at`: neighbours that the index looks at, 0 for as many as always."""

    whole: bool
    look_at: int = 0


def reach(searched: float, everywhere: float) -> SearchReach:
    """How to look for the nearest of about `searched` rows, of `everywhere` rows of all teams."""
    if searched <= MEASURED_WHOLE or (searched <= MEASURED_OF_MANY and searched <= FEW * everywhere):
        return SearchReach(whole=True)
    return SearchReach(whole=False, look_at=WIDE if everywhere > SMALL_INDEX else 0)
