"""Agents as their clients call the API, a conversation that was cut off, and what the next session reads of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone
from rest_framework.test import APIClient

from sessions_app.models import AgentSession
from tests.sessions_app.test_api_sessions import API, post

REPO = "acme/web"
TEAM = {"repo": REPO, "team": "platform"}
ASK = "Please make the tariff importer stream its input"
PLAN = "I'll replace the DOM parser in importer/tariffs.py by a streaming one, then cover it with tests."
STEPS = ["cover empty tariff files with a test", "document the 512 MB limit in docs/limits.md"]
DECISION = "Decision: we parse with iterparse because the worker has only 512 MB of memory."
LAST = "The parser streams now; the header test is still red, so I'll look at the namespace handling."
ERROR = "AssertionError: expected 3 tariffs, got 2"
FAILED = {
    "kind": "test",
    "command": "pytest importer -q",
    "outcome": "failed",
    "error": f"importer/tests/test_tariffs.py:41: in test_header\nE   {ERROR}",
}
PASSED = {"kind": "test", "command": "pytest docs -q", "outcome": "passed"}


def edit(path: str) -> dict[str, str]:
    return {"kind": "edit", "path": path, "outcome": "ok"}


def turn(role: str, text: str) -> dict[str, str]:
    return {"role": role, "text": text}


# A conversation that was cut off: one file is committed, two are not, and a test is red.
TALK = [
    turn("user", ASK),
    turn("assistant", PLAN),
    turn("tool", "Edit importer/settings.py"),
    turn("tool", "Bash: git commit -am 'Raise the limit'\n[main 1a2b3c] Raise the limit"),
    turn("tool", "Edit importer/tariffs.py"),
    turn("tool", "Edit importer/tests/test_tariffs.py"),
    turn("assistant", DECISION),
    turn("tool", f"Bash: pytest importer -q\nE   {ERROR}\n1 failed, 12 passed"),
    turn("assistant", f"{LAST}\n\nNext steps:\n- {STEPS[0]}\n- {STEPS[1]}"),
]
FILES = ["importer/tariffs.py", "importer/tests/test_tariffs.py"]
FACTS = [*FILES, *STEPS, "iterparse", "512 MB of memory", LAST, ERROR, "pytest importer -q"]


@dataclass
class Agent:
    """One agent of a user on a checkout, as its client calls the API."""

    client: APIClient
    checkout: str = "c1"
    branch: str = "main"
    agent_session: str = ""
    session: str = ""
    ref: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def start(self, **over: Any) -> dict[str, Any]:
        place = {"checkout": self.checkout, "branch": self.branch, "agent_session": self.agent_session}
        said = {name: value for name, value in place.items() if value}
        done: dict[str, Any] = post(self.client, "sessions/", {**TEAM, **said, "handoff_tokens": 400, **over}, 201)
        self.session, self.ref = done["session"], done["ref"]
        return done

    def do(self, *events: dict[str, str]) -> None:
        post(self.client, f"sessions/{self.session}/events/", {"events": list(events)})

    def say(self, verb: str, **words: Any) -> dict[str, Any]:
        done: dict[str, Any] = post(self.client, f"sessions/{self.session}/{verb}/", words)
        return done

    def recover(self, killed: "Agent", transcript: list[dict[str, str]], **over: Any) -> dict[str, Any]:
        """What the client does at its start with the transcript of an agent that is gone."""
        place = {"checkout": killed.checkout, "branch": killed.branch, "agent_session": killed.agent_session}
        known = {"session": killed.session} if killed.session else {}
        body = {**TEAM, **place, **known, "transcript": transcript, **over}
        done: dict[str, Any] = post(self.client, "sessions/recover/", body)
        return done

    def is_silent(self) -> None:
        """It was killed, half an hour ago, and nobody told."""
        then = timezone.now() - timedelta(minutes=31)
        AgentSession.objects.filter(key=self.session).update(last_seen_at=then, started_at=then - timedelta(minutes=9))


def reads(who: APIClient, started: dict[str, Any]) -> str:
    """All that the successor reads: the orientation, the first handoff's text, and those of the others by a call."""
    texts = [started["orientation"]["text"], (started["handoff"] or {"text": ""})["text"]]
    assert started["orientation"]["tokens"] <= 200
    for offer in started["handoffs"][1:]:
        texts.append(who.get(f"{API}sessions/{offer['ref']}/").json()["handoff"]["text"])
    return "\n".join(texts)


def holds(text: str, facts: list[str]) -> None:
    """At least 95 % of the facts, which with fewer than twenty are all of them."""
    missing = [fact for fact in facts if fact not in text]
    assert len(missing) <= 0.05 * len(facts), missing


At = Callable[..., Agent]
