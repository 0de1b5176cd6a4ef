"""The model Insight: `insight` has its columns and status changes, `corroborated` the effects of signals and merges,
`searchable` the columns of search.
"""

from knowledge.models.insight.corroborated import DECIDED
from knowledge.models.insight.insight import (
    AWAITING_A_LEAD,
    DIMENSIONS,
    EARNED,
    KINDS,
    OBJECTED,
    ORIENTING,
    RARE,
    STABILITIES,
    STATUSES,
    Insight,
    plain,
)
from knowledge.models.insight.searchable import WORD_FIELDS

__all__ = [
    "AWAITING_A_LEAD",
    "DECIDED",
    "DIMENSIONS",
    "EARNED",
    "KINDS",
    "OBJECTED",
    "ORIENTING",
    "RARE",
    "STABILITIES",
    "STATUSES",
    "WORD_FIELDS",
    "Insight",
    "plain",
]
