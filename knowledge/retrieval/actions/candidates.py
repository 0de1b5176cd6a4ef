"""Fetch the candidates of a question, with the signals that ranking needs, in one statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.db.models import QuerySet

from accounts.adapters.traces import traced
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM, BindParam, prepared
from knowledge.adapters.embedder import current
from knowledge.errors.rules.quoted_words import quoted_share
from knowledge.judging.rules import neighbours
from knowledge.models import Anchor, Insight, Signal, Topic
from knowledge.querysets.anchors import AnchorQuerySet
from knowledge.querysets.insights import InsightQuerySet
from knowledge.retrieval.actions import replaced
from knowledge.retrieval.actions.search_state import KeywordQuery, PartQuery, SearchState
from knowledge.retrieval.rules import bm25, feedback, relevance
from knowledge.retrieval.rules.locality import Locality
from knowledge.retrieval.rules.ranking import Candidate
from knowledge.retrieval.rules.reach import READ_WHOLE, reach
from knowledge.retrieval.rules.recency import Recency
from knowledge.rules.vectors import any_of, half, sparse
from knowledge.rules.vocabulary import AnchorKind, Kind

# The most candidates per leg. With 100 by vector and 100 by keyword, nothing measurable is lost against ranking
# everything (docs/decisions/0003-relevance.md), and 200 rows are ranked in about a millisecond.
LEG = 100


@dataclass(frozen=True)
class Shape:
    """The structure of the candidate statement for a question. Statements of one shape differ only in their parameters,
    so each shape is prepared once.
    """

    near: bool
    whole: bool
    wide: bool
    words: bool
    words_by_index: bool
    refs: bool
    successors: bool
    errors: bool
    messages: bool
    quoted: bool
    files: bool
    lately: bool
    kinds: bool
    topic: bool
    anchors: bool
    parts: int
    model: str


@traced("query candidates")
def find_candidates(
    search: SearchState, by: Member, team_ids: Sequence[int], keywords: KeywordQuery, now: datetime
) -> list[Candidate]:
    """Return the candidates of the question. Sets `search.exact`: how exactly each row is what was asked
    for, 0 to 1.
    """
    ask, latest = search.ask, search.latest
    errors, messages = ask.question.digests, ask.question.messages
    quoted = _lookup(search)
    led_to = replaced.led_to(
        by,
        team_ids,
        vector=search.vector,
        whole=search.searched <= READ_WHOLE,
        lookup=keywords.lookup,
        weights=keywords.weights,
    )
    far = reach(_expected(search), search.everywhere)
    shape = Shape(
        near=search.vector is not None,
        whole=bool(ask.topic) or far.whole,
        wide=bool(far.look_at),
        words=bool(keywords.lookup),
        words_by_index=keywords.by_index or bool(ask.kinds or ask.topic),
        refs=bool(ask.references or search.include),
        successors=bool(led_to),
        errors=bool(errors),
        messages=bool(messages),
        quoted=bool(quoted),
        files=bool(ask.context.file_names),
        lately=bool(latest and latest.alone),
        kinds=bool(ask.kinds),
        topic=bool(ask.topic),
        anchors=bool(errors or messages) or Locality(ask.context).narrow,
        parts=len(search.parts),
        model=current().name,
    )
    if not any(
        (shape.near, shape.words, shape.refs, shape.errors, shape.messages, shape.quoted, shape.files, shape.lately)
    ):
        return []
    rows = prepared(shape, lambda: _statement(shape)).visible_to(
        by,
        only=team_ids,
        vector=None if search.vector is None else half(search.vector).to_text(),
        look_at=str(far.look_at),
        words=any_of(keywords.lookup),
        weights=sparse(keywords.weights).to_text(),
        refs=[*ask.references, *([search.include] if search.include else [])],
        successors=list(led_to),
        errors=errors,
        messages=messages,
        quoted=quoted,
        files=ask.context.file_names,
        since=now - timedelta(days=latest.days if latest else 0),
        kinds=[str(kind) for kind in ask.kinds],
        topic=ask.topic,
        rated_since=now - timedelta(days=feedback.WINDOW_DAYS),
        **_values_of_parts(search.parts),
    )
    found = [replaced.as_asked(Candidate(*row), led_to) for row in rows]
    refs, wanted = set(ask.references), {f"{AnchorKind.ERROR}:{digest}" for digest in errors}
    said = {f"{AnchorKind.MESSAGE}:{message}" for message in messages}
    shares = _shares_quoted(search, found)
    search.exact = np.array(
        [1.0 if _of_the_time(row, latest, now) else _named(row, refs, wanted, said, shares) for row in found]
    )
    return found


def _named(row: Candidate, refs: set[str], errors: set[str], messages: set[str], shares: Mapping[int, float]) -> float:
    """Return how exactly a row matches what the question names: 1 for a reference or an error's fingerprint,
    SAME_MESSAGE for an error with the same message, a share of that for an error that the question quotes in part, else
    0.
    """
    if row.ref in refs or not errors.isdisjoint(row.anchored):
        return 1.0
    share = 1.0 if not messages.isdisjoint(row.anchored) else shares.get(row.id, 0.0)
    return relevance.SAME_MESSAGE * share


def _lookup(search: SearchState) -> str:
    """Return the search for error messages that the question may quote: by adjacent words, and by words that few
    insights have.
    """
    asked = search.ask.question.quoting
    terms = {word: bm25.terms(word) for word in asked.words}
    few = neighbours.rare([word for word, some in terms.items() if some], search.searched, _counts(search, terms))
    alone = sorted(few, key=lambda word: (word not in asked.made, -len(word), word))
    return asked.lookup(alone, lambda word: not terms.get(word, ()))


def _counts(search: SearchState, terms: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return in how many insights each word occurs."""
    return {word: max((search.df.get(term, 0) for term in some), default=0) for word, some in terms.items()}


