"""A person's machine in a trial: a home folder, a checkout, Loam installed as its user does it."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.clients import recorder

CLIENTS = Path(__file__).resolve().parents[2] / "var" / "clients"
BIN = CLIENTS / "node_modules" / ".bin"


@dataclass(frozen=True)
class Hook:
    """One call of a hook: the event, what the client gave it, what it said; `said` is None if it was killed."""

    event: str
    agent: str
    given: str
    said: str | None
    seconds: float | None

    @property
    def context(self) -> str:
        """The text for the model's context, whatever the shape it is said in."""
        try:
            return "\n".join(_contexts(json.loads(self.said or "{}")))
        except ValueError:
            return self.said or ""


def _contexts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("additionalContext", "additional_context") and isinstance(inner, str):
                yield inner
            else:
                yield from _contexts(inner)


@dataclass
class Machine:
    """`person`: a user of the Loam at `url` with a token; `name`: what the machine is called."""

    home: Path
    url: str
    token: str
    name: str = "workstation"
    team: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.records.mkdir(parents=True, exist_ok=True)

    @property
    def records(self) -> Path:
        return self.home / "trial-records"

    @property
    def own(self) -> Path:
        return self.home / ".config" / "loam"

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Of a fresh login: nothing of this process's own settings, keys or agents."""
        return {
            "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "USER": "dev",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/bash",
            "NO_PROXY": "127.0.0.1,localhost",
            "GIT_CONFIG_NOSYSTEM": "1",
            "DISABLE_AUTOUPDATER": "1",
            **self.extra,
            **(more or {}),
        }

    def run(self, *command: str, cwd: Path | None = None, given: str = "", check: bool = True) -> str:
        done = subprocess.run(
            command, cwd=cwd or self.home, env=self.environment(), input=given, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout

    def clone(self, repo: str, files: Mapping[str, str], branch: str = "main", folder: str = "") -> Path:
        """A checkout of `owner/name` with these files committed; the same commit on every machine."""
        place = self.home / "work" / (folder or repo.rpartition("/")[2])
        place.mkdir(parents=True)
        who = ("-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "init.defaultBranch=main")
        self.run("git", *who, "init", "-q", cwd=place)
        self.run("git", "config", "user.name", "Dev", cwd=place)
        self.run("git", "config", "user.email", "dev@example.com", cwd=place)
        self.run("git", "remote", "add", "origin", f"https://git.example.com/{repo}.git", cwd=place)
        for name, text in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        self.run("git", "add", ".", cwd=place)
        self.run("git", "commit", "-q", "-m", "Import", "--date", "2026-11-01T12:00:00Z", cwd=place)
        if branch != "main":
            self.run("git", "switch", "-q", "-c", branch, cwd=place)
        return place

    def login(self) -> None:
        """As the page "Connect an agent" says: fetch the file, log in."""
        with urllib.request.urlopen(f"{self.url}/connect/loam.py", timeout=30) as answer:
            (self.home / "loam.py").write_bytes(answer.read())
        team = ("--team", self.team) if self.team else ()
        self.loam("login", self.url, *team, given=f"{self.token}\n")

    def loam(self, *words: str, cwd: Path | None = None, given: str = "", check: bool = True) -> str:
        return self.run(_python(), str(self.home / "loam.py"), *words, cwd=cwd, given=given, check=check)

    def knows(self, agent: str) -> bool:
        """Whether `loam install` has a way for that agent."""
        return bool(re.search(rf"\b{re.escape(agent)}\b", self.loam("install", "--help", check=False)))

    def install(self, agent: str, *, project: Path | None = None) -> str:
        """`loam install AGENT`, in the user's settings or the project's; what it says. Its calls are recorded."""
        form = ("--project",) if project else ()
        said = self.loam("install", agent, *form, "--yes", cwd=project)
        self.record()
        return said

    def record(self) -> None:
        """Put the recorder before the client that `install` laid down."""
        entry = self.own / "loam-client" / "__main__.py"
        if not entry.exists() or entry.with_name(recorder.ENTRY).exists():
            return
        shutil.copy(entry, entry.with_name(recorder.ENTRY))
        text = Path(recorder.__file__).read_text(encoding="utf-8")
        entry.write_text(text.replace('RECORDS = ""', f"RECORDS = {str(self.records)!r}"), encoding="utf-8")

    def hooks(self) -> list[Hook]:
        """Every call so far, in order."""
        found = []
        for place in sorted(self.records.glob("*.json")):
            about = json.loads(place.read_text(encoding="utf-8"))
            words = about["argv"]
            if words[:1] != ["hook"]:
                continue
            agent = words[words.index("--agent") + 1] if "--agent" in words else ""
            seconds = about["ended"] - about["began"] if "ended" in about else None
            found.append(Hook(words[1], agent, about["given"], about["said"], seconds))
        return found


def merge(path: Path, fields: Mapping[str, Any]) -> None:
    """Write fields into a JSON file beside what is there; objects are joined one level deep."""
    path.parent.mkdir(parents=True, exist_ok=True)
    there = json.loads(path.read_text()) if path.exists() else {}
    for name, value in fields.items():
        old = there.get(name)
        there[name] = {**old, **value} if isinstance(value, dict) and isinstance(old, dict) else value
    path.write_text(json.dumps(there, indent=2))


def _python() -> str:
    """The machine's own, not the one of the project's environment."""
    base = getattr(sys, "_base_executable", "") or sys.executable
    return str(base) if os.path.exists(base) else "python3"  # noqa: PTH110
