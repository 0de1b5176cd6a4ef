"""What is kept of a text that must not be lost."""

from sessions_app.rules.stored_text import keep, keep_each, keep_line
from sessions_app.rules.vocabulary import outcome

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


class TestAKeptText:
    def test_has_no_secret_nor_address_nor_unseen_character(self) -> None:
        kept = keep(f"key {SECRET} of jane.doe@acme-corp.io\u200b", 200)
        assert kept == "key [SECRET] of [EMAIL]"

    def test_is_masked_before_it_is_cut(self) -> None:
        for longest in range(20, 60):
            assert SECRET[:12] not in keep(f"the key is {SECRET} and more of it", longest)

    def test_is_no_longer_than_is_kept_and_says_that_it_was_cut(self) -> None:
        assert keep("word " * 50, 20) == "word word word w […]"
        assert len(keep("x" * 99, 20)) == 20

    def test_of_a_line_is_one_line(self) -> None:
        assert keep_line(" a\n\tb ", 20) == "a b"

    def test_of_several_is_each_once(self) -> None:
        assert keep_each(["a", "", "b", "a"], 20) == ["a", "b"]


def test_an_outcome_is_passed_failed_or_nothing() -> None:
    assert [outcome(word) for word in ("OK", "passed", "Failed", "error", "", "maybe")] == [
        "passed", "passed", "failed", "failed", "", "",
    ]  # fmt: skip
    assert outcome("", "KeyError") == "failed"
    assert outcome("passed", "a warning") == "passed"
