"""SKILL.md ⇄ sheet: output format is read again, what others wrote is kept, what breaks the format is told."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.rules import skill_md
from skills.rules.refusals import NotASkill
from skills.rules.sheet import Sheet, Triggers, faults, tidy_description, tidy_instructions
from tests.cases import cases

PLAIN = "---\nname: release\ndescription: How to release. Use when tagging.\n---\n\n# Release\n\n1. Freeze.\n"


def front(*lines: str, body: str = "Do it.") -> str:
    return "\n".join(["---", "name: release", "description: How to release.", *lines, "---", body])


class TestReading:
    def test_takes_name_description_and_instructions(self) -> None:
        assert skill_md.read(PLAIN) == Sheet("release", "How to release. Use when tagging.", "# Release\n\n1. Freeze.")

    def test_takes_what_a_windows_editor_made_of_it(self) -> None:
        assert skill_md.read("\ufeff" + PLAIN.replace("\n", "\r\n")) == skill_md.read(PLAIN)

    def test_takes_a_description_with_a_colon_in_it_as_text(self) -> None:
        sheet = skill_md.read("---\nname: release\ndescription: Use when: tagging, or: publishing\n---\nDo it.")
        assert sheet.description == "Use when: tagging, or: publishing"

    def test_takes_a_description_of_several_lines_as_one(self) -> None:
        for text in ("description: >\n  Use when\n  tagging.", "description: Use when\n  tagging.",
                     "description: |\n  Use when\n  tagging."):  # fmt: skip
            assert skill_md.read(f"---\nname: release\n{text}\n---\nDo it.").description == "Use when tagging."

    @cases(
        ("line", "key", "value"),
        [
            ("version: 1.10", "version", "1.10"),
            ("version: 2024-01-02", "version", "2024-01-02"),
            ("license: no", "license", "no"),
            ("disable-model-invocation: true", "disable-model-invocation", True),
            ("priority: 7", "priority", 7),
            ("priority: 007", "priority", "007"),
            ("license:", "license", None),
            ("allowed-tools: Read Bash(git:*)", "allowed-tools", "Read Bash(git:*)"),
            ("allowed-tools: [Read, Grep]", "allowed-tools", ["Read", "Grep"]),
            ("metadata:\n  author: acme\n  version: '1.0'", "metadata", {"author": "acme", "version": "1.0"}),
        ],
    )
    def test_carries_other_front_matter_along(self, line: str, key: str, value: Any) -> None:
        assert skill_md.read(front(line)).extra == {key: value}

    def test_takes_paths_for_globs(self) -> None:
        assert skill_md.read(front("paths: ['src/**/*.ts', lib/*]")).triggers.files == ("src/**/*.ts", "lib/*")

    def test_leaves_rules_in_the_instructions_alone(self) -> None:
        assert skill_md.read(front(body="One.\n---\nname: other\n---\nTwo.")).instructions.count("---") == 2

    @cases(
        ("text", "why"),
        [
            ("# Release\n\nDo it.", "does not start with front matter"),
            ("---\nname: release\n", "does not start with front matter"),
            ("---\ndescription: How.\n---\nDo it.", "has no name"),
            ("---\nname: release\n---\nDo it.", "has no description"),
            ("---\nname: release\ndescription: ''\n---\nDo it.", "has no description"),
            ("---\nname: [a]\ndescription: How.\n---\nDo it.", "name is not a text"),
            ("---\nname: Release It\ndescription: How.\n---\nDo it.", "name: Lower-case letters"),
            ("---\nname: -release\ndescription: How.\n---\nDo it.", "name: Lower-case letters"),
            ("---\nname: re--lease\ndescription: How.\n---\nDo it.", "name: Lower-case letters"),
            (f"---\nname: {'a' * 65}\ndescription: How.\n---\nDo it.", "the limit is 64"),
            (f"---\nname: release\ndescription: {'a' * 1_025}\n---\nDo it.", "1,025 characters; the limit is 1,024"),
            (front(f"compatibility: {'a' * 501}"), "compatibility: It has 501 characters"),
            (front("metadata: none"), "metadata: This must be a mapping"),
            (front(body=" \n"), "instructions: This field cannot be empty"),
            (front("name: again"), "has 'name' twice"),
            (front("license: &a MIT", "compatibility: *a"), "YAML aliases"),
            (front("license: !!python/object/apply:os.system [ls]"), "YAML tags"),
            (front("metadata: " + "[" * 50), "nested deeper"),
            (front("x: " + "{a: " * 9 + "1" + "}" * 9), "nested deeper"),
            (front("license: " + "x" * 13_000), "front matter of"),
            ("---\n- a\n- b\n---\nDo it.", "not a mapping|not YAML"),
        ],
    )
    def test_tells_what_breaks_the_format(self, text: str, why: str) -> None:
        with pytest.raises(NotASkill, match=why):
            skill_md.read(text)


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60)
NAMES = st.from_regex(re.compile(r"[a-z0-9]{1,10}(-[a-z0-9]{1,10}){0,3}"), fullmatch=True)
WORDS = st.lists(TEXT, max_size=3)
PLAIN_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**14), 10**14) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(["license", "compatibility", "allowed-tools", "version", "argument-hint"])


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    body = draw(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=40), max_size=6))
    return Sheet(
        name=draw(NAMES),
        description=tidy_description(draw(TEXT)),
        instructions=tidy_instructions("\n".join(body)),
        triggers=Triggers.made(tags=draw(WORDS), files=draw(WORDS), errors=draw(WORDS)),
        extra={**draw(st.dictionaries(KEYS, PLAIN_JSON, max_size=3)), **draw(METADATA)},
        sources=("PLAT-1", "PLAT-2"),
    )


METADATA = st.fixed_dictionaries({}, optional={"metadata": st.dictionaries(TEXT, TEXT, min_size=1, max_size=2)})


class TestWriting:
    @given(sheets())
    def test_is_read_again_to_the_same(self, sheet: Sheet) -> None:
        if not faults(sheet):
            assert skill_md.read(skill_md.write(sheet)) == sheet
            text = skill_md.write(sheet, origin="platform/release", version=3)
            assert skill_md.read(text) == sheet
            assert skill_md.untouched(text)

    @cases(
        "instructions",
        [
            "---\nname: other\n---",
            "    code first\n\nthen words",
            "a\n\n\n\nb",
            "- x\n---\n- y",
            "…\u2014 ünï 🙂",
            "\tx",
        ],
    )
    def test_keeps_instructions_to_the_letter(self, instructions: str) -> None:
        sheet = Sheet("release", "How.", instructions)
        assert skill_md.read(skill_md.write(sheet)).instructions == instructions

    def test_puts_what_the_format_has_no_field_for_into_metadata(self) -> None:
        sheet = Sheet("release", "How.", "Do it.", Triggers.made(tags=["Ship, now"]), {"metadata": {"author": "acme"}})
        text = skill_md.write(sheet, origin="platform/release", version=3)
        assert "  author: acme\n" in text
        assert "  loam-skill: platform/release\n" in text
        assert skill_md.read(text).extra == {"metadata": {"author": "acme"}}
        assert skill_md.read(text).triggers.tags == ("ship, now",)

    def test_is_no_longer_untouched_when_a_letter_changed(self) -> None:
        text = skill_md.write(Sheet("release", "How.", "Do it."), origin="platform/release")
        assert skill_md.untouched(text)
        assert not skill_md.untouched(text.replace("Do it", "Do not"))
        assert not skill_md.untouched(PLAIN)
        assert not skill_md.untouched("nonsense")
