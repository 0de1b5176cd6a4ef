"""By which words of a question passages are looked up."""

from collections.abc import Mapping
from itertools import combinations

import pytest
from django.db import connection

from knowledge.rules.vectors import lexemes
from sessions_app.conversations.rules.question import ALONE, BUDGET, lookup
from tests.cases import cases

WORDS = ["api", "it's", "b|c", "retri", "backoff", "gateway", "c:\\logs"]


def found(text: list[str], df: Mapping[str, int], *, words_alone: bool = False) -> bool:
    """Whether a passage with these words is found by a question of those in `df`."""
    query = lookup(df, words_alone=words_alone)
    if not query:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::tsvector @@ %s::tsquery", [lexemes(text), query])
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db
class TestLookup:
    @cases("count", range(2, len(WORDS) + 1))
    def test_finds_any_two_common_words_and_no_single_one(self, count: int) -> None:
        df = dict.fromkeys(WORDS[:count], ALONE + 1)
        assert all(found(["else", *pair], df) for pair in combinations(df, 2))
        assert not any(found(["else", word], df) for word in df)

    @cases(("passages", "enough"), [(ALONE - 50, True), (ALONE - 49, False)])
    def test_finds_the_rarest_words_by_themselves(self, passages: int, enough: bool) -> None:
        df = {"retri": 50, "gateway": passages, "api": 40_000}
        assert found(["retri"], df)
        assert found(["gateway"], df) is enough
        assert not found(["api"], df)

    @cases(("read", "enough"), [(BUDGET, True), (BUDGET + 1, False)])
    def test_reads_the_rarest_of_the_others_and_compares_one_more(self, read: int, enough: bool) -> None:
        df = {"backoff": 1_000, "gateway": read - 1_000, "api": 60_000}
        assert found(["backoff", "api"], df) is enough
        assert found(["backoff", "gateway"], df)

    def test_finds_any_word_where_words_must_do_alone(self) -> None:
        df = {"retri": 50, "backoff": 600, "api": 40_000}
        assert found(["backoff"], df, words_alone=True)
        assert not found(["api"], df, words_alone=True)
        assert found(["api"], {"api": 40_000}, words_alone=True)

    def test_finds_nothing_by_words_that_occur_nowhere(self) -> None:
        assert lookup({}, words_alone=False) == lookup({}, words_alone=True) == ""
