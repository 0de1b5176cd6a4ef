"""The logs that agents keep of past sessions on this machine: Claude Code, Codex, Cursor and Gemini CLI.

Gemini CLI wrote a session as one JSON object (`session-*.json`) before it wrote a line a message, into a folder that is
named by the SHA-256 of the project's path.

Cursor's agent transcripts say when a user typed something, and nothing of the folder; that stands in a file beside them
where the folder was trusted, and else only in the name of theirs, in which all but letters and figures are hyphens.
"""

from __future__ import annotations

import calendar
import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from sessions_app.client.src.checkout.place import git, repo_name
from sessions_app.client.src.local import Json
from sessions_app.client.src.transcripts.killed import claude_home, codex_home
from sessions_app.client.src.transcripts.turns import cursor_moment, tail

# What a session is about stands in its first lines.
HEAD_BYTES, HEAD_LINES = 400_000, 40


@dataclass(frozen=True)
class Log:
    """One session's log. `session` is the agent's own id of it, `folder` where it was held, `origin` the address of the
    repository if the log has it; `said` when something was said in it last; `size` is the file's.
    """

    agent: str
    path: str
    session: str
    folder: str
    origin: str
    branch: str
    said: float
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


@dataclass
class Logs:
    """`found`: the oldest first; `unplaced`: those of which nobody knows in which folder they were held."""

    found: list[Log]
    unplaced: int = 0


def logs_of(agents: list[str]) -> Logs:
    """Return the logs of these agents; files that are none are left out."""
    logs = Logs([])
    for agent in agents:
        for path in LOGS[agent][0]():
            try:
                log = _log(agent, path)
            except Exception:  # it is somebody else's file, and may hold anything
                continue
            if log:
                logs.found.append(log)
            else:
                logs.unplaced += agent in ("cursor", "gemini")
    logs.found.sort(key=lambda log: log.said)
    return logs


def _log(agent: str, path: Path) -> Log | None:
    about, known = path.stat(), LOGS[agent][1](path)
    folder = str(known.get("folder") or "")
    if not folder:
        return None
    session, origin, branch = (str(known.get(name) or "") for name in ("session", "origin", "branch"))
    return Log(
        agent,
        str(path),
        session or path.stem,
        folder,
        origin,
        branch,
        float(known.get("said") or 0) or _last_said(path) or about.st_mtime,
        about.st_size,
    )


# A moment that the log itself tells; in a text within it the marks would be escaped.
_SAID = re.compile(rb'"(?:timestamp|lastUpdated)":\s*"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z"')
TAIL_BYTES = 100_000


def _last_said(path: Path) -> float:
    """When something was said last, by what stands at the end of a log; 0 if it does not tell."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
        moments = _SAID.findall(file.read())
    return max((calendar.timegm(time.strptime(one.decode(), "%Y-%m-%dT%H:%M:%S")) for one in moments), default=0)


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
    chats = home / ".gemini" / "tmp"
    return [path for end in ("jsonl", "json") for path in chats.glob(f"*/chats/session-*.{end}")]


_SESSION_ID = re.compile(r'"sessionId":\s*"([^"\\]{1,200})"')


def _gemini_about(path: Path) -> Json:
    with path.open("rb") as file:
        named = _SESSION_ID.search(file.read(HEAD_BYTES).decode("utf-8", "replace"))
    if named is None:
        raise ValueError(f"no session: {path}")
    place = path.parent.parent
    try:
        folder = (place / ".project_root").read_text(encoding="utf-8").strip()
    except OSError:
        folder = _hashed_folders(place.parent.parent).get(place.name, "")
    return {"session": named[1], "folder": folder}


def _hashed_folders(home: Path) -> dict[str, str]:
    """The folders that Gemini CLI and this machine's other agents know, and the one the command runs in, by the SHA-256
    of their paths.
    """
    known = {*_known_folders(), *_known_to_gemini(home)}
    return {hashlib.sha256(folder.encode()).hexdigest(): folder for folder in known if folder}


def _known_folders() -> set[str]:
    """The folder the command runs in, and those of Claude Code's and Codex's logs."""
    here = os.getcwd()
    known = {here, git(here, "rev-parse", "--show-toplevel")}
    for paths, about in (LOGS["claude-code"], LOGS["codex"]):
        for path in paths():
            with contextlib.suppress(Exception):
                known.add(str(about(path).get("folder") or ""))
    return known - {""}


def _known_to_gemini(home: Path) -> Iterator[str]:
    for name in ("projects.json", "trustedFolders.json"):
        with contextlib.suppress(OSError, ValueError, RecursionError):
            told = json.loads((home / name).read_text(encoding="utf-8"))
            yield from told.get("projects", {}) if name == "projects.json" else told


def _cursor_paths() -> list[Path]:
    """Those of sessions; a subagent's is in a folder below."""
    projects = Path.home() / ".cursor" / "projects"
    own = [path for path in projects.glob("*/agent-transcripts/*/*.jsonl") if path.stem == path.parent.name]
    return [*own, *projects.glob("*/agent-transcripts/*.jsonl"), *projects.glob("*/agent-transcripts/*.txt")]


def _cursor_about(path: Path) -> Json:
    place = next(one for one in path.parents if one.name == "agent-transcripts").parent
    text = tail(str(path), TAIL_BYTES)
    said = cursor_moment(text)
    return {
        "folder": _trusted_folder(place) or _folder_named(place.name, text),
        "said": calendar.timegm(time.strptime(said, "%Y-%m-%dT%H:%M:%SZ")) if said else 0,
    }


def _trusted_folder(place: Path) -> str:
    with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError):
        told = json.loads((place / ".workspace-trusted").read_text(encoding="utf-8"))
        return str(told.get("workspacePath") or "")
    return ""


_PATHS = re.compile(r'"((?:/|[A-Za-z]:\\\\)[^"\n]{1,400})"')


def _folder_named(name: str, text: str) -> str:
    """The folder that Cursor would name so: of those that are known, and of those that a log speaks of; "" for none."""
    known = _known_folders()
    for path in set(_PATHS.findall(text)):
        own = PurePath(path.replace("\\\\", os.sep))
        known |= {str(own), *map(str, own.parents)}
    return next((folder for folder in sorted(known) if _cursor_name(folder) == _cursor_name(name)), "")


def _cursor_name(folder: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-").lower()


LOGS: dict[str, tuple[Callable[[], list[Path]], Callable[[Path], Json]]] = {
    "claude-code": (_claude_paths, _claude_about),
    "codex": (_codex_paths, _codex_about),
    "cursor": (_cursor_paths, _cursor_about),
    "gemini": (_gemini_paths, _gemini_about),
}
