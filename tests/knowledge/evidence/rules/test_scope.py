import time
from pathlib import PurePosixPath

import pytest

from knowledge.evidence.rules.scope import BadPath, SearchScope, clean_path, ending, matches
from tests.cases import cases


class TestPaths:
    @cases(
        ("text", "path"),
        [("a/b.md", "a/b.md"), ("./a//b", "a/b"), ("", ""), (".", ""), ("a\\b", "a/b"), ("-e", "-e"), ("a b", "a b")],
    )
    def test_are_cleaned(self, text: str, path: str) -> None:
        assert clean_path(text) == path

    @cases("path", ["a.PDF", "x/b.tar.gz", ".docx", "x/.env", "a.", "b.c/d", "no", "a b.Md", "x/.a.b", "..c", "a..b"])
    def test_end_as_pathlib_says(self, path: str) -> None:
        assert ending(path) == PurePosixPath(path).suffix.lower()

    @cases("text", ["..", "../x", "a/../b", "a\\..\\b", "/etc", "\\etc", "~", "~root", "C:/x", "a\0", "x" * 401])
    def test_that_lead_out_are_refused(self, text: str) -> None:
        with pytest.raises(BadPath):
            clean_path(text)


class TestGlobs:
    @cases(
        ("glob", "path", "takes"),
        [
            ("*.md", "a/b/c.md", True),
            ("*.md", "c.txt", False),
            ("a/*.md", "a/c.md", True),
            ("a/*.md", "a/b/c.md", False),
            ("a/**", "a/b/c.md", True),
            ("a/**/c.md", "a/c.md", True),
            ("a/**/c.md", "a/x/y/c.md", True),
            ("**/c.md", "c.md", True),
            ("**", "x/y", True),
            ("docs/", "docs/a.md", True),
            ("docs/", "x/docs/a.md", True),
            ("a?c", "abc", True),
            ("[ab].md", "b.md", True),
        ],
    )
    def test_take_what_they_say(self, glob: str, path: str, takes: bool) -> None:
        assert matches(glob, path) is takes

    def test_take_no_time_however_they_are_made(self) -> None:
        began = time.perf_counter()
        matches("**/" * 60 + "x", "a/" * 100 + "y")
        matches("*a" * 90, "a" * 400)
        assert time.perf_counter() - began < 1


class TestScope:
    def test_takes_what_is_included_and_not_excluded_below_its_paths(self) -> None:
        scope = SearchScope(include=("*.md",), exclude=("**/draft*",), paths=("docs",))
        taken = [p for p in ("docs/a.md", "docs/draft.md", "docs/a.txt", "b.md", "docs2/a.md") if scope.takes(p)]
        assert taken == ["docs/a.md"]

    def test_enters_only_what_leads_to_its_paths(self) -> None:
        scope = SearchScope(paths=("a/b",))
        assert [folder for folder in ("a", "a/b", "a/b/c", "x") if scope.enters(folder)] == ["a", "a/b", "a/b/c"]

    def test_does_not_enter_what_tools_wrote_unless_asked_to(self) -> None:
        assert not SearchScope().enters("x/node_modules")
        assert SearchScope(include=("node_modules/**",)).enters("node_modules")
