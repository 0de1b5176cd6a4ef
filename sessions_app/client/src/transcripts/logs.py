"""The logs that agents keep of past sessions on this machine: Claude Code, Codex and Gemini CLI.

Cursor's transcripts say neither when nor in which folder a conversation was held, so they are not among them.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions_app.client.src.checkout.place import git, repo_name
from sessions_app.client.src.local import Json
from sessions_app.client.src.transcripts.killed import claude_home, codex_home

# What a session is about stands in its first lines.
HEAD_BYTES, HEAD_LINES = 400_000, 40


@dataclass(frozen=True)
class Log:
    """One session's log. `session` is the agent's own id of it, `folder` where it was held, `origin` the address of the
    repository if the log has it; `changed` and `size` are the file's.
    """

    agent: str
    path: str
    session: str
    folder: str
    origin: str
    branch: str
    changed: float
    size: int

    @property
    def of(self) -> str:
        """The name of the session here and at the server, as its hooks would tell it."""
        return f"{self.agent}:{self.session}"

    @property
    def repo(self) -> str:
        """The repository's name; without a remote the folder's."""
        origin = self.origin or git(self.folder, "config", "--get", "remote.origin.url")
        return (repo_name(origin) or os.path.basename(self.folder.rstrip("/\\")) or "unknown")[:200]

    @property
    def top(self) -> str:
        return git(self.folder, "rev-parse", "--show-toplevel") or self.folder


def logs_of(agents: list[str]) -> list[Log]:
    """Return the logs of these agents, the oldest first; files that are none are left out."""
    found = [log for agent in agents for path in LOGS[agent][0]() if (log := _log(agent, path))]
    return sorted(found, key=lambda log: log.changed)


def _log(agent: str, path: Path) -> Log | None:
    try:
        about = path.stat()
        known = LOGS[agent][1](path)
    except Exception:  # it is somebody else's file, and may hold anything
        return None
    folder = str(known.get("folder") or "")
    if not folder:
        return None
    session, origin, branch = (str(known.get(name) or "") for name in ("session", "origin", "branch"))
    return Log(agent, str(path), session or path.stem, folder, origin, branch, about.st_mtime, about.st_size)


def _head(path: Path) -> Iterator[Json]:
    """The first lines of a log that are whole."""
    with path.open("rb") as file:
        lines = file.read(HEAD_BYTES).decode("utf-8", "replace").splitlines()
    for line in lines[:HEAD_LINES]:
        with contextlib.suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict):
                yield row


def _claude_paths() -> list[Path]:
    """Those of sessions; a subagent's has its own name, and is in its session's."""
    return [path for path in (claude_home() / "projects").glob("*/*.jsonl") if not path.name.startswith("agent-")]


def _claude_about(path: Path) -> Json:
    for row in _head(path):
        if row.get("cwd"):
            return {"folder": row["cwd"], "branch": row.get("gitBranch")}
    return {}


def _codex_paths() -> list[Path]:
    return list((codex_home() / "sessions").glob("*/*/*/rollout-*.jsonl"))


def _codex_about(path: Path) -> Json:
    payload: Any = next(_head(path), {}).get("payload") or {}
    repository = payload.get("git") or {}
    return {
        "session": payload.get("id"), "folder": payload.get("cwd"),
        "origin": repository.get("repository_url"), "branch": repository.get("branch"),
    }  # fmt: skip


def _gemini_paths() -> list[Path]:
    home = Path(os.environ.get("GEMINI_CLI_HOME") or Path.home())
    return list((home / ".gemini" / "tmp").glob("*/chats/session-*.jsonl"))


def _gemini_about(path: Path) -> Json:
    folder = (path.parent.parent / ".project_root").read_text(encoding="utf-8").strip()
    return {"session": next(_head(path), {}).get("sessionId"), "folder": folder}


LOGS: dict[str, tuple[Callable[[], list[Path]], Callable[[Path], Json]]] = {
    "claude-code": (_claude_paths, _claude_about),
    "codex": (_codex_paths, _codex_about),
    "gemini": (_gemini_paths, _gemini_about),
}
