"""A long question in parts, and how a row is matched by the best of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval.rules.question_parts import DISCOUNT, MOST_PARTS, by_best_part, question_parts

REPORT = (
    "Since Tuesday the confirmation mails are sometimes missing. The log of the worker says the order does not exist. "
    "When I open the admin a second later it is there. It only happens under load. Why can the task not see the order?"
)


class TestQuestionParts:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "why is the order missing? it was there.",
            "list all files below this folder that were changed in the last two days and are larger than ten megabytes "
            "and sort them by size",
        ],
    )
    def test_of_a_short_question_or_one_sentence_are_none(self, text: str) -> None:
        assert question_parts(text) == []

    def test_are_whole_sentences_of_about_the_same_length(self) -> None:
        assert question_parts(REPORT) == [
            "Since Tuesday the confirmation mails are sometimes missing. "
            "The log of the worker says the order does not exist.",
            "When I open the admin a second later it is there.",
            "It only happens under load. Why can the task not see the order?",
        ]

    def test_end_at_lines_too(self) -> None:
        lines = "the first line has eight words in it\n" * 2 + "and the second one has eight words too"
        assert len(question_parts(lines)) == 3

    @given(st.text(alphabet="ab .?!\n", max_size=600))
    def test_have_all_words_in_order(self, text: str) -> None:
        parts = question_parts(text)
        assert len(parts) <= MOST_PARTS and len(parts) != 1
        assert not parts or " ".join(parts).split() == text.split()


class TestByBestPart:
    def test_is_the_whole_where_no_part_says_more(self) -> None:
        assert by_best_part(0.4, -5.0, [0.4, -2.0, 0.9, 0.0], 10.0, [4.0, 6.0]) == (0.4, -5.0)

    def test_is_the_part_with_its_words_in_the_measure_of_the_whole(self) -> None:
        # A part of which every word is there counts like a question of which every word is there.
        assert by_best_part(0.8, -4.0, [0.9, 0.0, 0.3, -4.0], 20.0, [16.0, 4.0]) == (0.3 + DISCOUNT, -20.0)

    def test_has_to_be_better_by_more_than_chance(self) -> None:
        assert by_best_part(0.5, 0.0, [0.5 - DISCOUNT + 0.01, 0.0], 1.0, [1.0]) == (0.5, 0.0)
        assert by_best_part(0.5, 0.0, [0.5 - DISCOUNT - 0.01, 0.0], 1.0, [1.0])[0] == pytest.approx(0.49)

    def test_bears_rows_without_a_vector_and_parts_without_a_known_word(self) -> None:
        assert by_best_part(None, -3.0, [None, -3.0], 6.0, [3.0]) == (None, -3.0)
        assert by_best_part(0.9, 0.0, [None, None, 0.2, 0.0], 0.0, [0.0, 0.0]) == (0.2 + DISCOUNT, 0.0)
