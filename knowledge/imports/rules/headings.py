"""Where a Markdown text can be cut: its headings, and not the comments in its code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A longer line that begins with # is no heading; this also bounds what the pattern below can cost.
LONGEST_HEADING = 300

# The closing run of #, and the blanks around it, are tried for at their beginnings only.
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:(?<![ \t])[ \t]+(?:#+[ \t]*)?|(?<!#)#+[ \t]*)?$")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_UNDERLINE = re.compile(r"^=+[ \t]*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[`*]+")


@dataclass(frozen=True)
class Section:
    """A heading's words ("" for what stands before the first) and its whole text, the heading's line included."""

    heading: str
    text: str

    @property
    def inside(self) -> str:
        """The text below the heading, if it begins with one."""
        first, _, rest = self.text.partition("\n")
        return (rest if self.heading and _heading(first) else self.text).strip("\n").rstrip()


def sections(body: str, level: int) -> list[Section]:
    """The text cut before each heading of `level` or above. Joined by line feeds they are the text again."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line, depth, words in _headed(body):
        if 0 < depth <= level:
            found.append((plain(words), []))
        found[-1][1].append(line)
    return [Section(words, "\n".join(lines)) for words, lines in found if lines]


def first_heading(body: str) -> tuple[int, int, str] | None:
    """Line number, height in lines and words of the first heading if it is of level one, underlined ones included."""
    above = ""
    for at, (line, depth, words) in enumerate(_headed(body)):
        if depth:
            return (at, 1, plain(words)) if depth == 1 else None
        if _UNDERLINE.match(line) and above.strip():
            return at - 1, 2, plain(above)
        above = line
    return None


def plain(words: str) -> str:
    """Without emphasis, code marks and the addresses of links; single spaces."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", words[:LONGEST_HEADING])).split())


def _headed(body: str) -> Iterator[tuple[str, int, str]]:
    """Each line with its heading's level (0: it is none) and words."""
    fence = ""
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and line.strip() == mark[1])):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else _heading(line)
        yield (line, len(heading[1]), heading[2]) if heading else (line, 0, "")


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.match(line) if len(line) <= LONGEST_HEADING else None
