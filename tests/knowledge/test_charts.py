"""Numbers as pictures, and moments as words."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from django.template import Context, Template
from django.utils import timezone

from knowledge.retrieval.rules.score import Part, Score
from knowledge.templatetags.charts import bar, fading, figure, points, score_table
from knowledge.templatetags.diff import difference
from knowledge.templatetags.loam import distance
from tests.cases import cases


@dataclass
class Row:
    strength: float = 80.0
    strength_at: datetime = timezone.now() - timedelta(days=14)
    status: str = "draft"
    stability: str = "stable"
    pinned: bool = False
    kind: str = "PITFALL"


def curve(row: Row) -> str:
    return Template("{% load charts %}{% strength_curve row %}").render(Context({"row": row}))


class TestStrengthCurve:
    def test_says_what_is_left_and_when_half_of_it_is(self) -> None:
        html = curve(Row())
        half = (timezone.now() + timedelta(days=14)).strftime("%-d %b %Y")
        assert re.search(r">40</span>", html)
        assert f"Strength falls from 40 now to 20 on {half}" in html
        assert "Half-life of draft insights: 14 days" in html

    @cases(
        "row",
        [Row(status="promoted", pinned=True), Row(status="promoted", stability="evergreen"), Row(kind="DECISION")],
    )
    def test_is_a_line_for_what_does_not_fade(self, row: Row) -> None:
        html = curve(row)
        assert "does not fade" in html
        assert "Strength stays at 80." in html

    def test_says_why_a_decision_does_not_fade_and_that_a_deprecated_one_does(self) -> None:
        assert "A decision does not fade" in curve(Row(kind="DECISION", pinned=True))
        assert "Half-life of deprecated insights: 7 days" in curve(Row(kind="DECISION", status="deprecated"))

    def test_starts_at_the_stored_strength_and_only_falls(self) -> None:
        heights = [float(pair.split(",")[1]) for pair in points(fading(Row()), 0, 42, 42, 100, 100).split()]
        assert heights[0] == 20.0
        assert heights == sorted(heights)


class TestScoreTable:
    def test_shows_every_part_and_their_sum(self) -> None:
        score = Score((Part("similarity", 0.8, 0.5, "meaning 0.80"), Part("trust", 0.6, 0.1, "draft, unknown")))
        context = score_table(score, "7")
        assert [part.name for part, _ in context["terms"]] == ["similarity", "trust"]
        assert context["total"] == pytest.approx(0.46)
        assert 'width="100.0" height' in context["terms"][0][1]
        assert 'width="15.0" height' in context["terms"][1][1]

    def test_bears_a_score_of_nothing(self) -> None:
        assert score_table(Score((Part("similarity", 0.0, 0.5, ""),)), "7")["total"] == 0

    @cases(("value", "places", "text"), [(0.46, 3, "0.460"), (1, 2, "1.00"), (0.0004, 3, "0.000"), (-0.5, 1, "-0.5")])
    def test_writes_figures_with_their_places(self, value: float, places: int, text: str) -> None:
        assert figure(value, places) == text

    @cases(("share", "width"), [(-1, "0.0"), (0.5, "50.0"), (7, "100.0")])
    def test_keeps_bars_within_their_track(self, share: float, width: str) -> None:
        assert f'class="svg-fill" width="{width}"' in bar(share)


class TestDistance:
    @cases(
        ("gap", "words"),
        [
            (timedelta(seconds=-59), "just now"),
            (timedelta(seconds=-60), "1 minute ago"),
            (timedelta(hours=-5), "5 hours ago"),
            (timedelta(days=-1), "1 day ago"),
            (timedelta(days=-13), "2 weeks ago"),
            (timedelta(days=90), "in 3 months"),
            (timedelta(days=-800), "2 years ago"),
        ],
    )
    def test_is_told_in_the_largest_unit(self, gap: timedelta, words: str) -> None:
        assert distance(gap) == words


class TestDifference:
    def test_marks_what_went_and_what_came(self) -> None:
        assert difference("wait ten seconds", "wait two seconds") == "wait <del>ten</del><ins>two</ins> seconds"

    def test_keeps_words_words(self) -> None:
        assert difference("", "<script>") == "<ins>&lt;script&gt;</ins>"

    def test_compares_long_texts_by_lines(self) -> None:
        old = "".join(f"line {n}\n" for n in range(1_500))
        assert difference(old, old.replace("line 700\n", "")).count("<del>") == 1

    @cases(("old", "new"), [(["a"], ["a", "b"]), (None, 3)])
    def test_takes_lists_and_nothing(self, old: object, new: object) -> None:
        assert "<ins>" in difference(old, new)
