"""YAML front matter: what stands between two lines of `---` at the top of a note.

It comes from strangers, so it is bounded before it is built: by size, by nesting, and without aliases, which let a
hundred characters stand for gigabytes. Front matter that is not valid YAML (an unquoted colon in a description is
enough) is read line by line instead: `title: …` is plain to see, and a note is not lost over it.
"""

import re
from typing import Any

import yaml

from accounts.rules.bounded_yaml import Unbounded, check

# A page of metadata. The longest of some 350 public team documents has 1,300 characters.
LONGEST = 10_000
# `tags: [a, b]` is two deep; nothing below the second level is read.
DEEPEST = 10

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^([A-Za-z][\w-]{0,40}):[ \t]+(\S.*)$", re.MULTILINE)


class BadFrontMatter(ValueError):
    """It is too long, nested too deep, or uses aliases; the text says which."""


def split(text: str) -> tuple[dict[str, Any], str]:
    """The metadata by lower-case name, and the text below it; ({}, text) without front matter.

    Raises BadFrontMatter.
    """
    block = _BLOCK.match(text)
    if block is None:
        return {}, text
    source, rest = block["yaml"], text[block.end() :]
    if len(source) > LONGEST:
        raise BadFrontMatter(f"front matter of {len(source):,} characters; the limit is {LONGEST:,}")
    try:
        check(source, deepest=DEEPEST)
        found = yaml.safe_load(source)
    except Unbounded as fault:
        raise BadFrontMatter(str(fault)) from None
    except Exception:  # a tag like !!timestamp on a text it does not fit raises whatever comes first
        return _lines(source), rest
    if found is None:
        return {}, rest
    if not isinstance(found, dict):
        return {}, text  # a rule, some words, and another rule
    return {str(name).lower(): value for name, value in found.items()}, rest


def _lines(source: str) -> dict[str, Any]:
    return {name.lower(): value.strip().strip("'\"") for name, value in _LINE.findall(source)}
