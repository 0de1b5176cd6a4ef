"""Which words a difference marks, and when the new text is shown instead."""

import pytest

from knowledge.review.rules.word_difference import DENSE_FROM, Stretch, is_dense, stretches
from knowledge.templatetags.diff import difference, pieces

OLD = (
    "Run beat as one process. When two of them run, each scheduled job is queued twice, and a mail goes out to the "
    "same person again, which nobody notices until they write to us."
)
NEW = (
    "The scheduler is a singleton: a second copy of it queues every job again. Give it a lock in Redis, or let the "
    "platform start exactly one, and alert on a job that is queued more often than it is due."
)


def found(old: str, new: str) -> list[Stretch]:
    return stretches(*pieces(old, new))


class TestStretches:
    def test_are_word_by_word_where_a_word_was_changed(self) -> None:
        assert found("Always run the guard first.", "Never run the guard first.") == [
            (False, "Always", "Never"),
            (True, " run the guard first.", " run the guard first."),
        ]

    def test_join_a_word_that_stayed_between_longer_changes(self) -> None:
        assert found("alpha beta of gamma delta", "one two of three four") == [
            (False, "alpha beta of gamma delta", "one two of three four")
        ]

    def test_keep_the_end_of_a_line(self) -> None:
        assert (True, "\n\n", "\n\n") in found("alpha beta\n\ngamma delta", "one two\n\nthree four")

    @pytest.mark.parametrize(("old", "new"), [(OLD, NEW), ("", NEW), (OLD, ""), (OLD, OLD), ("", "")])
    def test_hold_both_texts_whole(self, old: str, new: str) -> None:
        made = found(old, new)
        assert ("".join(one for _, one, _ in made), "".join(two for _, _, two in made)) == (old, new)


class TestDense:
    def test_is_a_text_that_was_rewritten(self) -> None:
        assert is_dense(found(OLD, NEW))

    def test_is_none_in_which_a_sentence_was_added(self) -> None:
        assert not is_dense(found(OLD, f"{OLD} Give it a lock."))

    def test_is_no_short_text_however_it_differs(self) -> None:
        words = ["word"] * (DENSE_FROM - 1)
        assert not is_dense(found("Another text.", " ".join(words)))
        assert is_dense(found("Another text.", " ".join([*words, "word"])))

    def test_is_a_text_with_a_change_every_few_words(self) -> None:
        old = " ".join(f"the same words stay here {n}" for n in range(10))
        new = " ".join(f"the same words stay here {n + 100}" for n in range(10))
        assert is_dense(found(old, new))


def test_a_rewritten_sentence_is_struck_out_whole_and_then_written_whole() -> None:
    assert str(difference("alpha beta of gamma delta", "one two of three four")) == (
        "<del>alpha beta of gamma delta</del><ins>one two of three four</ins>"
    )
