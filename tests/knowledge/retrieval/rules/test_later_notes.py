"""Which later notes are perhaps about what a served one is about."""

import numpy as np
import pytest

from knowledge.retrieval.rules.later_notes import A_DAY, LEAST, likely_later


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
        ("nor one to which three older ones are nearer", [0, 40, 41, 42, 43], [5, 3, 3, 3, 9], []),
        ("two nearer ones leave room", [0, 40, 41, 43], [5, 3, 3, 9], [3]),
        ("what is later still does not count", [0, 43, 42, 41, 40], [5, 9, 10, 11, 12], [3, 2]),
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
    just = LEAST - np.cos(np.radians(60))
    assert later([0, 60], [0, 9], [0.5, just + 0.01]) == [1]
    assert later([0, 60], [0, 9], [0.5, just - 0.01]) == []


def test_what_is_said_already_leaves_its_place_to_the_next() -> None:
    assert later([0, 20, 30], [0, 9, 9], known=[1]) == [2]
