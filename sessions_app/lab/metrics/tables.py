"""Tables as Markdown, for a terminal and a README alike."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Cells are text already. The first column stands left, the others right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    @property
    def markdown(self) -> str:
        """With every column as wide as its widest cell, so that it reads without being rendered."""
        lines = [list(self.columns), *map(list, self.rows)]
        widths = [max(3, *(len(line[at]) for line in lines)) for at in range(len(self.columns))]
        rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
        text = [_line(line, widths) for line in (lines[0], rule, *lines[1:])]
        return "\n".join([f"**{self.title}**", "", *text, *(["", self.note] if self.note else [])])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]) + " |"


def decimal(value: float, places: int = 3) -> str:
    """`.665`, `1.000`, `−.012`: as the tables of the field have it."""
    text = f"{abs(value):.{places}f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") else text)
