"""What real clients gave their hooks and sent their models, replayed without them (see `capture`)."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.capture import CHECKOUT, FOLDER, HOME
from tests.clients.follow import FENCE
from tests.clients.script import Asked
from tests.clients.wire import anthropic, chat, gemini, responses
from tests.sessions_app.client.machine import Machine, Ran
from tests.sessions_app.client.stand_in import ORIENTATION, StandIn, stand_in

FIXTURES = {place.stem: json.loads(place.read_text(encoding="utf-8")) for place in sorted(FOLDER.glob("*.json"))}
WIRES = {"claude-code": anthropic, "codex": responses, "gemini-cli": gemini, "opencode": chat, "copilot-cli": chat}
# What clients call the moments that matter.
STARTS = ("SessionStart", "sessionStart")
PROMPTS = ("UserPromptSubmit", "BeforeAgent", "userPromptSubmitted")
TOOLS = ("PostToolUse", "PostToolUseFailure", "AfterTool", "postToolUse")
ENDS = ("PreCompact", "PreCompress", "Stop", "AfterAgent", "agentStop", "SessionEnd", "sessionEnd")
PATIENCE = 10.0


def calls(*events: str) -> list[Any]:
    """The captured calls of these events, one test each, named by client, event and tool."""
    found = []
    for name, fixture in FIXTURES.items():
        for hook in fixture["hooks"]:
            if hook["argv"][1] in events:
                given = hook["given"]
                kind = given.get("tool_name") or given.get("source") or given.get("trigger") or ""
                found.append(pytest.param(hook, id=f"{name}-{hook['argv'][1]}-{kind}".strip("-")))
    return found


@pytest.fixture
def server() -> Iterator[StandIn]:
    with stand_in() as mood:
        yield mood


@pytest.fixture
def machine(tmp_path: Path, server: StandIn) -> Machine:
    here = Machine(tmp_path, server.url)
    here.git("init")
    here.git("remote", "add", "origin", "https://git.example.com/acme/shop.git")
    return here


def replay(machine: Machine, hook: dict[str, Any]) -> Ran:
    """The call as the client made it, on this machine."""
    text = json.dumps(hook["given"]).replace(CHECKOUT, str(machine.checkout)).replace(HOME, str(machine.home))
    return machine.run(*hook["argv"], given=text)


def eventually(found: Callable[[], Any]) -> Any:
    """What is delivered beside the hook, as soon as it is there."""
    until = time.monotonic() + PATIENCE
    while not (what := found()) and time.monotonic() < until:
        time.sleep(0.05)
    return what


def first_event(server: StandIn) -> dict[str, Any]:
    found = eventually(lambda: [event for body in server.of("/events/") for event in body["events"]])
    assert found, "the hook told nothing"
    return dict(found[0])


def test_there_are_fixtures_of_all_five_clients() -> None:
    assert set(FIXTURES) == set(WIRES)


@pytest.mark.parametrize("hook", calls(*STARTS))
def test_a_start_is_told_and_answered_with_the_orientation(
    machine: Machine, server: StandIn, hook: dict[str, Any]
) -> None:
    ran = replay(machine, hook)
    assert ran.status == 0, ran.err
    if hook["given"].get("source") not in ("resume", "compact"):
        assert ORIENTATION in json.dumps(ran.json)
    begun = eventually(lambda: server.of("/sessions/"))
    assert begun[0]["repo"] == "acme/shop"
    assert begun[0]["agent"] == hook["argv"][3]


@pytest.mark.parametrize("hook", calls(*PROMPTS))
def test_a_prompt_is_answered_with_what_the_team_knows(machine: Machine, server: StandIn, hook: dict[str, Any]) -> None:
    ran = replay(machine, hook)
    assert ran.status == 0, ran.err
    assert server.surfaced in json.dumps(ran.json)
    assert server.of("/surface/")[0]["prompt"] == hook["given"]["prompt"]


@pytest.mark.parametrize("hook", calls(*TOOLS))
def test_a_tool_is_told_by_what_it_did(machine: Machine, server: StandIn, hook: dict[str, Any]) -> None:
    ran = replay(machine, hook)
    assert (ran.status, "additionalContext" in ran.out) == (0, False), ran.err
    used = {name: value for name, value in hook["given"].items() if name not in ("toolResult", "tool_response")}
    text, command = json.dumps(used), str(hook["given"].get("tool_input", {}).get("command", ""))
    if command.startswith("python3 -m unittest"):
        event = first_event(server)
        assert event["outcome"] == "failed"
        assert "half a gram is lost" in event["error"]
    elif command.startswith("***") or (("importer/" in text or "tests/" in text) and not command):
        event = first_event(server)
        assert event["kind"] == "edit"
        assert event["path"] in ("tests/test_grams.py", "importer/tariffs.py")
    else:  # reading a file is nobody's business
        assert not server.of("/events/")


@pytest.mark.parametrize("hook", calls("PreToolUse", "preToolUse"))
def test_a_tool_that_is_about_to_run_is_let_run(machine: Machine, server: StandIn, hook: dict[str, Any]) -> None:
    ran = replay(machine, hook)
    assert (ran.status, ran.json, server.calls) == (0, {}, [])


@pytest.mark.parametrize("hook", calls(*ENDS))
def test_an_end_says_nothing_to_the_agent(machine: Machine, hook: dict[str, Any]) -> None:
    ran = replay(machine, hook)
    assert ran.status == 0, ran.err
    assert ran.out.strip() in ("", "{}")


@pytest.mark.parametrize("name", list(FIXTURES))
class TestRequests:
    def read(self, name: str) -> list[Asked]:
        return [WIRES[name].read("", body) for body in FIXTURES[name]["requests"]]

    def test_show_the_model_loams_tools(self, name: str) -> None:
        asked, _ = self.read(name)
        assert {"query_insights", "deposit_insight", "rate_insight", "search_evidence"} <= set(asked.ours)

    def test_hold_the_answer_to_a_query_with_its_references(self, name: str) -> None:
        asked, _ = self.read(name)
        assert "PLAT-" in asked.result_of("query_insights")
        assert asked.result_of("search_evidence")

    def test_begin_with_the_orientation_where_hooks_run(self, name: str) -> None:
        _, after = self.read(name)
        starts = [hook for hook in FIXTURES[name]["hooks"] if hook["argv"][1] in STARTS]
        assert any(FENCE in block.text for block in after.blocks) == bool(starts)
