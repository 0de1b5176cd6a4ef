"""The curves over the floor."""

import pytest

from knowledge.retrieval.rules import relevance
from sessions_app.lab.metrics.abstention import AbstentionProbe, figures, tables
from sessions_app.lab.metrics.tables import decimal

N = 100
FLOOR = relevance.floor(N)


def probe(evidence, cosine=0.3, found=False, question="q"):
    return AbstentionProbe(question, N, evidence, cosine, answered=evidence >= FLOOR, found=found)


KNOWN = [probe(FLOOR + 0.2, 0.6, found=True), probe(FLOOR - 0.01, 0.4, found=True), probe(FLOOR + 0.2, 0.6)]
AWAY = [probe(FLOOR + 0.01, 0.45), probe(FLOOR - 0.05, 0.35)]


class TestFigures:
    @pytest.fixture
    def made(self):
        return figures(KNOWN, {"notes": AWAY})

    def test_have_loams_own_point(self, made):
        assert made["loam"]["all"] == {"found": pytest.approx(1 / 3), "nothing": {"notes": 0.5}}

    def test_have_the_same_point_on_the_curve(self, made):
        (own,) = [point for point in made["curve"] if point["floor"] == relevance.FLOOR]
        assert own == {"floor": relevance.FLOOR, **made["loam"]["all"]}

    def test_find_more_and_turn_away_less_below(self, made):
        lower = next(point for point in made["curve"] if point["floor"] == round(relevance.FLOOR - 0.06, 4))
        assert (lower["found"], lower["nothing"]["notes"]) == (pytest.approx(2 / 3), 0.0)

    def test_never_rise_in_one_and_never_fall_in_the_other(self, made):
        for curve in (made["curve"], made["cosine_curve"]):
            found = [point["found"] for point in curve]
            nothing = [point["nothing"]["notes"] for point in curve]
            assert found == sorted(found, reverse=True)
            assert nothing == sorted(nothing)

    def test_judge_by_the_cosine_alone_beside_it(self, made):
        at = {point["floor"]: point for point in made["cosine_curve"]}
        assert (at[0.42]["found"], at[0.42]["nothing"]["notes"]) == (pytest.approx(1 / 3), 0.5)
        assert (at[0.40]["found"], at[0.40]["nothing"]["notes"]) == (pytest.approx(2 / 3), 0.5)

    def test_are_apart_by_half(self, made):
        halves = [made["loam"][half]["found"] for half in ("choosing", "held_out")]
        assert sorted(halves, key=lambda value: value is None) == [pytest.approx(1 / 3), None]


class TestTables:
    def test_mark_loams_own_floor(self):
        points, curve, plain = tables(figures(KNOWN, {"notes": AWAY}), "found", {"notes": "nothing"})
        assert [f"**{decimal(relevance.FLOOR)}**", ".333", ".500"] in curve.rows
        assert points.rows[0] == ["all questions", ".333", ".500"]
        assert plain.columns == ["cosine", "found", "nothing"]
