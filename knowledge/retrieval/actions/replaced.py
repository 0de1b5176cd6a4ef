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
from accounts.statements import WHOEVER, Slot, prepared
from knowledge.models import Insight
from knowledge.retrieval.rules.ranking import Candidate
from knowledge.rules.vectors import half, lexemes, sparse

# So many superseded rows are looked at by each leg: a question is about one thing.
MOST = 10


@dataclass(frozen=True)
class Match:
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
    lookup: Sequence[str],
    weights: dict[int, float],
) -> dict[int, Match]:
    """By insight, the best match of what it replaced: its id → distance and keyword score, each the best of all.

    `whole`: every vector is measured, instead of asking the index.
    """
    near, words = vector is not None, bool(lookup)
    if not (near or words):
        return {}
    statement = prepared(("superseded", near, words, whole), lambda: _statement(near, words, whole))
    rows = statement.visible_to(
        by,
        only=team_ids,
        vector=None if vector is None else half(vector).to_text(),
        words=lexemes(lookup, " | "),
        weights=sparse(weights).to_text(),
    )
    found: dict[int, Match] = {}
    for successor, distance, keyword in rows:
        found[successor] = _better(found.get(successor), Match(distance, keyword))
    return found


def as_asked(row: Candidate, led: Mapping[int, Match]) -> Candidate:
    """The candidate as well matched as the best of itself and what it replaced."""
    if row.id not in led:
        return row
    best = _better(led[row.id], Match(row.distance, row.keyword))
    return row._replace(distance=best.distance, keyword=best.keyword)


def _better(one: Match | None, other: Match) -> Match:
    if one is None:
        return other
    distances = [distance for distance in (one.distance, other.distance) if distance is not None]
    return Match(min(distances, default=None), min(one.keyword, other.keyword))


def _statement(near: bool, words: bool, whole: bool) -> Any:
    vector = Slot("vector") if near else None
    weights = Slot("weights") if words else None
    rows = Insight.objects.visible_to(WHOEVER).superseded()
    legs = []
    if vector:
        legs.append(rows.near(vector, whole=whole)[:MOST])
    if weights:
        legs.append(rows.matching(Slot("words"), weights)[:MOST])
    return rows.in_any(legs).successors(vector, weights)
