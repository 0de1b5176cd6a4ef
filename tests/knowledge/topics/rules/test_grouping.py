"""Topics: which one a new insight joins, and which group is which old topic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.topics.rules.grouping import Carried, TopicGroup, carry_over, centroid, nearest
from tests.cases import cases
from tests.knowledge.topics.rules.test_clustering import clouds


class TestNearest:
    def test_is_the_topic_of_the_nearest_centre(self) -> None:
        vectors, truth = clouds([20, 20])
        centres = {7: centroid(vectors[truth == 0]), 9: centroid(vectors[truth == 1])}
        assert [nearest(vector, centres) for vector in vectors] == [7] * 20 + [9] * 20

    @cases(("cosine", "joins"), [(0.401, True), (0.399, False), (-0.9, False)])
    def test_is_none_below_the_bound(self, cosine: float, joins: bool) -> None:
        vector = np.array([cosine, (1 - cosine**2) ** 0.5])
        assert (nearest(vector, {3: np.array([1.0, 0.0])}) == 3) is joins

    def test_is_none_without_topics_and_the_oldest_of_equals(self) -> None:
        one = np.array([1.0, 0.0])
        assert nearest(one, {}) is None
        assert nearest(one, {5: one, 2: one}) == 2

    def test_centroid_has_length_1(self) -> None:
        assert np.linalg.norm(centroid(clouds([9])[0])) == pytest.approx(1, abs=1e-6)


def topic(id: int, members: str, **more: bool) -> TopicGroup:
    return TopicGroup(id, frozenset(map(ord, members)), **more)


def carried(old: list[TopicGroup], *new: str) -> list[tuple[int | None, str]]:
    groups = [[ord(letter) for letter in group] for group in new]
    return [(one.id, "".join(map(chr, sorted(one.members)))) for one in carry_over(old, groups)]


class TestCarryOver:
    @cases(
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
        self, old: list[TopicGroup], new: list[str], expected: list[tuple[int | None, str]]
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
            TopicGroup(
                label, frozenset(i for i, one in enumerate(before) if one == label), label in named, label in held
            )
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
        old = [TopicGroup(label, members, named) for label, members in groups.items()]
        expected = {Carried(label, members) for label, members in groups.items()}
        assert set(carry_over(old, [sorted(members) for members in groups.values()])) == expected
