"""Globs against paths."""

import time

from skills.rules.globs import alternatives, contains, first_match, matches
from tests.cases import cases


class TestAGlob:
    @cases(
        ("glob", "path", "met"),
        [
            ("release/x/*", "release/x/notes.md", True),
            ("release/x/*", "release/x/y/notes.md", False),
            ("release/*/notes.md", "release/x/notes.md", True),
            ("release", "release/x/notes.md", False),
            ("release/", "release/x/notes.md", True),
            ("*.py", "src/deep/a.py", True),
            ("*.py", "src/a.pyc", False),
            ("Dockerfile", "ops/Dockerfile", True),
            ("src/*.py", "src/a.py", True),
            ("src/*.py", "src/deep/a.py", False),
            ("src/**/*.py", "src/a.py", True),
            ("src/**/*.py", "src/x/y/a.py", True),
            ("**/test_*.py", "test_a.py", True),
            ("src/**", "src/x/y", True),
            ("src/**", "lib/x", False),
            ("**", "any/thing", True),
            ("/src/a.py", "src/a.py", True),
            ("a?.ts", "ab.ts", True),
            ("a?.ts", "a.ts", False),
            ("**/*.{ts,tsx}", "src/a.tsx", True),
            ("**/*.{ts,tsx}", "src/a.js", False),
            ("{src,lib}/*.{a,b}", "lib/x.b", True),
            ("src/A.py", "src/a.py", False),
            ("a*b*c", "aXXbYYc", True),
            ("a*b*c", "aXXbYY", False),
            ("", "a", False),
        ],
    )
    def test_is_met_as_people_expect(self, glob: str, path: str, met: bool) -> None:
        assert matches(glob, path) is met

    def test_cannot_take_long(self) -> None:
        began = time.perf_counter()
        matches("*a" * 190 + "b", "a" * 400)
        matches("/".join(["**", "*a*a*a*"] * 40), "/".join(["a" * 40] * 10))
        matches("{a,b}" * 80, "a" * 80)
        assert time.perf_counter() - began < 1

    def test_stands_for_a_bounded_number_of_others(self) -> None:
        assert len(alternatives("{a,b}{c,d}{e,f}")) == 8
        assert len(alternatives("{a,b}" * 20)) <= 64

    def test_is_named_when_it_is_met(self) -> None:
        assert first_match(["*.md", "src/*"], ["a.py", "src/b.py"]) == "src/*"
        assert first_match(["*.md"], ["a.py"]) == ""


class TestWordsOfAnError:
    @cases(
        ("pattern", "text", "met"),
        [
            ("keyerror", "traceback … keyerror: 'x'", True),
            ("keyerror: '*_tenant'", "keyerror: 'acme_tenant'", True),
            ("lock * timeout", "timeout of the lock", False),
            ("lock * timeout", "lock wait timeout", True),
            ("enospc", "no space left", False),
        ],
    )
    def test_are_found_in_their_order(self, pattern: str, text: str, met: bool) -> None:
        assert contains(pattern, text) is met
