"""Start Loam with `make run` as a newcomer does, run the two lines that it prints, and end it with SIGINT.

Exits non-zero, with one line that says why, when something is not as the README promises. Uses the standard library
only: there may be no virtual environment yet.
"""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

# Seconds. The first start installs the locked requirements, exports the embedding model and makes the demo.
READY_WITHIN = 3_000
ANSWERS_WITHIN = 60
ENDS_WITHIN = 60

REF = re.compile(r"[A-Z][A-Z0-9]*-\d+")
POSTMASTER = Path("var/postgres/data/postmaster.pid")
# In the environment of `make run` and so of every process that it starts, PostgreSQL's apart.
MARK = f"LOAM_FIRST_RUN={secrets.token_hex(8)}"


class Failed(Exception):
    """One line for the reader of the log."""


def main() -> None:
    name, _, value = MARK.partition("=")
    # A port of 0 is any free one; the lines that are printed name it.
    loam = subprocess.Popen(
        ["make", "run", "PORT=0"],
        env={**os.environ, name: value},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    try:
        deposit, question = printed_lines(loam)
        threading.Thread(target=shutil.copyfileobj, args=(loam.stdout, sys.stdout), daemon=True).start()
        check_answers(run(deposit), run(question))
        stop(loam)
        check_nothing_runs(deposit)
    finally:
        end(loam)


def printed_lines(loam: "subprocess.Popen[str]") -> list[str]:
    """Return the two commands as they are printed, passing all output on. A command goes on after a backslash."""
    too_late = threading.Timer(READY_WITHIN, end, [loam])
    too_late.start()
    commands: list[str] = []
    assert loam.stdout
    for line in loam.stdout:
        print(line, end="", flush=True)
        if commands and commands[-1].endswith("\\\n"):
            commands[-1] += line
        elif line.startswith("curl "):
            commands.append(line)
        if len(commands) == 2 and not commands[-1].endswith("\\\n"):
            too_late.cancel()
            return commands
    too_late.cancel()
    raise Failed(f"`make run` ended, or took over {READY_WITHIN} s, before it had printed its two commands")


def run(command: str) -> Any:
    """Run the command exactly as printed; return the JSON of its answer. curl's own settings add the status to it."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, ".curlrc").write_text(f'write-out = "\\n%{{http_code}}"\nmax-time = {ANSWERS_WITHIN}\n')
        done = subprocess.run(
            ["bash", "-c", command],
            env={**os.environ, "CURL_HOME": home},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
    body, _, status = done.stdout.rpartition("\n")
    if done.returncode or not status.startswith("2"):
        raise Failed(f"curl ended with {done.returncode} and status {status or 'none'}: {body[:300]}")
    try:
        return json.loads(body)
    except ValueError:
        raise Failed(f"the answer is no JSON: {body[:300]}") from None


def check_answers(deposited: Any, found: Any) -> None:
    """The first command stores a note, or strengthens the one that says it already; the second finds something."""
    ref = deposited["insight"]["ref"]
    if not REF.fullmatch(ref):
        raise Failed(f"the deposit has no reference: {ref!r}")
    hits = [hit["ref"] for hit in found["insights"] if hit["title"] and hit["body"]]
    if not hits:
        raise Failed("the question has no answer")
    print(f"first run | {deposited['outcome']} {ref}; found {', '.join(hits)}", flush=True)


def stop(loam: "subprocess.Popen[str]") -> None:
    """End `serve`, which is what make has started, with SIGINT. make reports how that ended."""
    for serve in Path(f"/proc/{loam.pid}/task/{loam.pid}/children").read_text().split():
        os.kill(int(serve), signal.SIGINT)
    try:
        code = loam.wait(ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        raise Failed(f"it did not end within {ENDS_WITHIN} s of SIGINT") from None
    if code:
        raise Failed(f"it ended with exit code {code}")


def check_nothing_runs(command: str) -> None:
    """No process of it, no PostgreSQL, nobody on its port."""
    if left := marked():
        raise Failed(f"processes were left behind: {', '.join(map(command_of, left))}")
    if POSTMASTER.exists():
        raise Failed("PostgreSQL was left running")
    url = urlsplit(command.split("curl -s ")[1].split()[0])
    with socket.socket() as caller:
        if caller.connect_ex((url.hostname, url.port)) == 0:
            raise Failed(f"somebody still listens on port {url.port}")
    print("first run | ended by SIGINT, and nothing was left running", flush=True)


def marked() -> list[int]:
    """Return the processes that have MARK in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:  # it ended meanwhile, or is somebody else's
            continue
        if MARK.encode() in environment.split(b"\0"):
            found.append(int(process.name))
    return found


def end(loam: "subprocess.Popen[str]") -> None:
    """After a failure: stop it if it still runs, and kill what does not stop."""
    if loam.poll() is None:
        with suppress(Failed):
            stop(loam)
    for pid in marked():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return str(pid)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"first run | FAILED: {failure}")
