"""Which later notes are perhaps about what a served one is about."""

import numpy as np
import pytest

from knowledge.retrieval.rules.later_notes import A_DAY, LEAST, likely_later, successor


def vectors(*angles: float) -> np.ndarray:
    """Notes on a circle: the cosine of two is that of the angle between them, in degrees."""
    turns = np.radians(angles)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def later(angles: list[float], days: list[float], relevance: list[float] | None = None, **more: list[int]) -> list[int]:
    said = np.array(relevance or [0.5] * len(angles))
    return likely_later(0, vectors(*angles), np.array(days) * A_DAY, said, **more)


@pytest.mark.parametrize(
    ("story", "angles", "days", "found"),
    [
        ("the nearest later one", [0, 20, 30], [0, 9, 9], [1, 2]),
        ("an older one is none", [0, 20, 30], [10, 9, 20], [2]),
        ("nor one of the same day", [0, 20, 30], [0, 0.9, 1], [2]),
        ("nor one that is far away", [0, 85], [0, 9], []),
        ("nor one to which an earlier one is much nearer", [0, 40, 43], [5, 3, 9], []),
        ("one that is a little nearer leaves room", [0, 52, 27], [5, 3, 9], [2]),
        ("what was learned between the two does not count", [0, 43, 42, 41, 40], [5, 9, 10, 11, 12], [4, 3]),
        ("the one whose nearest it is comes first", [0, 21, -22, 30], [5, 9, 9, 3], [2, 1]),
        ("no others", [0], [0], []),
    ],
)
def test_is_found(story: str, angles: list[float], days: list[float], found: list[int]) -> None:
    assert later(angles, days) == found, story


def test_what_is_served_takes_no_place_of_others() -> None:
    assert later([0, 10, 20, 30], [0, 9, 9, 9]) == [1, 2]
    assert later([0, 10, 20, 30], [0, 9, 9, 9], served=[1]) == [1, 2, 3]


def test_what_is_nearer_to_the_question_comes_first() -> None:
    assert later([0, 20, 30], [0, 9, 9], [0.5, 0.1, 0.5]) == [2, 1]


def test_both_cosines_count_together() -> None:
    """An earlier one is as near to it, so that there is no lead."""
    just = LEAST - np.cos(np.radians(60))
    assert later([0, 60, 120], [0, 9, 0], [0.5, just + 0.01, 0]) == [1]
    assert later([0, 60, 120], [0, 9, 0], [0.5, just - 0.01, 0]) == []


@pytest.mark.parametrize(
    ("story", "angles", "days", "found"),
    [
        ("the only later one", [0, 40], [0, 9], 1),
        ("not one that is far away", [0, 70], [0, 9], None),
        ("not one with another later one beside it", [0, 40, 42, 90], [0, 9, 9, 0], None),
        ("not one to which an earlier one is nearer", [0, 40, 79], [5, 9, 3], None),
        ("not a second where they stand out little", [0, 40, 60, 75], [5, 9, 10, 3], None),
        ("one that two together make stand out", [0, 40, 65, 95], [5, 9, 10, 3], 1),
        ("what was learned between does not speak for another", [0, 30, 80, 90], [5, 9, 7, 3], 1),
        ("none later", [0, 40], [9, 0], None),
    ],
)
def test_the_successor_is(story: str, angles: list[float], days: list[float], found: int | None) -> None:
    assert succeeds(angles, days) == found, story


def succeeds(angles: list[float], days: list[float], beside: int = 5, **more: list[int]) -> int | None:
    """Among `beside` earlier notes that have nothing to do with these."""
    learned_at = np.array([*days, *[0] * beside]) * A_DAY
    return successor(0, vectors(*angles, *[180] * beside), learned_at, **more)


def test_what_it_is_a_pair_with_is_no_successor_and_leaves_no_place() -> None:
    assert succeeds([0, 20, 80], [0, 9, 9]) == 1
    assert succeeds([0, 20, 80], [0, 9, 9], known=[1]) is None


def test_none_stands_out_among_few() -> None:
    assert succeeds([0, 20], [0, 9], beside=5) == 1
    assert succeeds([0, 20], [0, 9], beside=4) is None


def test_what_is_said_already_leaves_its_place_to_the_next() -> None:
    assert later([0, 20, 30], [0, 9, 9], known=[1]) == [2]
