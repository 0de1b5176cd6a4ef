"""The JSON in what a language model says: bare, fenced, behind its thoughts, inside a tool call, cut off, or misquoted.

The repair itself is `json-repair`'s. What is decided here is where the JSON begins, and which of several is meant.
"""

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
    start = min((at for at in (said.find("{"), said.find("[")) if at >= 0), default=-1)
    if start < 0:
        raise NoJson("the answer has no JSON")
    found = repair_json(said[start:], return_objects=True)
    # Where there is prose with several objects, the last one is the answer.
    return found[-1] if isinstance(found, list) and said[start] == "{" and found else found


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
