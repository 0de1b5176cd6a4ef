"""Two edits of one text as one."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge.review.rules.three_way_merge import merge_entries, merge_texts
from tests.cases import cases

BASE = "One.\n\nTwo.\n\nThree."


class TestMergeTexts:
    @cases(
        ("theirs", "mine", "merged"),
        [
            ("One!\n\nTwo.\n\nThree.", "One.\n\nTwo.\n\nThree!", "One!\n\nTwo.\n\nThree!"),
            ("One.\n\nThree.", "One!\n\nTwo.\n\nThree.", "One!\n\nThree."),
            (BASE, "Mine.", "Mine."),
            ("Theirs.", BASE, "Theirs."),
            ("Same.", "Same.", "Same."),
            (f"Zero.\n\n{BASE}", f"{BASE}\n\nFour.", f"Zero.\n\n{BASE}\n\nFour."),
        ],
    )
    def test_takes_what_either_changed(self, theirs: str, mine: str, merged: str) -> None:
        done = merge_texts(BASE, theirs, mine)
        assert (done.text, done.conflicts) == (merged, ())

    def test_keeps_both_where_both_changed_the_same_paragraph(self) -> None:
        done = merge_texts(BASE, "One.\n\nTwo, theirs.\n\nThree.", "One.\n\nTwo, mine.\n\nThree.")
        assert done.conflicts == (("Two, theirs.", "Two, mine."),)
        assert done.text == "One.\n\nTwo, theirs.\n\nTwo, mine.\n\nThree."

    @given(*[st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=7)] * 3)
    def test_loses_no_line_that_either_added(self, base: list[str], theirs: list[str], mine: list[str]) -> None:
        done = merge_texts(*("\n".join(lines) for lines in (base, theirs, mine)))
        kept = done.text.split("\n")
        for lines in (theirs, mine):
            assert all(line in kept for line in lines if line and line not in base)


class TestMergeEntries:
    def test_adds_and_removes_what_either_did(self) -> None:
        assert merge_entries(["a", "b", "c"], ["a", "b", "d"], ["b", "c", "e"]) == ["b", "d", "e"]
