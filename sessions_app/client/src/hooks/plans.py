"""The to-do list that an agent keeps by a tool: known by its structure, whatever the tool is called.

TodoWrite, update_plan, write_todos and others send the whole list each time: items with a text and a status, or lines
with boxes. Others make and change one item at a time (TaskCreate, TaskUpdate).
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

from sessions_app.client.src.local import Json

_TEXTS = ("content", "step", "subject", "title", "task", "description", "text", "name", "label")
_STATES = ("status", "state", "completed", "done", "checked")
_IDS = ("id", "taskId", "task_id", "todo_id", "todoId")
_OVER = ("completed", "complete", "done", "finished", "closed", "true")
_GIVEN_UP = ("deleted", "removed", "cancelled", "canceled", "skipped")
_BOX = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[(?P<mark>[ xX~-])\][ \t]+(?P<text>\S.*)")
_MAKES = re.compile(
    r"(?:create|add|new)_?(?:task|todo|plan)|(?:task|todo|plan)(?:_?(?:item|step))?_?(?:create|add)", re.I
)
_CHANGES = re.compile(r"update_?(?:task|todo|plan)|(?:task|todo|plan)(?:_?(?:item|step))?_?update", re.I)
# As the server knows a list from other turns of a tool.
LIST_HEAD = "TodoWrite"


class TodoList:
    """The list as the calls so far left it. `items`: text and status (pending, in_progress, completed) by id."""

    def __init__(self) -> None:
        self.items: dict[str, tuple[str, str]] = {}

    def take(self, name: str, given: Json, output: str) -> str:
        """Return the whole list after a call, as the text of a turn; empty if the call was none of a list's."""
        whole = whole_list(given)
        if whole:
            kept = self.items if given.get("merge") is True else {}
            self.items = {**kept, **dict(whole)}
        elif _MAKES.search(name) and (text := _item_text(given)):
            number = re.search(r"#(\w+)", output)
            self.items[number[1] if number else str(len(self.items) + 1)] = (text, _item_state(given))
        elif _CHANGES.search(name) and (place := _first_field(given, _IDS)) in self.items:
            text, state = self.items[place]
            self.items[place] = (_item_text(given) or text, _item_state(given) if _has_state(given) else state)
        else:
            return ""
        self.items = {place: item for place, item in self.items.items() if item[1] not in _GIVEN_UP}
        return "\n".join([LIST_HEAD, *(f"- [{state}] {text}" for text, state in self.items.values())])


def is_of_list(name: str, given: Any) -> bool:
    """Return whether a call may be one of a to-do list's."""
    return isinstance(given, dict) and bool(_MAKES.search(name) or _CHANGES.search(name) or whole_list(given))


def whole_list(given: Json) -> list[tuple[str, tuple[str, str]]]:
    """Return the items of a call that sends all of a list, each by its id; empty if it does not."""
    for value in given.values():
        if isinstance(value, str):
            found = list(_boxes(value))
            if found:
                return found
            with contextlib.suppress(ValueError):
                value = json.loads(value) if value.lstrip().startswith("[") else None
        if isinstance(value, list) and value and all(isinstance(one, dict) and _has_state(one) for one in value):
            return [
                (_first_field(one, _IDS) or _item_text(one), (_item_text(one), _item_state(one)))
                for one in value
                if _item_text(one) or _first_field(one, _IDS)
            ]
    return []


def _boxes(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The items of a text in which every line has a box."""
    lines = [line for line in text.splitlines() if line.strip()]
    matches = [match for line in lines if (match := _BOX.fullmatch(line))]
    for match in matches if len(matches) == len(lines) else ():
        yield match["text"], (match["text"], {" ": "pending", "~": "in_progress"}.get(match["mark"], "completed"))


def _has_state(item: Json) -> bool:
    return any(isinstance(item.get(name), (str, bool)) for name in _STATES)


def _item_state(item: Json) -> str:
    said = _first_field(item, _STATES).lower().replace("-", "_").replace(" ", "_")
    if said in _OVER:
        return "completed"
    return said if said in ("in_progress", *_GIVEN_UP) else "pending"


def _item_text(item: Json) -> str:
    return " ".join(_first_field(item, _TEXTS).split())


def _first_field(item: Json, names: tuple[str, ...]) -> str:
    """The first of these fields that says something."""
    found = (item[name] for name in names if isinstance(item.get(name), (str, int)) and item[name] != "")
    return str(next(found, ""))
