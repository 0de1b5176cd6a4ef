"""What a scripted model answers: texts, calls of tools in words of no client, the end of a turn."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Write:
    """Put a whole file into the checkout."""

    path: str
    text: str


@dataclass(frozen=True)
class Edit:
    """Replace a passage of a file that was read or written before."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Run:
    """A shell command."""

    command: str


@dataclass(frozen=True)
class Ask:
    """A tool of Loam's MCP server. Of `given` goes what the tool has a parameter for, as far as its schema is shown."""

    tool: str
    given: dict[str, Any] = field(default_factory=dict)

    def fitting(self, asked: "Asked") -> dict[str, Any]:
        fields = asked.parameters(self.tool)
        return {name: value for name, value in self.given.items() if name in fields} if fields else self.given


@dataclass(frozen=True)
class Raw:
    """A tool of the client's own, by its own name."""

    name: str
    given: dict[str, Any]


Action = Write | Edit | Run | Ask


@dataclass(frozen=True)
class Reply:
    """One answer of the model: `text`, then the tools it calls; without a call the turn ends."""

    text: str = ""
    calls: tuple[Action | Raw, ...] = ()


@dataclass(frozen=True)
class Tool:
    """A tool as the model is shown it. `shown` is its whole definition, as JSON."""

    name: str
    shown: str


@dataclass(frozen=True)
class Block:
    """A text that the model reads, in the order of the request. `role`: system, user, assistant, tool or call."""

    role: str
    text: str


@dataclass(frozen=True)
class Asked:
    """A request of a client, read the same way whatever the protocol."""

    path: str
    body: dict[str, Any]
    blocks: tuple[Block, ...]
    tools: tuple[Tool, ...]

    @property
    def context(self) -> str:
        """Every text that the model reads, tools apart."""
        return "\n".join(block.text for block in self.blocks)

    def tool(self, name: str) -> str:
        """What the client calls a tool of Loam's; empty when the model is not shown it."""
        return next((tool.name for tool in self.tools if tool.name.endswith(name) and "loam" in tool.name), "")

    def parameters(self, name: str) -> frozenset[str]:
        """The names of the parameters of a tool of Loam's; empty when its schema is not shown."""
        for tool in self.tools:
            if tool.name.endswith(name) and "loam" in tool.name:
                return frozenset(_properties(json.loads(tool.shown)))
        return frozenset()

    def result_of(self, tool: str) -> str:
        """What the last call of a tool of Loam's gave the model; empty when it was not called."""
        found, called = "", False
        for block in self.blocks:
            if block.role == "call":
                called = str(json.loads(block.text).get("name", "")).endswith(tool)
            elif block.role == "tool" and called:
                found, called = block.text, False
        return found

    @property
    def ours(self) -> tuple[str, ...]:
        """The names of Loam's tools that the model knows of, with or without their schemas."""
        shown = [re.sub(r"^.*loam(?:__|_|-)?", "", tool.name) for tool in self.tools if "loam" in tool.name]
        named = re.findall(r"^mcp__loam__(\w+)$", self.context, re.MULTILINE)
        return tuple(dict.fromkeys([*shown, *named]))


class First(Exception):
    """A tool that the model has to call before the one it wants: `name` with `given`."""

    def __init__(self, name: str, given: dict[str, Any]) -> None:
        super().__init__(name)
        self.name, self.given = name, given


def _properties(shown: Any) -> list[str]:
    """The parameters in a tool's definition, wherever its protocol puts them."""
    if isinstance(shown, dict):
        if isinstance(shown.get("properties"), dict):
            return list(shown["properties"])
        return [name for value in shown.values() for name in _properties(value)]
    return []


Step = Reply | Callable[[Asked], Reply]


class Script:
    """The replies to an agent's requests, in their order; when they are over, every turn ends with `last`."""

    def __init__(self, *steps: Step, last: str = "Done.") -> None:
        self.steps: Sequence[Step] = steps
        self.at = 0
        self.last = last

    def again(self) -> None:
        """Stand before the last step once more."""
        self.at = max(0, self.at - 1)

    def next(self, asked: Asked) -> Reply:
        if self.at >= len(self.steps):
            return Reply(self.last)
        step = self.steps[self.at]
        self.at += 1
        return step(asked) if callable(step) else step
