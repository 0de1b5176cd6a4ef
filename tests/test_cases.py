"""One test that tries a whole table fails with each case that fails, and with one that has none."""

import inspect

import pytest

from tests.cases import cases


def failures(test: object) -> list[str]:
    with pytest.RaisesGroup(AssertionError, AssertionError, allow_unwrapped=False) as caught:
        test()  # type: ignore[operator]
    return [failure.__notes__[0] for failure in caught.value.exceptions]


class TestCases:
    def test_are_all_tried_and_each_that_fails_is_named(self) -> None:
        tried = []

        @cases(("number", "even"), [(2, True), (3, True), pytest.param(4, True, id="four"), (5, True)])
        def rule(number: int, even: bool) -> None:
            tried.append(number)
            assert (number % 2 == 0) is even

        assert failures(rule) == ["case: 3, True", "case: 5, True"]
        assert tried == [2, 3, 4, 5]

    def test_are_named_by_their_ids(self) -> None:
        @cases("number", [1, 2, 3], ids=["one", "two", "three"])
        def rule(number: int) -> None:
            assert number == 1

        assert failures(rule) == ["case: two", "case: three"]

    def test_of_two_tables_are_each_tried_with_each(self) -> None:
        tried = []

        @cases("left", "ab")
        @cases("right", [1, 2])
        def rule(left: str, right: int) -> None:
            tried.append((left, right))

        rule()
        assert tried == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]

    def test_of_a_table_without_any_fail(self) -> None:
        @cases("number", [])
        def rule(number: int) -> None:
            raise AssertionError

        with pytest.raises(AssertionError, match="without a case"):
            rule()

    def test_leave_the_other_arguments_to_pytest(self) -> None:
        @cases("letter", "ab")
        def rule(letter: str, now: object) -> None: ...

        assert list(inspect.signature(rule).parameters) == ["now"]
