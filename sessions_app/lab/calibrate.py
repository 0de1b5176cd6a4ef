"""Calibrate: from which closeness on a deposit asks, measured with an embedder on notes about different things."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from accounts.rules.refused import Refused
from knowledge.adapters.embedder import Embedder
from knowledge.judging.rules import closeness
from knowledge.judging.rules.dedup import Calibration
from knowledge.retrieval.rules import bm25
from sessions_app.lab.metrics.calibrating import calibrated

# Notes about different things, as they lie in a data folder.
NOTES = "corpus/til_jbranchaud.jsonl"
# Texts embedded at a time.
BATCH = 500
# Neighbours of a note that are looked at.
NEAREST = 3

Progress = Callable[[str, int, int], None]


class NoSuchNotes(Refused):
    code = "invalid"


def calibrate(*, data: Path, embedder: Embedder, progress: Progress) -> Calibration:
    """What CALIBRATIONS should say of this embedder. Raises NoSuchNotes, EmbedderDown."""
    notes = _notes(data / NOTES)
    made = calibrated(closest(notes, _embedded(notes, embedder, progress)))
    return replace(made, record=f"{embedder.name}: {made.record}")


def closest(notes: list[str], vectors: np.ndarray) -> list[float]:
    """Of each note but the first, the closeness of what stands out most beside it among the notes before it, as if they
    were deposited one after the other.
    """
    words = [set(bm25.terms(note)) for note in notes]
    cosines = vectors @ vectors.T
    df: Counter[str] = Counter(words[0])
    found = []
    for row in range(1, len(notes)):
        before = cosines[row, :row]
        nearest = np.argsort(-before)[: NEAREST + closeness.OTHERS].tolist()
        best = 0.0
        for other in nearest[:NEAREST]:
            others = [at for at in nearest if at != other]
            around = np.sort(np.delete(cosines[other, :row], other))[::-1]
            close = closeness.closeness(
                closeness.lead(float(before[other]), before[others].tolist()),
                closeness.own_words(words[row], words[other], (words[at] for at in others), row, df),
                closeness.shared(words[row], words[other], row, df),
                closeness.surroundings(around.tolist()),
            )
            best = max(best, close)
        found.append(best)
        df.update(words[row])
    return found


def _notes(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8") as lines:
            return [f"{row['title']}\n{row['body']}" for row in map(json.loads, lines)]
    except (OSError, ValueError, KeyError) as error:
        raise NoSuchNotes(f"{path} holds no notes: {error!r}") from error


def _embedded(notes: list[str], embedder: Embedder, progress: Progress) -> np.ndarray:
    vectors = np.empty((len(notes), embedder.dimensions), np.float32)
    for start in range(0, len(notes), BATCH):
        vectors[start : start + BATCH] = embedder.embed(notes[start : start + BATCH])
        progress("notes", min(start + BATCH, len(notes)), len(notes))
    return vectors
