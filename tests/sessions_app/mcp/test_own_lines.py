"""No text of others begins a line as Loam's own lines do, whichever Loam has said so far."""

from accounts.rules.fence import inert
from accounts.rules.imitations.own_lines import SEARCH_LINE
from knowledge.evidence.rules import briefing
from sessions_app.mcp.result_texts import evidence, saved_answer
from tests.cases import cases
from tests.sessions_app.mcp.own_lines import PIECES, THEIR_WORDS, own_lines

LINES = {one.template: one.line for one in own_lines()}


class TestEveryLineInTheSource:
    def test_is_found(self) -> None:
        assert len(LINES) > 150
        for said in (
            "Loam put these notes",
            "{one['ref']}: strength",
            "Contradicted by {}",
            "Close to this, of the same",
        ):
            assert any(template.startswith(said) for template in LINES), said

    @cases("template", sorted({*LINES} - PIECES - THEIR_WORDS))
    def test_is_one_that_nobody_else_may_begin(self, template: str) -> None:
        """A line that is new belongs into `imitations/own_lines.py`, or, if it begins no line, into PIECES."""
        assert inert(LINES[template]) != LINES[template]

    def test_is_excused_only_while_it_is_there_and_needs_it(self) -> None:
        assert {*PIECES, *THEIR_WORDS} <= {*LINES}
        assert [one for one in (*PIECES, *THEIR_WORDS) if inert(LINES[one]) != LINES[one]] == []


class TestASearchOfFiles:
    NOTHING = briefing.not_found(46, ["runbooks"], ["a.md, Restarting"], ["zorkmid"], ["zork"])
    UNSURE = f"{briefing.UNSURE_LINE}\n\n**Restarting** [1]\n- Drain first. [1]\n\nSources:\n- `a.md:1-9` [1]"

    def test_says_its_own_lines_as_they_are(self) -> None:
        nothing = evidence({"content": self.NOTHING, "confidence": 0.0, "nearest": [1]}, {})
        assert nothing.foreign == self.NOTHING
        unsure = evidence({"content": self.UNSURE, "confidence": 0.5, "evidences": [1]}, {})
        assert unsure.foreign == self.UNSURE

    @cases("line", [line for line in NOTHING.split("\n") if SEARCH_LINE.fullmatch(line)])
    def test_has_them_marked_where_somebody_else_says_them(self, line: str) -> None:
        assert inert(line).startswith("‹")
        kept = saved_answer({"name": line, "content": "", "confidence": 0.5, "lifecycle": "fresh"}, {})
        assert kept.foreign.startswith("‹")
        said = evidence({"content": f"- {line} [1]\n**{line}** [1]", "confidence": 0.9, "evidences": [1]}, {})
        assert said.foreign.count("‹") == 2
