"""Evaluate: how good and how fast the search of raw files is, on collections whose answers are known.

Every line is computed in the same run, on the same questions: BM25 over an index made beforehand, ripgrep alone, and
the three modes by the very function that answers an agent, without a language model and without reuse.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings

from accounts.actions.members import create_team, member_of
from accounts.models import Team, User
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.evidence.actions.search import EvidenceAnswer, search
from knowledge.evidence.actions.sources import register
from knowledge.evidence.adapters.documents import NoText, plain_text
from knowledge.evidence.adapters.grep import matched_words
from knowledge.evidence.rules.ask import EvidenceQuestion
from knowledge.evidence.rules.keywords import Keywords, census, extract, pattern
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.scope import NEVER
from sessions_app.lab.metrics import ranked_lists
from sessions_app.lab.metrics.evidence_baseline import PlainBm25, by_matches

# Questions asked of one collection, in an order that has nothing to do with them. The other half of each collection is
# what constants were chosen on.
MOST_QUESTIONS = 100
LISTED = 100
LONGEST_QUESTION = 4_000
LARGEST = 5_000_000

Progress = Callable[[str, int, int], None]


class NoSuchCorpus(Refused):
    code = "invalid"


@dataclass(frozen=True)
class EvidenceProbe:
    id: str
    text: str
    grades: Mapping[str, float]


@dataclass(frozen=True)
class EvidenceCorpus:
    """A folder of files and questions to it; `held_out` tells whether any of them was chosen on."""

    name: str
    folder: Path
    questions: Sequence[EvidenceProbe]
    held_out: bool


@dataclass(frozen=True)
class EvidenceLine:
    """One way over all questions: means, and milliseconds of each question."""

    way: str
    ndcg_10: float
    recall_10: float
    took_ms: Sequence[float]
    # Of each question: the confidence of the answer, and whether a file that answers was among the first three.
    sure: Sequence[tuple[float, bool]] = ()

    @property
    def figures(self) -> dict[str, float]:
        p50, p95 = (float(np.percentile(self.took_ms, at)) for at in (50, 95))
        return {"ndcg_10": self.ndcg_10, "recall_10": self.recall_10, "p50_ms": p50, "p95_ms": p95}


# --- collections ------------------------------------------------------------------------------------------------
def laid_out(*, data: Path, name: str, into: Path) -> EvidenceCorpus:
    """A collection of documents written to disk below `into`. Raises NoSuchCorpus."""
    documents, questions = (data / "grep" / f"{name}.{part}.jsonl" for part in ("docs", "queries"))
    for path in (documents, questions):
        if not path.is_file():
            raise NoSuchCorpus(f"{data} has no grep/{path.name}.")
    folder = into / name
    for row in _rows(documents):
        path = folder / row["id"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["text"])
    asked = [EvidenceProbe(row["id"], row["text"], row["rels"]) for row in _rows(questions)]
    return EvidenceCorpus(name, folder, _chosen([one for one in asked if ranked_lists.held_out(one.id)]), held_out=True)


def source_code(*, data: Path, package: Path, into: Path) -> EvidenceCorpus:
    """Issues of a project and the source package they are about, copied below `into`. Raises NoSuchCorpus."""
    issues = data / "grep" / "swebench_lite.jsonl"
    if not issues.is_file() or not package.is_dir():
        raise NoSuchCorpus(f"There is no {issues if package.is_dir() else package}.")
    rows = [row for row in _rows(issues) if all((package / path).is_file() for path in row["gold_files"])]
    folder = into / "swebench_lite"
    _copied(package, folder)
    asked = [EvidenceProbe(r["id"], r["text"][:LONGEST_QUESTION], dict.fromkeys(r["gold_files"], 1.0)) for r in rows]
    return EvidenceCorpus("swebench_lite", folder, _chosen(asked), held_out=False)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _chosen(questions: Sequence[EvidenceProbe]) -> list[EvidenceProbe]:
    return sorted(questions, key=lambda one: sha256(one.id.encode()).hexdigest())[:MOST_QUESTIONS]


def _copied(package: Path, folder: Path) -> None:
    for path in sorted(package.rglob("*")):
        if path.is_file() and not path.is_symlink():
            target = folder / path.relative_to(package)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())


@contextmanager
def only_below(root: Path) -> Iterator[None]:
    """Within, that is the allowed root, and there is no language model."""
    before = settings.LOAM_EVIDENCE_ROOT, settings.LOAM_LLM_URL
    settings.LOAM_EVIDENCE_ROOT, settings.LOAM_LLM_URL = root, ""
    try:
        yield
    finally:
        settings.LOAM_EVIDENCE_ROOT, settings.LOAM_LLM_URL = before


def searcher(*, corpus: EvidenceCorpus, by: Member, now: datetime) -> Member:
    """Who may search this collection and nothing else: a member of the team its source was registered for."""
    number = Team.objects.count()
    team = create_team(name=corpus.name, slug=f"searched-{number}", prefix=f"SEARCHED{number}", by=by, now=now)
    register(
        slug=f"corpus-{number}", team_slug=team.slug, path=corpus.folder.name, by=by, now=now, largest_file=LARGEST
    )
    return member_of(user=User.objects.get(pk=by.user_id), only=frozenset({team.pk}))


# --- ranking ----------------------------------------------------------------------------------------------------
BM25, RIPGREP = "BM25, indexed", "ripgrep alone"
# A question → the ranked paths, and the confidence of the answer where there is one.
Way = Callable[[str], tuple[list[str], float | None]]


def ranking(*, corpus: EvidenceCorpus, by: Member, now: datetime, progress: Progress) -> list[EvidenceLine]:
    """All ways over one collection. `by` comes from `searcher`. Raises what a search raises."""
    ways: dict[str, Way] = {
        BM25: _unsure(PlainBm25(_texts(corpus.folder)).rank),
        RIPGREP: _unsure(partial(_ripgrep, corpus.folder)),
    }
    ways |= {mode: partial(_mode, mode, by, now) for mode in ReuseMode}
    return [_line(way, rank, corpus, progress) for way, rank in ways.items()]


def _unsure(rank: Callable[[str], list[str]]) -> Way:
    return lambda question: (rank(question), None)


def _mode(mode: ReuseMode, by: Member, now: datetime, question: str) -> tuple[list[str], float | None]:
    answer = _asked(question, mode, by, now)
    return [file.path for file in answer.ranked], None if mode is ReuseMode.FILENAME_ONLY else answer.confidence


def _line(way: str, rank: Way, corpus: EvidenceCorpus, progress: Progress) -> EvidenceLine:
    ndcg, recall, took, told = [], [], [], []
    for done, question in enumerate(corpus.questions, start=1):
        began = time.perf_counter()
        ranked, sure = rank(question.text)
        took.append((time.perf_counter() - began) * 1000)
        ndcg.append(ranked_lists.ndcg(ranked, question.grades))
        recall.append(ranked_lists.recall(ranked, question.grades, 10))
        if sure is not None:
            told.append((sure, any(question.grades.get(path, 0) > 0 for path in ranked[:3])))
        progress(f"{corpus.name}: {way}", done, len(corpus.questions))
    return EvidenceLine(way, float(np.mean(ndcg)), float(np.mean(recall)), took, told)


def _asked(question: str, mode: ReuseMode, by: Member, now: datetime) -> EvidenceAnswer:
    return search(ask=EvidenceQuestion(question, mode, listed=LISTED, reuse=False, beside=False), by=by, now=now)


def _texts(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST:
            name = str(path.relative_to(folder))
            try:
                found[name] = plain_text(path.read_bytes(), name)
            except NoText:
                continue
    return found


def _ripgrep(folder: Path, question: str) -> list[str]:
    words = Keywords(extract(question).words)
    if not pattern(words):
        return []
    found = matched_words(
        folder=folder, pattern=pattern(words), largest=LARGEST, skip=NEVER, ends=time.monotonic() + 60
    )
    return by_matches(census(found, words, 1).counts)


# --- speed ------------------------------------------------------------------------------------------------------
def speed(*, folder: Path, questions: Sequence[str], by: Member, now: datetime, progress: Progress) -> dict[str, Any]:
    """Milliseconds of names alone, of FAST, and of an answer reused, over one folder."""
    took: dict[str, list[float]] = {mode.value: [] for mode in (ReuseMode.FILENAME_ONLY, ReuseMode.FAST)}
    took["reused"] = []
    for done, question in enumerate(questions, start=1):
        for mode in (ReuseMode.FILENAME_ONLY, ReuseMode.FAST):
            took[mode].append(_asked(question, mode, by, now).took_ms)
        kept = search(ask=EvidenceQuestion(question, ReuseMode.FAST), by=by, now=now)
        again = search(ask=EvidenceQuestion(question, ReuseMode.FAST), by=by, now=now)
        if kept.cluster and again.reused:
            took["reused"].append(again.took_ms)
        progress("speed", done, len(questions))
    files = sum(path.is_file() for path in folder.rglob("*"))
    figures = {
        name: {"asked": len(some), "p50_ms": float(np.percentile(some, 50)), "p95_ms": float(np.percentile(some, 95))}
        for name, some in took.items()
        if some
    }
    return {"files": files, "ways": figures}
