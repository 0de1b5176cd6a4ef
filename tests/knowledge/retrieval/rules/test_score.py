"""The rank and its explanation, which are one thing."""

from itertools import pairwise, permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval.rules import score
from knowledge.retrieval.rules.relevance import PROSE_WEIGHT
from knowledge.retrieval.rules.score import Column, Part, Ranking, Score, trust
from knowledge.rules.vocabulary import Status, Trust
from tests.cases import cases

VALUES = st.floats(-10, 10)
PARTS = st.builds(Part, name=st.just("part"), value=VALUES, weight=VALUES, why=st.just("because"))
UNIT = st.floats(0, 1)


def column(name: str, values: list[float], weight: float = 1.0) -> Column:
    return Column(name, np.array(values), weight, lambda row: f"{name} of row {row}")


class TestScore:
    def test_adds_terms_and_multiplies_by_factors(self) -> None:
        terms = (Part("similarity", 0.8, 0.5, "meaning"), Part("strength", 0.5, 0.15, "strong"))
        assert Score(terms).total == pytest.approx(0.475)
        factors = (Part("quality", 0.9, 1.0, "specific"), Part("feedback", 0.2, 1.0, "unhelpful before"))
        assert Score(terms, factors).total == pytest.approx(0.475 * 0.9 * 0.2)

    def test_of_nothing_is_nothing(self) -> None:
        assert Score(()).total == 0

    def test_lists_terms_before_factors_in_the_order_given(self) -> None:
        parts = [Part(name, 1, 1, name) for name in ("b", "a", "d", "c")]
        assert Score(tuple(parts[:2]), tuple(parts[2:])).parts == tuple(parts)

    def test_says_in_one_line_what_spoke_for_it_strongest_first(self) -> None:
        worths = {"weak": 0.1, "best": 0.9, "none": 0.0, "against": -1.0, "good": 0.5, "fair": 0.3}
        terms = tuple(Part(name, worth, 1, name) for name, worth in worths.items())
        assert Score(terms, (Part("quality", 1, 1, "quality"),)).why == "best; good; fair"

    @given(st.lists(PARTS, max_size=6), st.lists(PARTS, max_size=3))
    def test_is_exactly_what_its_parts_say(self, terms: list[Part], factors: list[Part]) -> None:
        whole = Score(tuple(terms), tuple(factors))
        assert whole.total == sum(p.value * p.weight for p in terms) * prod(p.value * p.weight for p in factors)


class TestRanking:
    def test_totals_are_those_of_each_rows_own_score(self) -> None:
        ranking = Ranking(
            terms=(column("similarity", [0.1, 0.9, 0.5], 0.5), column("strength", [1, 0, 0.2], 0.15)),
            factors=(column("quality", [1, 0.5, 0.9]),),
        )
        assert ranking.totals.tolist() == pytest.approx([ranking.score(row).total for row in range(3)])
        assert ranking.score(1).parts[0] == Part("similarity", 0.9, 0.5, "similarity of row 1")

    @given(st.integers(1, 30).flatmap(lambda n: st.lists(st.lists(UNIT, min_size=n, max_size=n), min_size=1)))
    def test_orders_by_the_total_that_is_shown(self, columns: list[list[float]]) -> None:
        ranking = Ranking(tuple(column("part", values) for values in columns))
        shown = [ranking.score(row).total for row in ranking.order(range(len(columns[0])))]
        assert all(better >= worse - 1e-9 for better, worse in pairwise(shown))

    def test_breaks_ties_by_age_in_whatever_order_rows_come(self) -> None:
        rows = {7: 0.5, 3: 0.5, 9: 0.8, 1: 0.5, 4: 0.1}
        for ids in permutations(rows):
            ranking = Ranking((column("part", [rows[pk] for pk in ids]),))
            assert [ids[row] for row in ranking.order(ids)] == [9, 1, 3, 7, 4]

    def test_orders_nothing(self) -> None:
        assert Ranking((column("part", []),)).order([]) == []


class TestWeights:
    def test_stand_in_the_order_similarity_locality_strength_trust(self) -> None:
        assert score.SIMILARITY > score.LOCALITY > score.STRENGTH > score.TRUST > 0

    def test_let_nothing_that_only_resembles_stand_above_the_very_same(self) -> None:
        assert score.EXACT >= score.SIMILARITY + score.LOCALITY + score.STRENGTH + score.TRUST

    def test_let_a_keyword_never_outweigh_meaning(self) -> None:
        assert PROSE_WEIGHT < 1


class TestTrust:
    @cases(
        ("status", "state", "worth"),
        [
            (Status.PROMOTED, Trust.VALIDATED, 1.0),
            (Status.PROMOTED, Trust.UNKNOWN, 1.0),
            (Status.PROMOTED, Trust.STALE, 0.75),
            (Status.PROMOTED, Trust.CONTRADICTED, 1.0),
            (Status.DRAFT, Trust.UNKNOWN, 0.6),
            (Status.DRAFT, Trust.STALE, 0.45),
            (Status.DRAFT, Trust.CONTRADICTED, 0.6),
            (Status.DEPRECATED, Trust.VALIDATED, 0.2),
            (Status.ARCHIVED, Trust.VALIDATED, 0.0),
        ],
    )
    def test_is_the_status_lessened_by_the_state(self, status: Status, state: Trust, worth: float) -> None:
        assert trust(status, state) == pytest.approx(worth)

    def test_is_known_for_every_word(self) -> None:
        for status in Status:
            for state in Trust:
                assert 0 <= trust(status, state) <= 1
