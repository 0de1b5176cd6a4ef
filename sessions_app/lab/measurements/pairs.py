"""Measure the server's verdict on labelled pairs: what is merged, swallowed, superseded."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import Embedder
from knowledge.judging.rules import careful
from knowledge.judging.rules.careful import NoteSide
from knowledge.rules.vocabulary import Kind
from sessions_app.lab.metrics.pairs import LABELS, LabelledPair

# Texts embedded at a time.
BATCH = 500
# The second text came so much later.
LATER = timedelta(days=60)

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


def judge_pairs(
    *, rows: Sequence[Mapping[str, Any]], embedder: Embedder, now: datetime, progress: Progress
) -> list[LabelledPair]:
    """Every pair with its cosine and the server's verdict. Raises EmbedderDown."""
    first = _embedded([row["a"] for row in rows], embedder, progress)
    second = _embedded([row["b"] for row in rows], embedder, progress)
    cosines = np.sum(first * second, axis=1).tolist() if rows else []
    return [_pair(row, cosine, now) for row, cosine in zip(rows, cosines, strict=True)]


def _pair(row: Mapping[str, Any], cosine: float, now: datetime) -> LabelledPair:
    new, old = NoteSide(row["b"], Kind.CONTEXT, date=now), NoteSide(row["a"], Kind.CONTEXT, date=now - LATER)
    return LabelledPair(row["a"], row["b"], LABELS[str(row["label"])], cosine, careful.judge(new, old, cosine))


def _embedded(texts: Sequence[str], embedder: Embedder, progress: Progress) -> np.ndarray:
    made = []
    for start in range(0, len(texts), BATCH):
        made.append(embedder.embed(texts[start : start + BATCH]))
        progress("embedding", min(start + BATCH, len(texts)), len(texts))
    return np.concatenate(made) if made else np.empty((0, embedder.dimensions), np.float32)
