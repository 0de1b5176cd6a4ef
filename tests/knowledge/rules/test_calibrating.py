"""Cosines of an embedder, read off labelled pairs."""

import numpy as np
import pytest

from knowledge.rules.calibrating import calibrated
from knowledge.rules.dedup import UNCALIBRATED, calibration
from knowledge.rules.stance import Stance
from knowledge.rules.stance_measures import Pair

SAME, OTHER = Stance.SAME, Stance.UNRELATED


def pairs(label: Stance, cosines: np.ndarray) -> list[Pair]:
    return [Pair("a", "b", label, float(cosine), None, ()) for cosine in cosines]


class TestCalibrated:
    # A hundred that are the same from .505 to .995, and a hundred that are not, up to .745.
    SET = pairs(SAME, np.linspace(0.505, 0.995, 100)) + pairs(OTHER, np.linspace(0.255, 0.745, 100))

    def test_lets_nine_of_ten_that_are_the_same_into_the_band(self) -> None:
        assert calibrated({"set": self.SET}, np.zeros(0)).band == 0.55

    def test_merges_without_a_judge_from_where_hardly_any_is_wrong(self) -> None:
        safe = calibrated({"set": self.SET}, np.zeros(0)).fail_safe
        right = [pair for pair in self.SET if pair.cosine >= safe]
        assert sum(pair.label is SAME for pair in right) / len(right) >= 0.92
        assert 0.69 <= safe <= 0.75

    def test_asks_people_about_one_note_in_fifty(self) -> None:
        nearest = np.linspace(0.3, 0.9, 1001)
        assert calibrated({"set": self.SET}, nearest).queue == pytest.approx(0.89)

    def test_gives_each_set_as_much_say(self) -> None:
        far = pairs(SAME, np.linspace(0.305, 0.795, 2000)) + pairs(OTHER, np.linspace(0.0, 0.2, 20))
        both = calibrated({"set": self.SET, "far": far}, np.zeros(0)).band
        assert 0.36 < both < 0.55


class TestCalibration:
    @pytest.mark.parametrize(
        ("measured", "band"), [("", 0.62), ("other=0.5:0.6:0.7", 0.62), ("all-MiniLM-L6-v2=0.5:0.6:0.7", 0.5)]
    )
    def test_of_the_operator_goes_before_ours(self, measured: str, band: float) -> None:
        assert calibration("all-MiniLM-L6-v2@gt-0.1.0", measured).band == band

    def test_of_nobody_is_the_seeds(self) -> None:
        assert calibration("new", "other=0.5:0.6:0.7") == UNCALIBRATED

    def test_that_cannot_be_read_is_an_error(self) -> None:
        with pytest.raises(ValueError):
            calibration("new", "new=high")
