"""The `manage.py` of another cell, by a command that the operator gives: on this machine, or over ssh."""

import json
import shlex
import subprocess
from dataclasses import dataclass
from typing import Any

from accounts.rules.refused import Refused


class OtherCellFailed(Refused):
    """It said no, and nothing was done there."""

    code = "other_cell"


class OutcomeUnknown(Exception):
    """It ended without a word of its own, as when the line to it broke: what it did there is not known."""


REFUSES = "CommandError:"


@dataclass(frozen=True)
class OtherCell:
    """`command`: what runs its manage.py, as a shell has it (`ssh eu1 /srv/loam/manage`), without arguments."""

    command: str

    def show(self) -> dict[str, Any]:
        """What `manage.py cell show --json` says there. Raises OtherCellFailed."""
        said = self.run("cell", "show", "--json")
        try:
            found = json.loads(said.splitlines()[-1])
        except (ValueError, IndexError):
            found = None
        if not isinstance(found, dict) or not {"cell", "database", "key"} <= set(found):
            raise OtherCellFailed(f"`{self.command} cell show --json` does not answer as a cell of this version.")
        return found

    def run(self, *arguments: str) -> str:
        """What it printed. Raises OtherCellFailed with what it says is wrong, OutcomeUnknown."""
        try:
            done = subprocess.run(
                [*shlex.split(self.command), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True
            )
        except OSError as fault:
            raise OtherCellFailed(f"{self.command} cannot be run: {fault.strerror}.") from None
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()] or ["nothing"]
            # A command refuses with 1 and this word. ssh has 255 for a line that broke, under which the other goes on.
            if done.returncode == 1 and lines[-1].startswith(REFUSES):
                raise OtherCellFailed(f"The other cell refuses: {lines[-1].removeprefix(REFUSES).strip()}")
            raise OutcomeUnknown(f"{self.command} ended with {done.returncode}, and said: {lines[-1][:300]}")
        return done.stdout.strip()
