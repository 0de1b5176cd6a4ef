"""Warnings about insights of one answer that speak against each other."""

from itertools import combinations

import numpy as np
import pytest

from knowledge.retrieval.rules.contradiction import REPORTED, Advice, confidence, contradictions, same_area
from knowledge.rules.vocabulary import Kind
from tests.cases import cases

FILE = frozenset({"file:pay/webhook.py"})
RETRY = "Retry the acme payment webhook on a 409, it is safe."
NEVER = "Never retry the acme payment webhook on a 409, it charges twice."
ABOUT_CACHE = "The session cache lives in Redis and is flushed by every deploy."


def near(cosine: float, n: int = 2) -> np.ndarray:
    """(n, n) vectors of length 1, each two of them at this cosine."""
    return np.linalg.cholesky(np.full((n, n), cosine) + (1 - cosine) * np.eye(n))


def signs(a: Advice, b: Advice, cosine: float = 0.8) -> tuple[str, ...]:
    found = contradictions([a, b], near(cosine))
    return found[0].signs if found else ()


class TestConfidence:
    @cases(
        ("count", "cosine", "expected"),
        [(0, 0.99, 0), (1, 0.7, 0.3), (2, 0.7, 0.45), (1, 1.0, 0.7), (4, 1.0, 0.9625), (2, 0.6, 0.31667), (1, 0.3, 0)],
    )
    def test_grows_with_signs_and_nearness(self, count: int, cosine: float, expected: float) -> None:
        assert confidence(count, cosine) == pytest.approx(expected, abs=1e-4)

    @cases(("count", "cosine"), [(1, 0.7), (2, 0.5875), (3, 0.54)])
    def test_is_reported_from_this_nearness_on(self, count: int, cosine: float) -> None:
        assert confidence(count, cosine + 0.01) >= REPORTED > confidence(count, cosine - 0.03)


class TestSameArea:
    @cases(
        ("a", "b", "cosine", "same"),
        [
            ({}, {}, 0.70, True),
            ({}, {}, 0.69, False),
            ({"anchors": FILE}, {"anchors": FILE}, 0.69, True),
            ({"anchors": FILE}, {"anchors": FILE}, 0.49, False),
            ({"anchors": FILE}, {"anchors": frozenset({"file:other.py"})}, 0.69, False),
            ({"topic": 3}, {"topic": 3}, 0.69, True),
            ({"topic": 3}, {"topic": 4}, 0.69, False),
            ({"repo": "acme/web"}, {"repo": "acme/api"}, 0.95, False),
            ({"repo": "acme/web"}, {}, 0.95, True),
        ],
    )
    def test_is_nearness_or_a_shared_topic_or_anchor_in_one_repo(
        self, a: dict, b: dict, cosine: float, same: bool
    ) -> None:
        assert same_area(Advice("A", Kind.CONTEXT, "", **a), Advice("B", Kind.CONTEXT, "", **b), cosine) is same


class TestContradictions:
    def test_warns_of_opposing_advice_on_one_file(self) -> None:
        pair = [Advice("A-1", Kind.SOLUTION, RETRY, anchors=FILE), Advice("A-2", Kind.PITFALL, NEVER, anchors=FILE)]
        (found,) = contradictions(pair, near(0.85))
        assert (found.a, found.b, found.signs) == ("A-1", "A-2", ("negation", "kinds"))
        assert found.confidence == pytest.approx(0.65)
        assert "Never retry" in found.reason
        assert "A-1 is a SOLUTION, A-2 a PITFALL" in found.reason

    def test_warns_by_wording_alone(self) -> None:
        assert signs(Advice("A", Kind.CONTEXT, RETRY), Advice("B", Kind.CONTEXT, NEVER)) == ("negation",)

    def test_warns_of_a_pitfall_where_another_has_a_pattern(self) -> None:
        pattern = Advice("A", Kind.PATTERN, "Wrap provider calls in the retry helper.", anchors=FILE)
        pitfall = Advice("B", Kind.PITFALL, "A timed out call may have gone through.", anchors=FILE)
        assert signs(pattern, pitfall) == ("kinds",)
        assert signs(pattern, pitfall, cosine=0.65) == ()

    def test_does_not_hold_kinds_against_what_shares_no_place(self) -> None:
        assert signs(Advice("A", Kind.SOLUTION, ABOUT_CACHE), Advice("B", Kind.PITFALL, "Redis is lost.")) == ()

    def test_does_not_hold_kinds_against_what_says_the_same(self) -> None:
        pitfall = Advice("A", Kind.PITFALL, NEVER, anchors=FILE)
        pattern = Advice("B", Kind.PATTERN, "Do not retry the acme payment webhook on a 409.", anchors=FILE)
        assert signs(pitfall, pattern) == ()

    @cases(
        ("one", "other", "warned"),
        [((3, 0), (0, 2), True), ((2, 0), (1, 3), True), ((2, 1), (0, 2), False), ((3, 0), (0, 1), False)],
    )
    def test_warns_when_one_was_helpful_and_the_other_was_not(
        self, one: tuple[int, int], other: tuple[int, int], warned: bool
    ) -> None:
        a = Advice("A", Kind.CONTEXT, ABOUT_CACHE, helpful=one[0], unhelpful=one[1])
        b = Advice("B", Kind.CONTEXT, "Sessions are kept in the database.", helpful=other[0], unhelpful=other[1])
        assert bool(signs(a, b)) is warned
        assert bool(signs(b, a)) is warned

    def test_puts_the_surest_first(self) -> None:
        texts = [RETRY, NEVER, "Retry the acme payment webhook on a 409 with the same key."]
        kinds = [Kind.SOLUTION, Kind.PITFALL, Kind.CONTEXT]
        advice = [Advice(f"A-{i}", kinds[i], text, anchors=FILE) for i, text in enumerate(texts)]
        found = contradictions(advice, near(0.8, 3))
        assert [(one.a, one.b) for one in found] == [("A-0", "A-1"), ("A-1", "A-2")]

    def test_says_nothing_of_ten_that_agree(self) -> None:
        texts = [
            f"Service {i} listens on port {8100 + i} behind the {name} gateway." for i, name in enumerate("abcdef")
        ]
        advice = [Advice(str(i), Kind.CONTEXT, text, topic=1) for i, text in enumerate(texts)]
        assert contradictions(advice, near(0.6, len(advice))) == []

    def test_takes_none_one_and_rows_without_a_vector(self) -> None:
        assert contradictions([], np.zeros((0, 3))) == []
        assert contradictions([Advice("A", Kind.CONTEXT, RETRY)], near(0.8)[:1]) == []
        pair = [Advice("A", Kind.SOLUTION, RETRY, anchors=FILE), Advice("B", Kind.PITFALL, NEVER, anchors=FILE)]
        assert contradictions(pair, np.zeros((2, 3))) == []

    def test_names_every_pair_once(self) -> None:
        advice = [Advice(str(i), Kind.CONTEXT, text) for i, text in enumerate([RETRY, NEVER, RETRY, NEVER])]
        pairs = [frozenset((one.a, one.b)) for one in contradictions(advice, near(0.9, 4))]
        assert len(pairs) == len(set(pairs)) == 4
        assert set(pairs) <= {frozenset(pair) for pair in combinations("0123", 2)}
