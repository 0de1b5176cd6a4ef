import pytest

from accounts.rules.fair_share import BUSY, FACTOR, FEW, HALF_LIFE, LEAST, Usage, gives_way, most_at_once
from tests.cases import cases


class TestUsage:
    def test_fades_by_half_in_a_half_life(self) -> None:
        used = Usage().more(4.0, now=100.0)
        assert used.faded(100.0) == 4.0
        assert used.faded(100.0 + HALF_LIFE) == pytest.approx(2.0)

    def test_grows_by_what_is_used_after_it_has_faded(self) -> None:
        assert Usage().more(4.0, now=0.0).more(1.0, now=HALF_LIFE).faded(HALF_LIFE) == pytest.approx(3.0)


@cases(
    ("used", "other", "gives"),
    [
        (0.0, 0.0, False),
        (LEAST - 0.01, 0.0, False),  # nobody notices so little
        (LEAST, 0.0, True),
        (10.0, 10.0 / FACTOR, False),
        (10.0, 10.0 / FACTOR - 0.01, True),
        (5.0, 10.0, False),
    ],
)
def test_a_caller_gives_way_to_one_who_used_much_less(used: float, other: float, gives: bool) -> None:
    assert gives_way(used, other) is gives


@cases(("used", "most", "may"), [(BUSY, 8, FEW), (BUSY - 0.01, 8, 8), (0.0, 1, 1), (BUSY, 1, 1)])
def test_a_caller_who_keeps_a_process_busy_has_few_at_once(used: float, most: int, may: int) -> None:
    assert most_at_once(used, most) == may
