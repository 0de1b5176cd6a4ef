"""Measure: whether sampling earns its place, when a cluster is reused, and what a confidence is worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from knowledge.adapters.embedder import current
from knowledge.evidence.rules import sampling, windows
from knowledge.evidence.rules.keywords import Keywords, census, extract, pattern
from knowledge.evidence.rules.likeness import Saved, asks_the_same
from knowledge.evidence.rules.reuse import SAME_QUESTION
from knowledge.evidence.rules.sampling import PROBE, TOP
from knowledge.evidence.rules.windows import Finder
from sessions_app.lab.corpora import paraphrases

Progress = Callable[[str, int, int], None]

# Long files are joined from real ones up to this length, and this many of them are made.
JOINED = 150_000
MOST_JOINED = 20
MOST_QUESTIONS = 60


@dataclass(frozen=True)
class JoinedRuns:
    """A long text made of whole files, and where each begins and ends in it."""

    text: str
    parts: dict[str, tuple[int, int]]


def joined(folder: Path, wanted: set[str]) -> list[JoinedRuns]:
    """Files of a folder joined in an order that has nothing to do with them; none of them is itself a long one."""
    paths = sorted(folder.rglob("*.*"), key=lambda path: sha256(str(path.relative_to(folder)).encode()).hexdigest())
    made: list[JoinedRuns] = []
    text, parts = "", {}
    for path in paths:
        if not path.is_file():
            continue
        inner = path.read_text(encoding="utf-8", errors="replace")
        if len(inner) > JOINED // 2:
            continue
        parts[str(path.relative_to(folder))] = (len(text), len(text) + len(inner))
        text += inner + "\n\n"
        if len(text) >= JOINED:
            made.append(JoinedRuns(text, parts))
            text, parts = "", {}
            if len(made) == MOST_JOINED:
                break
    return [one for one in made if wanted & set(one.parts)]


def measure_sampling(
    *, folder: Path, questions: Sequence[tuple[str, set[str]]], progress: Progress
) -> dict[str, float]:
    """How often the evidence lies in the file that answers: when a tenth of the characters is scored, and when all are.

    `questions`: (text, paths that answer). Raises EmbedderDown.
    """
    texts = joined(folder, set().union(*(paths for _, paths in questions)))
    asked = [(text, paths, one) for text, paths in questions for one in texts if paths & set(one.parts)][
        :MOST_QUESTIONS
    ]
    scanned = {id(one): current().inner.embed(_all_windows(one.text)) for one in texts}
    sampled = whole = best = 0
    share: list[float] = []
    for done, (question, paths, one) in enumerate(asked, start=1):
        search = _OneText(question, one.text)
        found = search.sampled()
        share.append(found.characters / len(one.text))
        every = search.whole(scanned[id(one)])
        sampled += _holds(found.found, one, paths)
        whole += _holds(every, one, paths)
        best += any(probe.start < every[0].end and probe.end > every[0].start for probe in found.found)
        progress("sampling", done, len(asked))
    n = max(1, len(asked))
    return {
        "texts": len(texts), "questions": len(asked), "shortest": min((len(one.text) for one in texts), default=0),
        "sampled": sampled / n, "whole": whole / n, "ratio": sampled / max(1, whole), "best": best / n,
        "share_mean": float(np.mean(share)) if share else 0.0, "share_most": max(share, default=0.0),
    }  # fmt: skip


def _all_windows(text: str) -> list[str]:
    return [text[at : at + PROBE] for at in range(0, len(text), PROBE)]


def _holds(found: Sequence[sampling.TextWindow], one: JoinedRuns, paths: set[str]) -> bool:
    spans = [one.parts[path] for path in paths if path in one.parts]
    return any(start <= (probe.start + probe.end) // 2 < end for probe in found for start, end in spans)


class _OneText:
    """One question to one long text, its words counted over the windows of that text."""

    def __init__(self, question: str, text: str) -> None:
        self.question, self.text = question, text
        self.keywords: Keywords = extract(question)
        self.finder = Finder(self.keywords)
        regex = windows.compiled(pattern(self.keywords))
        cut = _all_windows(text)
        counted = census(((str(at), regex.findall(one)) for at, one in enumerate(cut)), self.keywords, len(cut))
        self.rarity = counted.rarity(self.keywords)
        self.vector = current().embed([question])[0]

    def sampled(self) -> sampling.Sampled:
        hits = self.finder.hits(self.text)
        starts = sampling.anchors(self.text, self.question, hits, self.keywords, self.rarity)
        rng = Random(int.from_bytes(sha256(self.question.encode()).digest()[:8]))
        return sampling.sample(self.text, starts, self._scored, rng)

    def whole(self, vectors: np.ndarray) -> list[sampling.TextWindow]:
        """Every window scored: what sampling is held against."""
        spans = [(at, min(len(self.text), at + PROBE)) for at in range(0, len(self.text), PROBE)]
        scores = self._worth(spans, vectors @ self.vector)
        probes = [
            sampling.TextWindow(start, end, score, "whole") for (start, end), score in zip(spans, scores, strict=True)
        ]
        return sorted(probes, key=lambda probe: -probe.score)[:TOP]

    def _scored(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        vectors = current().inner.embed([self.text[start:end] for start, end in spans])
        return self._worth(spans, vectors @ self.vector)

    def _worth(self, spans: Sequence[tuple[int, int]], cosines: np.ndarray) -> list[float]:
        total = windows.full_worth(self.keywords, self.rarity) or 1.0
        found = [self.finder.hits(self.text, start, end) for start, end in spans]
        worths = [min(1.0, windows.worth_of(hits, self.keywords, self.rarity) / total) for hits in found]
        return [5 * worth + 5 * max(0.0, float(near)) for worth, near in zip(worths, cosines, strict=True)]


# --- reuse ------------------------------------------------------------------------------------------------------
CURVE = (0.60, 0.65, 0.70, 0.75, 0.78, 0.80, 0.82, 0.85, 0.90)


def measure_reuse() -> dict[str, Any]:
    """At which cosine paraphrases hit and others do not: by cosine alone, and as a saved answer is taken. The evidence
    is not known here, so both ends are measured: it has the words of the first question alone, or of both.
    """
    sets = {
        "written first": (paraphrases.SAME, paraphrases.DIFFERENT),
        "held out": (paraphrases.HELD_OUT_SAME, paraphrases.HELD_OUT_DIFFERENT),
        "one word exchanged": (paraphrases.SAME, paraphrases.EXCHANGED),
    }
    curves = {name: _curve(same, different) for name, (same, different) in sets.items()}
    return {"threshold": SAME_QUESTION, "curves": curves, "strangers": _strangers()}


def _curve(same: Sequence[tuple[str, str]], different: Sequence[tuple[str, str]]) -> list[dict[str, float]]:
    hits, misses = _pairs(same), _pairs(different)
    return [
        {
            "cosine": least,
            "paraphrases": float(np.mean([cosine >= least and alone for cosine, alone, _ in hits])),
            "paraphrases_in_both": float(np.mean([cosine >= least and both for cosine, _, both in hits])),
            "look_alikes": float(np.mean([cosine >= least and (alone or both) for cosine, alone, both in misses])),
            "paraphrases_by_cosine": float(np.mean([cosine >= least for cosine, _, _ in hits])),
            "look_alikes_by_cosine": float(np.mean([cosine >= least for cosine, _, _ in misses])),
        }
        for least in CURVE
    ]


def _pairs(some: Sequence[tuple[str, str]]) -> list[tuple[float, bool, bool]]:
    """(cosine, taken with evidence of the first question's words, with evidence of the words of both) of each pair."""
    one, other = (current().inner.embed(list(texts)) for texts in zip(*some, strict=True))
    cosines = np.sum(one * other, axis=1).tolist()
    return [
        (cosine, asks_the_same(b, a, Saved(a, a), cosine), asks_the_same(b, a, Saved(f"{a}. {b}", a), cosine))
        for cosine, (a, b) in zip(cosines, some, strict=True)
    ]


def _strangers() -> float:
    """Of all pairs of different questions, the share at or above the threshold."""
    texts = [pair[0] for pair in (*paraphrases.SAME, *paraphrases.HELD_OUT_SAME)]
    others = [pair[1] for pair in (*paraphrases.SAME, *paraphrases.HELD_OUT_SAME)]
    near = current().inner.embed(texts) @ current().inner.embed(others).T >= SAME_QUESTION
    np.fill_diagonal(near, False)
    return float(near.sum() / (near.size - len(texts)))
