"""Answer a question with ranked and explained insights or with none; explain why an insight is not in an answer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from uuid import UUID

import numpy as np

from accounts.adapters.disk_space import lacking_room
from accounts.adapters.replica import primary
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.judging.rules.relations import Relation
from knowledge.models import Insight, Query, Topic
from knowledge.models.insight import DIMENSIONS
from knowledge.querysets.words import RowsBeside
from knowledge.retrieval.actions.candidates import LEG
from knowledge.retrieval.actions.collapse import COLLAPSED
from knowledge.retrieval.actions.later_notes import later_of
from knowledge.retrieval.actions.related import PairWords, Related, currency_of, is_told, pair_words, upheld
from knowledge.retrieval.actions.search import guard_question, search_for
from knowledge.retrieval.actions.search_state import SearchState, served
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.contradiction import Advice
from knowledge.retrieval.rules.currency import Currency, Link, link
from knowledge.retrieval.rules.relevance import NEAR_DUPLICATE
from knowledge.retrieval.rules.score import Score
from knowledge.retrieval.rules.stages import Rejection
from knowledge.rules.vectors import half, unit
from knowledge.rules.vocabulary import AnchorKind, Kind, Status


@dataclass(frozen=True)
class Hit:
    """A served insight with its score.

    `similarity`: the cosine. `related`: its relations to other insights. `stranger`: a draft in the team of everyone
    whose author is in none of the member's teams. `of_named_file`: it is anchored to a file that the question names.
    `held_back`: why it is behind a confirmed insight, or "". `placed`: why it is before one with a higher score, or "".
    `superseded`: the references of the notes it superseded. `unreviewed`: those of them that only an agent's statement
    replaced: confirmed ones, and drafts of others as "reference author". `later`: insights learned since then that may
    be about the same thing, though nobody has compared the two. `later_served`: those of them that are in the answer,
    for callers that leave some hits out.
    """

    insight: Insight
    score: Score
    similarity: float
    currency: Currency = Currency.CURRENT
    related: tuple[Related, ...] = ()
    stranger: bool = False
    of_named_file: bool = False
    held_back: str = ""
    placed: str = ""
    superseded: tuple[str, ...] = ()
    unreviewed: tuple[str, ...] = ()
    later: tuple[Insight, ...] = ()
    later_served: tuple[Insight, ...] = ()


@dataclass(frozen=True)
class ComparedAnswer:
    """The insights to compare for contradictions: the served ones, and those left out only because they are
    near-duplicates of a served one.

    `ids`, `advice` and `vectors` (n, dimensions) are in the same order.
    """

    ids: list[int]
    advice: list[Advice]
    vectors: np.ndarray


@dataclass(frozen=True)
class Retrieved:
    """The answer to a question.

    `abstained`: there were no candidates, or none was relevant. `unlikely`: the result is probably no answer. `vector`:
    of the question; None without an embedder. `topics`: by topic, the number of relevant insights of each kind; the
    topic of the best insight first.
    """

    query_id: UUID | None
    hits: list[Hit]
    abstained: bool
    candidate_count: int
    degraded: tuple[dict[str, str], ...] = ()
    unlikely: bool = False
    vector: np.ndarray | None = None
    # By word of the question, how many texts of the other collection have it; under "", the number of its texts.
    beside: Mapping[str, int] | None = None
    topics: dict[UUID, Counter[str]] = field(default_factory=dict)
    compared: ComparedAnswer = field(default_factory=lambda: ComparedAnswer([], [], np.zeros((0, DIMENSIONS))))


def retrieve(
    *, ask: Ask, by: Member, now: datetime, recorded: bool = True, beside: RowsBeside | None = None
) -> Retrieved:
    """Answer a question from what the member may see, and record that it was asked, unless the disk is nearly full.

    With `recorded=False` nothing is stored, for a person who looks at how agents are answered. `beside`: another
    collection that is searched next; the number of its texts with each word is returned along.

    Raises NothingAsked on `query`, NoSuchTeam on `teams`, NoSuchTopic on `topic`.
    """
    ask = guard_question(ask)
    search = search_for(ask, by, now, beside=beside)
    hits = _hits(search)
    query = Query(
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
        abstained=search.cut.abstained,
    )
    if recorded and not lacking_room():
        with primary():
            Query.objects.all().keep(query)
    return Retrieved(
        query_id=query.pk if recorded else None,
        hits=hits,
        abstained=search.cut.abstained,
        candidate_count=len(search.rows),
        degraded=search.degraded,
        unlikely=search.unlikely,
        vector=search.vector,
        beside=search.beside if beside is not None else None,
        topics=search.topics,
        compared=_compared(search),
    )


def why_not(*, query_id: UUID, ref: str, by: Member, now: datetime) -> Rejection:
    """Return why an insight is not in the answer to an earlier question: the stage that drops it. The question is asked
    again as of now.

    Raises NotFound if the question is not the member's, or the insight is not visible to them.
    """
    query = Query.objects.asked_by(by).filter(pk=query_id).first()
    insight = Insight.objects.visible_to(by).filter(ref=ref).select_related("superseded_by").first()
    if query is None or insight is None:
        raise NotFound
    ask = Ask(**query.ask)
    search = search_for(ask, by, now)
    if insight.pk in search.cut.drops:
        return search.cut.drops[insight.pk]
    served = [search.rows[row].id for row in search.cut.order]
    if insight.pk in served:
        rank = served.index(insight.pk)
        why = [f"It is in the answer, at rank {rank + 1}.", search.held.get(search.cut.order[rank], "")]
        return Rejection("served", " ".join(filter(None, why)), {})
    return _never_a_candidate(insight, ask, search, by)


@dataclass(frozen=True)
class RankedAnswer:
    """One search as evaluation needs it: `refs` of all candidates, best first, before any is dropped, and of the
    `served` ones.

    `cosine` and `evidence` are columns in the order of `refs`. `searched`: the number of insights that the floor is set
    for.
    """

    refs: list[str]
    cosine: np.ndarray
    evidence: np.ndarray
    served: list[str]
    abstained: bool
    searched: int


def ranked(*, ask: Ask, by: Member, now: datetime) -> RankedAnswer:
    """Search as `retrieve` does, without recording anything. Raises the same errors."""
    search = search_for(ask, by, now)
    order = search.ranking.order([row.id for row in search.rows]) if search.ranking else []
    return RankedAnswer(
        refs=[search.rows[row].ref for row in order],
        cosine=np.nan_to_num(search.cosine[order]),
        evidence=search.cut.evidence[order],
        served=[search.rows[row].ref for row in search.cut.order],
        abstained=search.cut.abstained,
        searched=search.searched,
    )


def related_to(insight: Insight) -> tuple[Currency, tuple[Related, ...]]:
    """Return whether an insight is current, and its relations to other insights that still exist."""
    told = [link(text, insight.pk) for text in served([insight.pk])[insight.pk].related]
    links = [one for one in told if is_told(one, insight.pk)]
    others = served(sorted({one.other_id for one in links}))
    words = pair_words({insight.pk: links}, {**others, insight.pk: insight})
    related = tuple(
        Related.of(insight, other, one, served=False, words=words)
        for one in links
        if (other := others.get(one.other_id)) is not None
    )
    return currency_of(insight, links, related), related


def _hits(search: SearchState) -> list[Hit]:
    if search.ranking is None:
        return []
    here = {search.full[row].pk: search.full[row] for row in search.cut.order}
    told = {
        row: [link for link in search.links[row] if link.relation is not Relation.UNRELATED and is_told(link, own)]
        for row, own in ((row, search.full[row].pk) for row in search.cut.order)
    }
    later = {row: [search.rows[other].id for other in found] for row, found in later_of(search).items()}
    paired = {link.other_id for links in told.values() for link in links}
    elsewhere = sorted(paired.union(*later.values()) - here.keys())
    others = {**(served(elsewhere) if elsewhere else {}), **here}
    words = pair_words({search.full[row].pk: links for row, links in told.items()}, others)
    return [_hit(search, row, links, here, others, words, later.get(row, ())) for row, links in told.items()]


def _hit(
    search: SearchState,
    row: int,
    links: list[Link],
    here: Mapping[int, Insight],
    others: Mapping[int, Insight],
    words: PairWords,
    later: Sequence[int],
) -> Hit:
    assert search.ranking is not None
    insight = search.full[row]
    since = [others[pk] for pk in later if pk in others and not upheld(insight, others[pk])]
    related = [
        Related.of(insight, other, link, served=link.other_id in here, words=words)
        for link in links
        if (other := others.get(link.other_id)) is not None
    ]
    return Hit(
        insight,
        search.ranking.score(row),
        similarity=float(np.nan_to_num(search.cosine[row])),
        currency=currency_of(insight, links, related),
        related=tuple(related),
        stranger=insight.pk in search.strangers,
        of_named_file=any(search.ask.context.names(path, insight.repo) for path in search.rows[row].files),
        held_back=search.held.get(row, ""),
        placed=search.placed.get(row, ""),
        superseded=tuple(search.full[row].superseded),
        unreviewed=tuple(search.full[row].unreviewed),
        later=tuple(one for one in since if one.pk not in here),
        later_served=tuple(one for one in since if one.pk in here),
    )


# Compare at most this many hits for contradictions: a pair takes some microseconds, reading a text half a millisecond.
# A long answer shows all of its hits anyway.
MOST_COMPARED = 12


def _compared(search: SearchState) -> ComparedAnswer:
    served = search.cut.order
    drops = {row: search.cut.drops.get(search.rows[row].id) for row in search.full}
    near = [row for row, drop in drops.items() if drop and drop.stage == COLLAPSED and _copies(search, row, served)]
    ranked = sorted(near, key=lambda row: -search.cut.totals[row])
    rows = sorted(served, key=lambda row: -search.cut.totals[row]) + ranked
    rows = rows[:MOST_COMPARED]
    vectors = np.stack([_vector_of(search, row) for row in rows]) if rows else np.zeros((0, DIMENSIONS))
    return ComparedAnswer([search.rows[row].id for row in rows], [_advice(search, row) for row in rows], vectors)


def _copies(search: SearchState, row: int, served: Sequence[int]) -> bool:
    """Return whether the row is a near-duplicate of a row that is served now, not of one that was dropped later."""
    return any(float(_vector_of(search, row) @ _vector_of(search, one)) >= NEAR_DUPLICATE for one in served)


def _vector_of(search: SearchState, row: int) -> np.ndarray:
    meant = search.full[row].meant
    return np.zeros(DIMENSIONS) if meant is None else unit(meant)


def _advice(search: SearchState, row: int) -> Advice:
    insight, candidate = search.full[row], search.rows[row]
    verdicts = Counter(said.partition(":")[0] for said in candidate.rated)
    return Advice(
        ref=insight.ref,
        kind=Kind(insight.kind),
        text=f"{insight.title}\n{insight.body}",
        learned_at=insight.learned_at.timestamp(),
        repo=insight.repo,
        anchors=frozenset(
            f"{anchor.kind}:{anchor.value}" for anchor in insight.anchors.all() if anchor.kind != AnchorKind.TAG
        ),
        topic=candidate.topic_id,
        helpful=verdicts["helpful"],
        unhelpful=verdicts["unhelpful"],
    )


def _never_a_candidate(insight: Insight, ask: Ask, search: SearchState, by: Member) -> Rejection:
    """Return why a visible insight was not among the candidates."""
    if insight.superseded_by:
        return Rejection("superseded", f"{insight.superseded_by.ref} supersedes it.", {})
    if insight.status == Status.ARCHIVED:
        return Rejection("archived", "It is archived and not served.", {})
    if ask.kinds and insight.kind not in ask.kinds:
        return Rejection("kinds", f"Its kind is {insight.kind}; requested: {', '.join(ask.kinds)}.", {})
    if ask.teams and insight.team_id not in {by.named(slug).id for slug in ask.teams}:
        return Rejection("teams", "It belongs to a team that was not searched.", {})
    if ask.topic and insight.topic_id not in Topic.objects.visible_to(by).heir_of(ask.topic):
        return Rejection("topic", "It belongs to another topic or to none.", {})
    if insight.embedding is None:
        return Rejection("no_vector", "It has no vector yet and no keyword in common with the question.", {})
    cosine = float(unit(insight.embedding) @ search.vector) if search.vector is not None else 0.0
    why = f"Not among the {LEG} nearest by meaning or the {LEG} best by keyword."
    return Rejection("candidates", why, {"similarity": round(cosine, 4), "candidates": float(len(search.rows))})
