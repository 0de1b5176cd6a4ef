"""The rows of the guard's table: where a secret may stand, and who decides whether one does."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Extent = tuple[int, int]
# Of letters beyond these some become two in lower case, and every place behind them would move.
ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_SECRET_GROUPS = ("secret", "quoted", "single", "ticked", "bare")


# So much of a text is asked around an anchor.
LONGEST_BEFORE, LONGEST_BEHIND = 40, 400


@dataclass(frozen=True)
class SecretPattern:
    """One row: the group `secret` (else the whole match) is the secret; `hints`: texts (in lower case) one of which
    every match has, looked for first because that is cheap; `is_secret` decides about a match. `leads`: every match
    begins with a hint, so that it is asked for only where one stands. `anchor`: what stands in every match, at most
    `LONGEST_BEFORE` characters from its begin, and is found faster than that.
    """

    name: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]
    is_secret: Callable[[re.Match[str]], bool]
    leads: bool = False
    anchor: re.Pattern[str] | None = None
    _starts: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", re.compile("|".join(map(re.escape, self.hints))))

    def places(self, text: str, lowered: str) -> Iterator[Extent]:
        """Yield where the secrets of this row stand; `lowered` is the text in lower case, as long as it is."""
        if self.leads:
            matches = self._led(text, lowered)
        else:
            matches = self._anchored(text, self.anchor) if self.anchor else self.regex.finditer(text)
        return (secret_span(match) for match in matches if self.is_secret(match))

    def _anchored(self, text: str, anchor: re.Pattern[str]) -> Iterator[re.Match[str]]:
        end = 0
        for found in anchor.finditer(text):
            start = max(end, found.start() - LONGEST_BEFORE)
            if match := self.regex.search(text, start, found.end() + LONGEST_BEHIND):
                end = match.end()
                yield match

    def _led(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        end = 0
        for start in self._starts.finditer(lowered):
            if start.start() >= end and (match := self.regex.match(text, start.start())):
                end = max(match.end(), start.end())
                yield match


@dataclass(frozen=True)
class SecretFormat:
    """A row for a format that is more than one expression: `find` yields where its secrets stand."""

    name: str
    hints: tuple[str, ...]
    find: Callable[[str], Iterator[Extent]]

    def places(self, text: str, lowered: str) -> Iterator[Extent]:
        """Yield where the secrets of this row stand."""
        return self.find(text)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a list that is written as one text."""
    return tuple(text.split())


def secret_span(match: re.Match[str]) -> Extent:
    """Return where the secret itself stands in the text: the group that holds it, else the whole match."""
    group = secret_group(match)
    start, end = match.span(group)
    if group == "bare":
        # outside quotes a value ends before the punctuation of its sentence, of a link or of what is bold
        end = start + len(match[group].partition(")](")[0].rstrip(".:)]}>\\*"))
    return start, end


def secret_group(match: re.Match[str]) -> str | int:
    """Return the name of the group that holds the secret, 0 for the whole match."""
    groups = match.re.groupindex
    for name in _SECRET_GROUPS:
        if name in groups and match.start(name) >= 0:
            return name
    return 0


def value_of(match: re.Match[str]) -> str:
    """Return the secret itself, to decide about it."""
    start, end = secret_span(match)
    return match.string[start:end]


# So far back a name is read.
LONGEST_NAME = 60


def word_start(text: str, start: int) -> int:
    """Return where the name begins, of which a part stands at `start`."""
    lowest = max(0, start - LONGEST_NAME)
    while start > lowest and (text[start - 1].isalnum() or text[start - 1] in "_-."):
        start -= 1
    return start


def is_joined_by_colons(match: re.Match[str]) -> bool:
    """Whether name and value are parts of one identifier: `session:token:blacklist:…`."""
    start = word_start(match.string, match.start())
    return match["sign"] == ":" and match.string[start - 1 : start] == ":" and ":" in value_of(match)


# Code gives variables to variables: `password = hashed_v2`.
VARIABLE = re.compile(r"[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z]+)*\d?|[A-Z][A-Z0-9_]+")


def is_setting(match: re.Match[str], value: str) -> bool:
    """Whether a value is all that its name is set to: on a line of its own, between semicolons, in an element."""
    text, end = match.string, secret_span(match)[1]
    sign, behind = (match["sign"] or "").strip(), text[end : end + 1]
    if sign.endswith(">") and "<" in (sign[:1], behind):
        return behind == "<"
    if sign not in ("=", ":"):
        return False
    start = word_start(text, match.start())
    before = text[max(0, start - LONGEST_NAME) : start].rpartition("\n")[2].strip(" \t-")
    # where its line begins, or the parameter before it ends
    if before and before[-1] not in ";?&":
        return False
    if behind in (";", "&"):
        return True
    return not text[end : end + 40].partition("\n")[0].strip() and (sign == ":" or VARIABLE.fullmatch(value) is None)
