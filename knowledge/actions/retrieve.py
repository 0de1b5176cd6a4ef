"""Retrieve: what the team knows about a question, ranked, explained, or nothing.

One statement fetches candidates with their raw signals; `rules/score` ranks them; then come the stages that drop some:
abstain, min_score, trim, collapse, limit. Each drop is kept with its figures, and `why_not` reads them back.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np

from accounts.rules.guard import masked
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Member
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.models import Anchor, Insight, Lexicon, Query, Signal, Term
from knowledge.models.insight import DIMENSIONS
from knowledge.querysets import AnchorQuerySet, InsightQuerySet, half, sparse, unit
from knowledge.rules import bm25, feedback, relevance
from knowledge.rules.ask import Ask
from knowledge.rules.fingerprint import fingerprint
from knowledge.rules.locality import Locality
from knowledge.rules.ranking import Candidate, rank
from knowledge.rules.score import Ranking, Score
from knowledge.rules.vocabulary import AnchorKind, Kind, Status

# How many candidates each leg brings: with 100 + 100 nothing measurable is lost against ranking everything
# (docs/decisions/0003-relevance.md), and 200 rows are ranked in about a millisecond.
LEG = 100
# Keyword candidates are looked up by the rarest words of the question, as long as no more rows than this have them:
# recall@10 against exact BM25 .9975 at 5,000, and .97 at 2,000 (performance design, BM25).
LOOKUP_BUDGET = 5_000
# Up to so many insights every vector is measured: exact, and no slower than HNSW, which must walk past the rows of all
# other teams. 941 of 100,000 take 7 ms so; at 10,000 HNSW alone is faster, unless they are a tenth of a larger table
# (decision 0002).
MEASURED_WHOLE = 4_000


class NothingAsked(Refused):
    code = "invalid"
    detail = "There is no question."


@dataclass(frozen=True)
class Hit:
    """A served insight with its score; `similarity` is the cosine."""

    insight: Insight
    score: Score
    similarity: float


@dataclass(frozen=True)
class Drop:
    """Why a candidate was not served: the stage, in words, with figures."""

    stage: str
    why: str
    figures: dict[str, float]


@dataclass(frozen=True)
class Retrieved:
    """The answer. `abstained` is true when candidates were there but none was relevant, or there were none."""

    query_id: UUID | None
    hits: list[Hit]
    abstained: bool
    candidate_count: int
    degraded: tuple[dict[str, str], ...] = ()


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass
class Search:
    """One question on its way through the stages."""

    ask: Ask
    vector: np.ndarray | None
    degraded: tuple[dict[str, str], ...]
    rows: list[Candidate] = field(default_factory=list)
    exact: np.ndarray = field(default_factory=_none)
    cosine: np.ndarray = field(default_factory=_none)
    keyword: np.ndarray = field(default_factory=_none)
    evidence: np.ndarray = field(default_factory=_none)
    ranking: Ranking | None = None
    order: list[int] = field(default_factory=list)
    drops: dict[int, Drop] = field(default_factory=dict)
    abstained: bool = False
    searched: int = 0
    full: dict[int, Insight] = field(default_factory=dict)

    def drop(self, rows: Sequence[int], stage: str, why: str, **figures: float) -> None:
        """Take rows out of the order and keep the reason."""
        gone = set(rows)
        for row in rows:
            own = {"evidence": float(self.evidence[row]), **figures}
            self.drops[self.rows[row].id] = Drop(stage, why, {k: round(v, 4) for k, v in own.items()})
        self.order = [row for row in self.order if row not in gone]


def retrieve(*, ask: Ask, by: Member, now: datetime) -> Retrieved:
    """Answer a question from what the member may see, and remember that it was asked.

    Raises NothingAsked on `query`, NoSuchTeam on `teams`.
    """
    ask = _guarded(ask)
    search = _search(ask, by, now)
    hits = _hits(search)
    query = Query.objects.create(
        team_id=by.home_id,
        user_id=by.user_id,
        token_id=by.token_id,
        session_key=by.session_key,
        at=now,
        text=ask.text,
        ask=asdict(ask),
        embedding=None if search.vector is None else half(search.vector),
        embedded_by="" if search.vector is None else current().name,
        shown=[hit.insight.ref for hit in hits],
        abstained=search.abstained,
    )
    return Retrieved(query.pk, hits, search.abstained, len(search.rows), search.degraded)


def why_not(*, query_id: UUID, ref: str, by: Member, now: datetime) -> Drop:
    """The stage that keeps an insight out of the answer to an earlier question, asked again as of now.

    Raises NotFound when the question is not the member's, or the insight not visible to them.
    """
    query = Query.objects.asked_by(by).filter(pk=query_id).first()
    insight = Insight.objects.visible_to(by).filter(ref=ref).select_related("superseded_by").first()
    if query is None or insight is None:
        raise NotFound
    ask = Ask(**query.ask)
    search = _search(ask, by, now)
    if insight.pk in search.drops:
        return search.drops[insight.pk]
    served = [search.rows[row].id for row in search.order]
    if insight.pk in served:
        return Drop("served", f"It is in the answer, at rank {served.index(insight.pk) + 1}.", {})
    return _never_a_candidate(insight, ask, search, by)


@dataclass(frozen=True)
class Ranked:
    """One search as evaluation sees it: every candidate, best first, before any is dropped, and what was served.

    `cosine` and `evidence` are columns beside `refs`; `searched` is the number of insights the floor was set for.
    """

    refs: list[str]
    cosine: np.ndarray
    evidence: np.ndarray
    served: list[str]
    abstained: bool
    searched: int


def ranked(*, ask: Ask, by: Member, now: datetime) -> Ranked:
    """Search as `retrieve` does, and remember nothing. Raises what it raises."""
    search = _search(ask, by, now)
    order = search.ranking.order([row.id for row in search.rows]) if search.ranking else []
    return Ranked(
        refs=[search.rows[row].ref for row in order],
        cosine=np.nan_to_num(search.cosine[order]),
        evidence=search.evidence[order],
        served=[search.rows[row].ref for row in search.order],
        abstained=search.abstained,
        searched=search.searched,
    )


def _search(ask: Ask, by: Member, now: datetime) -> Search:
    vector, degraded = _vector(ask.text)
    search = Search(ask, vector, degraded)
    words = bm25.terms(ask.text)
    team_ids = [by.named(slug).id for slug in ask.teams] or list(by.team_ids)
    documents, frequencies = Term.objects.all().frequencies(team_ids, words, Lexicon.objects.all())
    weights = bm25.query_weights(words, documents, frequencies)
    search.searched = documents
    search.rows = _candidates(search, by, team_ids, bm25.rarest(frequencies, LOOKUP_BUDGET), weights, now)
    if search.rows:
        _rank(search, now)
        _cut(search, bm25.total_idf(words, documents, frequencies), documents)
    else:
        search.abstained = True
    return search


def _guarded(ask: Ask) -> Ask:
    """The question without invisible characters, and with its secrets masked: what is asked is kept, and embedded."""
    text = masked(ask.text).strip()
    if not text:
        raise NothingAsked(errors={"query": ["Say what you want to know."]})
    lists: dict[str, Any] = {
        name: [masked(item) for item in getattr(ask, name)] for name in ("files", "symbols", "tags")
    }
    return replace(ask, text=text, error=masked(ask.error), repo=masked(ask.repo), **lists)


def _vector(text: str) -> tuple[np.ndarray | None, tuple[dict[str, str], ...]]:
    """The question's vector; without an embedder keywords alone must do, and the answer says so."""
    try:
        return current().embed([text])[0], ()
    except EmbedderDown as down:
        return None, ({"component": "embedder", "reason": str(down)},)


