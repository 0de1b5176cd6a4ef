"""Choose how to find the vectors nearest to a question: compare with every vector, or ask the HNSW index.

Theory of operation. The HNSW index holds the vectors of all teams. It walks from neighbour to neighbour, and rows of
other teams are discarded only after the index has visited them. If the searched teams own 1 % of the rows, the index
visits about a hundred rows for each one it returns, and it may miss near ones. Comparing with every vector of the
searched teams is exact, and its cost depends only on the number of their rows. So a small set is compared in full.
Where the index is used, it visits more neighbours if it holds more rows (docs/decisions/0033).
"""

from dataclasses import dataclass

# Up to this many searched rows, compare with every vector. One comparison takes 0.35 µs if the vectors are read from
# the index by team (`insight_measured`); 15,000 take as long as the HNSW index needs to find 19 of the 20 nearest.
MEASURED_WHOLE = 15_000
# Up to this many searched rows, compare with every vector if they are at most the share FEW of all rows. For 48,000 of
# 465,000 rows, the HNSW index finds 96 % of the nearest in 28 ms; comparing with all of them takes 17 ms.
MEASURED_OF_MANY, FEW = 100_000, 0.2
# Up to this many, compare with every vector where the table is read instead of the index by team.
READ_WHOLE = 4_000
# Up to SMALL_INDEX rows of all teams, the HNSW index visits the number of neighbours that each database session sets
# (config/database/pooling.py); above that, WIDE neighbours.
SMALL_INDEX = 200_000
WIDE = 600


@dataclass(frozen=True)
class SearchReach:
    """How to search by vector. `whole`: compare with every vector. `look_at`: the number of neighbours that the HNSW
    index visits; 0 for the default of the session.
    """

    whole: bool
    look_at: int = 0


def reach(searched: float, everywhere: float) -> SearchReach:
    """Return how to search about `searched` rows by vector, where all teams together have `everywhere` rows."""
    if searched <= MEASURED_WHOLE or (searched <= MEASURED_OF_MANY and searched <= FEW * everywhere):
        return SearchReach(whole=True)
    return SearchReach(whole=False, look_at=WIDE if everywhere > SMALL_INDEX else 0)
