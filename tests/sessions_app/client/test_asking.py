"""The question at Stop, as Claude Code gets it from the client, against Loam itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from sessions_app.models import AgentSession
from tests.conftest import NOW
from tests.sessions_app.client.machine import Machine, Ran
from tests.web import serving


@pytest.fixture
def bobs(transactional_db: None, bob: Member, tmp_path: Path) -> Iterator[Machine]:
    secret = issue_token(name="bob's", scopes=list(Scope), by=bob, now=NOW).secret
    with serving() as url:
        machine = Machine(tmp_path, url, secret, extra={"LOAM_TEAM": "platform"})
        machine.git("init")
        machine.hook("SessionStart", source="startup")
        yield machine


def edit(machine: Machine) -> None:
    given = {"file_path": str(machine.checkout / "src/a.py")}
    machine.hook("PostToolUse", tool_name="Edit", tool_input=given, tool_response={})


def stop(machine: Machine, **more: object) -> Ran:
    return machine.hook("Stop", **{"stop_hook_active": False, **more})


class TestStop:
    def test_asks_once_after_an_edit(self, bobs: Machine) -> None:
        assert stop(bobs).json == {}
        edit(bobs)
        asked = stop(bobs).json
        assert asked["decision"] == "block"
        assert asked["reason"].startswith("Before you go: deposit")
        assert stop(bobs, stop_hook_active=True).json == {}
        edit(bobs)
        assert stop(bobs).json == {}

    def test_never_asks_an_agent_that_goes_on_because_of_a_hook(self, bobs: Machine) -> None:
        edit(bobs)
        assert stop(bobs, stop_hook_active=True).json == {}
        assert AgentSession.objects.get().deposit_asked_at is None

    def test_asks_after_a_decision(self, bobs: Machine) -> None:
        said = "We decided to drop Node 16, because it is out of support."
        line = '{"type":"assistant","timestamp":"2026-11-22T10:00:00Z","message":{"role":"assistant","content":"%s"}}'
        path = bobs.write("log.jsonl", line % said)
        assert stop(bobs, transcript_path=str(path)).json == {}
        assert stop(bobs, transcript_path=str(path)).json["decision"] == "block"

    @pytest.mark.parametrize("entrypoint", ["sdk-cli", "sdk-py"])
    def test_does_not_ask_where_nobody_types(self, bobs: Machine, entrypoint: str) -> None:
        bobs.extra = {**bobs.extra, "CLAUDE_CODE_ENTRYPOINT": entrypoint}
        edit(bobs)
        assert stop(bobs).json == {}
        assert AgentSession.objects.get().deposit_asked_at is None

    def test_sends_nothing_where_it_is_switched_off(self, bobs: Machine) -> None:
        assert bobs.run("config", "ask-to-deposit", "off").status == 0
        edit(bobs)
        assert not (bobs.own / "asks").exists()
        assert stop(bobs).json == {}
        assert AgentSession.objects.get().deposit_asked_at is None

    def test_does_not_keep_an_agent_from_stopping_while_the_server_is_away(self, bobs: Machine) -> None:
        edit(bobs)
        bobs.waits, bobs.url, bobs.seconds = False, "http://127.0.0.1:9", ""
        assert (stop(bobs).status, stop(bobs).json) == (0, {})

    def test_asks_no_other_client(self, bobs: Machine) -> None:
        given = {"file_path": str(bobs.checkout / "src/a.py")}
        bobs.hook("SessionStart", agent="codex", source="startup")
        bobs.hook("PostToolUse", agent="codex", tool_name="Edit", tool_input=given, tool_response={})
        assert bobs.hook("Stop", agent="codex", stop_hook_active=False).json == {}
