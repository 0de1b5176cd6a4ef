"""What deeds tell of preferences: enough of them, sure enough, and no more."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.rules.preferences import LONGEST_KEY, Inferred
from knowledge.lifecycle.rules.inference import (
    LEAST_CONFIDENCE,
    MOST_OF_A_KIND,
    MOST_REFS,
    WINDOW,
    Deed,
    infer,
    languages,
    wilson,
)
from tests.cases import cases


def wrote(*files: str, times: int = 1) -> list[Deed]:
    return [Deed(f"PLAT-{n}", files=files) for n in range(times)]


def tagged(*tags: str, times: int = 1) -> list[Deed]:
    return [Deed(f"PLAT-{n}", tags=tags) for n in range(times)]


def rated(times: int, *tags: str, helpful: bool = True, topic: tuple[str, str] | None = None) -> list[Deed]:
    return [Deed(f"PLAT-{n}", tags=tags, topic=topic, helpful=helpful) for n in range(times)]


def told(found: Iterable[Inferred]) -> dict[str, str]:
    return {one.key: one.value for one in found}


class TestWilson:
    @cases(
        ("signals", "of", "bound"),
        [(0, 0, 0), (0, 9, 0), (4, 5, 0.579), (5, 5, 0.833), (8, 10, 0.649), (80, 100, 0.757)],
    )
    def test_is_the_lower_bound_of_the_share(self, signals: int, of: int, bound: float) -> None:
        assert wilson(signals, of) == pytest.approx(bound, abs=0.002)

    @given(st.integers(1, 300), st.integers(0, 300))
    def test_is_never_more_than_the_share(self, of: int, signals: int) -> None:
        signals = min(signals, of)
        assert 0 <= wilson(signals, of) <= signals / of


class TestLanguages:
    @cases(
        ("files", "known"),
        [
            (["src/a.ts", "b.TSX"], {"TypeScript"}),
            (["a.py", "b.md", "c.json", "Makefile"], {"Python"}),
            ([".ts", "ts", "a.", "x/.bashrc", ""], set()),
            (["a.test.ts", "lib/b.d.ts"], {"TypeScript"}),
        ],
    )
    def test_are_told_by_the_extension(self, files: list[str], known: set[str]) -> None:
        assert languages(files) == known

    def test_one_of_them_is_primary_at_four_of_five(self) -> None:
        mostly = [*wrote("a.ts", times=8), *wrote("b.go", times=2)]
        [one] = infer(mostly, [])
        assert (one.key, one.value, one.category) == ("primary_language", "TypeScript", "domain")
        assert one.support.why == "8 of the last 10 deposits that name code files name TypeScript files"
        assert (one.support.signals, one.support.of, len(one.support.refs)) == (8, 10, 8)
        assert one.confidence == pytest.approx(0.649, abs=0.001)

    def test_none_of_them_is_primary_below(self) -> None:
        assert infer([*wrote("a.ts", times=79), *wrote("b.go", times=21)], []) == []
        assert told(infer([*wrote("a.ts", times=80), *wrote("b.go", times=20)], []))

    @cases(("times", "told_of"), [(4, {}), (5, {"primary_language": "TypeScript"})])
    def test_take_five_deposits(self, times: int, told_of: dict[str, str]) -> None:
        assert told(infer(wrote("a.ts", times=times), [])) == told_of

    def test_are_of_the_deposits_that_name_code(self) -> None:
        assert told(infer([*wrote("a.ts", times=5), *wrote("README.md", times=50), *wrote(times=50)], []))

    def test_that_always_go_together_make_one(self) -> None:
        assert len(infer([*wrote("a.ts", "b.py", times=9), *wrote("c.py")], [])) == 1
        assert told(infer([*wrote("a.ts", "b.py", times=9), *wrote("c.py")], [])) == {"primary_language": "Python"}


class TestTags:
    def test_that_most_deposits_carry_are_a_focus(self) -> None:
        [one] = infer([*tagged("celery", times=8), *tagged("css", times=2)], [])
        assert (one.key, one.value) == ("focus_celery", "celery")
        assert one.confidence >= LEAST_CONFIDENCE

    def test_that_half_of_them_carry_are_none(self) -> None:
        assert infer([*tagged("celery", times=10), *tagged("css", times=10)], []) == []

    def test_are_at_most_three(self) -> None:
        found = infer(tagged("a", "b", "c", "d", "e", times=9), [])
        assert list(told(found)) == ["focus_a", "focus_b", "focus_c"]
        assert len(found) == MOST_OF_A_KIND


class TestRatings:
    def test_of_a_tag_that_keeps_helping_are_a_cluster(self) -> None:
        [one] = infer([], [*rated(7, "celery"), *rated(1, "celery", helpful=False)])
        assert (one.key, one.value, one.category) == ("helpful_celery", "celery", "approach")
        assert one.support.why == "7 of 8 rated insights on “celery” were helpful"

    def test_of_a_topic_are_one_too(self) -> None:
        [one] = infer([], rated(5, topic=("7f3a", "beat, cron")))
        assert (one.key, one.value) == ("helpful_topic_7f3a", "beat, cron")

    @cases(("good", "bad"), [(4, 0), (5, 3), (10, 6)])
    def test_too_few_or_too_mixed_are_none(self, good: int, bad: int) -> None:
        assert infer([], [*rated(good, "celery"), *rated(bad, "celery", helpful=False)]) == []

    def test_that_are_a_small_part_of_what_helped_are_none(self) -> None:
        assert told(infer([], [*rated(5, "celery"), *rated(15)])) == {"helpful_celery": "celery"}
        assert infer([], [*rated(5, "celery"), *rated(16)]) == []


class TestInference:
    def test_holds_on_to_what_it_has_a_little_longer(self) -> None:
        lately = [*wrote("a.ts", times=70), *wrote("b.go", times=30)]
        assert infer(lately, []) == []
        assert told(infer(lately, [], held={"primary_language"})) == {"primary_language": "TypeScript"}
        assert infer([*wrote("a.ts", times=67), *wrote("b.go", times=33)], [], held={"primary_language"}) == []

    def test_looks_at_the_newest_only(self) -> None:
        assert told(infer([*wrote("a.ts", times=WINDOW), *wrote("b.go", times=900)], []))
        assert len(infer(wrote("a.ts", times=WINDOW), [])[0].support.refs) == MOST_REFS

    def test_of_nothing_is_nothing(self) -> None:
        assert infer([], []) == []

    @given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
    def test_makes_keys_that_can_be_kept_each_once(self, tags: list[str]) -> None:
        keys = [one.key for one in infer(tagged(*tags, times=6), rated(6, *tags))]
        assert len(keys) == len(set(keys))
        assert all(0 < len(key) <= LONGEST_KEY for key in keys)
