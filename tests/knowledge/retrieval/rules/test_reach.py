"""How far the nearest rows are looked for, at the sizes where that changes."""

from knowledge.retrieval.rules.reach import FEW, MEASURED_OF_MANY, MEASURED_WHOLE, SMALL_INDEX, WIDE, Reach, reach
from tests.cases import cases


class TestReach:
    @cases(("searched", "everywhere", "expected"), [
        (MEASURED_WHOLE, MEASURED_WHOLE, Reach(whole=True)),
        (MEASURED_WHOLE, 10_000_000, Reach(whole=True)),
        (MEASURED_WHOLE + 1, (MEASURED_WHOLE + 1) / FEW, Reach(whole=True)),
        (MEASURED_WHOLE + 1, (MEASURED_WHOLE + 1) / FEW - 1, Reach(whole=False)),
        (MEASURED_OF_MANY, 10_000_000, Reach(whole=True)),
        (MEASURED_OF_MANY + 1, 10_000_000, Reach(whole=False, look_at=WIDE)),
        (SMALL_INDEX, SMALL_INDEX, Reach(whole=False)),
        (SMALL_INDEX, SMALL_INDEX + 1, Reach(whole=False, look_at=WIDE)),
    ])  # fmt: skip
    def test_is(self, searched: float, everywhere: float, expected: Reach) -> None:
        assert reach(searched, everywhere) == expected
