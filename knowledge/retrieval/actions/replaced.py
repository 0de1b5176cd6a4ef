"""What was replaced leads to what replaced it.

A question is often asked in the words of yesterday: "strict mode of mypy" when the checker has been another one since
May. The superseded insight is in no answer, but it is still the best reading of such a question; so its successor takes
over how well it matches.
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

# So many superseded rows are looked at by each leg: a question is about one thing.
MOST = 10


@dataclass(frozen=True)
class ReplacedMatch:
    """How well a superseded insight matches: cosine distance (None without a vector) and −BM25."""

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
    """By insight, the best match among the notes it superseded: its id → distance and keyword score, each the best of
    all.

    `whole`: measure every vector instead of asking the HNSW index.
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
    """The candidate with the best match of itself and the notes it superseded."""
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
