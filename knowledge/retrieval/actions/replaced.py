"""Let the successor of a superseded insight be found by the words of what it replaced.

Questions often use outdated words: "strict mode of mypy" after the team has changed its type checker. The superseded
insight is in no answer, but it is the best match for such a question. So its successor inherits how well it matches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from accounts.adapters.traces import traced
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from knowledge.models import Insight
from knowledge.retrieval.rules.ranking import Candidate
from knowledge.rules.vectors import any_of, half, sparse

# The most superseded rows found by vector, and by keyword. A question is about one thing.
MOST = 10


@dataclass(frozen=True)
class ReplacedMatch:
    """How well an insight matches: cosine distance (None without a vector) and −BM25."""

    distance: float | None
    keyword: float


@traced("query replaced")
def led_to(
    by: Member,
    team_ids: Sequence[int],
    *,
    vector: np.ndarray | None,
    whole: bool,
    lookup: Sequence[Sequence[str]],
    weights: dict[int, float],
) -> dict[int, ReplacedMatch]:
    """Return, by id of a successor, the best distance and the best keyword score among the insights it superseded.

    `whole`: compare with every vector instead of asking the HNSW index.
    """
    near, words = vector is not None, bool(lookup)
    if not (near or words):
        return {}
    statement = prepared(("superseded", near, words, whole), lambda: _statement(near, words, whole))
    rows = statement.visible_to(
        by,
        only=team_ids,
        vector=None if vector is None else half(vector).to_text(),
        words=any_of(lookup),
        weights=sparse(weights).to_text(),
    )
    found: dict[int, ReplacedMatch] = {}
    for successor, distance, keyword in rows:
        found[successor] = _better(found.get(successor), ReplacedMatch(distance, keyword))
    return found


def as_asked(row: Candidate, led: Mapping[int, ReplacedMatch]) -> Candidate:
    """Return the candidate with the best of its own match and those of the notes it superseded."""
    if row.id not in led:
        return row
    best = _better(led[row.id], ReplacedMatch(row.distance, row.keyword))
    return row._replace(distance=best.distance, keyword=best.keyword)


def _better(one: ReplacedMatch | None, other: ReplacedMatch) -> ReplacedMatch:
    if one is None:
        return other
    distances = [distance for distance in (one.distance, other.distance) if distance is not None]
    return ReplacedMatch(min(distances, default=None), min(one.keyword, other.keyword))


def _statement(near: bool, words: bool, whole: bool) -> Any:
    vector = BindParam("vector") if near else None
    weights = BindParam("weights") if words else None
    rows = Insight.objects.visible_to(MEMBER_PARAM).superseded()
    legs = []
    if vector:
        legs.append(rows.near(vector, whole=whole)[:MOST])
    if weights:
        legs.append(rows.matching(BindParam("words"), weights)[:MOST])
    return rows.in_any(legs).successors(vector, weights)
