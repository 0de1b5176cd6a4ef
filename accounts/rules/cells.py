"""A text in a cell of a table that a spreadsheet opens.

Agents write what is exported, and a spreadsheet takes a cell that begins in a certain way for a formula: it computes,
asks other machines, starts programs. So such a text gets an apostrophe in front, by which Excel, LibreOffice and Google
Sheets know a text (OWASP, "CSV Injection"). What is read back loses exactly that apostrophe again.
"""

import re
import unicodedata

from accounts.rules.guard.detection import strip_invisible

APOSTROPHE = "'"
# What a formula begins with: =, + and - and @ (Lotus), | (DDE). Wide and small forms are told by what they are
# compatible with (NFKC), as some spreadsheets take them so; the minus sign is compatible with nothing.
_OPENING = "=+-@|\u2212"
# A tab or a line end in front may be dropped, or part the cell in two: what stands behind it then begins a cell.
_PARTING = "\t\r\n"
# Blanks and quotes that some spreadsheets drop in front of a formula.
_DROPPED = re.compile(r"[\s'\"`\u00b4\u2018-\u201f\u00ab\u00bb\uff07\uff02]*")


def as_text(text: str) -> str:
    """The text so that it is nothing but text in a cell; without characters that nobody sees."""
    plain = strip_invisible(text).text
    return APOSTROPHE + plain if _opens(plain) else plain


def as_typed(cell: str) -> str:
    """The text that `as_text` made this cell of; any other cell as it is."""
    return cell[1:] if cell.startswith(APOSTROPHE) and _opens(cell[1:]) else cell


def _opens(text: str) -> bool:
    """Whether a spreadsheet could take it for more than a text."""
    if text.startswith(tuple(_PARTING)):
        return True
    first = _DROPPED.sub("", text, count=1)[:1]
    return first != "" and unicodedata.normalize("NFKC", first)[:1] in _OPENING
