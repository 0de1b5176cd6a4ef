"""Where a Markdown text can be cut."""

from knowledge.imports.rules.headings import first_heading, plain, sections
from tests.cases import cases

TEXT = (
    "Before.\n# A\nOne.\n````\n# no heading\n```\n## neither\n````\n## B ##\nTwo.\n~~~\n# nor this\n~~~\n### C\nThree."
)


class TestSections:
    def test_are_cut_at_headings_of_the_level_and_above(self):
        assert [part.heading for part in sections(TEXT, 1)] == ["", "A"]
        assert [part.heading for part in sections(TEXT, 2)] == ["", "A", "B"]
        assert [part.heading for part in sections(TEXT, 3)] == ["", "A", "B", "C"]

    @cases("level", [1, 2, 3, 6])
    def test_joined_are_the_text_again(self, level):
        assert "\n".join(part.text for part in sections(TEXT, level)) == TEXT

    def test_know_what_stands_below_their_heading(self):
        assert [part.inside for part in sections("Before.\n\n## A\n\nOne.\n", 2)] == ["Before.", "One."]

    @cases("line", ["#tag", "####### seven", "    # code", "# " + "x" * 400])
    def test_are_not_cut_at(self, line):
        assert len(sections(f"a\n{line}\nb", 6)) == 1

    @cases("line", ["# " + " #" * 200_000, "#" * 400_000, "`" * 400_000, "[" * 400_000])
    def test_come_to_an_end_on_lines_that_patterns_choke_on(self, line):
        assert len(sections(line, 3)) == 1
        assert len(plain(line)) <= 300


class TestFirstHeading:
    @cases(
        ("text", "found"),
        [
            ("# A\nB", (0, 1, "A")),
            ("words\n\n# A\nB", (2, 1, "A")),
            ("A\n===\nB", (0, 2, "A")),
            ("\n===\nB", None),
            ("## A\n# B", None),
            ("B", None),
        ],
    )
    def test_is_the_first_if_it_is_of_level_one(self, text, found):
        assert first_heading(text) == found


class TestPlain:
    def test_drops_marks_and_addresses(self):
        assert plain("Use **`git  log`** ![x](y.png) [here](http://a/b)") == "Use git log x here"
