"""Means by half, and the tables made of them."""

import pytest

from sessions_app.lab.metrics.comparison import RANKED, SERVED, WAYS, Judgement, halves, tables
from sessions_app.lab.metrics.ranked_lists import Quality, held_out

CHOOSING = [f"q{n}" for n in range(40) if not held_out(f"q{n}")]
HELD_OUT = [f"q{n}" for n in range(40) if held_out(f"q{n}")]


def judgement(question, ndcg=0.5, **over):
    scores = dict.fromkeys(WAYS, ndcg) | over
    return Judgement(question, {way: Quality(value, value, value, value) for way, value in scores.items()})


class TestHalves:
    def test_are_apart_and_together(self):
        found = halves([judgement(CHOOSING[0], 0.2), judgement(HELD_OUT[0], 0.8), judgement(HELD_OUT[1], 0.6)])
        assert {half: (one["questions"], one["ways"]["loam"]["ndcg_10"]) for half, one in found.items()} == {
            "choosing": (1, 0.2),
            "held_out": (2, pytest.approx(0.7)),
            "all": (3, pytest.approx(1.6 / 3)),
        }

    def test_leaves_out_a_half_without_questions(self):
        assert set(halves([judgement(CHOOSING[0])])) == {"choosing", "all"}


class TestTables:
    @pytest.fixture
    def made(self):
        sets = {
            "cosqa": halves([judgement(HELD_OUT[0], 0.5, cosine=0.75, loam=0.7, served=0.625)]),
            "cacm": halves([judgement(HELD_OUT[0], 0.25, rrf=0.5, loam=0.8)]),
        }
        return {table.title: table for table in tables(sets)}

    def test_are_one_for_each_half_and_its_other_measures(self, made):
        assert list(made) == [
            "nDCG@10, held-out half",
            "Loam's other measures, held-out half",
            "nDCG@10, all questions",
            "Loam's other measures, all questions",
        ]

    def test_have_a_row_for_each_way_with_the_mean_over_sets(self, made):
        table = made["nDCG@10, held-out half"]
        rows = {row[0]: row[1:] for row in table.rows}
        assert table.columns == ["", "CoSQA (1)", "CACM (1)", "mean"]
        assert rows["cosine"] == [".750", ".250", ".500"]
        assert rows[WAYS[RANKED]] == [".700", ".800", ".750"]
        assert rows[WAYS[SERVED]] == [".625", ".250", ".438"]

    def test_set_loam_against_the_best_other_of_each_set_and_of_the_means(self, made):
        *_, label, first, second, mean = [cell for row in made["nDCG@10, held-out half"].rows for cell in row]
        assert label.startswith("…")
        assert (first, second, mean) == ("−.050", "+.300", "+.250")
