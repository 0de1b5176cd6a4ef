"""The commands for people and scripts, against Loam itself."""

import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from knowledge.models import Insight
from sessions_app.adapters.client_file import client_file
from tests.conftest import NOW
from tests.sessions_app.client.machine import Machine

LESSON = "Read the CSV in chunks of 5,000 rows, or the importer's worker runs out of memory."


@pytest.fixture
def bobs(transactional_db: None, live_server: Any, bob: Member, tmp_path: Path) -> Iterator[Machine]:
    """Bob's machine, on which he logged in; each command is a process, as it is for him."""
    machine = Machine(tmp_path, apart=True)
    machine.git("init")
    machine.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
    secret = issue_token(name="bob's laptop", scopes=[Scope.READ, Scope.WRITE], by=bob, now=NOW).secret
    done = machine.run("login", live_server.url, given=f"{secret}\n")
    assert (done.status, done.err) == (0, "")
    machine.token = secret
    yield machine


class TestLogin:
    def test_keeps_the_token_for_its_owner_alone(self, bobs: Machine) -> None:
        kept = bobs.own / "credentials.json"
        assert kept.stat().st_mode & 0o777 == 0o600
        assert json.loads(kept.read_text())["token"] == bobs.token

    def test_refuses_a_token_that_does_not_hold(self, bobs: Machine) -> None:
        url = json.loads((bobs.own / "credentials.json").read_text())["url"]
        done = bobs.run("login", url, "--token", "loam_00000000_" + "x" * 32)
        assert (done.status, "unknown" in done.err) == (1, True)
        assert json.loads((bobs.own / "credentials.json").read_text())["token"] == bobs.token

    @pytest.mark.parametrize("url", ["loam.example.com", "ftp://x", "http://", "https://me:pw@loam.example.com"])
    def test_refuses_what_is_no_address(self, alone: Machine, url: str) -> None:
        assert alone.run("login", url, "--token", "x").status == 1

    def test_sends_the_token_nowhere_else(self, bobs: Machine, server: Any) -> None:
        bobs.extra = {"LOAM_URL": server.url}
        assert "Not logged in" in bobs.run("query", "importer").err
        assert server.calls == []


class TestCommands:
    def test_deposit_query_and_rate(self, bobs: Machine) -> None:
        done = bobs.run("deposit", "--kind", "pitfall", LESSON, "--tag", "csv", "--file", "src/importer.py", "--json")
        ref = done.json["insight"]["ref"]
        assert (done.json["outcome"], done.json["insight"]["repo"]) == ("inserted", "acme/shop")
        found = bobs.run("query", "the importer runs out of memory on a large CSV")
        assert (found.status, ref in found.out, "5,000 rows" in found.out) == (0, True, True)
        rated = bobs.run("rate", ref, "helpful")
        assert rated.out.startswith(f"{ref}: strength")

    def test_a_secret_is_not_even_sent(self, bobs: Machine) -> None:
        done = bobs.run("deposit", "--kind", "CONTEXT", "the key is AKIA" + "Q3EXZ7WLM2PRTYHK")
        assert (done.status, "AWS access key at line 1" in done.err) == (1, True)
        assert not Insight.objects.exists()

    def test_the_servers_faults_are_told_by_field(self, bobs: Machine) -> None:
        done = bobs.run("deposit", "--kind", "RUMOUR", LESSON)
        assert (done.status, "kind:" in done.err) == (1, True)

    def test_status_says_who_and_what_waits(self, bobs: Machine) -> None:
        done = bobs.run("status", "--json")
        assert (done.json["user"], done.json["spool"], done.json["reachable"]) == ("bob", 0, True)

    def test_status_says_what_it_knows_beside_a_server_that_hangs(self, bobs: Machine) -> None:
        kept = bobs.own / "credentials.json"
        with socket.create_server(("127.0.0.1", 0)) as silent:
            account = json.loads(kept.read_text())
            kept.write_text(json.dumps({**account, "url": f"http://127.0.0.1:{silent.getsockname()[1]}"}))
            done = bobs.run("status", "--timeout", "0.5")
        assert done.status == 3 and done.seconds < 5
        assert "is out of reach: timed out.\n0 waiting to be delivered, 0 refused" in done.out

    def test_what_was_said_offline_is_delivered_once(self, bobs: Machine) -> None:
        kept = bobs.own / "credentials.json"
        account = kept.read_text()
        there = json.loads(account)["url"]
        kept.write_text(account.replace(there, "http://127.0.0.1:9"))
        done = bobs.run("deposit", "--kind", "PITFALL", LESSON)
        assert (done.status, "delivered later" in done.out) == (0, True)
        assert bobs.run("query", "importer").status == 3
        kept.write_text(account)
        (waiting,) = bobs.spool
        text = waiting.read_text().replace("http://127.0.0.1:9", there)
        for _ in range(2):  # the second time as if its answer had been lost
            waiting.write_text(text)
            assert bobs.run("status", "--json").json["spool"] == 0
        assert Insight.objects.count() == 1

    def test_without_an_account_they_say_what_to_do(self, alone: Machine) -> None:
        done = alone.run("query", "x")
        assert (done.status, "loam login" in done.err) == (1, True)


class TestDownload:
    def test_is_the_file_with_its_checksum(self, client: Any, db: None) -> None:
        got = client.get("/connect/loam.py")
        assert (got.status_code, got.content) == (200, client_file().content)
        assert got["ETag"] == f'"{client_file().sha256}"'
        assert client.get("/connect/loam.py.sha256").content.decode() == f"{client_file().sha256}  loam.py\n"

    def test_is_not_sent_again_to_who_has_it(self, client: Any, db: None) -> None:
        got = client.get("/connect/loam.py", headers={"If-None-Match": f'"{client_file().sha256}"'})
        assert (got.status_code, got.content) == (304, b"")

    def test_is_on_the_page_that_connects_an_agent(self, client: Any, bob_user: Any) -> None:
        client.force_login(bob_user)
        page = client.get("/connect/").content.decode()
        assert client_file().sha256 in page
        assert "install claude-code" in page


class TestIgnoredHooks:
    def test_status_says_that_codex_does_not_trust_them(self, machine: Machine) -> None:
        machine.run("install", "codex", "--yes")
        assert "until you trust them" in machine.run("status").out
        hooks, config = machine.home / ".codex/hooks.json", machine.home / ".codex/config.toml"
        trusted = f'\n[hooks.state."{hooks}:session_start:0:0"]\ntrusted_hash = "sha256:0"\n'
        config.write_text(config.read_text() + trusted)
        assert "until you trust them" not in machine.run("status").out

    def test_status_says_that_a_session_ran_without_them(self, machine: Machine) -> None:
        machine.run("install", "claude-code", "--yes")
        place = machine.home / ".claude/projects/-work-shop/one.jsonl"
        place.parent.mkdir(parents=True)
        place.write_text("{}\n")
        later = time.time() + 600
        os.utime(place, (later, later))
        assert "no hook" in machine.run("status").out
