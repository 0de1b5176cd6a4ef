"""Texts within a text: what is split over strings and lines, joined; what is encoded, decoded.

A key in two strings (`"AKIA…" + "…"`), over a line that goes on (`\\` at its end) or wrapped by a terminal is whole
only in the text without what stands between its parts. A token in base 64, hexadecimal or percent-encoding is known
only when it is decoded. Both give texts in which the table is asked again, and know where in the original each stands.
"""

import base64
import binascii
import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from accounts.rules.guard.rows import Extent

# --- split ---------------------------------------------------------------------------------------------
_PART = r"[\w+/=!@#$%^&*.:~-]"
_SPLIT = re.compile(
    # "…" + "…", "…" "…", '…' . '…', over lines too
    rf"(?P<quote>[\"'`])(?<={_PART}.)(?![\"'`])[ \t]{{0,4}}[+.&|<>,\\]{{0,2}}[ \t]{{0,4}}"
    rf"(?:\n[ \t]{{0,40}}[+.&|<>]{{0,2}}[ \t]{{0,4}})?[bruf]?(?P=quote)(?={_PART})"
    # x = "…" and on the next line x += "…"
    rf"|(?P<opened>[\"'`])(?<={_PART}.);?[ \t]{{0,4}}\n[ \t]{{0,40}}[\w.$]{{1,40}}[ \t]{{0,4}}"
    rf"(?:[+.]=|=[ \t]?[\w.$]{{1,40}}[ \t]?[+.])[ \t]{{0,4}}(?P=opened)(?={_PART})"
    # …\ at the end of a line
    rf"|\\\n(?<={_PART}\\\n)[ \t]{{0,40}}(?={_PART}|[\"'])"
    # a long value wrapped: nothing else stands on its last line
    r"|\n(?<=[\w+/=-]{16}\n)[ \t]{0,40}(?=[\w+/-]{8,200}={0,2}[\"']?[ \t]{0,4}(?:\n|\Z))"
)
# Strings with commas between them are one only if something joins them.
_JOINS = re.compile(r"(?i:join|concat|paste0)")


@dataclass(frozen=True)
class JoinedText:
    """The lines of a text in which something is split, without what splits it."""

    text: str
    starts: list[int]
    origins: list[int]

    def place(self, span: Extent) -> Extent:
        """Return where a span of the joined text stands in the original; its name may be what was split off."""
        first, last = (bisect_right(self.starts, at) - 1 for at in (span[0], span[1] - 1))
        return self.origins[first] + span[0] - self.starts[first], self.origins[last] + span[1] - self.starts[last]


def joined(text: str) -> JoinedText | None:
    """Return the lines around what is split, joined, with the line before for a name; none if nothing is split."""
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = at = 0

    def keep(start: int, end: int) -> None:
        nonlocal length
        starts.append(length)
        origins.append(start)
        parts.append(text[start:end])
        length += end - start

    for match in _SPLIT.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        if "," in match.group() and not _JOINS.search(text, line, _line_end(text, match.end())):
            continue
        before = max(text.rfind("\n", 0, max(0, line - 1)) + 1, at)
        if before > at or not parts:
            if parts:
                keep(at, _line_end(text, at))
            before = max(before, at)
            at = max(before, _line_end(text, at) if parts else 0)
        keep(at, match.start())
        at = match.end()
    if not parts:
        return None
    keep(at, _line_end(text, at))
    return JoinedText("".join(parts), starts, origins)


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


# --- encoded -------------------------------------------------------------------------------------------
_PRINTABLE = re.compile(r"[\t\n\r -~]*")


def decoded_bytes(value: str) -> bytes:
    """Return what stands in a value in base 64 (with or without padding, of either alphabet), or nothing."""
    padded = value.rstrip("=").translate({45: 43, 95: 47})
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def decoded_text(value: str) -> str:
    """Return the printable text that stands in a value in base 64, or an empty one."""
    # eight characters are enough to tell text from what is random
    if len(value) < 8 or not _is_text(decoded_bytes(value[:16])):
        return ""
    decoded = decoded_bytes(value)
    return decoded.decode() if _is_text(decoded) else ""


def _is_text(content: bytes) -> bool:
    return bool(content) and content.isascii() and bool(_PRINTABLE.fullmatch(content.decode()))


# Twenty characters of base 64 are fifteen of text: less holds no secret and its name.
SHORTEST = 20
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,40000}={0,2}")
_HEX = re.compile(r"(?<![A-Za-z0-9])(?:0x)?(?P<digits>(?:[2-7][0-9A-Fa-f]|0[9AaDd]){16,20000})(?![A-Za-z0-9])")
_PERCENT = re.compile(r"(?<![\w%])(?:[\w.+-]{2,40}|(?:%[57][Bb]){1,4})%(?:25){0,2}(?:3[AaDd]|22)[^\s\"'<>]{8,2000}")
_UNICODE = re.compile(r"\\u00([0-7][0-9A-Fa-f])")
_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")


def decoded(text: str) -> Iterator[tuple[Extent, str]]:
    """Yield what is encoded in a text: where, and the text that it holds."""
    at = 0
    # most words are too short: to split is faster than to ask at each of them
    for word in text.split():
        if len(word) < SHORTEST:
            continue
        at = text.index(word, at)
        yield from _decoded(text, at, at + len(word))
        at += len(word)


def _decoded(text: str, start: int, end: int) -> Iterator[tuple[Extent, str]]:
    for match in _BASE64.finditer(text, start, end):
        if content := decoded_text(match.group()):
            yield match.span(), content
    for match in _HEX.finditer(text, start, end):
        yield match.span(), bytes.fromhex(match["digits"]).decode("ascii", "replace")
    if "&" in text[start:end] or "\\u00" in text[start:end]:
        plain = _UNICODE.sub(lambda one: chr(int(one[1], 16)), html.unescape(text[start:end]))
        if plain != text[start:end]:
            yield (start, end), plain
    if "%" in text[start:end]:
        for match in _PERCENT.finditer(text, start, end):
            yield match.span(), _ESCAPED.sub(lambda one: chr(int(one[1], 16)), match.group())
