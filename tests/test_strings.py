"""What a person reads: no visible string has a phrase for which there is a plain word (`python -m tests.strings`)."""

import re
from pathlib import Path

import pytest

from tests.strings import Shown, of_module, of_script, of_template, shown

# Retired phrase: what stands in its place.
RETIRED = {
    r"needs a person|waits? for a person|waits here": "awaiting review",
    r"good words?\b|spoken for|people in favour": "positive signals, people in support",
    r"\bbring (?:them|notes|skills) in\b|brought in\b": "import",
    r"of those that say none": "default kind",
    r"takes? (?:its|the|their) place|taken? (?:its|the) place|in its place": "supersede, overwrite",
    r"says something else|\bpart it\b|parted again": "unmerge",
    r"\bvoices?\b": "corroborations",
    r"stands? again|brings? it back": "restore",
    r"save over it|over theirs": "overwrite",
    r"leave as (?:it is|they are)|left as it is": "dismiss",
    r"is no secret|are no secrets|reviewed terms?": "secret allowlist",
    r"group(?:ed)? (?:them |topics )?anew|group now|\banew\b": "recluster, again",
    r"state (?:one|it)\b": "add preference",
    r"keys of one letter|^keys$": "keyboard shortcuts",
    r"\bmachinery\b(?! shows an)": "explanation level",
    r"edit (?:is )?ahead": "unpublished changes",
    r"(?:is|was) known already|what searches (?:have )?learned|ask the files": "saved answers, search files",
    r"would not be served\.?$": "including results below the threshold",
    r"is called so|is like that": "no results",
    r"weigh drifted|judge what was queued": "refresh term weights, process dedup queue",
    r"asked for on (?:a )?pages?|look inside": "background jobs, internals",
    r"to the start\b": "go to inbox",
    r"whoever runs this": "your administrator",
    r"nothing of yours|while you were typing|\bmeanwhile\b": "your input is kept; while you were editing",
    r"there is no such|no such thing": "unknown, not found",
    r"you may not do this": "you do not have permission",
    r"takes back what falls|nothing grows|planted yet|what is under way": "plain words",
    r"somebody (?:who left|was quicker)": "deleted user; changed by somebody else",
    r"half a character|is not there any more": "unpaired surrogate; no longer exists",
}
# Written to models, whose wording is measured apart; and the words of questions and notes that rules look for.
FOR_MODELS = (
    "accounts/rules/fence.py",
    "knowledge/evidence/rules/prompts.py",
    "sessions_app/answers/actions/build_answer.py",
    "sessions_app/mcp/",
    "sessions_app/lab/corpora/synthetic_notes.py",
)
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def visible() -> list[Shown]:
    """All of them, read once."""
    return list(shown())


def test_no_visible_string_uses_a_retired_phrase(visible: list[Shown]) -> None:
    found = [
        f"{one} → {instead}"
        for one in visible
        if not str(one.path.relative_to(ROOT)).startswith(FOR_MODELS)
        for phrase, instead in RETIRED.items()
        if re.search(phrase, one.text, re.IGNORECASE)
    ]
    assert found == []


def test_there_is_something_to_read(visible: list[Shown]) -> None:
    kinds = {one.path.suffix for one in visible}
    assert kinds == {".html", ".py", ".js", ".txt"}
    assert len({one.path for one in shown("templates")}) > 80


class TestTheList:
    @pytest.mark.parametrize(
        ("source", "texts"),
        [
            ("<h1>Voices</h1>", ["Voices"]),
            ("<p>Said {{ n }}\n  times by <b>{{ who }}</b>.</p>", ["Said {} times by {} ."]),
            ('<button aria-label="Bring it in">x</button>', ["Bring it in"]),
            ('{% include "a.html" with title="Nothing waits here" %}', ["Nothing waits here"]),
            ("{% if a %}Save over it{% else %}Save{% endif %}", ["{}Save over it{}Save{}"]),
            ("{# Nothing waits here #}<script>to the start</script>", []),
        ],
    )
    def test_has_what_a_template_shows(self, source: str, texts: list[str], tmp_path: Path) -> None:
        path = tmp_path / "a.html"
        path.write_text(source)
        assert [one.text for one in of_template(path)] == texts

    def test_has_what_a_module_says_and_not_what_it_notes(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_text(
            '"""Of nobody\'s voice."""\nlogger.info("it waits here")\nSQL = "SELECT a FROM b"\n'
            'words = f"{ref} stands again" "."\nname = "snake_case"\n'
        )
        assert [(one.line, one.text) for one in of_module(path)] == [(4, "{} stands again.")]

    def test_has_what_a_script_says(self, tmp_path: Path) -> None:
        path = tmp_path / "a.js"
        path.write_text("// to the start\nshow(`Now bring ${n} notes`, 'div')\n")
        assert [(one.line, one.text) for one in of_script(path)] == [(2, "Now bring ${n} notes")]
