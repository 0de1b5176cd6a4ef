"""The result of a tool: text of others in a fence, with the server's own words below it, within a budget.

Longer text is split into pages, each in its own fence, with the call that reads the next page.
"""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.rules.fence import inert
from sessions_app.answers.rules.fence import Fence
from sessions_app.answers.rules.packing import CHARACTERS_A_TOKEN, tokens

# The part of a budget that is reserved for the fence and the words below it.
AROUND = 60
# A page ends at a line end, if there is one in its last part.
LAST_PART = 0.7


@dataclass(frozen=True)
class ToolText:
    """`foreign`: what others wrote, already inert, for the inside of the fence; `before` and `own`: the server's words
    around it.
    """

    own: str = ""
    foreign: str = ""
    before: str = ""

    def text(self, budget: int, fence: Fence, page: int = 1, read_on: Callable[[int], str] | None = None) -> str:
        """Return the text within `budget` tokens; of a longer one the requested page, and below it how to read on."""
        if not self.foreign:
            return _cut("\n".join(filter(None, [self.before, self.own])), budget)
        room = (budget - AROUND - tokens(self.before) - tokens(self.own)) * CHARACTERS_A_TOKEN
        pages = paged(self.foreign, max(room, 200))
        number = min(max(page, 1), len(pages))
        on = ""
        if len(pages) > 1:
            more = f"; {read_on(number + 1)} reads on" if read_on and number < len(pages) else ""
            on = f"Page {number} of {len(pages)}{more}." if read_on else "Cut: ask for less at once to see the rest."
        return "\n".join(filter(None, [self.before, fence.data(pages[number - 1]), on, self.own]))


def paged(text: str, most: int) -> list[str]:
    """Return the text in pages of at most `most` characters, split at line ends or else between words."""
    pages: list[str] = []
    rest = text.strip()
    while len(rest) > most:
        least = int(most * LAST_PART)
        at = max(rest.rfind("\n", least, most), 0) or max(rest.rfind(" ", least, most), 0) or most
        pages.append(rest[:at].rstrip())
        # The rest of a split line would begin the next page.
        in_a_line = rest[at] != "\n"
        rest = rest[at:].lstrip()
        first, end, others = rest.partition("\n")
        rest = f"{inert(first)}{end}{others}" if in_a_line else rest
    return [*pages, rest]


def _cut(text: str, budget: int) -> str:
    most = budget * CHARACTERS_A_TOKEN
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
