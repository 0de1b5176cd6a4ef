"""What files say is embedded once, as long as it is among what was looked at last."""

from collections.abc import Sequence

import numpy as np
import pytest

from knowledge.evidence.adapters import vectors
from knowledge.evidence.adapters.vectors import vectors_of


class CountingEmbedder:
    """Writes down what it is given; a vector is the length of its text."""

    name = "counting"

    def __init__(self) -> None:
        self.given: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.given.append(list(texts))
        return np.asarray([[float(len(text))] for text in texts], np.float32)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> CountingEmbedder:
    made = CountingEmbedder()
    monkeypatch.setattr(vectors, "current", lambda: made)
    monkeypatch.setattr(vectors, "_kept", type(vectors._kept)())
    return made


def test_only_what_is_new_is_embedded(embedder: CountingEmbedder) -> None:
    assert vectors_of(["a", "bbb", "a"]).tolist() == [[1.0], [3.0], [1.0]]
    assert vectors_of(["bbb", "cc"]).tolist() == [[3.0], [2.0]]
    assert embedder.given == [["a", "bbb"], ["cc"]]


def test_another_model_makes_its_own(embedder: CountingEmbedder) -> None:
    vectors_of(["a"])
    embedder.name = "another"
    vectors_of(["a"])
    assert embedder.given == [["a"], ["a"]]


def test_what_was_looked_at_longest_ago_is_forgotten(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "MOST_KEPT", 2)
    vectors_of(["a", "bb"])
    vectors_of(["a", "ccc"])
    vectors_of(["a", "bb"])
    assert embedder.given == [["a", "bb"], ["ccc"], ["bb"]]


def test_half_a_character_is_a_text_too(embedder: CountingEmbedder) -> None:
    assert vectors_of(["\ud83d"]).tolist() == [[1.0]]


def test_long_texts_are_dealt_out_and_come_back_in_order(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1})
    texts = ["x" * size for size in (300, 900, 100, 700, 500)]
    assert vectors_of(texts).tolist() == [[300.0], [900.0], [100.0], [700.0], [500.0]]
    assert sorted(len(some) for some in embedder.given) == [2, 3]


def test_long_texts_are_made_together_on_one_processor(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0})
    vectors_of(["x" * 900, "y" * 900])
    assert len(embedder.given) == 1
