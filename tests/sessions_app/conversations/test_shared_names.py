"""Which names tell that two conversations are about one thing."""

import pytest

from sessions_app.conversations.rules.excerpts import lines
from sessions_app.conversations.rules.sentences import PassageSentence
from sessions_app.conversations.rules.subject import (
    FEWEST_WITH_NAME,
    LOOKED_UP,
    MOST_WITH_NAME,
    compound_names,
    rare,
)
from sessions_app.transcripts.rules.speakers import Speaker
from tests.cases import cases

WORDS = [
    ("report-janitor", True),
    ("event_seq", True),
    ("deckhand/ais/dedupe.py", True),
    ("janitor", False),
    ("0.25", False),
    ("2-4", False),
]


class TestNames:
    @cases("word, is_name", WORDS)
    def test_are_words_that_are_written_together(self, word: str, is_name: bool) -> None:
        assert compound_names([word]) == ({word} if is_name else set())

    @pytest.mark.parametrize("count", [FEWEST_WITH_NAME - 1, FEWEST_WITH_NAME, MOST_WITH_NAME, MOST_WITH_NAME + 1])
    def test_are_looked_up_where_few_passages_have_them(self, count: int) -> None:
        assert bool(rare({"event_seq": count})) is (FEWEST_WITH_NAME <= count <= MOST_WITH_NAME)

    def test_are_looked_up_rarest_first(self) -> None:
        df = {f"name_{number}": FEWEST_WITH_NAME + number % 3 for number in range(3 * LOOKED_UP)}
        found = rare(df)
        assert len(found) == LOOKED_UP
        assert {df[name] for name in found} == {FEWEST_WITH_NAME}


class TestLines:
    def test_do_not_run_together_where_a_person_types_no_full_stops(self) -> None:
        said = [
            PassageSentence(3, number, Speaker.USER, text)
            for number, text in enumerate(("nice and short", "bill is 11k.", "who sends that?", "raw"))
        ]
        assert lines(said) == "(user) nice and short / bill is 11k. who sends that? raw\n"
