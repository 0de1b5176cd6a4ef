"""Calibrate: measure an embedder's cosines, and train the local judge for it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.actions.measure_pairs import NoSuchPairs, judged, read_pairs
from knowledge.actions.train_judge import train_judge
from knowledge.adapters.embedder import Embedder
from knowledge.adapters.judge import OffJudge
from knowledge.rules.calibrating import calibrated
from knowledge.rules.dedup import Calibration

# Labelled pairs and notes about different things, as they lie in a data folder.
PAIRS = ("sick", "mrpc", "nl2bash", "gitbugs")
NOTES = "corpus/til_jbranchaud.jsonl"
# Texts embedded at a time.
BATCH = 500

Progress = Callable[[str, int, int], None]


def calibrate(*, data: Path, embedder: Embedder, progress: Progress) -> Calibration:
    """What CALIBRATIONS should say of this embedder. Raises NoSuchPairs, EmbedderDown."""
    sets = {
        name: judged(
            rows=read_pairs(data / "pairs" / f"{name}.jsonl"), embedder=embedder, judge=OffJudge(), progress=progress
        )
        for name in PAIRS
    }
    made = calibrated(sets, _nearest(_notes(data / NOTES), embedder, progress))
    return replace(made, record=f"{embedder.name}: {made.record}")


def retrain(*, data: Path, embedder: Embedder, out: Path, progress: Progress) -> dict[str, Any]:
    """Weights of the local judge for this embedder, as a file that stands in the place of the shipped one.

    Raises NoTrainingData, EmbedderDown.
    """
    return train_judge(data=data, embedder=embedder, out=out, progress=progress)


def _notes(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8") as lines:
            return [f"{row['title']}\n{row['body']}" for row in map(json.loads, lines)]
    except (OSError, ValueError, KeyError) as error:
        raise NoSuchPairs(f"{path} holds no notes: {error!r}") from error


def _nearest(notes: list[str], embedder: Embedder, progress: Progress) -> np.ndarray:
    """Of each note the cosine of the nearest among those before it, as if they were deposited one after the other."""
    vectors = np.empty((len(notes), embedder.dimensions), np.float32)
    for start in range(0, len(notes), BATCH):
        vectors[start : start + BATCH] = embedder.embed(notes[start : start + BATCH])
        progress("notes", min(start + BATCH, len(notes)), len(notes))
    return np.array([float((vectors[:row] @ vectors[row]).max()) for row in range(1, len(notes))])
