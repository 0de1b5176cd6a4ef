"""How insights fall into groups."""

import numpy as np
import pytest

from knowledge.topics.rules import clustering
from knowledge.topics.rules.clustering import grouped
from tests.cases import cases

DIMENSIONS = 64


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def clouds(sizes: list[int], spread: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Vectors around as many directions as there are sizes, and which direction each is of. `spread`: the length of
    what is added to the direction, at random; at .5 two of one cloud have a cosine of about .8.
    """
    chance = rng(7)
    directions = np.linalg.qr(chance.normal(size=(DIMENSIONS, DIMENSIONS)))[0][: len(sizes)]
    truth = np.repeat(np.arange(len(sizes)), sizes)
    noise = chance.normal(size=(len(truth), DIMENSIONS)) * spread / DIMENSIONS**0.5
    vectors = directions[truth] + noise
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), truth


def silent(n: int) -> list[list[str]]:
    return [[] for _ in range(n)]


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    return (
        len(set(zip(one.tolist(), other.tolist(), strict=True))) == len(set(one.tolist())) == len(set(other.tolist()))
    )


class TestGrouped:
    def test_finds_the_clouds_and_numbers_them_by_size(self) -> None:
        vectors, truth = clouds([10, 40, 20])
        labels = grouped(vectors, silent(70), rng())
        assert same_partition(labels, truth)
        assert [int((labels == label).sum()) for label in range(3)] == [40, 20, 10]

    def test_does_not_depend_on_the_order(self) -> None:
        vectors, _ = clouds([15, 30, 20, 12])
        order = rng(3).permutation(len(vectors))
        assert same_partition(grouped(vectors, silent(77), rng())[order], grouped(vectors[order], silent(77), rng(1)))

    def test_lets_words_decide_where_meaning_does_not(self) -> None:
        vectors, _ = clouds([40], spread=1.0)
        words = [["git", "rebase", "branch"] if row % 2 else ["sql", "index", "table"] for row in range(40)]
        labels = grouped(vectors, words, rng())
        by_word = [np.bincount(labels[row::2], minlength=labels.max() + 1) for row in (0, 1)]
        purity = np.maximum(*by_word).sum() / 40
        assert purity > 0.9

    @cases("n", [0, 1, 2, 3, 5])
    def test_takes_few(self, n: int) -> None:
        vectors, _ = clouds([1] * n) if n else (np.zeros((0, DIMENSIONS), np.float32), None)
        labels = grouped(vectors, [["word"]] * n, rng())
        assert sorted(set(labels.tolist())) == list(range(len(set(labels.tolist()))))
        assert len(labels) == n

    def test_puts_two_that_say_the_same_together_and_two_that_do_not_apart(self) -> None:
        vectors, _ = clouds([2], spread=0.1)
        assert grouped(vectors, silent(2), rng()).tolist() == [0, 0]
        assert grouped(clouds([1, 1])[0], silent(2), rng()).tolist() == [0, 1]

    def test_takes_identical_vectors(self) -> None:
        vectors = np.repeat(clouds([1])[0], 30, axis=0)
        assert set(grouped(vectors, [["same"]] * 30, rng()).tolist()) == {0}

    @pytest.mark.parametrize(("tiny", "topics"), [(9, 2), (11, 3)])
    def test_dissolves_what_is_tiny_for_the_team(self, monkeypatch: pytest.MonkeyPatch, tiny: int, topics: int) -> None:
        monkeypatch.setattr(clustering, "SMALLEST_SHARE", 0.05)
        vectors, _ = clouds([100, 100, tiny])
        assert grouped(vectors, silent(200 + tiny), rng()).max() + 1 == topics

    def test_finds_the_clouds_by_prototypes_in_a_large_team(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(clustering, "MOST_AT_ONCE", 200)
        monkeypatch.setattr(clustering, "PROTOTYPES", 90)
        vectors, truth = clouds([300, 200, 100])
        assert same_partition(grouped(vectors, silent(600), rng()), truth)
        assert (grouped(vectors, silent(600), rng(5)) == grouped(vectors, silent(600), rng(5))).all()
