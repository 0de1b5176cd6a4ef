"""A question's words, as messages of errors are looked up by them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors.rules.quoted_words import LEAST, MOST_READ, QuotedWords, quoted_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cannot open resource", ["cannot", "open", "resource"]),
        ("Read-only file_system", ["read", "only", "file", "system"]),
        ("java.lang.OutOfMemoryError: <num> of GC", ["java", "lang", "outofmemoryerror", "of", "gc"]),
        ("<Room> is closed", ["room", "is", "closed"]),
        ("Datei nicht geöffnet – №7", ["datei", "nicht", "geöffnet", "7"]),
        ("x" * 61, []),
    ],
)
def test_words_are_letters_and_digits(text: str, words: list[str]) -> None:
    assert words_of(text)[: len(words)] == words


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("open the", ""),
        ("cannot open resource", "'cannot' & 'open' & 'resource'"),
        ("it's a no", ""),
        (" ".join(f"word{n}" for n in range(50)), ""),
    ],
)
def test_a_part_of_a_message_has_a_few_words(question: str, part: str) -> None:
    assert quoted_words(question).part == part


def test_what_the_error_says_is_the_part_where_there_is_one() -> None:
    found = quoted_words(
        "help", ["OSError: [Errno 28] No space left on device: '/x'"], "OSError: No space left on device"
    )
    assert found.part == "'device' & 'left' & 'no' & 'on' & 'oserror' & 'space'"
    assert "help" in found.words


def test_each_two_words_that_stand_together_are_looked_up() -> None:
    found = quoted_words("open open a file")
    assert found.whole == "('a' & 'open') | ('a' & 'file')"
    assert found.either == "(('a' & 'open') | ('a' & 'file'))"


def test_nothing_is_looked_up_for_no_words() -> None:
    assert quoted_words("…?") == QuotedWords()


@given(st.text(max_size=600))
def test_any_text_makes_words_that_the_database_can_read(text: str) -> None:
    found = quoted_words(text)
    assert len(found.words) <= MOST_READ
    assert all("'" not in word and "\\" not in word and word == word.lower() for word in found.words)
    assert not found.part or len(found.part.split(" & ")) >= LEAST
