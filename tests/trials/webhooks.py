"""How long a webhook waits while notes are imported: handoffs are left, and a receiver notes when it hears of each.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.webhooks --minutes 3

On `Apart`: a worker for what somebody waits for, and one for long work. First without an import, then while one runs
for as long. Beat looks each minute what is to be sent, so half a minute is the median of both. Needs redis-server.
"""

import argparse
import json
import os
import statistics
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Thread
from typing import Any

import psycopg

from tests.trials.kill import call
from tests.trials.stack import FIRST_START, Apart

# Seconds between two handoffs, and those after the last in which it must have been told of.
EVERY, PATIENCE = 4.0, 180.0
# More than a bulk worker brings in within the time: each is embedded, and compared with what is there.
NOTES = 20_000
REQUEST = """
import sys
from django.utils import timezone
from accounts.actions.members import member_of
from accounts.models import User
from knowledge.jobs.actions.background import ask_import
from knowledge.rules.vocabulary import Kind
by = member_of(user=User.objects.get(username="alice"))
data = sys.stdin.buffer.read()
ask_import(name="notes.jsonl", data=data, team="platform", kind=Kind.CONTEXT, by=by, now=timezone.now())
"""
STATE = "SELECT state, done FROM knowledge_errand WHERE kind = 'import' ORDER BY id DESC LIMIT 1"


class Receiver(ThreadingHTTPServer):
    """`heard`: when each session was told of, first, by its number (`S-7`)."""

    def __init__(self, port: int) -> None:
        self.heard: dict[str, float] = {}
        super().__init__(("127.0.0.1", port), Heard)
        Thread(target=self.serve_forever, daemon=True).start()


class Heard(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        for ref in json.loads(text)["refs"]:
            self.server.heard.setdefault(ref, time.monotonic())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Nothing."""


def leave_handoffs(url: str, token: str, seconds: float) -> list[float]:
    """When each session was answered that its handoff is kept, in the order of their numbers."""
    left, until = list[float](), time.monotonic() + seconds
    while time.monotonic() < until:
        session = call(url, "sessions/", token, {"repo": "acme/importer", "team": "platform", "agent": "trial"})[
            "session"
        ]
        words = {"summary": "Looked after the importer.", "handoff_note": "The gateway comes next."}
        call(url, f"sessions/{session}/end/", token, words)
        left.append(time.monotonic())
        time.sleep(EVERY)
    return left


def notes(rng: Random) -> str:
    lines = []
    for number in range(NOTES):
        words = " ".join(f"{rng.getrandbits(40):010x}" for _ in range(8))
        lines.append(json.dumps({"body": f"Note {number}: the value of {words} is kept by its gateway."}))
    return "\n".join(lines)


def trial(*, minutes: float, port: int) -> dict[str, Any]:
    """Seconds from an answer to its webhook, without and with an import. Raises AssertionError where one never came."""
    receiver = Receiver(port + 5)
    stack = Apart(port, {"LOAM_WEBHOOKS_PRIVATE": "on", "LOAM_RATE_LIMIT": "0"})
    found: dict[str, Any] = {}
    try:
        stack.wait(FIRST_START)
        token = stack.people()["alice"]["token"]
        hook = {"team": "platform", "url": f"http://127.0.0.1:{port + 5}/{time.time():.0f}", "events": ["handoff.left"]}
        call(stack.url, "webhooks/", token, hook)
        for name in ("no import", "an import"):
            if name == "an import":
                done = stack.manage("shell", "--verbosity", "0", "-c", REQUEST, given=notes(Random("webhooks")))
                assert not done.returncode, done.stderr
            before = set(receiver.heard)
            left = leave_handoffs(stack.url, token, minutes * 60)
            with psycopg.connect(stack.environment["DATABASE_URL"]) as one:
                job = one.execute(STATE).fetchone()
            until = time.monotonic() + PATIENCE
            while len(heard := set(receiver.heard) - before) < len(left) and time.monotonic() < until:
                time.sleep(0.2)
            assert len(heard) == len(left), f"{len(left) - len(heard)} of {len(left)} handoffs were never told of"
            told = sorted(heard, key=lambda subject: int(subject.removeprefix("S-")))
            waited = [receiver.heard[subject] - at for subject, at in zip(told, left, strict=True)]
            found[name] = {
                "handoffs": len(left), "p50, s": round(statistics.median(waited), 1),
                "longest, s": round(max(waited), 1), "import": job, "load": round(os.getloadavg()[0], 1),
            }  # fmt: skip
    finally:
        stack.end()
        receiver.shutdown()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--port", type=int, default=8980)
    given = parser.parse_args()
    print(json.dumps(trial(minutes=given.minutes, port=given.port), indent=2))


if __name__ == "__main__":
    main()
