"""What a killed terminal leaves in its agent's own file, through the client, to what the server finds in it.

The labelled transcripts are written down as Claude Code and as Codex do it, read back by the client as at the next
start, and measured as the server measures them: the way through the files must lose nothing and invent nothing.
"""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sessions_app.client.src.transcripts.killed import process_by_ps
from sessions_app.client.src.transcripts.turns import digest, read_transcript
from sessions_app.lab.corpora.transcripts import Labelled, measure, read
from sessions_app.transcripts.rules.turn import Turn

FOLDER = Path(__file__).parents[2] / "transcripts"
TRANSCRIPTS = [one for name in ("tuning.txt", "held_out.txt") for one in read((FOLDER / name).read_text())]
TRAPS = [one for name in ("traps_tuning.txt", "traps_held_out.txt") for one in read((FOLDER / name).read_text())]
TOP = "/code/shop"
_EDIT = re.compile(r"(?:Edit|Edited|Write|MultiEdit|create|str_replace_editor)[ :(]+[\"'`]?([^\s\"'`()]+)")
_SHELL = re.compile(r"(?:Bash|shell|Ran)[ :(]+(.+)")


def used(text: str) -> tuple[str, dict[str, Any], str] | None:
    """A tool's turn as a call and its output: (tool, input, output); None for one that only looked."""
    first, _, output = text.partition("\n")
    if edit := _EDIT.match(first):
        return "Edit", {"file_path": f"{TOP}/{edit[1]}"}, output
    if shell := _SHELL.match(first):
        return "Bash", {"command": shell[1].rstrip(")")}, output
    return ("apply_patch", {"input": text}, "Done") if "*** Begin Patch" in text else None


def claude_code(turns: tuple[Turn, ...]) -> Iterator[dict[str, Any]]:
    for number, turn in enumerate(turns):
        call = used(turn.text) if turn.role not in ("user", "assistant") else None
        if call:
            tool, given, output = call
            block = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
            yield {"type": "assistant", "message": {"role": "assistant", "content": [block]}}
            answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output}
            yield {"type": "user", "message": {"role": "user", "content": [answer]}}
        elif turn.role in ("user", "assistant"):
            content: Any = turn.text if turn.role == "user" else [{"type": "text", "text": turn.text}]
            yield {"type": turn.role, "message": {"role": turn.role, "content": content}, "timestamp": turn.at}


def codex(turns: tuple[Turn, ...]) -> Iterator[dict[str, Any]]:
    yield {"type": "session_meta", "payload": {"id": "1", "cwd": TOP}}
    for number, turn in enumerate(turns):
        call = used(turn.text) if turn.role not in ("user", "assistant") else None
        if call:
            tool, given, output = call
            name = "shell" if tool == "Bash" else "apply_patch"
            patch = f"*** Begin Patch\n*** Update File: {given.get('file_path')}\n*** End Patch"
            arguments = {"Bash": json.dumps(given), "Edit": patch}.get(tool, given.get("input"))
            yield {
                "type": "response_item",
                "payload": {"type": "function_call", "name": name, "call_id": f"c{number}", "arguments": arguments},
            }
            yield {
                "type": "response_item",
                "payload": {"type": "function_call_output", "call_id": f"c{number}", "output": output},
            }
        elif turn.role in ("user", "assistant"):
            part = {"type": "input_text" if turn.role == "user" else "output_text", "text": turn.text}
            payload = {"type": "message", "role": turn.role, "content": [part]}
            yield {"type": "response_item", "payload": payload, "timestamp": turn.at}


@pytest.fixture(params=[claude_code, codex], ids=["claude-code", "codex"])
def recovered(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Labelled], Labelled]:
    """A labelled transcript as it arrives at the server."""

    def through_the_file(one: Labelled) -> Labelled:
        path = tmp_path / "rollout.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in request.param(one.turns)))
        sent = digest(read_transcript(str(path), TOP))
        return replace(one, turns=tuple(Turn(turn["role"], turn["text"], turn.get("at", "")) for turn in sent))

    return through_the_file


class TestAKilledTerminal:
    def test_gives_back_what_was_planted(self, recovered: Callable[[Labelled], Labelled]) -> None:
        direct, through = measure(TRANSCRIPTS), measure([recovered(one) for one in TRANSCRIPTS])
        # Of decisions few patterns find the half, and hardly ever what is none: the conversation itself has the rest.
        for kind, least in {"decision": 0.5, "file": 0.9, "next": 0.9}.items():
            assert (through[kind].recall or 0) >= least, (kind, through[kind])
            assert through[kind].invented <= direct[kind].invented, (kind, through[kind], direct[kind])

    def test_makes_nothing_of_traps(self, recovered: Callable[[Labelled], Labelled]) -> None:
        direct, through = measure(TRAPS), measure([recovered(one) for one in TRAPS])
        assert {kind: count.invented for kind, count in through.items()} == {
            kind: count.invented for kind, count in direct.items()
        }


class TestAnAgentsProcess:
    def test_is_looked_up_without_proc(self) -> None:
        child = subprocess.Popen(["sleep", "60"])
        try:
            found = process_by_ps(child.pid)
            assert found and found[:2] == ("sleep", os.getpid())
            assert process_by_ps(child.pid) == found
        finally:
            child.kill()
            child.wait()
        assert process_by_ps(child.pid) is None
