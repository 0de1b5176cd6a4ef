"""How far the nearest rows are looked for, at the sizes where that changes."""

from knowledge.retrieval.rules.reach import MEASURED_WHOLE, SMALL_INDEX, WIDE, Reach, reach
from tests.cases import cases


class TestReach:
    @cases(("searched", "everywhere", "expected"), [
        (MEASURED_WHOLE, MEASURED_WHOLE, Reach(whole=True)),
        (MEASURED_WHOLE, 10_000_000, Reach(whole=True)),
        (MEASURED_WHOLE + 1, 10_000_000, Reach(whole=False, look_at=WIDE)),
        (SMALL_INDEX, SMALL_INDEX, Reach(whole=False)),
        (MEASURED_WHOLE + 1, SMALL_INDEX + 1, Reach(whole=False, look_at=WIDE)),
    ])  # fmt: skip
    def test_is(self, searched: int, everywhere: int, expected: Reach) -> None:
        assert reach(searched, everywhere) == expected
