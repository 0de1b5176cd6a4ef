"""A working day: Bob's agent works, is killed, and the next one is told what happened.

Over the real doors: the client's hooks and its MCP bridge as Claude Code runs them, the official SDK, Loam on a port.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from tests.conftest import NOW
from tests.sessions_app.client.machine import Machine
from tests.together import apart
from tests.web import serving

SAID = [
    ("user", "Make the CSV importer of acme/shop survive large files."),
    (
        "assistant",
        "Decision: we chose a streaming parser over loading the file whole because memory is capped at 512 MB.",
    ),
    ("assistant", "I updated `src/importer.py`. Next steps:\n- cover the importer with a test for empty files"),
]


@pytest.fixture
def town(transactional_db: None, alice: Member, bob: Member, tmp_path: Path) -> Iterator[tuple[Machine, str, str]]:
    """Bob's machine with Claude Code connected; Loam's address; Alice's token."""
    bobs, alices = (issue_token(name="agent", scopes=list(Scope), by=who, now=NOW).secret for who in (bob, alice))
    with serving() as url:
        machine = Machine(tmp_path, url, bobs, extra={"LOAM_TEAM": "platform"})
        machine.git("init")
        machine.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
        assert machine.run("install", "claude-code", "--yes").status == 0
        yield machine, url, alices


def transcript(machine: Machine) -> str:
    """What Claude Code has written down by the time it is killed."""
    place = machine.home / ".claude/projects/shop/first.jsonl"
    place.parent.mkdir(parents=True)
    rows = [
        {"type": role, "message": {"role": role, "content": text}, "timestamp": f"2026-11-21T10:0{n}:00.000Z"}
        for n, (role, text) in enumerate(SAID)
    ]
    edit = {"type": "tool_use", "name": "Edit", "input": {"file_path": str(machine.checkout / "src/importer.py")}}
    rows.append({"type": "assistant", "message": {"role": "assistant", "content": [edit]}})  # type: ignore[dict-item]
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(place)


def told(done: Any) -> str:
    """The context a hook gives the agent."""
    text: str = done.json["hookSpecificOutput"]["additionalContext"]
    return text


def session_in(text: str) -> str:
    return text.rpartition("Loam session: ")[2].split()[0]


async def good(client: Client, tool: str, **given: Any) -> str:
    """What the agent's model is given."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    return str(result.content[0].text)


async def morning(machine: Machine, session: str) -> None:
    """Ask, deposit, rate, checkpoint; then the process is gone, with no word of goodbye."""
    entry = json.loads((machine.home / ".claude.json").read_text())["mcpServers"]["loam"]
    bridge = StdioServerParameters(command=entry["command"], args=entry["args"], env=machine.env())
    async with Client(bridge) as client:
        asked = await good(client, "query_insights", query="importer memory on large CSV files", session=session)
        assert asked.startswith("Nothing")
        lesson = "The CSV importer must read in chunks of 5,000 rows, or the worker runs out of memory."
        made = await good(client, "deposit_insight", kind="PITFALL", body=lesson, repo="acme/shop", session=session)
        ref = re.findall(r"PLAT-\d+", made)[0]
        again = await good(client, "query_insights", query="importer memory on large CSV files", session=session)
        assert f"[{ref}] PITFALL" in again
        query_id = re.findall(r'query_id="([0-9a-f-]+)"', again)[0]
        await good(client, "rate_insight", insights=[ref], verdict="helpful", query_id=query_id, session=session)
        await good(
            client, "checkpoint_session", session=session, summary="The importer streams.", pending="empty files"
        )


async def next_agent(url: str, token: str) -> tuple[str, str]:
    """Alice's agent begins on the same repository, over HTTP, on another machine."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        begun = await good(client, "start_session", repo="acme/shop", team="platform", agent="other")
        history = await good(client, "get_session_history", repo="acme/shop")
        return begun, history


class TestAWorkingDay:
    def test_is_told_to_whoever_comes_next_though_the_agent_was_killed(self, town: tuple[Machine, str, str]) -> None:
        machine, url, alices = town
        path = transcript(machine)
        began = machine.hook("SessionStart", source="startup", session_id="first", transcript_path=path)
        session = session_in(told(began))
        edited = {"file_path": str(machine.checkout / "src/importer.py")}
        machine.hook("PostToolUse", session_id="first", tool_name="Edit", tool_input=edited, tool_response={})
        failed = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "error": "AssertionError: 3 != 4"}
        machine.hook("PostToolUseFailure", session_id="first", **failed)
        apart(morning, machine, session)

        begun, history = apart(next_agent, url, alices)
        assert "Handoff S-" in begun
        assert "The importer streams." in history

        self.bury(machine)
        again = machine.hook("SessionStart", source="startup", session_id="second")
        assert session_in(told(again)) != session
        recovered = next(one for one in machine.run("history", "--json").json["results"] if one["session"] == session)
        handoff = json.dumps(recovered["handoff"])
        assert recovered["state"] != "live"
        for planted in ("streaming parser", "src/importer.py", "empty files"):
            assert planted in handoff, planted

    def bury(self, machine: Machine) -> None:
        """The agent's process was this test's; say that it was another, which is gone."""
        for path in (machine.own / "sessions").glob("*.json"):
            known = json.loads(path.read_text())
            path.write_text(json.dumps({**known, "process": [2**22 + 7, "1"]}))