# The least share of the question that an error must have to count as quoted. Below it, the match is chance: two words
# of a message occur together in many questions.
LEAST_QUOTED = 0.3


def _shares_quoted(search: SearchState, found: Sequence[Candidate]) -> dict[int, float]:
    """Return, by id, the share of the question that each row's errors have, if it is at least LEAST_QUOTED."""
    rows = [row for row in found if row.errors]
    if not rows:
        return {}
    asked = search.ask.question.quoting
    terms = {word: bm25.terms(word) for word in asked.words}
    counts = _counts(search, terms)
    weight = {word: bm25.idf(search.searched, counts[word]) for word, some in terms.items() if some}
    shares = {row.id: quoted_share(asked, row.errors, weight) for row in rows}
    return {row: share for row, share in shares.items() if share >= LEAST_QUOTED}


def _statement(shape: Shape) -> QuerySet[Any, Any]:
    """Return the candidate statement of this shape: the union of its legs, each with a limit. `find_candidates` binds
    the parameters.
    """
    seen = _visible_rows(shape)
    vector = BindParam("vector") if shape.near else None
    weights = BindParam("weights") if shape.words else None
    look_at = BindParam("look_at") if shape.wide else None
    legs: list[InsightQuerySet] = []
    if vector:
        legs.append(seen.near(vector, whole=shape.whole, look_at=look_at)[:LEG])
    if weights:
        legs.append(_visible_rows(shape, by_index=shape.words_by_index).matching(BindParam("words"), weights)[:LEG])
    if shape.refs:
        legs.append(seen.with_ref(BindParam("refs")))
    if shape.successors:
        legs.append(seen.filter(pk__any=BindParam("successors")))
    if shape.errors:
        legs.append(seen.with_error(BindParam("errors"))[:LEG])
    if shape.messages:
        legs.append(seen.with_message(BindParam("messages"))[:LEG])
    quoted = _quoted() if shape.quoted else None
    if quoted is not None:
        legs.append(seen.quoting(quoted)[:LEG])
    if shape.files:
        legs.append(seen.with_file(Anchor.objects.all(), BindParam("files"))[:LEG])
    if shape.lately:
        legs.append(seen.since(BindParam("since"))[:LEG])
    # Anchors are read only if the question has something to compare them with, since there may be over a thousand.
    anchors = Anchor.objects.all() if shape.anchors else None
    ratings = Signal.objects.all().recent(BindParam("rated_since"), shape.model)
    parts = []
    for part in range(shape.parts):
        near, said, words = (BindParam(f"{name}_{part}") for name in ("vector", "weights", "words"))
        legs.append(seen.near(near, whole=shape.whole, look_at=look_at)[:LEG])
        legs.append(_visible_rows(shape, by_index=shape.words_by_index).matching(words, said)[:LEG])
        parts.append((near, said))
    found = seen.in_any(legs).not_proposed().signals(vector, weights, anchors, ratings, quoted, parts)
    rows: QuerySet[Any, Any] = found.values_list(*Candidate._fields)
    return rows


def _values_of_parts(parts: Sequence[PartQuery]) -> dict[str, str]:
    """Return the parameters of the parts of a question."""
    values = {}
    for at, part in enumerate(parts):
        values[f"vector_{at}"] = half(part.vector).to_text()
        values[f"weights_{at}"] = sparse(part.keywords.weights).to_text()
        values[f"words_{at}"] = any_of(part.keywords.lookup)
    return values


def _quoted() -> AnchorQuerySet:
    return Anchor.objects.all().quotable(BindParam("quoted"))


def _visible_rows(shape: Shape, *, by_index: bool = True) -> InsightQuerySet:
    """Return the insights that the question may be answered from."""
    seen: InsightQuerySet = Insight.objects.visible_to(MEMBER_PARAM, by_index=by_index).retrievable()
    if shape.kinds:
        seen = seen.of_kinds(BindParam("kinds"))
    if shape.topic:
        seen = seen.of_topic(Topic.objects.visible_to(MEMBER_PARAM).heir_of(BindParam("topic")))
    return seen


def _of_the_time(row: Candidate, latest: Recency | None, now: datetime) -> bool:
    """Return whether the row answers a purely time-based question."""
    if latest is None or not latest.alone or (latest.decisions and row.kind != Kind.DECISION):
        return False
    return row.age_days(now) <= latest.days


def _expected(search: SearchState) -> float:
    """Return the estimated number of insights of the question's teams and kinds. All kinds are assumed to be equally
    frequent.
    """
    kinds = set(search.ask.kinds)
    return search.searched * (len(kinds) / len(Kind) if kinds else 1.0)
