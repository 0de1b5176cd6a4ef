"""Search: run one question through all stages, from its text to the rows of the answer. `retrieve` builds the answer
from them.

One statement fetches the candidates with their raw signals (`candidates`), and `rules/score` ranks them. Then come the
stages that drop or move some (`rules/stages`): abstain, min_score, trim, the best of each topic, collapse, limit. Each
drop is recorded with its figures.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

import numpy as np

from accounts.adapters.disk_space import lacking_component
from accounts.adapters.failing_programs import failing_components
from accounts.adapters.traces import traced
from accounts.rules.guard.detection import masked
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from accounts.statements import MEMBER_PARAM
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.models import Insight, Lexicon, Term, Topic
from knowledge.querysets.words import Counted, RowsBeside
from knowledge.retrieval.actions.candidates import find_candidates
from knowledge.retrieval.actions.collapse import collapse
from knowledge.retrieval.actions.copies import bring_originals, drop_copies
from knowledge.retrieval.actions.crowd import bring_confirmed, lead_with_confirmed
from knowledge.retrieval.actions.current_first import current_first
from knowledge.retrieval.actions.later_notes import find_successors
from knowledge.retrieval.actions.search_state import KeywordQuery, PartQuery, SearchState, load
from knowledge.retrieval.actions.strangers import strangers
from knowledge.retrieval.rules import bm25, relevance
from knowledge.retrieval.rules.ask import DEEPEST, Ask, ReadQuestion
from knowledge.retrieval.rules.changed_text import ChangedText
from knowledge.retrieval.rules.question_parts import RANKING_SHARE, by_best_part
from knowledge.retrieval.rules.ranking import Candidate, rank
from knowledge.retrieval.rules.stages import FilterPipeline
from knowledge.rules.vocabulary import Status

# In rows. Look up keyword candidates by the rarest words of the question, as long as no more rows than this have them.
# Recall@10 against exact BM25 is 0.9975 with 5,000 and 0.97 with 2,000 (performance design, BM25). Half of it saves 1.7
# ms at 100,000 insights and loses answers there; the labelled sets are too small to show this (decision 0002).
LOOKUP_BUDGET = 5_000
# The index of words lists the rows of all teams. Reading an entry of another team costs the share ELSEWHERE of looking
# up a row of the searched teams: 0.14 µs against 2.2 µs at 480,000 insights. So the budget of a small team is reduced
# by these entries, but never below LEAST_BUDGET rows, which is more than the keyword leg returns (docs/decisions/0033).
ELSEWHERE, LEAST_BUDGET = 0.065, 500


class NothingAsked(Refused):
    code = "invalid"
    detail = "The question is empty."


class NoSuchTopic(Refused):
    code = "invalid"
    detail = "Unknown topic."


def search_for(
    ask: Ask,
    by: Member,
    now: datetime,
    *,
    vector: np.ndarray | None = None,
    include: str = "",
    beside: RowsBeside | None = None,
) -> SearchState:
    """Run a search from the question to the served rows. Raises NoSuchTeam on `teams`, NoSuchTopic on `topic`.

    `vector`: of the question, if already known. `include`: the reference of an insight that is a candidate in any case,
    for `search_again`. `beside`: another collection, whose word counts are read along (`Counted`).
    """
    team_ids = [by.named(slug).id for slug in ask.teams] or list(by.team_ids)
    asked = ask.question
    words = _words(asked)
    # If an insight has the fingerprint of the error, it is found by that, and only the question's own words are
    # searched for. The kinds and the topic asked for are not part of this check, so with one of them the error's words
    # are always searched for too.
    digests = [] if ask.kinds or ask.topic else asked.digests
    same = Insight.objects.visible_to(MEMBER_PARAM).retrievable()
    counted = Term.objects.all().counted(team_ids, [*chain(*words)], Lexicon.objects.all(), same, digests, beside)
    if counted.same_error:
        asked = asked.without_errors
        words = _words(asked)
    vector, degraded = (vector, ()) if vector is not None else _vector(asked)
    degraded = (*degraded, *failing_components(), *lacking_component())
    search = SearchState(ask, vector, degraded, ask.latest, now)
    keywords = search.keywords = _keywords(asked, words, counted)
    search.include = include
    search.team_ids = team_ids
    search.searched, search.words, search.df = counted.documents, [*chain(*words)], counted.df
    search.everywhere, search.beside = counted.everywhere, counted.beside
    search.parts = _parts(asked, vector, counted)
    search.rows = _by_parts(search, find_candidates(search, by, team_ids, keywords, now))
    if ask.topic and not search.rows and not Topic.objects.visible_to(by).heir_of(ask.topic).exists():
        raise NoSuchTopic(errors={"topic": ["Unknown topic."]})
    if search.rows:
        search.strangers = strangers(search.rows, by)
        _rank(search, now)
        _cut(search, keywords.total_idf, counted.documents)
    else:
        search.cut.abstained = True
    return search


def search_again(search: SearchState, changed: ChangedText, now: datetime, *, alone: bool = False) -> SearchState:
    """Rank the candidates of a search again, one of them with another text. Only rows that may be served are loaded.

    `alone`: it is in no open pair. Then the stages are skipped if their result would be the same.
    """
    again = SearchState(search.ask, search.vector, search.degraded, search.latest, now)
    for name in ("team_ids", "searched", "words", "df", "exact", "strangers", "keywords", "parts"):
        setattr(again, name, getattr(search, name))
    again.changed = changed
    keywords = search.keywords
    assert keywords is not None
    parts = [(part.vector, part.keywords.weights) for part in search.parts]
    again.said_by_part = dict(search.said_by_part)
    was = [row for row in search.rows if row.id == changed.id]
    now_is = {
        row.id: row
        for row in _by_parts(again, [changed.of(row, search.vector, keywords.weights, parts) for row in was])
    }
    again.rows = [now_is.get(row.id, row) for row in search.rows]
    if again.rows:
        _rank(again, now)
        if alone and _ends_alike(search, again):
            again.cut = search.cut
            return again
        _cut(again, keywords.total_idf, again.searched)
    else:
        again.cut.abstained = True
    return again


def _ends_alike(search: SearchState, again: SearchState) -> bool:
    """Return whether both texts give the same answer: the changed row is trimmed either way, and the order of the rest
    is the same. False for questions that could find the row by anything but words and meaning.
    """
    ask, keywords, changed = search.ask, search.keywords, again.changed
    assert search.ranking is not None and again.ranking is not None and keywords is not None and changed is not None
    plain = ask.trim and ask.depth == DEEPEST and not ask.topic and ask.min_score is None
    if not plain or ask.question.errors or ask.context.file_names or search.said_by_part or search.strangers:
        return False
    ids = [row.id for row in search.rows]
    others = [row for row in range(len(ids)) if ids[row] != changed.id]
    if not others:
        return False
    now_is = relevance.evidence(again.cosine, again.keyword, again.exact, keywords.total_idf)
    best = float(search.cut.evidence[others].max())
    room = best if search.cut.abstained else relevance.TRIM * best
    its = [row for row in range(len(ids)) if ids[row] == changed.id]
    if set(its) & {*search.successors, *search.successors.values()}:
        return False
    if not all(search.cut.evidence[row] < room and now_is[row] < room for row in its):
        return False
    was, now_order = (
        [row for row in one.order(ids) if search.cut.evidence[row] >= room] for one in (search.ranking, again.ranking)
    )
    return search.cut.abstained or was == now_order


def guard_question(ask: Ask) -> Ask:
    """Return the question without invisible characters and with secrets masked, because questions are stored and
    embedded. Raises NothingAsked.
    """
    text = masked(ask.text).strip()
    if not text:
        raise NothingAsked(errors={"query": ["Enter a question."]})
    lists: dict[str, Any] = {
        name: [masked(item) for item in getattr(ask, name)] for name in ("files", "symbols", "tags")
    }
    return replace(ask, text=text, error=masked(ask.error), repo=masked(ask.repo), **lists)


def _words(asked: ReadQuestion) -> list[list[str]]:
    """Return the terms of each text to search for."""
    return [bm25.terms(text) for text, _ in asked.weighted_texts]


@traced("query embed")
def _vector(asked: ReadQuestion) -> tuple[np.ndarray | None, tuple[dict[str, str], ...]]:
    """Return the question's vector, or None without an embedder, and what is degraded. Without a vector the search uses
    keywords alone, and the answer says so.
    """
    try:
        vectors = [(current().embed([text])[0], share) for text, share in asked.weighted_texts]
    except EmbedderDown as down:
        return None, ({"component": "embedder", "reason": str(down)},)
    if len(vectors) == 1:
        return vectors[0][0], ()
    mixed = np.sum([share * vector for vector, share in vectors], axis=0)
    return mixed / np.linalg.norm(mixed), ()


def _parts(asked: ReadQuestion, vector: np.ndarray | None, counted: Counted) -> list[PartQuery]:
    """Return the searches for the parts of a long question; [] without an embedder, because the words of one part say
    too little.
    """
    if vector is None or not asked.parts:
        return []
    try:
        vectors = current().embed(asked.parts)
    except EmbedderDown:
        return []
    read = [ReadQuestion(part) for part in asked.parts]
    return [
        PartQuery(vector, _keywords(part, [bm25.terms(part.text)], counted))
        for part, vector in zip(read, vectors, strict=True)
    ]


def _by_parts(search: SearchState, rows: Sequence[Candidate]) -> list[Candidate]:
    """Return the rows, each with the match of the best part of the question where that is better than the whole."""
    if not search.parts or search.keywords is None:
        return list(rows)
    total, totals = search.keywords.total_idf, [part.keywords.total_idf for part in search.parts]
    found = []
    for row in rows:
        near, said = by_best_part(row.distance, row.keyword, row.of_parts, total, totals)
        search.said_by_part[row.id] = -said
        found.append(row._replace(distance=near, keyword=row.keyword + RANKING_SHARE * (said - row.keyword)))
    return found


def _keywords(asked: ReadQuestion, words: Sequence[Sequence[str]], counted: Counted) -> KeywordQuery:
    """Return the keyword search. Each text has its own share of the budget, so that the words of an error do not
    displace those of the question.
    """
    n, df = counted.documents, counted.df
    lookup: dict[tuple[str, ...], float] = {}
    budget = bm25.budget_of(LOOKUP_BUDGET, LEAST_BUDGET, ELSEWHERE * max(counted.everywhere - n, 0) / max(n, 1))
    weights: dict[int, float] = {}
    total = 0.0
    for (_, share), terms in zip(asked.weighted_texts, words, strict=True):
        mine = {term: df[term] for term in terms if term in df}
        lookup |= bm25.lookup(mine, n, round(budget * share))
        for at, weight in bm25.query_weights(terms, n, df).items():
            weights[at] = weights.get(at, 0.0) + share * weight
        total += share * bm25.total_idf(terms, n, df)
    found = round(sum(lookup.values()))
    return KeywordQuery(list(lookup), weights, total, bm25.narrows(found, n, counted.everywhere))


@traced("query rank")
def _rank(search: SearchState, now: datetime) -> None:
    found = rank(search.rows, search.exact, search.ask.context, now, search.latest)
    search.ranking, search.cosine, search.keyword = found.ranking, found.cosine, found.keyword


def _confirmed_of_error(search: SearchState) -> list[int]:
    """Return the confirmed rows about the very error that is asked about. An unreviewed note that repeats the
    question's words must not cause them to be trimmed.
    """
    if not search.ask.question.errors:
        return []
    rows = enumerate(search.rows)
    return [at for at, row in rows if search.exact[at] >= 1 and (row.status == Status.PROMOTED or row.pinned)]


@traced("query cut")
def _cut(search: SearchState, total_idf: float, documents: int) -> None:
    """Run the stages on the ranked candidates, down to the served rows. Each stage records what it
    drops, with figures.
    """
    assert search.ranking is not None
    ask, ids = search.ask, [row.id for row in search.rows]
    by_part = search.said_by_part
    covered = np.array([by_part[at] for at in ids]) if by_part else search.keyword
    said = relevance.evidence(search.cosine, covered, search.exact, total_idf)
    of_files = _of_files(search, documents)
    evidence = np.maximum(said, of_files)
    cut = search.cut = FilterPipeline(ids, evidence, search.ranking.totals, search.ranking.order(ids))
    behind = [row for row in range(len(ids)) if ids[row] in search.strangers]
    if not ask.trim:
        cut.put_behind(behind)
        cut.limit(ask.limit if ask.depth else 0, f"Ranked below the first {ask.limit} asked for.")
        search.topics = _tally(search)
        load(search, cut.order)
        return
    here = _searched_here(search, evidence, documents)
    cut.abstain(here)
    if ask.min_score is not None:
        cut.least(ask.min_score)
    cut.trim(behind, documents, _confirmed_of_error(search))
    search.topics = _tally(search)
    if ask.depth < DEEPEST:
        cut.best_of_each([row.topic_id for row in search.rows])
    if not ask.depth:
        cut.drop(cut.order, "depth", "Only topics were requested.")
    # If the question names a file, a note anchored to it is among the first `limit - 1`, because the last of the
    # results may be left out as ambiguous.
    cut.put_among_first(_naming(search), max(ask.limit - 1, 1))
    collapse(search)
    find_successors(search)
    current_first(search)
    cut.put_behind(behind)
    drop_copies(search)
    # Only loaded rows count. Rows further down may be copies of these, and are no competing matches.
    looked_at = [row for row in cut.order if row in search.full]
    room = relevance.room(ask.limit, evidence[looked_at].tolist(), documents)
    bring_confirmed(search, room, documents)
    bring_originals(search, room)
    lead_with_confirmed(search, room)
    cut.limit(room, f"Ranked below the first {room} served.")
    asked_for = bool(search.exact[cut.order].any() or of_files[cut.order].any())
    judged = bool(cut.order) and search.vector is not None
    search.unlikely = judged and not asked_for and not relevance.likely(said[cut.order], here)


# A file with more notes than this says little about any one of them.
MOST_OF_A_FILE = 10


def _of_files(search: SearchState, documents: int) -> np.ndarray:
    """Return the evidence of each candidate for being anchored to a file of the question, whatever its text.

    For a file that the question names, it equals the evidence of an error with the same message. For a file that is
    only being worked on, it equals the floor: enough if nothing else is found.
    """
    context = search.ask.context
    worth = np.zeros(len(search.rows))
    if not context.file_names:
        return worth
    rows_of: dict[str, list[int]] = {}
    for at, row in enumerate(search.rows):
        for path in row.files:
            rows_of.setdefault(path, []).append(at)
    for path, rows in rows_of.items():
        if len(rows) > MOST_OF_A_FILE:
            continue
        for at in rows:
            if context.names(path, search.rows[at].repo):
                worth[at] = max(worth[at], relevance.EXACT_WEIGHT)
            elif context.works_on(path, search.rows[at].repo):
                worth[at] = max(worth[at], relevance.floor(documents))
    return worth


def _naming(search: SearchState) -> set[int]:
    """Return the candidates that are anchored to a file the question names, without files that too many are anchored
    to.
    """
    if not search.ask.context.named:
        return set()
    context, paths = search.ask.context, Counter(path for row in search.rows for path in row.files)
    return {
        at
        for at, row in enumerate(search.rows)
        if any(paths[path] <= MOST_OF_A_FILE and context.names(path, row.repo) for path in row.files)
    }


def _searched_here(search: SearchState, evidence: np.ndarray, documents: int) -> int:
    """Return the number of insights that the floor is set for: usually all searched ones.

    If there would be no answer and the best match belongs to the named repository, it is the number of insights in that
    repository, which lowers the floor. Counted only in that case.
    """
    repo = search.ask.repo.strip()
    if not repo or relevance.answers(evidence, documents) or search.rows[int(evidence.argmax())].repo != repo:
        return documents
    here = Insight.objects.of_teams(search.team_ids).filter(repo=repo, retrievable=True)
    return min(documents, here.count())


def _tally(search: SearchState) -> dict[UUID, Counter[str]]:
    """Return the number of remaining rows by topic and kind."""
    found: dict[UUID, Counter[str]] = {}
    for row in map(search.rows.__getitem__, search.cut.order):
        if row.topic_id:
            found.setdefault(row.topic_id, Counter())[row.kind] += 1
    return found
