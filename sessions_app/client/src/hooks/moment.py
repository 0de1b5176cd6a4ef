"""One call of a hook: its event, agent and input."""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from sessions_app.client.src.hooks.entry import identity, moments_folder
from sessions_app.client.src.local import Json

# What other clients call the same moments: Cursor and Copilot CLI (camel case), Gemini CLI (Before, After).
ALIASES = {
    "sessionStart": "SessionStart", "beforeSubmitPrompt": "UserPromptSubmit", "afterFileEdit": "PostToolUse",
    "afterShellExecution": "PostToolUse", "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure",
    "preCompact": "PreCompact", "stop": "Stop", "sessionEnd": "SessionEnd",
    # Gemini CLI tells of a compression before each of its requests, whether there is one or not.
    "BeforeAgent": "UserPromptSubmit", "AfterTool": "PostToolUse", "AfterAgent": "Stop", "PreCompress": "Stop",
    "userPromptSubmitted": "UserPromptSubmit", "agentStop": "Stop", "errorOccurred": "Stop", "StopFailure": "Stop",
}  # fmt: skip
LAST_ERROR = "last-hook-error.txt"
LONGEST_PROMPT = 4_000
# The end of each turn is put on record, but no more often than this, in seconds: so that another machine, or a
# colleague, has what was said before an agent died, at the price of a request that no hook waits for. With 60 up to a
# minute of talk was missing until its machine was used again (28 Nov 2026).
BETWEEN_CHECKPOINTS = 10
# A session whose agent's process cannot be looked up has this long to show a sign of life (as on the server).
SILENCE = 1_800


@dataclass(frozen=True)
class Moment:
    """One call of a hook. `ends`: when it must be done (time.monotonic()); `at`: when it was (time.time()).

    `name` identifies it: what is told of it twice has the same key.
    """

    event: str
    agent: str
    given: Json
    ends: float
    at: float
    name: str = ""
    cwd: str = ""

    @property
    def of(self) -> str:
        """The agent's session."""
        given = self.given
        names = ("session_id", "conversation_id", "sessionId", "cwd")
        own = next((given[name] for name in names if given.get(name)), self.cwd or os.getcwd())
        return f"{self.agent}:{own}"

    @property
    def folder(self) -> str:
        roots = self.given.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        return str(self.given.get("cwd") or first or self.cwd or os.getcwd())

    @property
    def transcript(self) -> str:
        """The path of the transcript, if the client says it or it is known where it writes them."""
        told = self.given.get("transcript_path") or self.given.get("transcriptPath")
        if told or self.agent != "copilot":
            return str(told or "")
        base = Path(os.environ.get("COPILOT_HOME") or Path.home() / ".copilot")
        return str(base / "session-state" / str(self.given.get("sessionId")) / "events.jsonl")

    @property
    def left(self) -> float:
        return max(0.05, self.ends - time.monotonic())


def read_input(raw: bytes) -> Json:
    """Return what a client gave; an empty object for what is none."""
    given = json.loads(raw.decode("utf-8", "replace") or "{}")
    return given if isinstance(given, dict) else {}


def moment_of(event: str, agent: str, given: Json, *, ends: float, at: float, name: str = "", cwd: str = "") -> Moment:
    """Return the call under its common name; a client that reads another one's hooks is told by its fields."""
    if "conversation_id" in given or "cursor_version" in given:
        agent = "cursor"
    return Moment(ALIASES.get(event, event), agent, given, ends, at, name, cwd)


def recorded_calls() -> list[Path]:
    """Return the calls of this account that were written down, in their order."""
    found = []
    for path in sorted(Path(moments_folder()).glob("*.moment")):
        with contextlib.suppress(OSError), path.open("rb") as file:
            if file.read(4_096).split(b"\n", 3)[2:3] == [identity().encode()]:
                found.append(path)
    return found


def read_moment(path: Path, ends: float) -> tuple[Moment, str]:
    """Return a call that was written down, and the account it belongs to. Raises ValueError, OSError."""
    head, _, raw = path.read_bytes().partition(b"\n\n")
    event, agent, account, cwd = head.decode("utf-8", "replace").split("\n", 3)
    at = int(path.stem.partition("-")[0]) / 1e9
    return moment_of(event, agent, read_input(raw), ends=ends, at=at, name=path.stem, cwd=cwd), account
