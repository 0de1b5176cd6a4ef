"""The stages between the ranked candidates and the answer."""

import numpy as np
import pytest

from knowledge.retrieval.rules import relevance
from knowledge.retrieval.rules.stages import FilterPipeline, Rejection

# Four candidates, ranked: the third is much weaker than the best.
EVIDENCE = [0.9, 0.8, 0.2, 0.7]


@pytest.fixture
def cut() -> FilterPipeline:
    return FilterPipeline([10, 11, 12, 13], np.array(EVIDENCE), np.array([0.8, 0.7, 0.6, 0.5]), [0, 1, 2, 3])


class TestCut:
    def test_keeps_the_reason_with_its_figures(self, cut: FilterPipeline) -> None:
        cut.drop([1], "stage", "Because.", bound=1 / 3)
        assert cut.order == [0, 2, 3]
        assert cut.drops == {11: Rejection("stage", "Because.", {"evidence": 0.8, "bound": 0.3333})}

    def test_abstains_below_the_floor_of_the_collection(self, cut: FilterPipeline) -> None:
        cut.abstain(100)
        assert (cut.abstained, len(cut.order)) == (False, 4)
        cut.evidence = np.full(4, relevance.floor(100) - 0.001)
        cut.abstain(100)
        assert (cut.abstained, cut.order) == (True, [])
        assert {drop.stage for drop in cut.drops.values()} == {"abstained"}

    def test_drops_what_scores_too_low(self, cut: FilterPipeline) -> None:
        cut.least(0.7)
        assert cut.order == [0, 1]

    def test_trims_what_is_much_weaker(self, cut: FilterPipeline) -> None:
        cut.trim()
        assert cut.order == [0, 1, 3]
        assert cut.drops[12].figures == {"evidence": 0.2, "best": 0.9}

    def test_of_nothing_drops_nothing(self) -> None:
        cut = FilterPipeline()
        cut.trim()
        cut.best_of_each([])
        cut.limit(3, "Full.")
        assert cut.drops == {}

    def test_keeps_the_best_of_each_group_and_all_without_one(self, cut: FilterPipeline) -> None:
        cut.best_of_each(["a", None, None, "a"])
        assert cut.order == [0, 1, 2]
        assert cut.drops[13].stage == "topic"

    def test_limits(self, cut: FilterPipeline) -> None:
        cut.limit(2, "Full.")
        assert cut.order == [0, 1]
        assert cut.drops[12] == Rejection("limit", "Full.", {"evidence": 0.2, "limit": 2})
