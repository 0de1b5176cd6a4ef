"""Two people's agents share what they learn: over HTTP, with tokens, on a running server."""

import json
from collections.abc import Iterator
from math import prod
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from tests.conftest import NOW

LESSON = {
    "kind": "PITFALL",
    "title": "Two beats fire every job twice",
    "body": "Celery beat must run as one process. A second one, started by a deploy, fires every job again.",
    "reasoning": "On 2 November every invoice was mailed twice.",
    "tags": ["celery", "deploy"],
    "files": ["./src\\jobs/beat.py"],
    "repo": "acme/shop",
    "error": 'File "/home/alice/shop/jobs/beat.py", line 41\nshop.locks.SchedulerHeld: process 4711 holds the lock',
}
OTHERS = [
    "Set lock_timeout before a long ALTER TABLE, or every reader waits behind it.",
    "A cache key without the tenant's name serves one customer the data of another.",
    "The preflight OPTIONS request carries no cookies; answer it before the session middleware.",
]
# The same fault on Bob's machine.
ELSEWHERE = 'File "/srv/build/9/shop/jobs/beat.py", line 57\nshop.locks.SchedulerHeld: process 92 holds the lock'


class Agent:
    """What any client is: a base address, a token, JSON."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        request = Request(f"{self.url}/api/v1/{path}", method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except HTTPError as refused:
            with refused:
                return refused.code, json.load(refused)

    def ask(self, query: str, **over: Any) -> dict[str, Any]:
        status, answer = self.call("POST", "query/", {"query": query, **over})
        assert status == 200, answer
        return answer


@pytest.fixture
def agents(
    transactional_db: None, live_server: Any, alice: Member, bob: Member, charlie: Member
) -> Iterator[dict[str, Agent]]:
    def agent(who: Member, *scopes: Scope) -> Agent:
        return Agent(live_server.url, issue_token(name="agent", scopes=scopes, by=who, now=NOW).secret)

    yield {
        "alice": agent(alice, *Scope),
        "bob": agent(bob, Scope.READ, Scope.WRITE),
        "charlie": agent(charlie, *Scope),
    }


class TestTwoAgents:
    def test_share_what_one_of_them_learned(self, agents: dict[str, Agent]) -> None:
        alice, bob, charlie = agents.values()
        ref = deposited(alice)
        found_by_bob(bob, ref)
        unknown_to_charlie(charlie, ref)
        edited_and_promoted(alice, bob, ref)


def deposited(alice: Agent) -> str:
    """Alice's agent learns something; sending it again after a lost answer stores nothing twice."""
    for body in OTHERS:
        assert alice.call("POST", "insights/", {"kind": "PATTERN", "body": body})[0] == 201
    status, first = alice.call("POST", "insights/", LESSON, Idempotency_Key="run-1")
    assert (status, first["outcome"], first["degraded"]) == (201, "inserted", [])
    assert (
        alice.call("POST", "insights/", LESSON, Idempotency_Key="run-1")[1]["insight"]["ref"] == first["insight"]["ref"]
    )
    assert first["insight"]["files"] == ["src/jobs/beat.py"]
    return str(first["insight"]["ref"])


def found_by_bob(bob: Agent, ref: str) -> None:
    """Bob's agent, of the same team, has other words, one word, or the same error on another machine."""
    for query, over in (
        ("periodic tasks are executed double", {}),
        ("SchedulerHeld invoice", {}),
        ("why does the nightly run fail", {"error": ELSEWHERE}),
        (f"what does {ref} say", {}),
    ):
        answer = bob.ask(query, explain=True, **over)
        assert answer["insights"][0]["ref"] == ref, query
        parts = {part["name"]: part for part in answer["insights"][0]["parts"]}
        added = sum(part["worth"] for part in parts.values() if not part["multiplies"])
        times = prod(part["worth"] for part in parts.values() if part["multiplies"])
        assert added * times == pytest.approx(answer["insights"][0]["score"], abs=1e-4)
        if query == "SchedulerHeld invoice":
            # It quotes a word of the error, and asks for another.
            assert 0 < parts["exact"]["value"] < 0.5
        else:
            assert parts["exact"]["value"] == float("error" in over or ref in query)
        assert f"[{ref}] PITFALL · draft" in answer["text"]
        assert answer["text"].startswith("<team-memory-")
    near = bob.ask("scheduled jobs run two times", files=["src/jobs/beat.py"], explain=True)["insights"][0]
    assert next(part for part in near["parts"] if part["name"] == "locality")["why"] == "same file src/jobs/beat.py"
    answer = bob.ask("periodic tasks are executed double")
    left_out = bob.call("POST", f"query/{answer['query_id']}/why-not/", {"ref": "PLAT-1"})[1]
    assert left_out["stage"] in ("trim", "limit")
    assert left_out["figures"]["evidence"] < 0.65
    assert bob.ask("how do I bake sourdough bread")["abstained"] is True


def unknown_to_charlie(charlie: Agent, ref: str) -> None:
    """Charlie's agent, of another team, gets nothing in any way, and cannot tell it is there."""
    for query in ("periodic tasks are executed double", f"what does {ref} say", LESSON["title"]):
        assert charlie.ask(query, error=ELSEWHERE, trim=False, limit=50)["insights"] == []
    assert charlie.call("GET", f"insights/{ref}/") == charlie.call("GET", "insights/PLAT-999/")
    assert charlie.call("GET", f"insights/{ref}/history/")[0] == 404
    assert charlie.call("PATCH", f"insights/{ref}/", {"title": "Mine"}, If_Match="1")[0] == 404
    assert charlie.call("GET", "insights/")[1]["results"] == []


def edited_and_promoted(alice: Agent, bob: Agent, ref: str) -> None:
    """Alice corrects it as she read it, Bob's older view is refused, and a lead's word makes it the team's."""
    seen = bob.call("GET", f"insights/{ref}/")[1]["revision"]
    better = {"body": "Run celery beat in one pod, with a lock in Redis.", "reason": "the lock is what helps"}
    assert alice.call("PATCH", f"insights/{ref}/", better)[0] == 428
    status, edited = alice.call("PATCH", f"insights/{ref}/", better, If_Match=str(seen))
    assert (status, edited["revision"]) == (200, seen + 1)
    status, refused = alice.call("PATCH", f"insights/{ref}/", {"title": "Old"}, If_Match=str(seen))
    assert (status, refused["code"], refused["current_revision"]) == (412, "stale_revision", seen + 1)
    assert bob.call("POST", f"insights/{ref}/promote/")[0] == 403
    assert alice.call("POST", f"insights/{ref}/promote/", {"reason": "confirmed"})[1]["status"] == "promoted"
    answer = bob.ask("lock in Redis for one pod")
    assert answer["insights"][0]["ref"] == ref
    assert f"[{ref}] PITFALL · promoted" in answer["text"]
    lines = bob.call("GET", f"insights/{ref}/history/")[1]
    assert [(line["verb"], line["who"], line["why"]) for line in lines] == [
        ("promoted", "alice (agent)", "confirmed"),
        ("edited", "alice (agent)", "the lock is what helps"),
        ("deposited", "alice (agent)", ""),
    ]
    assert lines[1]["before"]["body"] == LESSON["body"]
