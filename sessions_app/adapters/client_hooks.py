"""The client's hooks as an agent runs them: a process each, from its start to its end."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accounts.rules.refused import Refused
from sessions_app.adapters.client_file import client_file

# A file that an agent edits; its hook tells the server, and claims it.
EDITED = "importer/tariffs.py"


class NotInstalled(Refused):
    code = "not_installed"
    detail = "The client could not be laid down as `install` does it."


@dataclass(frozen=True)
class Machine:
    """Somebody's machine with the client installed for Claude Code, and a checkout to work in."""

    home: Path
    environment: dict[str, str]

    @property
    def checkout(self) -> Path:
        return self.home / "work"

    def clone(self, repo: str) -> None:
        """Make the checkout one of `repo` (owner/name)."""
        self._git("remote", "set-url", "origin", f"https://git.example.com/{repo}.git")

    def start(self, session: str) -> tuple[float, bool]:
        return self._timed("SessionStart", session, source="startup")

    def prompt(self, session: str, text: str) -> tuple[float, bool]:
        return self._timed("UserPromptSubmit", session, prompt=text)

    def edit(self, session: str) -> tuple[float, bool]:
        used = {"file_path": str(self.checkout / EDITED), "old_string": "1", "new_string": "2"}
        return self._timed("PostToolUse", session, tool_name="Edit", tool_input=used, tool_response={})

    def stop(self, session: str) -> tuple[float, bool]:
        return self._timed("Stop", session, stop_hook_active=True)

    def end(self, session: str) -> None:
        self._timed("SessionEnd", session, reason="exit")

    def _timed(self, event: str, session: str, **given: Any) -> tuple[float, bool]:
        """Seconds of the whole process, and whether it answered: one that ran out of its time says nothing."""
        words = [sys.executable, "-I", "-S", str(self.home / ".config/loam/loam-client"), "hook", event]
        about = {"session_id": session, "cwd": str(self.checkout), "hook_event_name": event, **given}
        begun = time.perf_counter()
        done = subprocess.run(
            words, input=json.dumps(about), env=self.environment, capture_output=True, text=True, check=False
        )
        return time.perf_counter() - begun, bool(done.stdout.strip())

    def prepare(self) -> None:
        """Make the checkout, with one file in its last commit."""
        file = self.checkout / EDITED
        file.parent.mkdir(parents=True)
        file.write_text("TARIFF = 1\n")
        self._git("init", "--quiet")
        self._git("remote", "add", "origin", "https://git.example.com/loam/benchmark.git")
        self._git("add", ".")
        self._git("-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "--quiet", "-m", "Import")

    def _git(self, *words: str) -> None:
        done = subprocess.run(
            ["git", *words], cwd=self.checkout, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NotInstalled(done.stderr.strip())


@contextmanager
def machine(url: str, secret: str, team: str) -> Iterator[Machine]:
    """It is gone afterwards. Raises NotInstalled."""
    # What a courier still writes while the folder is taken away is nobody's.
    with TemporaryDirectory(prefix="loam-client-", ignore_cleanup_errors=True) as folder:
        known = {"HOME": folder, "LOAM_URL": url, "LOAM_TOKEN": secret, "LOAM_TEAM": team}
        environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **known}
        file = Path(folder) / "loam.py"
        file.write_bytes(client_file().content)
        words = [sys.executable, str(file), "install", "claude-code", "--yes"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            raise NotInstalled(done.stderr.strip())
        found = Machine(Path(folder), environment)
        found.prepare()
        yield found
