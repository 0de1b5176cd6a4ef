"""One call of a hook: its event, agent and input."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from sessions_app.client.src.local import Json

ALIASES = {
    "sessionStart": "SessionStart", "beforeSubmitPrompt": "UserPromptSubmit", "afterFileEdit": "PostToolUse",
    "afterShellExecution": "PostToolUse", "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure",
    "preCompact": "PreCompact", "stop": "Stop", "sessionEnd": "SessionEnd",
}  # fmt: skip


LARGEST_INPUT = 4_000_000
LAST_ERROR = "last-hook-error.txt"
LONGEST_PROMPT = 4_000


# A turn's end is no end of a session; but every ten minutes what was said so far is put on record, so that another
# machine may take over from one that died.
BETWEEN_CHECKPOINTS = 600
# A session whose agent cannot be asked after has this long to show a sign of life (as on the server).
SILENCE = 1_800


@dataclass(frozen=True)
class Moment:
    """One call of a hook, whoever calls."""

    event: str
    agent: str
    given: Json
    ends: float

    @property
    def of(self) -> str:
        """The agent's session."""
        given = self.given
        own = given.get("session_id") or given.get("conversation_id") or given.get("cwd") or os.getcwd()
        return f"{self.agent}:{own}"

    @property
    def folder(self) -> str:
        roots = self.given.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        return str(self.given.get("cwd") or first or os.getcwd())

    @property
    def left(self) -> float:
        return max(0.05, self.ends - time.monotonic())
