"""The `manage.py` of another cell, by a command that the operator gives: on this machine, or over ssh."""

import json
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Any

from accounts.rules.refused import Refused


class OtherCellFailed(Refused):
    """It said no, and nothing was done there."""

    code = "other_cell"


class OutcomeUnknown(Exception):
    """It ended without a word of its own, as when the line to it broke: what it did there is not known."""


REFUSES = "CommandError:"
# What an import in passes is told when all is there, with the moment at which the writes stopped.
COMMIT = "commit"
# Seconds in which it ends when it is told nothing more.
PATIENCE = 60


@dataclass(frozen=True)
class RunningCommand:
    """A command of the other cell that is running: it is told lines, and answers each with one."""

    command: str
    process: "subprocess.Popen[str]"
    errors: IO[str]

    def hear(self) -> dict[str, Any]:
        """What it says next. Raises OtherCellFailed, OutcomeUnknown if it has ended."""
        assert self.process.stdout
        for line in self.process.stdout:
            try:
                found = json.loads(line)
            except ValueError:
                continue  # what a login says
            if isinstance(found, dict):
                return found
        self.errors.seek(0)
        raise _ended(self.command, self.process.wait(PATIENCE), self.errors.read())

    def tell(self, what: Any) -> dict[str, Any]:
        """What it says to that."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(what) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended, and said why
        return self.hear()


def _ended(command: str, code: int, errors: str) -> Exception:
    """A command refuses with 1 and a word. ssh has 255 for a line that broke, under which the other goes on."""
    lines = [line for line in errors.splitlines() if line.strip()] or ["nothing"]
    if code == 1 and lines[-1].startswith(REFUSES):
        return OtherCellFailed(f"The other cell refuses: {lines[-1].removeprefix(REFUSES).strip()}")
    return OutcomeUnknown(f"{command} ended with {code}, and said: {lines[-1][:300]}")


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
            raise _ended(self.command, done.returncode, done.stderr)
        return done.stdout.strip()

    @contextmanager
    def talk(self, *arguments: str) -> Iterator[RunningCommand]:
        """The command, which is running, and ends with the block: it sees the end of what it is told."""
        with TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            try:
                process = subprocess.Popen(
                    [*shlex.split(self.command), *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                )
            except OSError as fault:
                raise OtherCellFailed(f"{self.command} cannot be run: {fault.strerror}.") from None
            try:
                yield RunningCommand(self.command, process, errors)
            finally:
                _end(process)


def _end(process: "subprocess.Popen[str]") -> None:
    try:
        process.communicate(timeout=PATIENCE)
    except (OSError, ValueError):
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
