"""Evaluate: how good the answers are, on judged sets, by the product's own write and query path.

A suite is given a fresh database by its caller, fills it through `deposit`, asks through `retrieve`, and gives figures.
Suites write to the database they run in and never clean up; they are not for one with anything in it.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from django.db import transaction

from accounts.actions.members import create_team, member_of
from accounts.models import Team, User
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.judging.actions.deposit import Deposited, deposit_many
from knowledge.models import Insight
from knowledge.retrieval.actions.candidates import LEG
from knowledge.retrieval.actions.retrieve import RankedAnswer, ranked
from knowledge.retrieval.actions.upkeep import rebuild_keyword_vectors
from knowledge.retrieval.rules import bm25, relevance
from knowledge.retrieval.rules.ask import Ask
from knowledge.rules.draft import TITLE_LENGTH, Draft
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import Kind, Status
from sessions_app.lab.metrics import ranked_lists
from sessions_app.lab.metrics.abstention import AbstentionProbe
from sessions_app.lab.metrics.baselines import Baselines
from sessions_app.lab.metrics.comparison import RANKED, SERVED, Judgement, halves
from sessions_app.lab.metrics.qrels import LAYOUTS, JudgedDocument, JudgedSet, Question, make_judged_set

# So many are served at most: what the measures at 10 look at.
LIMIT = 10
# Drafts in one deposit: one commit serves them all, and the embedder groups texts of like length.
BATCH = 250

# What is going on, how much of it is done, of how much.
Progress = Callable[[str, int, int], None]


class NoSuchSet(Refused):
    code = "invalid"


@dataclass(frozen=True)
class Loaded:
    """A collection as the database has it. `refs` are in the order of `documents`; both without what was refused. Of
    documents that were merged several have one reference.

    `altered`: how many texts are not what they were (invisible characters are stripped on the way in).
    """

    by: Member
    documents: list[JudgedDocument]
    refs: list[str]
    refused: int
    altered: int
    words: list[list[str]]
    vectors: np.ndarray

    @property
    def names(self) -> dict[str, list[str]]:
        """Reference → ids of the documents it stands for."""
        names: dict[str, list[str]] = {}
        for ref, document in zip(self.refs, self.documents, strict=True):
            names.setdefault(ref, []).append(document.id)
        return names

    @property
    def merged(self) -> int:
        """Documents that share an insight with an earlier one."""
        return len(self.refs) - len(set(self.refs))


def read_set(*, data: Path, name: str) -> JudgedSet:
    """A judged set by its name in LAYOUTS. Raises NoSuchSet when it, one of its files or what is in one is unknown."""
    if name not in LAYOUTS:
        raise NoSuchSet(f"Unknown set '{name}'; available: {', '.join(LAYOUTS)}.")
    layout = LAYOUTS[name]
    for path in (layout.documents, layout.questions):
        if not (data / path).is_file():
            raise NoSuchSet(f"{data} has no {path}, which the set '{name}' is in.")
    try:
        return make_judged_set(name, layout, _rows(data / layout.documents), _rows(data / layout.questions))
    except (ValueError, KeyError) as error:
        raise NoSuchSet(f"The set '{name}' in {data} is not in its format: {error!r}.") from error


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


# --- ranking ------------------------------------------------------------------------------------------------
def retrieval(
    *, judged: JudgedSet, by: Member, now: datetime, progress: Progress, merging: bool = False
) -> dict[str, Any]:
    """Load a set and ask all its questions: means of Loam and of the baselines by half, what was refused, seconds.

    Every candidate counts, ranked as it is before anything is dropped (`loam`), and the list of at most LIMIT that an
    agent would be given (`served`). With `merging` the write path decides what becomes a row: an insight then stands
    for all documents that were merged into it. Raises EmbedderDown.
    """
    begun, loading = perf_counter(), 0.0
    loaded: list[Loaded] = []
    judgements: list[Judgement] = []
    for collection, documents in judged.collections.items():
        name = f"{judged.name} {collection}".strip()
        start = perf_counter()
        loaded.append(load(name=name, documents=documents, by=by, now=now, progress=progress, merging=merging))
        loading += perf_counter() - start
        questions = [question for question in judged.questions if question.collection == collection]
        judgements += _judge(name, questions, loaded[-1], now, progress)
    return {
        "documents": sum(len(one.documents) for one in loaded),
        "refused": sum(one.refused for one in loaded),
        "altered": sum(one.altered for one in loaded),
        "merged": sum(one.merged for one in loaded),
        "seconds": {"load": round(loading, 1), "ask": round(perf_counter() - begun - loading, 1)},
        "halves": halves(judgements),
    }


def _judge(
    name: str, questions: Sequence[Question], loaded: Loaded, now: datetime, progress: Progress
) -> Iterator[Judgement]:
    baselines = Baselines(loaded.words, loaded.vectors)
    vectors = current().embed([question.text for question in questions])
    rows = {document.id: row for row, document in enumerate(loaded.documents)}
    names = loaded.names
    for done, (question, vector) in enumerate(zip(questions, vectors, strict=True), start=1):
        own = rows.get(question.own)
        with _without(loaded, own):
            search = ranked(ask=Ask(question.text, limit=LIMIT), by=loaded.by, now=now)
        found = baselines.rank(bm25.terms(question.text), vector, LEG, without=own)
        lists = {way: [loaded.documents[row].id for row in some] for way, some in found.items()}
        for way, refs in ((RANKED, search.refs), (SERVED, search.served)):
            lists[way] = [name for ref in refs for name in names[ref] if name != question.own]
        yield Judgement(question.id, {way: ranked_lists.quality(ids, question.grades) for way, ids in lists.items()})
        progress(f"{name}: questions", done, len(questions))


@contextmanager
def _without(loaded: Loaded, row: int | None) -> Iterator[None]:
    """Within, that document is archived: kept, but out of retrieval."""
    if row is None:
        yield
        return
    with transaction.atomic():
        ref = loaded.refs[row]
        # What says the same as the question is still to be found, in the row the question was merged into.
        if loaded.refs.count(ref) == 1:
            Insight.objects.visible_to(loaded.by).filter(ref=ref).update(status=Status.ARCHIVED)
        yield
        transaction.set_rollback(True)


# --- answering ----------------------------------------------------------------------------------------------
def known_probes(
    *, questions: Sequence[Question], loaded: Loaded, now: datetime, progress: Progress
) -> list[AbstentionProbe]:
    """Ask questions whose answers are in the collection."""
    refs = {document.id: ref for ref, document in zip(loaded.refs, loaded.documents, strict=True)}
    wanted = [{refs[id] for id in question.grades if id in refs} for question in questions]
    return list(_probes("known questions", questions, wanted, loaded.by, now, progress))


def unrelated_probes(
    *, questions: Sequence[Question], by: Member, now: datetime, progress: Progress
) -> list[AbstentionProbe]:
    """Ask what the member sees questions that it has no answer to."""
    return list(_probes("unrelated questions", questions, [set() for _ in questions], by, now, progress))


def _probes(
    name: str, questions: Sequence[Question], wanted: Sequence[set[str]], by: Member, now: datetime, progress: Progress
) -> Iterator[AbstentionProbe]:
    current().embed([question.text for question in questions])
    for done, (question, refs) in enumerate(zip(questions, wanted, strict=True), start=1):
        search = ranked(ask=Ask(question.text, limit=LIMIT), by=by, now=now)
        yield AbstentionProbe(
            question=question.id,
            searched=search.searched,
            evidence=float(search.evidence.max(initial=0.0)),
            cosine=float(search.cosine.max(initial=0.0)),
            answered=not search.abstained,
            found=bool(refs.intersection(_served(search))),
        )
        progress(name, done, len(questions))


def _served(search: RankedAnswer) -> list[str]:
    """The list served; where Loam gave no answer, what a lower floor would have let through, duplicates included."""
    if not search.abstained:
        return search.served
    return [search.refs[row] for row in relevance.trimmed(search.evidence.tolist())][:LIMIT]


# --- loading ------------------------------------------------------------------------------------------------
def load(
    *,
    name: str,
    documents: Sequence[JudgedDocument],
    by: Member,
    now: datetime,
    progress: Progress,
    merging: bool = False,
) -> Loaded:
    """Deposit documents into a new team of their own, weighted by their true average length.

    What comes back asks as a member of that team only. Raises EmbedderDown.
    """
    number = Team.objects.count()
    team = create_team(name=name[:80], slug=f"judged-{number}", prefix=f"JUDGED{number}", by=by, now=now)
    member = member_of(user=User.objects.get(pk=by.user_id), only=frozenset({team.pk}))
    kept: list[tuple[str, JudgedDocument]] = []
    for start in range(0, len(documents), BATCH):
        some = documents[start : start + BATCH]
        drafts = list(map(_draft, some))
        stored = deposit_many(drafts=drafts, by=member, now=now, merging=merging)
        for document, done in zip(some, stored, strict=True):
            if isinstance(done, Deposited):
                _check_whole(done)
                kept.append((done.insight.ref, document))
        progress(f"{name}: documents", min(start + BATCH, len(documents)), len(documents))
    rebuild_keyword_vectors(team_id=team.pk)
    Insight.objects.visible_to(member).gather_statistics()
    return _loaded(member, kept, len(documents) - len(kept))


def _draft(document: JudgedDocument) -> Draft:
    """The text is all body, and the title its beginning, which is not said twice: what is searched is the text."""
    body = document.text.strip()
    return Draft(kind=Kind.CONTEXT, title=body[:TITLE_LENGTH], body=body)


def _check_whole(done: Deposited) -> None:
    if done.degraded:
        raise EmbedderDown(done.degraded[0]["reason"])


def _loaded(by: Member, kept: list[tuple[str, JudgedDocument]], refused: int) -> Loaded:
    rows = {row.ref: row for row in Insight.objects.visible_to(by).defer("lexemes", "bm25")}
    first: dict[str, JudgedDocument] = {}
    for ref, document in kept:
        first.setdefault(ref, document)
    texts = [rows[ref].text if first[ref] is document else document.text.strip() for ref, document in kept]
    documents = [document for _, document in kept]
    merged = [text for text, (ref, document) in zip(texts, kept, strict=True) if first[ref] is not document]
    made = iter(current().embed(merged)) if merged else iter(())
    return Loaded(
        by=by,
        documents=documents,
        refs=[ref for ref, _ in kept],
        refused=refused,
        altered=sum(text != document.text.strip() for text, document in zip(texts, documents, strict=True)),
        words=[bm25.terms(text) for text in texts],
        vectors=np.array([unit(rows[ref].embedding) if first[ref] is doc else next(made) for ref, doc in kept]),
    )


def recipe() -> dict[str, Any]:
    """What made the figures: model, words, and the constants of the ranking that have been chosen by measuring."""
    return {
        "model": current().name,
        "words": bm25.RECIPE,
        "k1": bm25.K1,
        "b": bm25.B,
        "candidates_of_a_leg": LEG,
        "keyword_weight": [relevance.CODE_WEIGHT, relevance.PROSE_WEIGHT],
        "plain_words": [relevance.CODE_SHARE, relevance.PROSE_SHARE],
        "coverage_weight": relevance.COVERAGE_WEIGHT,
        "floor": [relevance.FLOOR, relevance.FLOOR_RISE],
        "trim": relevance.TRIM,
        "near_duplicate": relevance.NEAR_DUPLICATE,
    }
