"""How well topics agree with labels."""

import pytest

from sessions_app.lab.metrics.topics import LOAM, Agreement, agreement, by_words, majority, tables
from tests.cases import cases

GIT = ["git rebase of a branch", "git merge of a branch", "git commit on a branch", "git stash and git branch"]
CSS = ["css grid layout of a page", "css flex layout of a page", "css margin of the page", "css page layout gap"]


class TestAgreement:
    @cases(
        ("topics", "nmi", "purity", "count"),
        [
            ([1, 1, 2, 2], 1.0, 1.0, 2),
            ([7, 7, 7, 7], 0.0, 0.5, 1),
            ([1, 2, 3, 4], 2 / 3, 1.0, 4),
            (["x", None, "y", "y"], 0.8, 0.75, 3),
        ],
    )
    def test_is_as_defined(self, topics: list[object], nmi: float, purity: float, count: int) -> None:
        found = agreement(topics, ["a", "a", "b", "b"])
        assert (found.nmi, found.purity, found.topics) == (pytest.approx(nmi), purity, count)

    def test_counts_the_majority_of_each_topic(self) -> None:
        assert majority([1, 1, 1, 2, None], ["a", "a", "b", "b", "b"]) == {1: 2, 2: 1}


class TestByWords:
    def test_tells_two_vocabularies_apart(self) -> None:
        found = by_words(GIT + CSS, ["git"] * 4 + ["css"] * 4, 2)
        assert found.nmi > 0.5
        assert found.topics == 2


class TestTables:
    def test_show_figures_and_labels(self) -> None:
        first, second = tables({"notes": {LOAM: Agreement(0.631, 0.5, 40)}}, {"notes": [("git", 9, "vim", 1 / 3)]})
        assert "| notes: Loam |     40 | .631 |   .500 |" in first.markdown
        assert "| git   |     9 |         vim |   .33 |" in second.markdown
