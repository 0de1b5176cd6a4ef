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

SESSION = "benchmark"


class NotInstalled(Refused):
    code = "not_installed"
    detail = "The client could not be laid down as `install` does it."


@dataclass(frozen=True)
class Machine:
    """Somebody's machine with the client installed for Claude Code, and a session begun."""

    home: Path
    environment: dict[str, str]

    def prompt(self, text: str) -> tuple[float, bool]:
        """Seconds of the whole process, and whether it answered: one that ran out of its time says nothing."""
        begun = time.perf_counter()
        said = self.hook("UserPromptSubmit", prompt=text)
        return time.perf_counter() - begun, bool(said.strip())

    def hook(self, event: str, **given: Any) -> str:
        words = [sys.executable, "-I", "-S", str(self.home / ".config/loam/loam-client"), "hook", event]
        message = json.dumps({"session_id": SESSION, "cwd": str(self.home), "hook_event_name": event, **given})
        done = subprocess.run(words, input=message, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout


@contextmanager
def machine(url: str, secret: str) -> Iterator[Machine]:
    """It is gone afterwards. Raises NotInstalled."""
    with TemporaryDirectory(prefix="loam-client-") as folder:
        known = {"HOME": folder, "LOAM_URL": url, "LOAM_TOKEN": secret, "LOAM_TEAM": "personal"}
        environment = {"PATH": os.environ["PATH"], **known}
        file = Path(folder) / "loam.py"
        file.write_bytes(client_file().content)
        words = [sys.executable, str(file), "install", "claude-code", "--yes"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            raise NotInstalled(done.stderr.strip())
        found = Machine(Path(folder), environment)
        found.hook("SessionStart", source="startup")
        yield found