def _candidates(
    search: Search,
    by: Member,
    team_ids: Sequence[int],
    lookup: Sequence[str],
    weights: dict[int, float],
    now: datetime,
) -> list[Candidate]:
    ask = search.ask
    seen = Insight.objects.visible_to(by, only=team_ids).retrievable().of_kinds(ask.kinds)
    vector = None if search.vector is None else half(search.vector)
    keywords = sparse(weights) if weights else None
    errors = _errors(ask)
    legs: list[InsightQuerySet] = []
    if vector:
        legs.append(seen.near(vector, whole=_expected(search) <= MEASURED_WHOLE)[:LEG])
    if keywords and lookup:
        legs.append(seen.matching(lookup, keywords)[:LEG])
    if ask.references:
        legs.append(seen.with_ref(ask.references))
    if errors:
        legs.append(seen.with_error(errors)[:LEG])
    if not legs:
        return []
    ratings = Signal.objects.all().recent(now - timedelta(days=feedback.WINDOW_DAYS), current().name)
    found = seen.in_any(legs).signals(vector, keywords, _anchors(ask), ratings)
    rows = [Candidate(*row) for row in found.values_list(*Candidate._fields)]
    wanted = {f"{AnchorKind.ERROR}:{digest}" for digest in errors}
    search.exact = np.array(
        [float(row.ref in ask.references or bool(wanted.intersection(row.anchored))) for row in rows]
    )
    return rows


def _anchors(ask: Ask) -> AnchorQuerySet | None:
    """The anchors of all candidates, if the question has something to hold them against: they are over a thousand."""
    return Anchor.objects.all() if ask.error or Locality(ask.context).narrow else None


def _expected(search: Search) -> float:
    """About how many insights the question is asked of: those of its teams, and of its kinds, taken as equally many."""
    kinds = set(search.ask.kinds)
    return search.searched * (len(kinds) / len(Kind) if kinds else 1.0)


