from collections import Counter
from math import log
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.bm25 import (
    MOST_TOGETHER,
    budget_of,
    document_weights,
    idf,
    lookup,
    narrows,
    position,
    query_weights,
    rarest,
    terms,
    total_idf,
)
from tests.cases import cases

TABLE = [
    ("prose is stemmed", "Migrations hanging", ["migrat", "hang"]),
    ("stop words are out", "why is it that the pool was not closed", ["pool", "close"]),
    ("contractions are stop words", "don't, can’t, it's", []),
    ("camelCase", "readCsv", ["readcsv", "read", "csv"]),
    ("an acronym in camelCase", "HTTPServerError", ["httpservererror", "http", "server", "error"]),
    ("snake_case", "select_for_update", ["select_for_update", "select", "updat"]),
    ("kebab-case", "--force-with-lease", ["force-with-lease", "forc", "leas"]),
    ("dots", "django.db.models", ["django.db.models", "django", "db", "model"]),
    (
        "paths",
        "knowledge/rules/score.py",
        ["knowledge/rules/score.py", "knowledg", "rule", "score", "py"],
    ),
    ("a path of Windows is the same path", r"rules\score.py", ["rules/score.py", "rule", "score", "py"]),
    ("scopes", "std::vector", ["std::vector", "std", "vector"]),
    ("dunder names", "__init__", ["init"]),
    ("versions stay whole", "Python 3.11.4", ["python", "3.11.4"]),
    ("numbers stay", "port 5432", ["port", "5432"]),
    (
        "a number in an identifier",
        "error-404 ipv4 sha256",
        ["error-404", "error", "404", "ipv4", "ipv", "sha256", "sha", "256"],
    ),
    ("languages with signs", "C++ and C#", ["c++", "c#"]),
    ("accents", "Réglage", ["reglag"]),
    ("scripts without spaces", "数据库", ["数据", "据库"]),
    ("capitals are not camelCase", "TIMEOUT Timeout", ["timeout", "timeout"]),
    ("nothing", " \n\t", []),
]
TEXTS = st.text(max_size=400)


