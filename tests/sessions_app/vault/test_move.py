"""A team moves between cells while agents go on: two Loams on two PostgreSQL servers, HAProxy before them."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from accounts.actions.members import member_of
from accounts.actions.tokens import issue_token
from accounts.models import ApiToken, Team
from accounts.rules.rights import Level, Scope
from sessions_app.adapters.web import ENVIRONMENT, Caller, serving
from tests.conftest import NOW, make_platform, person
from tests.factories import make_insight, make_insights
from tests.haproxy import HAPROXY, router
from tests.servers import add_settings, copy_test_database, servers, url
from tests.sweep import WHOLE
from tests.trials.node import Node

SEEDS = (
    "Set lock_timeout before ALTER TABLE, or the migration blocks every writer.",
    "The exporter reads its licence from /etc/exporter at every start.",
    "Deploys need the VPN; the runner outside it times out after a minute.",
    "Celery beat must run as one process, or jobs fire twice.",
)
QUESTIONS = ("why does the migration block writers", "where is the exporter's licence", "why does the runner time out")
# As many seeds more, so that the move takes its time; what it takes with more is in docs/operations/scale.md.
NOTES = int(os.environ.get("LOAM_MOVE_NOTES", "150"))
# Deposits that each client has answered before the move begins, and after it.
AROUND = 15
CLIENTS = 2
# Seconds between two deposits of a client, and between two rounds of questions. Without them the servers are kept busy
# by calls alone for as long as the move takes; so it is with whole sweeps, and so it was measured.
PAUSE, READING_PAUSE = (0.0, 0.0) if os.environ.get(WHOLE) else (0.1, 0.3)
ALICE, BOB, CHARLIE, DORA = "alice", "bob", "charlie", "dora"


def tokens(cell: str, *names: str) -> dict[str, str]:
    """Tokens of that cell for these people, and no others."""
    settings.LOAM_CELL = cell
    ApiToken.objects.all().delete()
    people = {name: member_of(user=Team.objects.get(owner__username=name).owner) for name in names}
    return {name: issue_token(by=by, name="agent", scopes=list(Scope), now=NOW).secret for name, by in people.items()}


@dataclass
class Cells:
    """Two nodes, each with its database; tokens by cell and name."""

    us1: Node
    eu1: Node
    tokens: dict[str, dict[str, str]] = field(default_factory=dict)

    def environment(self, cell: str) -> dict[str, str]:
        key = f"{cell}-key-of-its-own-which-is-long-enough-to-be-taken"
        return ENVIRONMENT | {
            "DATABASE_URL": url(getattr(self, cell)),
            "LOAM_CELL": cell,
            "SECRET_KEY": key,
            "CACHE_URL": "locmemcache://",
        }

    def command(self, cell: str) -> str:
        given = [f"{name}={value}" for name, value in self.environment(cell).items()]
        return shlex.join(["env", *given, sys.executable, str(Path(settings.BASE_DIR) / "manage.py")])

    def manage(self, cell: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Its `manage.py`, with the rest of this process's environment."""
        return subprocess.run(
            [*shlex.split(self.command(cell)), *arguments], env=dict(os.environ), capture_output=True, text=True
        )

    def kill(self, cell: str, *arguments: str, after: str) -> None:
        """Start its `manage.py`, and kill it as soon as it says so."""
        given = [*shlex.split(self.command(cell)), *arguments]
        with subprocess.Popen(given, env=dict(os.environ), stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            assert any(after in line for line in process.stdout)
            process.kill()

    def rows(self, cell: str, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(f"host=127.0.0.1 port={getattr(self, cell).port} user=postgres dbname=loam") as server:
            return server.execute(statement).fetchall()


@pytest.fixture
def cells(transactional_db: None, settings: Any) -> Iterator[Cells]:
    """us1 has the team platform with Alice and Bob, and Charlie, who is not of it; eu1 has Alice, Bob and Dora."""
    if not HAPROXY:
        pytest.skip("haproxy is not installed")
    for name in (ALICE, BOB, DORA):
        person(name, None)
    with servers() as nodes:
        one, other, _ = nodes.values()
        for node in (one, other):
            node.create()
            add_settings(node, "synchronous_standby_names = ''", "fsync = off")
            node.start()
        found = Cells(one, other, {"eu1": tokens("eu1", ALICE, BOB, DORA)})
        copy_test_database(other)
        platform = make_platform()
        charlie = person(CHARLIE, Team.objects.create(name="Mobile", slug="mobile", prefix="MOB"))
        for name, level in ((ALICE, Level.LEAD), (BOB, Level.CONTRIBUTOR)):
            platform.memberships.create(user=Team.objects.get(owner__username=name).owner, level=level)
        alice = member_of(user=Team.objects.get(owner__username=ALICE).owner)
        rng = Random(1)
        seeds = [{"body": seed, "team": "platform"} for seed in (*SEEDS, *(words(rng) for _ in range(NOTES)))]
        for start in range(0, len(seeds), 200):
            make_insights(alice, NOW, *seeds[start : start + 200])
        make_insight(member_of(user=charlie), body="Apps are signed on the build machine.", team="mobile")
        found.tokens["us1"] = tokens("us1", ALICE, BOB, CHARLIE)
        connection.close()
        copy_test_database(one)
        yield found


def words(rng: Random) -> str:
    said = " ".join(f"{rng.getrandbits(40):010x}" for _ in range(8))
    return f"The value of {said} is kept in the vault of {rng.getrandbits(40):010x}."


@dataclass
class Depositor(Thread):
    """An agent that deposits all the while, each under a key of its own, until it is answered: it comes again after
    503, and takes its other token when it is told that the team moved.
    """

    port: int
    secrets: list[str]
    rng: Random
    stop: Event
    answered: dict[str, tuple[str, str]] = field(default_factory=dict)
    refused: int = 0
    longest: float = 0.0
    strange: list[tuple[int, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    __hash__ = Thread.__hash__

    def run(self) -> None:
        caller, last = Caller(self.port, self.secrets[0]), time.monotonic()
        while not self.stop.is_set():
            body = {
                "kind": "CONTEXT",
                "team": "platform",
                "body": words(self.rng),
                "idempotency_key": f"{self.rng.random()}",
            }
            while not self.stop.is_set():
                status, text = caller.post("/api/v1/insights/", body)
                if status in (200, 201):
                    cell = "us1" if self.secrets[0].startswith("loam_us1_") else "eu1"
                    self.answered[body["body"]] = (cell, json.loads(text)["insight"]["ref"])
                    self.longest = max(self.longest, time.monotonic() - last)
                    last = time.monotonic()
                    time.sleep(PAUSE)
                    break
                if status == 421 and json.loads(text)["code"] == "team_moved" and len(self.secrets) > 1:
                    self.secrets.pop(0)
                    caller.close()
                    caller = Caller(self.port, self.secrets[0])
                elif status == 503 and json.loads(text)["code"] == "team_stopped":
                    self.refused += 1
                    time.sleep(0.1)
                else:
                    self.strange.append((status, text[:200]))
                    time.sleep(0.1)
        caller.close()


@dataclass
class Reader(Thread):
    """An agent that asks all the while; `last`: what it was told the last time it was told by the first cell."""

    port: int
    secret: str
    last: list[list[str]] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    asked: int = 0

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    __hash__ = Thread.__hash__

    def run(self) -> None:
        caller = Caller(self.port, self.secret)
        while True:
            told = ask(caller)
            statuses = {status for status, _ in told}
            if 421 in statuses:
                break
            self.failed += [status for status in statuses if status != 200]
            self.asked += len(told)
            self.last = [refs for _, refs in told]
            time.sleep(READING_PAUSE)
        caller.close()


def ask(caller: Caller) -> list[tuple[int, list[str]]]:
    found = []
    for question in QUESTIONS:
        status, text = caller.post("/api/v1/query/", {"query": question, "teams": ["platform"]})
        found.append((status, [one["ref"] for one in json.loads(text)["insights"]] if status == 200 else []))
    return found


def wait_for(condition: Any, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


@pytest.mark.slow
class TestAMove:
    def test_loses_no_deposit_and_changes_no_answer(self, cells: Cells, tmp_path: Path) -> None:
        own = {cell: cells.environment(cell) for cell in ("us1", "eu1")}
        with (
            serving(**own["us1"]) as us1,
            serving(**own["eu1"]) as eu1,
            router(tmp_path, {"us1": us1.port, "eu1": eu1.port}) as port,
        ):
            address, stop = f"http://127.0.0.1:{port}", Event()
            clients = [
                Depositor(port, [cells.tokens["us1"][name], cells.tokens["eu1"][name]], Random(name), stop)
                for name in (ALICE, BOB)[:CLIENTS]
            ]
            reader = Reader(port, cells.tokens["us1"][BOB])
            for one in (*clients, reader):
                one.start()
            wait_for(lambda: all(len(one.answered) >= AROUND for one in clients))

            arguments = ("cell", "move", "platform", str(tmp_path / "vault"), "--there", cells.command("eu1"))
            # Its mover is killed when it has stopped the writes: the other cell has nothing of it, and it goes on.
            # That it is refused without the last word is in test_one_team.py.
            whole = (*arguments, "--address", address, "--same-people")
            cells.kill("us1", *whole, after="writes stopped")
            assert cells.rows("us1", STOPPED) == [(True,)]
            assert cells.rows("eu1", STOPPED) == []
            done = cells.manage("us1", *whole)
            assert done.returncode == 0, done.stdout + done.stderr
            # As after a mover that was killed behind the commit: run again, it knows the team that is there.
            cells.rows("us1", "UPDATE accounts_team SET moved_to = '' WHERE slug = 'platform' RETURNING id")
            again = cells.manage("us1", *whole)
            assert "It was there already" in again.stdout, again.stdout + again.stderr
            after = {one: len(one.answered) for one in clients}
            wait_for(lambda: all(len(one.answered) >= after[one] + AROUND for one in clients))
            stop.set()
            for one in (*clients, reader):
                one.join(30)

            # Every answer that was given holds: a row in the new cell, once, that a question may return.
            answered = {body: told for one in clients for body, told in one.answered.items()}
            kept = cells.rows("eu1", KEPT)
            assert {body for body, _, _ in kept} >= set(answered)
            assert len(kept) == len({body for body, _, _ in kept}) == len(SEEDS) + NOTES + len(answered)
            assert {body: ref for body, ref, _ in kept if body in answered} == {
                b: ref for b, (_, ref) in answered.items()
            }
            assert all(counts for _, _, counts in kept)
            before = {body for body, (cell, _) in answered.items() if cell == "us1"}
            assert before
            assert set(answered) - before
            # The old one has those of before and no other, and answers for none of them.
            assert {body for body, _, _ in cells.rows("us1", KEPT)} == before | {
                b for b, _, _ in kept if b not in answered
            }
            assert [one.strange for one in clients] == [[], []]
            assert any(one.refused for one in clients)

            # The same questions have the answers that the old cell gave last, and nobody waited for one.
            assert reader.failed == []
            bob = Caller(port, cells.tokens["eu1"][BOB])
            assert [refs for _, refs in ask(bob)] == reader.last
            assert all(reader.last)

            # Strangers of either cell get nothing, and the rest of the old one goes on.
            ref = next(iter(answered.values()))[1]
            dora, charlie = Caller(port, cells.tokens["eu1"][DORA]), Caller(port, cells.tokens["us1"][CHARLIE])
            for stranger in (dora, charlie):
                assert stranger._send("GET", f"/api/v1/insights/{ref}/")[0] == 404
                assert [status for status, _ in ask(stranger)] == [400] * len(QUESTIONS)
            assert charlie.post("/api/v1/query/", {"query": "where are apps signed"})[0] == 200
            # A token is of its cell: the other one does not know it, whichever way it comes there.
            there = Caller(eu1.port, cells.tokens["us1"][ALICE])
            status, text = there.post("/api/v1/query/", {"query": "locks"})
            assert status == 401
            assert b"made in another cell" in text

            stopped = next(line for line in done.stdout.splitlines() if "took no writes" in line)
            sys.stderr.write(
                f"\n{done.stdout}{len(before)} deposits before, {len(answered) - len(before)} after;"
                f" longest wait of a client {max(one.longest for one in clients):.1f} s; {reader.asked} questions\n"
            )
            assert "platform is at" in stopped

            # What is left is deleted when the operator says so (test_move_team.py: and only then).
            gone = cells.manage("us1", "cell", "delete", "platform", "--yes")
            assert gone.returncode == 0, gone.stderr
            assert cells.rows("us1", "SELECT slug FROM accounts_team WHERE slug = 'platform'") == []
            for one in (bob, dora, charlie, there):
                one.close()


STOPPED = "SELECT writes_stopped_at IS NOT NULL FROM accounts_team WHERE slug = 'platform'"
KEPT = """
SELECT body, ref, status IN ('draft', 'promoted') AND superseded_by_id IS NULL AND forgotten_at IS NULL
FROM knowledge_insight WHERE team_id = (SELECT id FROM accounts_team WHERE slug = 'platform')
"""
