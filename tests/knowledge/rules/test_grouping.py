"""Topics: how insights fall into groups, and which group is which old topic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules import grouping
from knowledge.rules.grouping import Carried, Topic, carry_over, centroid, grouped, nearest

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

    @pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
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
        monkeypatch.setattr(grouping, "SMALLEST_SHARE", 0.05)
        vectors, _ = clouds([100, 100, tiny])
        assert grouped(vectors, silent(200 + tiny), rng()).max() + 1 == topics

    def test_finds_the_clouds_by_prototypes_in_a_large_team(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(grouping, "MOST_AT_ONCE", 200)
        monkeypatch.setattr(grouping, "PROTOTYPES", 90)
        vectors, truth = clouds([300, 200, 100])
        assert same_partition(grouped(vectors, silent(600), rng()), truth)
        assert (grouped(vectors, silent(600), rng(5)) == grouped(vectors, silent(600), rng(5))).all()


class TestNearest:
    def test_is_the_topic_of_the_nearest_centre(self) -> None:
        vectors, truth = clouds([20, 20])
        centres = {7: centroid(vectors[truth == 0]), 9: centroid(vectors[truth == 1])}
        assert [nearest(vector, centres) for vector in vectors] == [7] * 20 + [9] * 20

    @pytest.mark.parametrize(("cosine", "joins"), [(0.401, True), (0.399, False), (-0.9, False)])
    def test_is_none_below_the_bound(self, cosine: float, joins: bool) -> None:
        vector = np.array([cosine, (1 - cosine**2) ** 0.5])
        assert (nearest(vector, {3: np.array([1.0, 0.0])}) == 3) is joins

    def test_is_none_without_topics_and_the_oldest_of_equals(self) -> None:
        one = np.array([1.0, 0.0])
        assert nearest(one, {}) is None
        assert nearest(one, {5: one, 2: one}) == 2

    def test_centroid_has_length_1(self) -> None:
        assert np.linalg.norm(centroid(clouds([9])[0])) == pytest.approx(1, abs=1e-6)


def topic(id: int, members: str, **more: bool) -> Topic:
    return Topic(id, frozenset(map(ord, members)), **more)


def carried(old: list[Topic], *new: str) -> list[tuple[int | None, str]]:
    groups = [[ord(letter) for letter in group] for group in new]
    return [(one.id, "".join(map(chr, sorted(one.members)))) for one in carry_over(old, groups)]


class TestCarryOver:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ([], ["ab"], [(None, "ab")]),
            ([topic(1, "ab")], [], []),
            ([topic(1, "abc"), topic(2, "de")], ["de", "abc"], [(2, "de"), (1, "abc")]),
            ([topic(1, "abc"), topic(2, "de")], ["abcd", "e"], [(1, "abcd"), (2, "e")]),
            ([topic(1, "abcd")], ["ab", "cd"], [(1, "ab"), (None, "cd")]),
            ([topic(1, "abcdefg")], ["abcde", "fgx"], [(1, "abcde"), (None, "fgx")]),
            ([topic(1, "ab"), topic(2, "cde")], ["abcde"], [(2, "abcde")]),
            ([topic(1, "abcdefgh")], ["axyz"], [(None, "axyz")]),
            ([topic(1, "ab")], ["xy"], [(None, "xy")]),
        ],
    )
    def test_gives_an_id_to_the_best_overlap(
        self, old: list[Topic], new: list[str], expected: list[tuple[int | None, str]]
    ) -> None:
        assert carried(old, *new) == expected

    def test_gives_a_named_topic_its_scattered_insights_back(self) -> None:
        old = [topic(1, "ab", named=True), topic(2, "tuvwxyz")]
        assert carried(old, "atuvwxyz") == [(2, "tuvwxyz"), (1, "a")]
        assert carried(old, "atuvw", "bxyz") == [(2, "tuvw"), (None, "xyz"), (1, "ab")]

    def test_lets_a_named_topic_choose_first(self) -> None:
        old = [topic(1, "abcd"), topic(2, "xy", named=True)]
        assert carried(old, "abcdxy") == [(2, "abcdxy")]

    def test_drops_a_name_with_its_last_insight(self) -> None:
        assert carried([topic(1, "ab", named=True)], "xyz") == [(None, "xyz")]

    def test_keeps_together_what_a_person_merged(self) -> None:
        old = [topic(1, "abcdef", held=True), topic(2, "xyz")]
        assert carried(old, "abc", "def", "xyz") == [(1, "abcdef"), (2, "xyz")]
        assert carried(old, "abn", "defm", "cxyz") == [(1, "abdefmn"), (2, "cxyz")]

    def test_does_not_draw_a_group_of_newcomers_into_a_merged_topic(self) -> None:
        assert carried([topic(1, "abc", held=True)], "abc", "mno") == [(1, "abc"), (None, "mno")]

    @given(
        st.lists(st.integers(0, 5), min_size=1, max_size=30),
        st.lists(st.integers(0, 5), min_size=1, max_size=30),
        st.sets(st.integers(0, 5)),
        st.sets(st.integers(0, 5)),
    )
    def test_loses_no_insight_and_gives_no_id_twice(
        self, before: list[int], after: list[int], named: set[int], held: set[int]
    ) -> None:
        old = [
            Topic(label, frozenset(i for i, one in enumerate(before) if one == label), label in named, label in held)
            for label in set(before)
        ]
        new = [[i for i, one in enumerate(after) if one == label] for label in sorted(set(after))]
        found = carry_over(old, new)
        assert sorted(member for one in found for member in one.members) == list(range(len(after)))
        ids = [one.id for one in found if one.id is not None]
        assert len(ids) == len(set(ids))
        assert {one.id for one in old if one.by_people and min(one.members) < len(after)} <= set(ids)

    @given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.booleans())
    def test_changes_nothing_when_nothing_changed(self, labels: list[int], named: bool) -> None:
        groups = {label: frozenset(i for i, one in enumerate(labels) if one == label) for label in set(labels)}
        old = [Topic(label, members, named) for label, members in groups.items()]
        expected = {Carried(label, members) for label, members in groups.items()}
        assert set(carry_over(old, [sorted(members) for members in groups.values()])) == expected
