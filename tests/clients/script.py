"""What a scripted model answers: texts, calls of tools in words that no client has of its own, and the end of a turn."""

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
    """A tool of Loam's MCP server, by its own name."""

    tool: str
    given: dict[str, Any] = field(default_factory=dict)


Action = Write | Edit | Run | Ask


@dataclass(frozen=True)
class Reply:
    """One answer of the model: `text`, then the tools it calls; without a call the turn ends."""

    text: str = ""
    calls: tuple[Action, ...] = ()


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


class First(Exception):
    """A tool that the model has to call before the one it wants: `name` with `given`."""

    def __init__(self, name: str, given: dict[str, Any]) -> None:
        super().__init__(name)
        self.name, self.given = name, given


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
