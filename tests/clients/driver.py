"""One session of an agent: started as its user starts it, spoken to, ended or killed; what its model was sent."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.clients.endpoint import Endpoint, listening
from tests.clients.machine import Hook, Machine
from tests.clients.processes import Process
from tests.clients.script import Action, Asked, Reply, Run, Script

# A session that needs more is one that hangs.
PATIENCE = 90.0
# How clients that keep the session's tools ask for a compaction, and a summary that says nothing.
COMPACTS = ("CRITICAL: Respond with TEXT ONLY", "create a detailed summary of the conversation so far")
COMPACTED = "<analysis>Short.</analysis>\n<summary>They spoke.</summary>"


@dataclass(frozen=True)
class Setup:
    """Where an agent works."""

    machine: Machine
    checkout: Path


@dataclass(frozen=True)
class Play:
    """What happens in a session: a person's prompts, the model's script, how it ends.

    `until`: the agent is killed (SIGKILL) as soon as this is true, in the middle of what it does.
    """

    prompts: tuple[str, ...]
    script: Script
    headless: bool = True
    resumes: bool = False
    until: Callable[[], bool] | None = None
    more: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Session:
    """What came of it. `asked`: the requests of the agent to its model; `said`: what the model answered, the last
    answer before a kill included; `hooks`: the calls of Loam's hooks.
    """

    asked: tuple[Asked, ...]
    beside: tuple[Asked, ...]
    hooks: tuple[Hook, ...]
    shown: str
    killed: bool
    seconds: float
    unknown: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def first(self) -> Asked | None:
        """The first request with the person's prompt in it."""
        return self.asked[0] if self.asked else None


class Driver(ABC):
    """A client. Subclasses say how it is configured and started, and what it calls its tools."""

    name = ""
    binary = ""
    # Other names that `loam install` may know it by.
    aliases: tuple[str, ...] = ()
    interactive = True

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def prepare(self, setup: Setup) -> None:  # noqa: B027 - most need none
        """Write what a person has settled before Loam comes: trust, permissions, the model."""

    @abstractmethod
    def environment(self, endpoint: Endpoint, setup: Setup) -> dict[str, str]: ...

    @abstractmethod
    def command(self, play: Play) -> list[str]: ...

    def ready(self, process: Process) -> bool:
        return True

    def finish(self, process: Process) -> None:  # noqa: B027 - most need none
        """End an interactive session as a person does."""

    @abstractmethod
    def spell(self, action: Action, asked: Asked) -> tuple[str, dict[str, Any]]:
        """Raises First when the model would have to call something else before."""

    def aside(self, asked: Asked) -> str:
        """The answer to what the client asks of its own accord, beside the person's turns; empty for a turn."""
        last = asked.blocks[-1].text if asked.blocks else ""
        return COMPACTED if any(words in last for words in COMPACTS) else ""

    def everything(self, asked: Asked) -> Reply:
        """What a model does to be shown all tools of Loam's at once, where the client keeps some back."""
        return Reply("Nothing is kept back.", (Run("true"),))

    def install(self, *, project: bool = False) -> str:
        """Log in and `loam install`, as the manual says; for a client it does not know, MCP alone, by hand.

        The text is what `install` said; empty where it was done by hand.
        """
        self.prepare(self.setup)
        machine = self.setup.machine
        if not (machine.home / "loam.py").exists():
            machine.login()
        for name in (self.name, *self.aliases):
            if machine.knows(name):
                return machine.install(name, project=self.setup.checkout if project else None)
        self.connect_by_hand(machine)
        return ""

    def connect_by_hand(self, machine: Machine) -> None:
        """Write the address of MCP and the token into the client's settings. Without it a client must be known."""
        raise LookupError(f"`loam install` does not know {self.name}, and there is no way by hand.")

    def play(self, play: Play) -> Session:
        machine = self.setup.machine
        before, began = len(machine.hooks()), time.monotonic()
        with listening(play.script, self.spell, self.aside) as endpoint:
            self.connect(endpoint)
            environment = machine.environment({**self.environment(endpoint, self.setup), **play.more})
            process = Process(
                self.command(play), self.setup.checkout, environment, typed=not play.headless, host=machine.name
            )
            try:
                self._talk(play, process, endpoint)
                killed = play.until is not None and process.runs
                if killed:
                    process.kill()
                elif not play.headless and process.runs:
                    self.finish(process)
                    process.ended(15)
            finally:
                process.close()
        # What a hook started beside the agent may still be on its way.
        time.sleep(1.0)
        hooks = machine.hooks()[before:]
        seconds = time.monotonic() - began
        if not endpoint.asked:
            raise RuntimeError(f"{self.name} asked its model nothing:\n{process.shown[-3000:]}")
        return Session(
            tuple(endpoint.asked), tuple(endpoint.beside), tuple(hooks), process.shown, killed, seconds,
            tuple(endpoint.unknown), tuple(endpoint.said),
        )  # fmt: skip

    def connect(self, endpoint: Endpoint) -> None:  # noqa: B027 - most need none
        """Tell a client whose configuration is a file where its model is."""

    def _talk(self, play: Play, process: Process, endpoint: Endpoint) -> None:
        if play.headless:
            self._wait(play, process, lambda: not process.runs)
            return
        if not self.ready(process):
            raise TimeoutError(f"{self.name} does not come up:\n{process.shown[-3000:]}")
        process.settle()
        for prompt in play.prompts:
            turns, asked = endpoint.turns, len(endpoint.asked)
            process.type(prompt)
            if prompt.startswith("/"):  # the client's own command: no turn of the model, or one beside
                process.settle(quiet=4.0, most=40.0)
                continue
            # A client that is busy with a hook keeps the words and misses the return key.
            if not endpoint.wait(lambda asked=asked: len(endpoint.asked) > asked, 10.0):
                process.type("")
            self._wait(play, process, lambda turns=turns: endpoint.turns > turns)
            if play.until is not None and play.until():
                return
            process.settle()

    def _wait(self, play: Play, process: Process, over: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if over() or not process.runs or (play.until is not None and play.until()):
                return
            time.sleep(0.05)
        raise TimeoutError(f"{self.name} hangs:\n{process.shown[-3000:]}")
