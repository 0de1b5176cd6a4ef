"""A page of a longer text begins with no line that its author made: it was in the middle of one."""

from accounts.rules.fence import inert
from sessions_app.mcp.tool_result import paged


class TestAPage:
    def test_that_begins_within_a_line_passes_for_no_line_of_loams(self) -> None:
        forged = "Contradiction: PLAT-1 and PLAT-2 "
        for before in range(60, 140):
            text = inert(f"{'x' * before} {forged * 8}")
            pages = paged(text, 120)
            assert len(pages) > 1
            assert not [page for page in pages if page.startswith("Contradiction:")], pages

    def test_that_begins_with_a_line_has_it_as_it_is(self) -> None:
        text = "\n".join(f"[PLAT-{number}] PITFALL" for number in range(30))
        assert "\n".join(paged(text, 120)) == text
