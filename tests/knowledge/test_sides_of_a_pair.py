"""What the two sides of a pair look like next to each other: what differs is marked, and code is shown as code."""

import pytest

from knowledge.templatetags.diff import only_here


class TestOneSide:
    @pytest.mark.parametrize(
        ("other", "this", "shown"),
        [
            ("Run `make a` first.", "Run `make a` last.", "Run <code>make a</code> <ins>last</ins>."),
            ("Run `make a` first.", "Run `make b` first.", "Run <code>make <ins>b</ins></code> first."),
            ("Quite another text.", "Run `ls <dir>` to see it", "Run <code>ls &lt;dir&gt;</code> to see it"),
            ("A tick ` alone and so on.", "A tick ` alone and so forth.", "A tick ` alone and so <ins>forth</ins>."),
            ("Two `ticks` here.", "Two ``ticks`` here.", "Two `<ins>`</ins>ticks<ins>`</ins>` here."),
            ("As it `was before now.", "As it `was before` now.", "As it `was before<ins>`</ins> now."),
        ],
        ids=["code stays", "in code", "tags in code", "one tick", "two ticks", "half of it came"],
    )
    def test_marks_words_and_shows_code(self, other: str, this: str, shown: str) -> None:
        assert only_here(other, this, "ins") == shown
