"""One question on its way from its text to the rows of the answer: what is known of it so far."""

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
    """The words that find rows, alone or together; the weight of every word, their total, and whether teams are
    narrowed by index.
    """

    lookup: list[tuple[str, ...]]
    weights: dict[int, float]
    total_idf: float
    by_index: bool


@dataclass(frozen=True)
class PartQuery:
    """The search of one part of a long question."""

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
    """One question on its way through the stages."""

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
    everywhere: int = 0  # insights of all teams
    topics: dict[UUID, Counter[str]] = field(default_factory=dict)
    full: dict[int, Any] = field(default_factory=dict)  # insights as `served` brings them
    links: dict[int, list[currency.Link]] = field(default_factory=dict)
    chains: dict[int, int] = field(default_factory=dict)  # rows of `full` that open pairs join, one number each chain
    tellings: dict[int, currency.Telling] = field(default_factory=dict)  # of `full`, once ranked
    around: dict[tuple[str, str], Neighbourhood] = field(default_factory=dict)  # by repository and team, once read
    successors: dict[int, int] = field(default_factory=dict)  # by row, the later one that stands out beside it
    words: Sequence[str] = ()
    team_ids: Sequence[int] = ()
    df: Mapping[str, int] = field(default_factory=dict)
    beside: Mapping[str, int] = field(default_factory=dict)  # the same of another collection, if it was asked for
    strangers: frozenset[int] = frozenset()  # ids of the candidates that stand behind the others (`strangers`)
    keywords: KeywordQuery | None = None
    parts: Sequence[PartQuery] = ()
    said_by_part: dict[int, float] = field(
        default_factory=dict
    )  # BM25 by the part that speaks most for each, if parted
    unlikely: bool = False  # something was found, but it is probably no answer
    include: str = ""  # a candidate in any case
    held: dict[int, str] = field(default_factory=dict)  # why a row stands behind a confirmed one
    placed: dict[int, str] = field(default_factory=dict)  # why a row stands before one with a higher score
    standings: dict[tuple[int, int], Record] = field(default_factory=dict)  # looked up so far, by (team, user)
    changed: ChangedText | None = None  # one of the candidates is read with this text


def load(search: SearchState, rows: Sequence[int]) -> None:
    """Load the full rows that may be served, with their anchors, in one statement."""
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
    """The full rows of these keys, with their anchors and pairs."""
    found = Insight.objects.all().served_by_id(ids, Anchor.objects.all(), Pair.objects.all())
    for insight in found.values():
        insight.know_anchors(insight.anchored)
    return found