def _errors(ask: Ask) -> list[str]:
    found = fingerprint(ask.error) if ask.error else None
    return [found.digest] if found else []


def _rank(search: Search, now: datetime) -> None:
    found = rank(search.rows, search.exact, search.ask.context, now)
    search.ranking, search.cosine, search.keyword = found.ranking, found.cosine, found.keyword
    search.order = search.ranking.order([row.id for row in search.rows])


def _cut(search: Search, total_idf: float, documents: int) -> None:
    """From the ranked candidates to those served. Each stage keeps what it drops, with its figures."""
    ask = search.ask
    search.evidence = relevance.evidence(search.cosine, search.keyword, search.exact, total_idf)
    if not ask.trim:
        _load(search, search.order[: ask.limit])
        search.drop(search.order[ask.limit :], "limit", f"Ranked below the {ask.limit} asked for.")
        return
    _abstain(search, documents)
    if ask.min_score is not None:
        low = [row for row in search.order if search.ranking and search.ranking.totals[row] < ask.min_score]
        search.drop(low, "min_score", "Its score is below the least asked for.", min_score=ask.min_score)
    _trim(search)
    _collapse(search)
    room = relevance.room(ask.limit, search.evidence[search.order].tolist(), documents)
    search.drop(search.order[room:], "limit", f"Ranked below the {room} served.", limit=room)


def _abstain(search: Search, documents: int) -> None:
    if not relevance.answers(search.evidence, documents):
        search.abstained = True
        floor, best = relevance.floor(documents), float(search.evidence.max())
        search.drop(search.order, "abstained", "Nothing was relevant enough to answer with.", floor=floor, best=best)


def _trim(search: Search) -> None:
    kept = {search.order[at] for at in relevance.trimmed(search.evidence[search.order].tolist())}
    best = max(search.evidence[search.order].tolist(), default=0.0)
    gone = [row for row in search.order if row not in kept]
    search.drop(gone, "trim", f"Less than {relevance.TRIM:.0%} as strong as the best.", best=best)


def _collapse(search: Search) -> None:
    """Near-duplicates of a better one go. No more rows are looked at than it takes to fill the answer."""
    vectors = np.zeros((len(search.rows), DIMENSIONS))
    kept: list[int] = []
    gone: list[int] = []
    for start in range(0, len(search.order), search.ask.limit * 2):
        if len(kept) >= search.ask.limit:
            break
        front = search.order[start : start + search.ask.limit * 2]
        _load(search, front)
        for row in front:
            embedding = search.full[row].embedding
            if embedding is not None:
                vectors[row] = unit(embedding)
        new = set(relevance.distinct(vectors, [*kept, *front])) | {row for row in front if search.exact[row]}
        kept += [row for row in front if row in new]
        gone += [row for row in front if row not in new]
    search.drop(gone, "collapsed", "It says nearly the same as a better one.", bound=relevance.NEAR_DUPLICATE)


def _load(search: Search, rows: Sequence[int]) -> None:
    """The full rows of those that may be served, with their anchors, in one statement."""
    found = Insight.objects.served(Anchor.objects.all()).in_bulk([search.rows[row].id for row in rows])
    for row in rows:
        insight = found[search.rows[row].id]
        insight.know_anchors(insight.anchored)
        search.full[row] = insight


def _hits(search: Search) -> list[Hit]:
    assert search.ranking is not None or not search.order
    return [
        Hit(
            insight=search.full[row],
            score=search.ranking.score(row),
            similarity=float(np.nan_to_num(search.cosine[row])),
        )
        for row in search.order
        if search.ranking is not None
    ]


def _never_a_candidate(insight: Insight, ask: Ask, search: Search, by: Member) -> Drop:
    """Why a visible insight was not even among the candidates."""
    if insight.superseded_by:
        return Drop("superseded", f"{insight.superseded_by.ref} took its place.", {})
    if insight.status == Status.ARCHIVED:
        return Drop("archived", "It is archived: kept, but out of retrieval.", {})
    if ask.kinds and insight.kind not in ask.kinds:
        return Drop("kinds", f"It is a {insight.kind}; asked were {', '.join(ask.kinds)}.", {})
    if ask.teams and insight.team_id not in {by.named(slug).id for slug in ask.teams}:
        return Drop("teams", "It is of a team that was not asked.", {})
    if insight.embedding is None:
        return Drop("no_vector", "It has no vector yet, and shares no rare word with the question.", {})
    cosine = float(unit(insight.embedding) @ search.vector) if search.vector is not None else 0.0
    why = f"Neither among the {LEG} nearest by meaning nor the {LEG} best by keyword."
    return Drop("candidates", why, {"similarity": round(cosine, 4), "candidates": float(len(search.rows))})
