"""The state of one search, filled in stage by stage. A row is an index into `rows`, the candidates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from knowledge.models import Anchor, Insight, Pair
from knowledge.retrieval.rules import currency
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.changed_text import ChangedText
from knowledge.retrieval.rules.ranking import Candidate
from knowledge.retrieval.rules.recency import Recency
from knowledge.retrieval.rules.score import Ranking
from knowledge.retrieval.rules.stages import FilterPipeline
from knowledge.retrieval.rules.standing import Record


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class KeywordQuery:
    """A search by keyword. `lookup`: the words that find rows, each a tuple of words that a row must all have.
    `weights`: of every word, by position. `total_idf`: of the question (`bm25.total_idf`). `by_index`: whether to
    intersect with the index of the teams' rows (`bm25.narrows`).
    """

    lookup: list[tuple[str, ...]]
    weights: dict[int, float]
    total_idf: float
    by_index: bool


@dataclass(frozen=True)
class PartQuery:
    """The search for one part of a long question."""

    vector: np.ndarray
    keywords: KeywordQuery


@dataclass(frozen=True)
class Neighbourhood:
    """The candidates of one repository and team that have a vector: `vectors` (n, dimensions), `learned_at` (n)."""

    rows: list[int]
    vectors: np.ndarray
    learned_at: np.ndarray


@dataclass
class SearchState:
    """One question between the stages of its search."""

    ask: Ask
    vector: np.ndarray | None
    degraded: tuple[dict[str, str], ...]
    latest: Recency | None = None
    asked_at: datetime | None = None
    rows: list[Candidate] = field(default_factory=list)
    exact: np.ndarray = field(default_factory=_none)
    cosine: np.ndarray = field(default_factory=_none)
    keyword: np.ndarray = field(default_factory=_none)
    ranking: Ranking | None = None
    cut: FilterPipeline = field(default_factory=FilterPipeline)
    searched: int = 0
    everywhere: int = 0  # the number of insights of all teams
    topics: dict[UUID, Counter[str]] = field(default_factory=dict)
    full: dict[int, Any] = field(default_factory=dict)  # by row, the insights as `served` returns them
    links: dict[int, list[currency.Link]] = field(default_factory=dict)
    chains: dict[int, int] = field(default_factory=dict)  # by row of `full`, its component of open pairs
    tellings: dict[int, currency.Telling] = field(default_factory=dict)  # by row of `full`, computed when needed
    around: dict[tuple[str, str], Neighbourhood] = field(default_factory=dict)  # by (repository, team prefix)
    successors: dict[int, int] = field(default_factory=dict)  # by row, its later note (`later_notes.successor`)
    words: Sequence[str] = ()
    team_ids: Sequence[int] = ()
    df: Mapping[str, int] = field(default_factory=dict)
    beside: Mapping[str, int] = field(default_factory=dict)  # `df` in another collection, if requested
    strangers: frozenset[int] = frozenset()  # ids of candidates that are served last (`strangers`)
    keywords: KeywordQuery | None = None
    parts: Sequence[PartQuery] = ()
    said_by_part: dict[int, float] = field(
        default_factory=dict
    )  # by insight id, BM25 of its best part, if the question is in parts
    unlikely: bool = False  # something was found, but is probably no answer
    include: str = ""  # the reference of an insight that is always a candidate
    held: dict[int, str] = field(default_factory=dict)  # by row, why it is behind a confirmed one
    placed: dict[int, str] = field(default_factory=dict)  # by row, why it is before one with a higher score
    standings: dict[tuple[int, int], Record] = field(default_factory=dict)  # by (team, user), as far as looked up
    changed: ChangedText | None = None  # replaces the text of one candidate


def load(search: SearchState, rows: Sequence[int]) -> None:
    """Load the full insights of these rows into `search.full`, with their anchors and pairs, in one statement."""
    if not rows:
        return
    found = served([search.rows[row].id for row in rows])
    for row in rows:
        insight = found[search.rows[row].id]
        changed = search.changed
        if changed is not None and changed.id == insight.pk:
            insight.title, insight.body, insight.reasoning = changed.title, changed.body, changed.reasoning
            insight.meant = changed.vector.tolist()
        search.full[row] = insight
        search.links[row] = [currency.link(text, insight.pk) for text in insight.related]


def served(ids: Sequence[int]) -> dict[int, Any]:
    """Return the insights with these primary keys, by key, with their anchors and pairs."""
    found = Insight.objects.all().served_by_id(ids, Anchor.objects.all(), Pair.objects.all())
    for insight in found.values():
        insight.know_anchors(insight.anchored)
    return found
