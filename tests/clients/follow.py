"""What an agent does with a pointer in what it was told: the call that the text names, if its tools have it."""

import json
import re
from typing import Any

from tests.clients.script import Ask, Asked, Reply, Step

# What every text of Loam's for a model begins with.
FENCE = "team-memory"
SESSION = re.compile(r"loam-s-[\w-]{20,}")
_REFERENCE = re.compile(r"\bS-\d+\b")


def session_in(text: str) -> str:
    """The id of the Loam session that the agent was told."""
    found = SESSION.findall(text)
    return found[-1] if found else ""


def pointed(told: str, tools: tuple[str, ...]) -> tuple[str, dict[str, Any]] | None:
    """The first tool of Loam's that the text names to read a handoff by, with the arguments it names."""
    for match in re.finditer(r"\b([a-z]+_[a-z_]+)\b(?:\(([^)]*)\))?", told):
        name, words = match.group(1), match.group(2) or ""
        if name in tools and re.search(r"^(?:get|read|take|show|list)_|handoff|history", name):
            return name, _arguments(words) or _reference_near(told, match.start())
    return None


def _arguments(words: str) -> dict[str, Any]:
    """`ref="S-29", limit=3` as a dictionary; a bare value goes by the names that references have."""
    given: dict[str, Any] = {}
    for name, value in re.findall(r"(\w+)\s*[=:]\s*(\"[^\"]*\"|'[^']*'|[^,\s]+)", words):
        given[name] = _value(value)
    bare = _REFERENCE.search(words)
    if not given and bare:
        given = dict.fromkeys(("ref", "handoff", "session", "id", "insight"), bare.group())
    return given


def _value(text: str) -> Any:
    text = text.replace("'", '"')
    try:
        return json.loads(text)
    except ValueError:
        return text.strip('"')


def _reference_near(told: str, at: int) -> dict[str, Any]:
    found = _REFERENCE.findall(told[:at])
    return dict.fromkeys(("ref", "handoff", "id"), found[-1]) if found else {}


def reader(*, more: tuple[Step, ...] = ()) -> tuple[Step, ...]:
    """A successor's steps: it makes the call it was pointed to, if there is one, and then answers."""

    def first(asked: Asked) -> Reply:
        call = pointed(told_by_loam(asked), asked.ours)
        return Reply("I will read it.", (Ask(*call),)) if call else Reply("I see.")

    return (first, *more, Reply("I see."))


def told_by_loam(asked: Asked) -> str:
    """The texts of a request that are Loam's: what its hooks put there, and its tools' results."""
    told: list[str] = []
    called = False
    for block in asked.blocks:
        if block.role == "call":
            about = json.loads(block.text)
            called = "loam" in f"{about.get('namespace', '')}{about.get('name', '')}"
        elif (block.role == "tool" and called) or FENCE in block.text or SESSION.search(block.text):
            told.append(block.text)
    return "\n".join(told)
