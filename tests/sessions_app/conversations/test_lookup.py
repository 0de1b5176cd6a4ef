"""By which words of a question passages are looked up."""

from collections.abc import Mapping
from itertools import combinations

import pytest
from django.db import connection

from knowledge.rules.vectors import lexemes
from sessions_app.conversations.rules.lookup import BUDGET, MOST_ALONE, lookup

TOTAL = 100_000
WORDS = ["api", "it's", "b|c", "retri", "backoff", "gateway", "c:\\logs"]


def found(text: list[str], df: Mapping[str, int], unknown: int = 0, *, words_alone: bool = False) -> bool:
    """Whether a passage with these words is found by a question of those in `df` and so many that occur nowhere."""
    asked = [*df, *(f"unknown{n}" for n in range(unknown))]
    query = lookup(asked, TOTAL, df, words_alone=words_alone)
    if not query:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::tsvector @@ %s::tsquery", [lexemes(text), query])
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db
class TestLookup:
    @pytest.mark.parametrize("count", range(3, len(WORDS) + 1))
    def test_finds_any_two_words_and_no_single_one(self, count: int) -> None:
        df = dict.fromkeys(WORDS[:count], 100)
        assert all(found(["else", *pair], df) for pair in combinations(df, 2))
        assert not any(found(["else", word], df) for word in df)

    def test_finds_one_word_that_is_half_of_the_question(self) -> None:
        assert found(["retri"], {"retri": 50, "api": 40_000})
        assert not found(["api"], {"retri": 50, "api": 40_000})
        assert not found(["retri"], {"retri": 50, "api": 40_000}, unknown=1)

    @pytest.mark.parametrize(("passages", "enough"), [(MOST_ALONE, True), (MOST_ALONE + 1, False)])
    def test_finds_no_single_word_that_very_many_have(self, passages: int, enough: bool) -> None:
        assert found(["retri"], {"retri": passages}) is enough

    @pytest.mark.parametrize(("read", "enough"), [(BUDGET, True), (BUDGET + 1, False)])
    def test_reads_the_rarest_words_and_compares_one_more(self, read: int, enough: bool) -> None:
        df = {"retri": 1, "backoff": 2, "gateway": read - 3, "api": 60_000}
        assert found(["retri", "api"], df) is enough
        assert found(["retri", "gateway"], df)

    def test_finds_any_word_where_words_must_do_alone(self) -> None:
        df = {"retri": 50, "backoff": 60, "api": 40_000}
        assert found(["backoff"], df, words_alone=True)
        assert not found(["api"], df, words_alone=True)

    def test_finds_nothing_by_words_that_occur_nowhere(self) -> None:
        assert lookup(["unknown"], TOTAL, {}, words_alone=False) == lookup([], TOTAL, {}, words_alone=True) == ""
