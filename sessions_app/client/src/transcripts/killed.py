"""Sessions that were killed: which they are, and where their transcripts lie."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions_app.client.src.checkout.place import Checkout, checkout_id
from sessions_app.client.src.hooks.moment import SILENCE, Moment
from sessions_app.client.src.late import subprocess
from sessions_app.client.src.local import Json, filled
from sessions_app.client.src.sessions import note, states
from sessions_app.client.src.transcripts.turns import digest, read_transcript


@dataclass(frozen=True)
class KilledAgent:
    """A session whose agent is gone without a word: what is known of it, and its transcript's path, if it has one."""

    of: str
    known: Json
    transcript: str

    def turns(self, top: str) -> list[Json]:
        return digest(read_transcript(self.transcript, top)) if self.transcript else []


def killed_sessions(moment: Moment, where: Checkout) -> list[KilledAgent]:
    """Return the sessions of this checkout that are over and never said so, the latest first.

    Two agents at work in one checkout are two sessions: one whose process runs, or that spoke a moment ago, is alive.
    """
    found = []
    for known in states():
        transcript = str(known.get("transcript") or "")
        if known["of"] == moment.of or known.get("top") != where.top or known.get("ended"):
            continue
        runs = _runs(known.get("process"))
        if runs or (runs is None and time.time() - last_word(known, transcript) < SILENCE):
            continue
        if known.get("session") or transcript:
            found.append(KilledAgent(str(known["of"]), known, transcript))
    return [*found, *_unreported(moment, where)]


def _unreported(moment: Moment, where: Checkout) -> Iterator[KilledAgent]:
    """Transcripts of this checkout of which no hook ever told: Loam was not yet installed, or was off."""
    own = moment.transcript
    told = {str(known.get("transcript")) for known in states()} | {own}
    for path in transcripts(moment.agent, moment.folder, own):
        with contextlib.suppress(OSError):
            if path not in told and SILENCE < time.time() - os.path.getmtime(path) < OLDEST_UNREPORTED:
                of = f"{moment.agent}:{own_id(moment.agent, path)}"
                known = note(of, transcript=path, top=where.top, repo=where.repo, seen=os.path.getmtime(path))
                yield KilledAgent(of, known, path)


def own_id(agent: str, path: str) -> str:
    """Return the agent's own id of a transcript's session, as its hooks tell it."""
    if agent == "codex":
        named = re.search(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", Path(path).stem)
        return named.group() if named else Path(path).stem
    return Path(path).stem


def recovery(one: KilledAgent, where: Checkout) -> Json:
    """Return what the server is told of a killed session; empty when it left no word."""
    turns, start = one.turns(where.top), one.known.get("start") or {}
    if not turns and not one.known.get("session"):
        return {}
    body = filled(
        repo=one.known.get("repo") or where.repo, agent_session=one.of[:200], session=one.known.get("session"),
        team=start.get("team"), branch=start.get("branch") or where.branch, agent=one.of.partition(":")[0],
        machine=socket.gethostname()[:100], checkout=checkout_id(where.top),
    )  # fmt: skip
    return {**body, "transcript": turns}


# A conversation of last week is not what a person goes on with today.
OLDEST_UNREPORTED = 3 * 86_400


def transcripts(agent: str, folder: str, own: str) -> list[str]:
    """The agent's transcripts of conversations in that folder, the newest first, at most ten."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", os.path.abspath(folder))
    if agent == "claude-code":
        place = Path(own).parent if own else claude_home() / "projects" / slug
        found = [path for path in place.glob("*.jsonl") if not path.name.startswith("agent-")]
    elif agent == "cursor":
        place = Path.home() / ".cursor" / "projects" / slug.strip("-") / "agent-transcripts"
        found = [*place.glob("*.jsonl"), *place.glob("*/*.jsonl"), *place.glob("*.txt")]
    elif agent == "codex":
        newest = sorted((codex_home() / "sessions").glob("*/*/*/rollout-*.jsonl"), reverse=True)[:40]
        found = [path for path in newest if _codex_folder(path) == os.path.abspath(folder)]
    else:
        found = []
    return [str(path) for path in sorted(found, key=lambda path: -path.stat().st_mtime)[:10]]


def claude_home() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")


def codex_home() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")


def _codex_folder(path: Path) -> str:
    """The folder a Codex conversation was held in: its first line says so."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return str(json.loads(file.readline(200_000))["payload"]["cwd"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def last_word(known: Json, transcript: str) -> float:
    """Return when a session said something last (time.time()), as far as its hooks and its transcript tell."""
    with contextlib.suppress(OSError):
        return max(os.path.getmtime(transcript), float(known.get("seen", 0)))
    return float(known.get("seen", 0))


_BETWEEN = re.compile(r"(?i)^-?(?:sh|bash|zsh|dash|fish|ksh|env|cmd|cmd\.exe|powershell|python[\d.]*)$")


def agent_process() -> list[Any]:
    """The agent's process: the first above us that is no shell, as [number, when it started]; empty if unknown."""
    number = os.getppid()
    for _ in range(6):
        try:
            about = _process(number)
        except OSError:
            return []
        if about is None:
            return []
        name, above, started = about
        if not _BETWEEN.match(name):
            return [number, started]
        number = above
    return []


def _process(number: int) -> tuple[str, int, str] | None:
    """Name, parent and start of a process; None if it is gone. Raises OSError where nobody can say."""
    if not os.path.isdir("/proc/self"):
        return process_by_ps(number)
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return (name, int(fields[1]), fields[19]) if fields[0] != "Z" else None


def process_by_ps(number: int) -> tuple[str, int, str] | None:
    """Return name, parent and start of a process as `ps` tells them on systems without /proc (macOS, BSD). Raises
    OSError where there is none.
    """
    words = ["ps", "-o", "stat=,ppid=,lstart=,comm=", "-p", str(number)]
    env = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=1, check=False, env=env)
        stat, above, *started, name = done.stdout.split(None, 7)
    except subprocess.SubprocessError as error:
        raise OSError(str(error)) from error
    except ValueError:  # it says nothing of it
        return None
    return None if stat.startswith("Z") else (os.path.basename(name.strip()), int(above), " ".join(started))


def _runs(process: Any) -> bool | None:
    """Whether the agent's process of a session still runs; None when that cannot be known."""
    if not process:
        return None
    try:
        about = _process(int(process[0]))
    except OSError:
        return None
    return about is not None and about[2] == process[1]