class TestTerms:
    @cases(("text", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
    def test_splits_and_keeps(self, text, expected):
        assert terms(text) == expected

    def test_repeats_a_word_as_often_as_it_occurs(self):
        assert Counter(terms("lock, locks and locking"))["lock"] == 3

    def test_finds_an_identifier_by_its_words_and_itself(self):
        document = set(terms("`AddIndexConcurrently` needs atomic = False"))
        assert document.issuperset(terms("AddIndexConcurrently"))
        assert document.issuperset(terms("add index concurrently"))

    def test_drops_a_term_past_the_longest(self):
        longest = "x" * bm25.LONGEST_TERM
        assert terms(longest) == [longest]
        assert terms(longest + "x") == []

    def test_keeps_the_parts_of_a_compound_past_the_longest(self):
        assert terms("/".join(["alpha"] * 30)) == ["alpha"] * 30

    def test_is_the_same_from_many_threads(self):
        text = " ".join(f"running{n} migrations{n} hanging{n}" for n in range(3000))
        expected = terms(text)
        bm25._expanded.cache_clear()
        seen = []
        threads = [Thread(target=lambda: seen.append(terms(text))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [expected] * 4

    @given(TEXTS)
    def test_gives_what_postgresql_and_a_query_string_can_hold(self, text):
        for term in terms(text):
            assert 0 < len(term) <= bm25.LONGEST_TERM * 2
            assert not set(term) & set(" '\"\\\0\n")


class TestPosition:
    def test_does_not_move_between_releases(self):
        assert position("migrat") == 64389572

    def test_is_within_the_dimensions_of_a_sparsevec(self):
        places = [position(f"word{n}") for n in range(2000)]
        assert min(places) >= 1
        assert max(places) <= bm25.POSITIONS
        assert len(set(places)) == 2000


class TestDocumentWeights:
    def test_is_one_for_a_word_once_in_a_document_of_average_length(self):
        assert document_weights(["a1", "b1"], average_length=2) == pytest.approx(
            {position("a1"): 1.0, position("b1"): 1.0}
        )

    def test_saturates(self):
        weights = [document_weights(["lock"] * n, average_length=n)[position("lock")] for n in (1, 2, 50)]
        assert weights[0] < weights[1] < weights[2] < bm25.K1 + 1

    def test_holds_a_long_document_back(self):
        short = document_weights(["lock", "x1"], average_length=10)[position("lock")]
        long = document_weights(["lock", *["x1"] * 40], average_length=10)[position("lock")]
        assert short > 1 > long

    def test_keeps_to_what_a_sparsevec_holds(self):
        assert len(document_weights([f"w{n}" for n in range(20_000)], 100)) <= bm25.MOST_TERMS

    def test_is_empty_for_no_words(self):
        assert document_weights([], average_length=0) == {}


class TestIdf:
    def test_is_lucenes(self):
        assert idf(100, 3) == pytest.approx(log(1 + 97.5 / 3.5))

    def test_falls_with_the_document_frequency_and_is_never_negative(self):
        values = [idf(10, df) for df in range(11)]
        assert values == sorted(values, reverse=True)
        assert values[-1] > 0

    def test_bears_counts_that_run_ahead_of_the_total(self):
        assert idf(3, 5) > 0


class TestQueryWeights:
    def test_leaves_out_words_that_do_not_occur(self):
        assert query_weights(["lock", "zebra"], 10, {"lock": 2}) == {position("lock"): idf(10, 2)}

    def test_counts_a_repeated_word_twice(self):
        assert query_weights(["lock", "lock"], 10, {"lock": 2})[position("lock")] == pytest.approx(2 * idf(10, 2))

    def test_gives_bm25_as_an_inner_product(self):
        documents = [["lock", "lock", "tabl"], ["tabl", "index"], ["index", "index", "index", "lock"]]
        df = Counter(term for document in documents for term in set(document))
        average = sum(map(len, documents)) / 3
        query = query_weights(["lock", "index"], 3, df)
        for document in documents:
            weights = document_weights(document, average)
            score = sum(weight * weights.get(at, 0) for at, weight in query.items())
            expected = 0.0
            for term in ("lock", "index"):
                tf = document.count(term)
                norm = bm25.K1 * (1 - bm25.B + bm25.B * len(document) / average)
                expected += idf(3, df[term]) * tf * (bm25.K1 + 1) / (tf + norm)
            assert score == pytest.approx(expected)


class TestTotalIdf:
    def test_counts_words_nobody_ever_said_as_the_rarest(self):
        assert total_idf(["lock", "zebra"], 10, {"lock": 2}) == pytest.approx(idf(10, 2) + idf(10, 0))


class TestRarest:
    DF = {"common": 900, "rare": 10, "middling": 90, "new": 0}

    def test_adds_the_rarest_while_they_fit(self):
        assert rarest(self.DF, 100) == ["new", "rare", "middling"]

    def test_stops_at_the_budget(self):
        assert rarest(self.DF, 99) == ["new", "rare"]

    def test_gives_one_that_occurs_however_common(self):
        assert rarest({"common": 900, "new": 0}, 100) == ["new", "common"]

    def test_is_empty_for_no_words(self):
        assert rarest({}, 100) == []

    def test_orders_ties_by_word(self):
        assert rarest({"b1": 5, "a1": 5}, 5) == ["a1"]


class TestBudget:
    @cases(("beside", "rows"), [(0, 5_000), (1, 2_500), (9, 500), (99, 500)])
    def test_is_less_where_rows_of_others_are_read_with_each(self, beside, rows):
        assert budget_of(5_000, 500, beside) == rows


class TestLookup:
    N = 1_000_000

    def test_is_by_the_rarest_words_while_they_fit(self):
        df = {"common": 900, "rare": 10, "middling": 90, "new": 0}
        assert lookup(df, 1_000, 100) == {("new",): 0, ("rare",): 10, ("middling",): 90}

    @cases(("rows", "together"), [(5_000, False), (5_001, True)])
    def test_is_by_pairs_where_the_rarest_word_does_not_fit(self, rows, together):
        found = lookup({"timeout": rows, "api": 80_000}, self.N, 5_000)
        assert found == ({("timeout", "api"): pytest.approx(rows * 0.08)} if together else {("timeout",): rows})

    def test_takes_the_rarest_pairs_that_fit(self):
        df = {"timeout": 38_600, "gateway": 81_266, "api": 96_800}
        found = lookup(df, self.N, 7_000)
        assert list(found) == [("timeout", "gateway"), ("timeout", "api")]
        assert found["timeout", "gateway"] == pytest.approx(3_137, abs=1)

    def test_puts_more_words_together_where_no_pair_is_rare_enough(self):
        df = {"test": 400_000, "run": 450_000, "file": 500_000, "use": 20_000_000}
        assert list(lookup(df, self.N, 100_000)) == [("test", "run", "file")]

    def test_is_by_a_single_word_however_common(self):
        assert lookup({"docker": 90_000}, self.N, 5_000) == {("docker",): 90_000}

    def test_keeps_words_that_are_not_counted_yet(self):
        assert ("new",) in lookup({"new": 0, "docker": 90_000, "api": 50_000}, self.N, 5_000)

    def test_is_empty_for_no_words(self):
        assert lookup({}, self.N, 5_000) == {}

    def test_looks_at_few_words_of_a_long_question(self):
        df = {f"w{number:02}": 50_000 + number for number in range(60)}
        assert {word for words in lookup(df, self.N, 10**9 // 2) for word in words} <= df.keys()
        few = lookup(df, self.N, 6_000)
        assert len(few) > 0 and {word for words in few for word in words} <= set(list(df)[:MOST_TOGETHER])


class TestNarrows:
    @cases(
        ("found", "here", "everywhere", "by_index"),
        [
            (2_500, 100_000, 100_000, False),  # all there is
            (2_500, 95_000, 100_000, False),
            (2_500, 59_000, 100_000, True),
            (2_500, 10_000, 100_000, True),
            (10, 95_000, 100_000, False),
            (0, 10, 100_000, False),
            (0, 0, 0, False),
        ],
    )
    def test_only_where_it_saves_more_than_it_costs(
        self, found: int, here: int, everywhere: int, by_index: bool
    ) -> None:
        assert narrows(found, here, everywhere) is by_index
