"""Where a text may be parted: blocks of code, ends of sentences, ends of lines."""

import re
from itertools import pairwise

CODE_BLOCK = re.compile(r"^```[^\n]*\n.*?(?:^```[ \t]*$\n?|\Z)", re.MULTILINE | re.DOTALL)
# A sentence ends at a full stop before a capital, a figure or a quotation; an item of a list is one.
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)*_`]*\s+(?=[\"'“‘(*_`]*[A-Z0-9À-Þ])|(?<=[。！？])|\n+")


def pieces(text: str) -> tuple[str, ...]:
    """Return the text in sentences, lines of lists and blocks of code, each with the space that follows it."""
    found: list[str] = []
    at = 0
    for block in CODE_BLOCK.finditer(text):
        found += [*_sentences(text[at : block.start()]), block.group()]
        at = block.end()
    return (*found, *_sentences(text[at:]))


def _sentences(text: str) -> list[str]:
    """A number before an item of a list ("2. Wait.") is no sentence: it stands with what it counts. A question stands
    with its answer on the same line ("Behind a flag? Switch it off."), which says little by itself.
    """
    found: list[str] = []
    before = ""
    ends = [0, *(end.end() for end in SENTENCE_END.finditer(text)), len(text)]
    for begin, end in pairwise(ends):
        piece, before = before + text[begin:end], ""
        asks = piece.rstrip().endswith("?") and not piece.endswith("\n")
        if any(map(str.isalpha, piece)) and not asks:
            found.append(piece)
        else:
            before = piece
    return [*found, before] if before.strip() else found
