r"""One page of a vault: YAML front matter, texts a person may edit, and below them what only a machine needs.

    ---
    title: "Guard long ALTERs"
    kind: SOLUTION
    ---

    The text.

    %% loam: reasoning %%

    Why.

    %% loam: related %%

    - superseded by [[PLAT-50]]

    %% loam: history %%

    ```json
    {"signal": {"kind": "helpful", …}}
    ```

Obsidian hides what stands between `%%`. A line of a text that begins like a marker gets a backslash, and one that has
backslashes already one more, so that no text can be taken for what stands around it. Front matter is written as JSON
values, which YAML reads; it is read as YAML, for a person or an editor may have written it again. Both are bounded
before anything is built of them: what is read may come from strangers.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import yaml

from accounts.rules.bounded_yaml import Unbounded, check

# The longest note that is imported has 200,000 characters; a page repeats every text that was merged into it. At 20 MB
# a parser still answers within a second or two.
LONGEST_PAGE = 20_000_000
# A few hundred tags and paths. YAML is parsed at some 5 MB a second.
LONGEST_HEAD = 400_000
DEEPEST = 12

HISTORY, RELATED = "history", "related"
_MARKER = re.compile(r"^%% loam: ([a-z]+(?: [a-z]+)*) %%\n", re.MULTILINE)
_LIKE_A_MARKER = re.compile(r"^(\\*)%% loam:", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*%% loam:)", re.MULTILINE)
# A word that YAML reads as the same word: no number, no date, no yes or null.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z_]{5,30}")
# What YAML would not print, or takes for the end of a line; JSON leaves these as they are.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


class BadPage(ValueError):
    """It cannot be read; the text says why."""


@dataclass(frozen=True)
class Page:
    """`texts`: by the name of their section, the first is ""; `records`: one thing each, {what it is: {its fields}}."""

    head: Mapping[str, Any]
    texts: Mapping[str, str] = field(default_factory=dict)
    related: Sequence[str] = ()
    records: Sequence[Mapping[str, Any]] = ()


def render_page(page: Page) -> str:
    """The same page is the same text, byte for byte."""
    parts = ["---\n", *(f"{name}: {_value(value)}\n" for name, value in page.head.items()), "---\n"]
    for name, text in page.texts.items():
        parts += [f"%% loam: {name} %%\n" if name else "", f"\n{_LIKE_A_MARKER.sub(_escape, text)}\n\n"]
    if page.related:
        parts.append(f"%% loam: {RELATED} %%\n\n" + "".join(f"- {line}\n" for line in page.related) + "\n")
    if page.records:
        lines = "".join(f"{packed(record)}\n" for record in page.records)
        parts.append(f"%% loam: {HISTORY} %%\n\n```json\n{lines}```\n")
    return "".join(parts)


def read(text: str) -> Page:
    """The page a text is; `render_page` gives the text back. Raises BadPage."""
    if len(text) > LONGEST_PAGE:
        raise BadPage(f"more than {LONGEST_PAGE:,} characters")
    if text.startswith("---\r\n"):
        text = text.replace("\r\n", "\n")
    end = text.find("\n---\n", 3)
    if not text.startswith("---\n") or end < 0:
        raise BadPage("it does not start with front matter")
    head = front_matter(text[4 : end + 1])
    pieces = _MARKER.split(text[end + 5 :])
    sections = dict(zip(["", *pieces[1::2]], pieces[0::2], strict=True))
    records = _records(sections.pop(HISTORY, ""))
    sections.pop(RELATED, None)
    return Page(head, {name: _text(said) for name, said in sections.items()}, (), records)


def front_matter(source: str) -> dict[str, Any]:
    """A YAML mapping of plain values, moments as ISO text; no aliases, no tags, nothing deep. Raises BadPage."""
    if len(source) > LONGEST_HEAD:
        raise BadPage(f"front matter of {len(source):,} characters; the limit is {LONGEST_HEAD:,}")
    try:
        check(source, deepest=DEEPEST)
        found = yaml.load(source, Loader=yaml.CSafeLoader)
    except Unbounded as fault:
        raise BadPage(str(fault)) from None
    except Exception as fault:  # a tag like !!timestamp on a text it does not fit raises whatever comes first
        raise BadPage(f"its front matter is not YAML: {' '.join(str(fault).split())[:200]}") from None
    if not isinstance(found, dict):
        raise BadPage("its front matter names no fields")
    return {str(name): _plain(value) for name, value in found.items()}


def packed(value: Any) -> str:
    """JSON in one line that means the same to a YAML reader."""
    return _UNPRINTABLE.sub(lambda one: f"\\u{ord(one[0]):04x}", json.dumps(value, ensure_ascii=False))


def unpacked(line: str) -> dict[str, Any]:
    """A JSON object; no NaN and no Infinity, which no column takes. Raises BadPage."""
    try:
        found = json.loads(line, parse_constant=_no_number, parse_float=_number)
    except (ValueError, RecursionError) as fault:
        raise BadPage(f"not JSON: {fault}") from None
    if not isinstance(found, dict):
        raise BadPage("not a JSON object")
    if "\\ud" in line.lower():
        _encoded(json.dumps(found, ensure_ascii=False))
    return found


def _value(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return packed(value)


def _escape(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _text(said: str) -> str:
    """Exactly what was written; of what an editor has laid out otherwise, all but the space around it."""
    exact = said.startswith("\n") and said.endswith("\n\n")
    return _ESCAPED.sub(r"\1", said[1:-2] if exact and len(said) > 2 else said.strip())


def _records(section: str) -> list[dict[str, Any]]:
    lines = section.strip("\n").split("\n")
    if lines == [""]:
        return []
    if lines[0] != "```json" or lines[-1] != "```":
        raise BadPage("its history is not a block of JSON lines")
    return [unpacked(line) for line in lines[1:-1]]


def _plain(value: Any) -> Any:
    """Only what JSON has."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, float) and value - value != 0:
        raise BadPage("front matter with an invalid number")
    if isinstance(value, str):
        return _encoded(value)
    if value is None or isinstance(value, int | float):
        return value
    raise BadPage(f"front matter with a {type(value).__name__}")


def _encoded(text: str) -> str:
    """Half a surrogate pair is a character in JSON, and none in a database."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadPage("it contains an unpaired surrogate") from None
    return text


def _number(word: str) -> float:
    found = float(word)
    return found if found - found == 0 else _no_number(word)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number")
