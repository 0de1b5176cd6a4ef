"""A standby that is a server of its own: read while it is fresh, and left alone an hour behind or killed."""

import json
import re
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from sessions_app.adapters.web import Caller, serving
from tests.config.running import wait_until
from tests.conftest import NOW
from tests.servers import add_settings, copy_test_database, servers, url
from tests.trials.node import Node

# Seconds between two questions while a standby falls behind, which takes five.
PAUSE = 0.25
QUERY, INSIGHTS = "/api/v1/query/", "/api/v1/insights/"


@pytest.fixture
def secrets(transactional_db: None, alice: Member, bob: Member) -> list[str]:
    """A token of each, before the database is copied."""
    return [issue_token(by=one, name="agent", scopes=list(Scope), now=NOW).secret for one in (alice, bob)]


@pytest.fixture
def pair(secrets: list[str]) -> Iterator[tuple[Node, Node]]:
    """A primary with what the test's database holds, and its standby. An answer waits for no standby."""
    with servers() as nodes:
        primary, standby, _ = nodes.values()
        primary.create()
        add_settings(primary, "synchronous_standby_names = ''", "fsync = off")
        primary.start()
        copy_test_database(primary)
        standby.follow(primary)
        yield primary, standby


class Asker:
    """An agent of a web process, whose answers are read as they come."""

    def __init__(self, port: int, secret: str) -> None:
        self.port, self.secret = port, secret

    def deposit(self, body: str) -> None:
        status, answer = self.post(INSIGHTS, {"kind": "SOLUTION", "team": "platform", "body": body})
        assert status == 201, answer

    def ask(self, question: str) -> dict[str, Any]:
        status, answer = self.post(QUERY, {"query": question})
        assert status == 200, answer
        found: dict[str, Any] = json.loads(answer)
        assert found["degraded"] == []
        return found

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        """On a connection of its own: a server closes one that was idle for seconds."""
        caller = Caller(self.port, self.secret)
        try:
            return caller.post(path, body)
        finally:
            caller.close()

    def reads(self, answered: str) -> float:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as page:
            text = page.read().decode()
        found = re.search(rf'^loam_replica_reads_total{{answered="{answered}"}} (\S+)', text, re.MULTILINE)
        return float(found[1]) if found else 0.0


@pytest.mark.slow
class TestAStandby:
    def test_is_read_while_it_is_fresh_and_nobody_misses_what_they_wrote(
        self, secrets: list[str], pair: tuple[Node, Node]
    ) -> None:
        primary, standby = pair
        given = {"DATABASE_URL": url(primary), "DATABASE_REPLICA_URL": url(standby), "CACHE_URL": "locmemcache://"}
        with serving(**given) as web:
            alices, bobs = (Asker(web.port, secret) for secret in secrets)
            # Fresh: each reads at once what they wrote, and what is asked later comes from the standby.
            alices.deposit("Set lock_timeout before ALTER TABLE, or the migration blocks every writer.")
            assert alices.ask("why does the migration block writers")["insights"]
            wait_until(
                lambda: bool(bobs.ask("why does the migration block writers") and bobs.reads("replica")), every=PAUSE
            )

            # An hour behind: nobody is answered from it, and nobody misses anything.
            standby.ask("ALTER SYSTEM SET recovery_min_apply_delay = '1h'")
            standby.ask("SELECT pg_reload_conf()")
            alices.deposit("The exporter reads its licence from /etc/exporter at every start.")
            assert alices.ask("where does the exporter read its licence")["insights"]
            before = bobs.reads("replica")
            wait_until(
                lambda: bool(bobs.ask("where is the exporter's licence")) and bobs.reads("behind") > 3,
                seconds=30,
                every=PAUSE,
            )
            late = bobs.reads("replica")
            for _ in range(3):
                assert bobs.ask("where does the exporter read its licence")["insights"]
            assert bobs.reads("replica") == late >= before

            # Killed: as if there were none.
            standby.kill()
            for asker in (alices, bobs):
                assert asker.ask("where does the exporter read its licence")["insights"]
            alices.deposit("Deploys need the VPN; the runner outside it times out after a minute.")
            assert alices.ask("why does the runner time out")["insights"]

            # Back, and fresh: read again.
            (standby.data / "postgresql.auto.conf").write_text(
                (standby.data / "postgresql.auto.conf").read_text().replace("'1h'", "'0'")
            )
            standby.start()
            last = bobs.reads("replica")
            wait_until(
                lambda: bool(bobs.ask("why does the runner time out")) and bobs.reads("replica") > last,
                seconds=30,
                every=PAUSE,
            )
