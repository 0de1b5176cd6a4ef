"""What is read off a note: title, tags, kind, date, parts; and what is no note."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.imports.rules.notes import (
    LONGEST_BODY,
    LONGEST_TITLE,
    SHORTEST_PART,
    SPLIT_ABOVE,
    UnusableNotes,
    from_json,
    from_markdown,
)
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind, Source, Stability
from tests.cases import cases


def read(text: str, path: str = "note.md", kind: Kind = Kind.CONTEXT) -> Draft:
    (draft,) = from_markdown(text, path=path, kind=kind).drafts
    return draft


def parsed(**row: object) -> Draft:
    (draft,) = from_json(json.dumps(row)).drafts
    return draft


ADR = """\
# 7. Use one PostgreSQL

Date: 2021-03-04

## Status

{status}

## Context

Two databases drift apart.

## Decision

We keep everything in one PostgreSQL.

### Extent

All services.

## Consequences

One server to watch.
"""

TITLES = [
    ("the first heading", "# Undo a commit\n\nUse reset.", "git/x.md", "Undo a commit", "Use reset."),
    ("the first heading, underlined", "Undo a commit\n=====\n\nUse reset.", "x.md", "Undo a commit", "Use reset."),
    ("without marks", "# Use `git reset` [here](http://a.b/c) ##\n\nBody.", "x.md", "Use git reset here", "Body."),
    ("front matter", "---\ntitle: Undo\n---\nUse reset.", "x.md", "Undo", "Use reset."),
    ("front matter, said again", "---\ntitle: Undo It\n---\n# undo-it\nUse reset.", "x.md", "Undo It", "Use reset."),
    ("front matter beside a heading", "---\ntitle: Undo\n---\n# Reset\nBody.", "x.md", "Undo", "# Reset\nBody."),
    ("the file's name", "Use reset.", "git/undo-last_commit.md", "undo last commit", "Use reset."),
    ("the folder of a README", "Use reset.", "git/README.md", "git", "Use reset."),
    ("the name of a skill", "---\nname: undoing\n---\nUse reset.", "skills/SKILL.md", "undoing", "Use reset."),
    ("not a second-level heading", "## Undo\nUse reset.", "x.md", "x", "## Undo\nUse reset."),
    ("not a comment in code", "```sh\n# undo\ngit reset\n```", "x.md", "x", "```sh\n# undo\ngit reset\n```"),
    ("not a heading after another", "## A\nB\n# C\nD", "x.md", "x", "## A\nB\n# C\nD"),
]


class TestTitle:
    @cases(("name", "text", "path", "title", "body"), TITLES, ids=[row[0] for row in TITLES])
    def test_is(self, name, text, path, title, body):
        draft = read(text, path)
        assert (draft.title, draft.body) == (title, body)

    def test_is_cut_between_words_where_the_column_ends(self):
        draft = read("# " + "word " * 50 + "\n\nBody.")
        assert len(draft.title) <= LONGEST_TITLE
        assert draft.title.endswith("word…")

    def test_of_a_json_note_stands_beside_another_heading(self):
        draft = parsed(title="Undo", body="# Reset\n\nBody.")
        assert (draft.title, draft.body) == ("Undo", "# Reset\n\nBody.")

    def test_that_is_the_files_name_gives_way_to_the_heading(self):
        assert parsed(title="AGENTS.md", path="a/AGENTS.md", body="# How we work\n\nBody.").title == "How we work"


class TestTags:
    @cases(
        ("text", "path", "tags"),
        [
            ("Body.", "git/history/x.md", ["git", "history"]),
            ("Body.", "docs/git/x.md", ["git"]),
            ("Body.", "x.md", []),
            ("---\ntags: [Git, ' Undo  It ']\n---\nBody.", "git/x.md", ["git", "undo it"]),
            ("---\ntags: git, '#undo'\n---\nBody.", "x.md", ["git", "'#undo'"]),
            ("---\ntags:\n  - git\n  - 3\n  - {a: b}\n  - [c]\n---\nBody.", "x.md", ["git", "3"]),
            ("---\ntags: {a: b}\ntopic: git\n---\nBody.", "x.md", ["git"]),
            ("---\ntags: [" + "a" * 61 + ", b]\n---\nBody.", "x.md", ["b"]),
        ],
    )
    def test_come_from_front_matter_and_folders(self, text, path, tags):
        assert read(text, path).tags == tags

    def test_of_a_json_note_are_its_tags_topic_and_folders(self):
        assert parsed(body="B.", tags=["a"], topic="Git", path="git/sub/x.md").tags == ["a", "git", "sub"]

    def test_are_at_most_fifty(self):
        assert len(parsed(body="B.", tags=[f"t{n}" for n in range(80)]).tags) == 50


class TestKind:
    @cases(
        ("said", "kind"),
        [("PITFALL", Kind.PITFALL), ("pattern", Kind.PATTERN), ("runbook", Kind.WORKFLOW), ("poem", Kind.CONTEXT)],
    )
    def test_is_what_the_note_says_if_it_is_one_of_ours(self, said, kind):
        assert read(f"---\nkind: {said}\n---\nBody.").kind is kind

    def test_is_what_the_caller_wants_where_the_note_says_none(self):
        assert read("Body.", kind=Kind.PATTERN).kind is Kind.PATTERN
        assert read("---\nkind: SOLUTION\n---\nBody.", kind=Kind.PATTERN).kind is Kind.SOLUTION

    def test_of_an_architecture_decision_record_is_decision_with_its_reasoning(self):
        draft = read(ADR.format(status="Accepted"), kind=Kind.PATTERN)
        assert draft.kind is Kind.DECISION
        assert draft.title == "7. Use one PostgreSQL"
        assert draft.reasoning == (
            "## Context\n\nTwo databases drift apart.\n\n## Consequences\n\nOne server to watch."
        )
        assert "We keep everything" in draft.body and "### Extent\n\nAll services." in draft.body
        assert "drift" not in draft.body
        assert draft.source_date == datetime(2021, 3, 4, tzinfo=UTC)

    def test_of_a_decision_record_in_other_words_is_decision_too(self):
        why = "## Context and Problem Statement\nSlow.\n\n## Decision Drivers\n* cost"
        draft = read(f"# Use X\n\n{why}\n\n## Decision Outcome\nX.")
        assert draft.kind is Kind.DECISION
        assert "* cost" in draft.reasoning and draft.body == "## Decision Outcome\nX."

    @cases("status", ["Superseded by 12", "**Rejected**", "Deprecated"])
    def test_of_a_decision_that_no_longer_holds_is_none(self, status):
        with pytest.raises(UnusableNotes, match="superseded or rejected"):
            read(ADR.format(status=status))

    def test_of_a_decision_without_reasons_is_none(self):
        assert read("---\nkind: adr\n---\nWe use X.").kind is Kind.CONTEXT
        with pytest.raises(UnusableNotes, match="without reasoning"):
            read("---\nkind: DECISION\n---\nWe use X.")
        assert read("---\nkind: decision\nwhy: It is there.\n---\nWe use X.").reasoning == "It is there."

    def test_of_a_text_that_only_mentions_decisions_is_not_decision(self):
        assert read("# Meeting\n\n## Decision\nLunch at noon.").kind is Kind.CONTEXT


class TestDetails:
    @cases(
        ("date", "moment"),
        [
            ("2024-01-05", datetime(2024, 1, 5, tzinfo=UTC)),
            ("2024-01-05T10:30:00Z", datetime(2024, 1, 5, 10, 30, tzinfo=UTC)),
            ("2024-13-45", None),
            ("soon", None),
            ("0001-01-01", None),
        ],
    )
    def test_date(self, date, moment):
        assert read(f"---\ndate: {date}\n---\nBody.").source_date == moment
        assert parsed(body="B.", date=date).source_date == moment

    def test_source_is_import(self):
        assert read("Body.").source_type is Source.IMPORT

    @cases(
        ("url", "kept"),
        [("https://a.example/b", "https://a.example/b"), ("javascript:alert(1)", ""), ("https://a b", "")],
    )
    def test_url_is_kept_if_it_is_one(self, url, kept):
        assert parsed(body="B.", url=url).source_url == kept

    def test_wrong_types_are_left_out(self):
        draft = parsed(body="B.", title=["x"], tags=7, files="a.py, ./b.py", repo={"a": 1}, date=[], stability="often")
        assert (draft.title, draft.tags, draft.files, draft.repo) == ("", [], ["a.py", "b.py"], "")
        assert draft.stability is Stability.STABLE

    def test_description_of_a_skill_is_said_first(self):
        assert (
            read("---\ndescription: When it rains.\n---\n# Umbrella\n\nOpen it.").body == "When it rains.\n\nOpen it."
        )

    def test_text_may_be_called_body_text_or_content(self):
        assert [parsed(**{name: "B."}).body for name in ("body", "text", "content")] == ["B."] * 3

    def test_windows_line_ends_are_line_ends(self):
        draft = read("---\r\ntitle: Undo\r\n---\r\nUse\r\nreset.")
        assert (draft.title, draft.body) == ("Undo", "Use\nreset.")


LONG = "A sentence of some length that says nothing. " * 70


class TestLongNote:
    def test_is_one_draft_up_to_the_bound(self):
        text = "## A\n" + "x" * (SPLIT_ABOVE - 10) + "\n## B"
        assert len(from_markdown(text, path="a.md").drafts) == 1

    def test_is_a_draft_for_each_section(self):
        drafts = from_markdown(f"# Git\n\n{LONG}\n\n## Undo `it`\n{LONG}\n## Redo\n{LONG}", path="a.md").drafts
        assert [draft.title for draft in drafts] == ["Git", "Git: Undo it", "Git: Redo"]
        assert all(draft.body == LONG.strip() for draft in drafts)

    def test_keeps_a_short_section_with_its_neighbour(self):
        drafts = from_markdown(f"# Git\n\nIn short.\n\n## A\n{LONG}\n## B\n{LONG}\n## C\nSee D.", path="a.md").drafts
        assert [draft.title for draft in drafts] == ["Git: A", "Git: B"]
        assert drafts[0].body.startswith("In short.\n\n## A\n")
        assert drafts[1].body.endswith("## C\nSee D.")
        assert len("In short.") < SHORTEST_PART

    def test_is_cut_again_where_a_section_is_long(self):
        drafts = from_markdown(f"# Git\n## A\n### One\n{LONG}\n### Two\n{LONG}\n## B\n{LONG}", path="a.md").drafts
        assert [draft.title for draft in drafts] == ["Git: A", "Git: A: Two", "Git: B"]
        assert drafts[0].body.startswith("### One")

    def test_without_a_heading_is_unusable_past_what_the_database_holds(self):
        assert read("x" * LONGEST_BODY).body
        with pytest.raises(UnusableNotes, match="20,001 characters"):
            read("x" * (LONGEST_BODY + 1))

    def test_loses_no_text(self):
        words = [f"word{n}" for n in range(4_000)]
        lines = ["# T"] + [f"## S{n}" if n % 9 == 0 else " ".join(words[n * 10 : n * 10 + 10]) for n in range(400)]
        drafts = from_markdown("\n".join(lines), path="a.md").drafts
        said = " ".join(draft.body for draft in drafts).split()
        assert len(drafts) > 5
        assert [word for word in said if word.startswith("word")] == " ".join(
            line for line in lines if line.startswith("word")
        ).split()


class TestUnusable:
    @cases(
        ("text", "why"),
        [
            ("", "empty"),
            (" \n\t\n", "empty"),
            ("# Only a title\n", "it has only a title"),
            ("---\ntitle: Only\n---\n", "it has only a title"),
            ("a\0b", "NUL"),
            ("---\n" + "a: " + "x" * 10_001 + "\n---\nBody.", "front matter of"),
        ],
    )
    def test_says_why(self, text, why):
        with pytest.raises(UnusableNotes, match=why):
            from_markdown(text, path="a.md")

    @cases(
        ("line", "why"),
        [
            ("{", "not valid JSON"),
            ("[" * 100_000, "not valid JSON"),
            ("[1]", "not a JSON object"),
            ('{"title": "T"}', "no text"),
            ('{"body": 3}', "no text"),
            ('{"body": "a\\ud800"}', "surrogate"),
            ('{"body": "a", "tags": ["\\u0000"]}', "NUL"),
        ],
    )
    def test_says_why_of_a_json_line(self, line, why):
        with pytest.raises(UnusableNotes, match=why):
            from_json(line)

    @settings(max_examples=300, deadline=None)
    @given(st.text(st.sampled_from("#-=`~: \n[]{}&*!|>'\"\tabc\r\0,%@?"), max_size=80))
    def test_is_the_only_way_to_fail(self, text):
        for source in (text, f"---\n{text}\n---\nBody."):
            try:
                assert from_markdown(source, path="a/b.md").drafts
            except UnusableNotes as error:
                assert str(error)

    @settings(max_examples=200, deadline=None)
    @given(
        st.dictionaries(
            st.sampled_from(["body", "text", "title", "tags", "kind", "date", "path", "files", "url", "repo"]),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
                max_leaves=5,
            ),
        )
    )
    def test_is_the_only_way_to_fail_for_json(self, row):
        try:
            assert from_json(json.dumps(row)).drafts
        except UnusableNotes as error:
            assert str(error)


class TestKey:
    def test_is_the_same_for_the_same_words_in_the_same_place(self):
        one, other = (from_markdown("# T\n\nBody.", path="a.md", kind=kind) for kind in (Kind.CONTEXT, Kind.PATTERN))
        assert one.key(one.drafts[0]) == other.key(other.drafts[0])

    def test_differs_by_place_and_by_words(self):
        notes = [
            from_markdown(text, path=path) for text, path in [("Body.", "a.md"), ("Body.", "b.md"), ("Bodies.", "a.md")]
        ]
        assert len({note.key(note.drafts[0]) for note in notes}) == 3
