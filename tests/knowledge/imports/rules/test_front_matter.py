"""What is read of YAML front matter, and what is refused before it is built."""

import pytest

from knowledge.imports.rules.front_matter import DEEPEST, LONGEST, BadFrontMatter, split
from tests.cases import cases


class TestSplit:
    @cases(
        ("text", "meta", "rest"),
        [
            ("Body.", {}, "Body."),
            ("---\nTitle: A\n---\nBody.", {"title": "A"}, "Body."),
            ("---\ntitle: A\n...\nBody.", {"title": "A"}, "Body."),
            ("---\ntitle: A\n---", {"title": "A"}, ""),
            ("---\n---\nBody.", {}, "Body."),
            ("---\n# a comment\n---\nBody.", {}, "Body."),
            ("---\nsome words\n---\nBody.", {}, "---\nsome words\n---\nBody."),
            ("---\ntitle: A\nBody without an end", {}, "---\ntitle: A\nBody without an end"),
            ("\n---\ntitle: A\n---\n", {}, "\n---\ntitle: A\n---\n"),
            ("---\ntags: [a, [b]]\n---\n", {"tags": ["a", ["b"]]}, ""),
        ],
    )
    def test_takes_the_block_at_the_top(self, text, meta, rest):
        assert split(text) == (meta, rest)

    @cases(
        "broken",
        [
            "title: A\ndescription: Use when: it rains",
            "title: A\ndate: 2024-13-45",
            "title: A\nwhen: !!timestamp soon",
            "title: 'A'\nlist: [a",
            "title: A\n? [a]\n: b\nlist: [a",
        ],
    )
    def test_reads_line_by_line_what_is_not_valid_yaml(self, broken):
        meta, rest = split(f"---\n{broken}\n---\nBody.")
        assert meta["title"] == "A"
        assert rest == "Body."

    @cases(
        ("name", "yaml"),
        [
            ("characters", "a: " + "x" * LONGEST),
            ("deeper", "a: " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)),
            ("deeper", "- " * 3_000 + "a"),
            ("aliases", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"),
        ],
        ids=["too long", "too deep", "too deep in blocks", "aliases"],
    )
    def test_refuses_what_would_grow(self, name, yaml):
        with pytest.raises(BadFrontMatter, match=name):
            split(f"---\n{yaml}\n---\nBody.")

    def test_builds_no_object_of_python(self):
        meta, _ = split("---\ntitle: A\nx: !!python/object/apply:os.getcwd []\n---\n")
        assert meta == {"title": "A", "x": "!!python/object/apply:os.getcwd []"}
