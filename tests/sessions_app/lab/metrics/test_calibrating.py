"""Thresholds of an embedder, read off notes that are known to be about different things."""

import numpy as np
import pytest

from knowledge.judging.rules.dedup import MINILM, UNCALIBRATED, Calibration, calibration
from sessions_app.lab.metrics.calibrating import ASKED, PAIRED, calibrated
from tests.cases import cases


class TestCalibrated:
    # A thousand notes; what stands out most beside each is closer and closer, up to .5.
    CLOSEST = np.linspace(0, 0.5, 1001).tolist()

    def test_asks_about_one_note_in_twenty_two_and_pairs_one_in_thirty_three(self) -> None:
        made = calibrated(self.CLOSEST)
        assert (made.asked, made.paired) == (0.48, 0.49)

    @cases("seed", range(5))
    def test_never_asks_more_than_it_may(self, seed: int) -> None:
        closest = np.random.default_rng(seed).normal(0.1, 0.1, 997).tolist()
        made = calibrated(closest)
        for threshold, share in ((made.asked, ASKED), (made.paired, PAIRED)):
            assert sum(one >= threshold for one in closest) <= share * len(closest) + 1
            assert sum(one >= threshold - 0.01 for one in closest) > share * len(closest) - 1
        assert made.asked <= made.paired

    def test_does_not_depend_on_their_order(self) -> None:
        assert calibrated(self.CLOSEST[::-1]) == calibrated(self.CLOSEST)

    def test_leaves_the_band_and_says_on_what_it_was_measured(self) -> None:
        made = calibrated(self.CLOSEST)
        assert (made.band, made.record) == (UNCALIBRATED.band, "1,001 notes, 4.5% and 3%")


class TestCalibration:
    MEASURED = "all-MiniLM-L6-v2=0.5:0.6:0.7"

    @cases(
        ("name", "measured", "found"),
        [
            ("all-MiniLM-L6-v2@gt-0.1.0", "", MINILM),
            ("all-MiniLM-L6-v2", "", MINILM),
            ("all-MiniLM-L6-v2@gt-0.1.0", "other=0.5:0.6:0.7", MINILM),
            ("other@1", "", UNCALIBRATED),
            ("", "", UNCALIBRATED),
            ("other@1", MEASURED, UNCALIBRATED),
        ],
    )
    def test_belongs_to_the_embedder(self, name: str, measured: str, found: Calibration) -> None:
        assert calibration(name, measured) is found

    def test_of_the_operator_goes_before_ours(self) -> None:
        found = calibration("all-MiniLM-L6-v2@gt-0.1.0", self.MEASURED)
        assert (found.band, found.asked, found.paired) == (0.5, 0.6, 0.7)

    @cases("measured", ["new=high", "new=0.5:0.6", "new=0.5:0.6:0.7:0.8", "new="])
    def test_that_cannot_be_read_is_an_error(self, measured: str) -> None:
        with pytest.raises(ValueError):
            calibration("new", measured)
