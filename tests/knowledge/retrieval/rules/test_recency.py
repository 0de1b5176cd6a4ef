"""Which questions are about what is new, and how far back they look."""

import pytest

from knowledge.retrieval.rules.recency import LATEST, RECENTLY, Recency, recency
from tests.cases import cases


class TestRecency:
    @cases(
        ("question", "days", "decisions", "alone"),
        [
            ("what did we decide last week", 14, True, True),
            ("What did we decide last week?", 14, True, True),
            ("what did we decide last week about caching", 14, True, False),
            ("what did the team learn in the past 3 days?", 3, False, True),
            ("which decisions did we take in the last two months", 62, True, True),
            ("what have we agreed on over the last couple of weeks", 14, True, True),
            ("decisions of this week", 7, True, True),
            ("what did we learn yesterday about the importer", 2, False, False),
            ("what did we discuss two weeks ago on tokens", 21, False, False),
            ("what's new?", RECENTLY, False, True),
            ("what changed recently in our auth service", RECENTLY, False, False),
            ("the latest decision on redis", LATEST, True, False),
            ("show me the most recent decisions", RECENTLY, True, True),
            ("what did we decide on Monday", 7, True, True),
            ("did we find out anything about the flaky test today", 1, False, False),
        ],
    )
    def test_is_read_off_the_question(self, question: str, days: float, decisions: bool, alone: bool) -> None:
        assert recency(question) == Recency(days, decisions, alone)

    @cases(
        "question",
        [
            "find files modified in the last 7 days",
            "python get the date of last week",
            "which port do we use",
            "install the latest version of node",
            "how does git show the most recent commit",
            "why did we choose PostgreSQL",
            "sort by newest first",
            "the cron job that ran yesterday fails",
            "",
        ],
    )
    def test_is_not_in_a_question_about_something_else(self, question: str) -> None:
        assert recency(question) is None

    def test_is_full_within_the_time_and_halves_with_each_time_more(self) -> None:
        week = Recency(7, decisions=False, alone=False)
        assert [week.freshness(age) for age in (-1, 0, 7)] == [1, 1, 1]
        assert week.freshness(14) == pytest.approx(0.5)
        assert week.freshness(21) == pytest.approx(0.25)

    def test_of_an_hour_does_not_divide_by_nothing(self) -> None:
        found = recency("what did we learn in the last 0 days")
        assert found and found.freshness(1) > 0
