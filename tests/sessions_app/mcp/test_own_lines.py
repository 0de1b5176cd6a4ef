"""No text of others begins a line as Loam's own lines do, whichever Loam has said so far."""

from accounts.rules.fence import inert
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
        """A line that is new belongs into `accounts/rules/own_lines.py`, or, if it begins no line, into PIECES."""
        assert inert(LINES[template]) != LINES[template]

    def test_is_excused_only_while_it_is_there_and_needs_it(self) -> None:
        assert {*PIECES, *THEIR_WORDS} <= {*LINES}
        assert [one for one in (*PIECES, *THEIR_WORDS) if inert(LINES[one]) != LINES[one]] == []
