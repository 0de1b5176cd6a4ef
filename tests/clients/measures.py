"""One client from the first prompt to what is told after a kill: hooks, context, tools, tokens."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.clients.driver import Driver, Play, Session, Setup
from tests.clients.drivers.claude import ClaudeCode
from tests.clients.drivers.codex import Codex
from tests.clients.drivers.copilot import CopilotCli
from tests.clients.drivers.gemini import GeminiCli
from tests.clients.drivers.opencode import OpenCode
from tests.clients.facts import held
from tests.clients.follow import pointed, reader, told_by_loam
from tests.clients.script import Ask, Asked, Reply, Script, Step
from tests.clients.works import FAILING, GO_ON
from tests.clients.world import World

CLIENTS: dict[str, Callable[[Setup], Driver]] = {
    "Claude Code": ClaudeCode, "Codex": Codex, "Gemini CLI": GeminiCli, "OpenCode": OpenCode, "Copilot CLI": CopilotCli,
}  # fmt: skip
# On a subject that the demo's team has notes and folders about.
QUESTION = "How do we run celery beat without running jobs twice"
# Four characters a token: the rule by which Loam itself packs, and the usual one for English and code.
CHARACTERS_A_TOKEN = 4


def tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_A_TOKEN)


@dataclass(frozen=True)
class Measured:
    """`planted`, `found`: facts of the killed session, and how many of them the next model is told by Loam."""

    client: str
    version: str
    configured: str
    headless: tuple[str, ...]
    interactive: tuple[str, ...]
    orientation: int
    surfaced: int
    tools: tuple[str, ...]
    listed: int
    query: int
    evidence: int
    handoff: int | None
    planted: int
    found: int
    read: int
    sessions: tuple[Session, ...]


# Copilot CLI writes its record in batches, seconds apart: of a session killed within two there is nothing to read.
SETTLES = 4.0


def has_settled(marker: Path) -> bool:
    """Whether the command that made this file has run for SETTLES seconds."""
    return marker.exists() and time.time() - marker.stat().st_mtime > SETTLES


def measure(name: str, world: World) -> Measured:
    driver = CLIENTS[name](world.setup(f"measure-{CLIENTS[name].__name__.lower()}"))  # type: ignore[attr-defined]
    installed = driver.install()
    version = driver.setup.machine.run(driver.binary, "--version").strip().splitlines()[0]
    asks = driver.play(Play((QUESTION,), Script(*_questions(driver))))
    marker = driver.setup.machine.home / "running"
    killed = driver.play(Play((FAILING.prompt,), Script(*FAILING.killed(marker)), until=lambda: has_settled(marker)))
    after = driver.play(Play((GO_ON,), Script(*reader())))
    talk = driver.play(Play((QUESTION, "/compact", "Thanks"), Script(Reply("By one process."), Reply("Bye.")), False))
    last = asks.asked[-1]
    told = "\n".join(told_by_loam(asked) for asked in after.asked)
    return Measured(
        client=name,
        version=version,
        configured="`loam install`" if installed else "by hand, MCP alone",
        headless=_events(asks, killed, after),
        interactive=_events(talk),
        orientation=_received(asks, "SessionStart"),
        surfaced=_received(asks, "UserPromptSubmit"),
        tools=last.ours,
        listed=sum(tokens(tool.shown) for tool in last.tools if "loam" in tool.name),
        query=tokens(last.result_of("query_insights")),
        evidence=tokens(last.result_of("search_evidence")),
        handoff=_handoff(after),
        planted=len(FAILING.facts),
        found=len(held(FAILING.facts, told)),
        read=len(held(FAILING.facts, "\n".join(asked.context for asked in after.asked))),
        sessions=(asks, killed, after, talk),
    )


def _questions(driver: Driver) -> tuple[Step, ...]:
    query = Reply("", (Ask("query_insights", {"query": QUESTION}),))
    evidence = Reply("", (Ask("search_evidence", {"query": "how are tasks kept from running twice"}),))
    return (driver.everything, query, evidence, Reply("By one process."))


def _events(*sessions: Session) -> tuple[str, ...]:
    """Each event of a hook that was called, as the client names it; marked where it did not come to its end."""
    found: dict[str, bool] = {}
    for session in sessions:
        for hook in session.hooks:
            found[hook.event] = found.get(hook.event, False) or hook.said is None
    return tuple(f"{event} (cut off)" if cut else event for event, cut in found.items())


def _received(session: Session, event: str) -> int:
    """Tokens of what a hook said, as the model was sent it; Gemini CLI escapes the tags in it."""
    context = "\n".join(asked.context for asked in session.asked)
    texts = [hook.context for hook in session.hooks if MOMENTS.get(hook.event, hook.event) == event and hook.context]
    forms = [(text.strip(), text.strip().replace("<", "&lt;").replace(">", "&gt;")) for text in texts]
    return sum(tokens(next((form for form in both if form in context), "")) for both in forms)


# What the clients call the two moments at which something is told.
MOMENTS = {
    "sessionStart": "SessionStart", "session.created": "SessionStart", "BeforeAgent": "UserPromptSubmit",
    "userPromptSubmitted": "UserPromptSubmit", "beforeSubmitPrompt": "UserPromptSubmit",
    "chat.message": "UserPromptSubmit",
}  # fmt: skip


def _handoff(after: Session) -> int | None:
    """Tokens of the call that the orientation points to; None when it points to none that the agent has."""
    first: Asked = after.asked[0]
    call = pointed(told_by_loam(first), first.ours)
    return tokens(after.asked[-1].result_of(call[0])) if call else None
