"""How far the nearest rows are looked for, at the sizes where that changes."""

from knowledge.retrieval.rules.reach import FEW, MEASURED_OF_MANY, MEASURED_WHOLE, SMALL_INDEX, WIDE, SearchReach, reach
from tests.cases import cases


class TestReach:
    @cases(("searched", "everywhere", "expected"), [
        (MEASURED_WHOLE, MEASURED_WHOLE, SearchReach(whole=True)),
        (MEASURED_WHOLE, 10_000_000, SearchReach(whole=True)),
        (MEASURED_WHOLE + 1, (MEASURED_WHOLE + 1) / FEW, SearchReach(whole=True)),
        (MEASURED_WHOLE + 1, (MEASURED_WHOLE + 1) / FEW - 1, SearchReach(whole=False)),
        (MEASURED_OF_MANY, 10_000_000, SearchReach(whole=True)),
        (MEASURED_OF_MANY + 1, 10_000_000, SearchReach(whole=False, look_at=WIDE)),
        (SMALL_INDEX, SMALL_INDEX, SearchReach(whole=False)),
        (SMALL_INDEX, SMALL_INDEX + 1, SearchReach(whole=False, look_at=WIDE)),
    ])  # fmt: skip
    def test_is(self, searched: float, everywhere: float, expected: SearchReach) -> None:
        assert reach(searched, everywhere) == expected
