"""MCP over stdio, through `loam mcp`: the official SDK's client starts it as an agent would."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from tests.conftest import NOW
from tests.sessions_app.client.machine import Machine
from tests.together import apart
from tests.web import serving

LESSON = {"kind": "PITFALL", "body": "Read the CSV in chunks, or the importer's worker dies.", "tags": "csv, memory"}


@pytest.fixture
def bobs(transactional_db: None, bob: Member, tmp_path: Path) -> Iterator[Machine]:
    """Bob's machine with the client installed for Cursor, and Loam within reach."""
    secret = issue_token(name="bob's", scopes=list(Scope), by=bob, now=NOW).secret
    with serving() as url:
        machine = Machine(tmp_path, url, secret)
        machine.run("install", "cursor", "--yes")
        yield machine


def as_installed(machine: Machine) -> StdioServerParameters:
    entry = json.loads((machine.home / ".cursor/mcp.json").read_text())["mcpServers"]["loam"]
    return StdioServerParameters(command=entry["command"], args=entry["args"], env=machine.env())


class TestBridge:
    @pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
    def test_passes_everything_on_in_each_era_of_the_protocol(self, bobs: Machine, mode: Any) -> None:
        async def story() -> Any:
            async with Client(as_installed(bobs), mode=mode) as client:
                tools = {tool.name for tool in (await client.list_tools()).tools}
                made = await client.call_tool("deposit_insight", LESSON)
                found = await client.call_tool("query_insights", {"query": "the importer dies on a large CSV"})
                prompt = await client.get_prompt("session_handoff", {})
                ref = re.findall(r"PLAT-\d+", made.content[0].text)[0]
                read = await client.read_resource(f"insight://{ref}")
                return tools, f"[{ref}]" in found.content[0].text, prompt.messages, read.contents

        tools, found, messages, contents = apart(story)
        assert ("query_insights" in tools, found, bool(messages), bool(contents)) == (True, True, True, True)

    @pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
    def test_says_what_the_server_finds_wrong_with_a_call(self, bobs: Machine, mode: Any) -> None:
        """In the newer era the error of the protocol comes with the status 400."""

        async def story() -> str:
            async with Client(as_installed(bobs), mode=mode) as client:
                with pytest.raises(MCPError) as refused:
                    await client.call_tool("no_such_tool", {})
                return str(refused.value)

        assert "There is no tool 'no_such_tool'." in apart(story)

    def test_answers_many_at_once(self, bobs: Machine) -> None:
        async def story() -> list[Any]:
            answers: list[Any] = []

            async def ask(client: Client, number: int) -> None:
                answers.append(await client.call_tool("query_insights", {"query": f"question number {number}"}))

            async with Client(as_installed(bobs)) as client, anyio.create_task_group() as group:
                for number in range(12):
                    group.start_soon(ask, client, number)
            return answers

        assert [answer.is_error for answer in apart(story)] == [False] * 12

    def test_says_so_when_the_server_is_away(self, bobs: Machine) -> None:
        bobs.url = "http://127.0.0.1:9"
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
        given = f"{json.dumps(message)}\n\nnonsense\n" + json.dumps({**message, "id": None, "method": "x"}) + "\n"
        done = subprocess.run(
            [bobs.python, str(bobs.client), "mcp"],
            input=given,
            capture_output=True,
            text=True,
            env=bobs.env(),
            timeout=30,
        )
        answers = {one["id"]: one["error"] for one in map(json.loads, done.stdout.splitlines())}
        assert "out of reach" in answers[7]["message"]
        assert done.returncode == 0

    def test_without_an_account_says_what_to_do(self, alone: Machine) -> None:
        done = alone.run("mcp")
        assert (done.status, "loam login" in done.err) == (1, True)
