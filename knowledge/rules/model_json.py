"""The JSON in what a language model says: bare, fenced, behind its thoughts, inside a tool call, cut off, or misquoted.

The repair itself is `json-repair`'s. What is decided here is where the JSON begins, and which of several is meant.
"""

import json
import re
from typing import Any

from json_repair import repair_json

_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)


class NoJson(ValueError):
    """There is none."""


def json_in(text: str) -> Any:
    """The object or list a model's answer holds. Raises NoJson."""
    # A thought ends with its last mark, however many it began with.
    said = _THOUGHT_ENDS.split(text)[-1]
    fenced = [inner for inner in _FENCE.findall(said) if inner.lstrip()[:1] in ("{", "[")]
    said = (fenced[-1] if fenced else said).strip()
    start = _start(said, 0)
    if start < 0:
        start = min((at for at in (said.find("{"), said.find("[")) if at >= 0), default=-1)
    if start < 0:
        raise NoJson("the answer has no JSON")
    try:
        return _last(said, start)
    except ValueError:
        found = repair_json(said[start:], return_objects=True)
        return found[-1] if isinstance(found, list) and said[start] == "{" and found else found


# What begins an object or a list with quoted names, numbers or others within: no word in brackets in a sentence.
_BEGINS = re.compile(r"""\{(?=\s*["'}])|\[(?=\s*["'{\[\]\d-])""")


def _start(said: str, at: int) -> int:
    """Where JSON may begin from a place on; -1 for nowhere."""
    found = _BEGINS.search(said, at)
    return found.start() if found else -1


def _last(said: str, start: int) -> Any:
    """Of prose with several objects the last one, which is the answer; a list that comes first is it. Raises ValueError
    where any is not well-formed.
    """
    found, end = json.JSONDecoder().raw_decode(said, start)
    following = said.find("{", end) if isinstance(found, dict) else -1
    while following >= 0:
        if _start(said, following) == following:
            found, end = json.JSONDecoder().raw_decode(said, following)
        following = said.find("{", max(end, following + 1))
    return found


def object_with(given: Any, field: str) -> dict[str, Any] | None:
    """The object that has a field: the answer itself, one of a list, or what another field of it holds. What else it
    holds is for its reader to leave out.
    """
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict) and field in one:
            return one
        for inner in one.values() if isinstance(one, dict) else ():
            if isinstance(inner, dict) and field in inner:
                return inner
    return None
