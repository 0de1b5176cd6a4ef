"""Measure the judge and the write decision on labelled pairs: what is merged, swallowed, superseded, queued."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import Embedder
from knowledge.adapters.judge import Judge, JudgeDown
from knowledge.rules.stance import Text
from knowledge.rules.stance_cues import conflicts
from knowledge.rules.stance_measures import LABELS, Pair

# Texts embedded at a time.
BATCH = 500

Progress = Callable[[str, int, int], None]


class NoSuchPairs(Refused):
    code = "invalid"


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON Lines with a, b and label, those with a label that is measured. Raises NoSuchPairs."""
    try:
        with path.open(encoding="utf-8") as lines:
            return [row for row in map(json.loads, lines) if row["label"] in LABELS and row["a"] and row["b"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoSuchPairs(f"{path} holds no labelled pairs: {error!r}") from error


def judged(*, rows: Sequence[Mapping[str, Any]], embedder: Embedder, judge: Judge, progress: Progress) -> list[Pair]:
    """Every pair with its cosine and what the judge says. Raises EmbedderDown; a judge that is down has no say."""
    first = _embedded([row["a"] for row in rows], embedder, progress)
    second = _embedded([row["b"] for row in rows], embedder, progress)
    pairs = []
    for place, row in enumerate(rows):
        a, b = Text(row["a"], first[place]), Text(row["b"], second[place])
        pairs.append(_pair(a, b, str(row["label"]), judge))
        progress("judging", place + 1, len(rows))
    return pairs


def _pair(a: Text, b: Text, label: str, judge: Judge) -> Pair:
    assert a.vector is not None and b.vector is not None
    cosine = float(a.vector @ b.vector)
    try:
        judgement = judge.judge(a, b)
    except JudgeDown:
        return Pair(a.words, b.words, LABELS[label], cosine, None, conflicts(a.words, b.words))
    return Pair(a.words, b.words, LABELS[label], cosine, judgement, judgement.cues)


def _embedded(texts: Sequence[str], embedder: Embedder, progress: Progress) -> np.ndarray:
    made = []
    for start in range(0, len(texts), BATCH):
        made.append(embedder.embed(texts[start : start + BATCH]))
        progress("embedding", min(start + BATCH, len(texts)), len(texts))
    return np.concatenate(made) if made else np.empty((0, embedder.dimensions), np.float32)
