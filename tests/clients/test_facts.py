"""How the harness reads: facts, names nobody said, pointers, and what a trial's endpoint says."""

import json
import urllib.request
from typing import Any

import pytest

from tests.cases import cases
from tests.clients.endpoint import FEWEST_TOOLS, listening
from tests.clients.facts import NEXT, Fact, held, invented
from tests.clients.follow import pointed, told_by_loam
from tests.clients.script import Action, Ask, Asked, Reply, Run, Script
from tests.clients.wire import anthropic, chat, gemini, responses


class TestHeld:
    @cases(
        "text",
        [
            "- Drop the second rounding in `tariff_total`\n",
            "DROP the\n  second rounding in *tariff_total* first",
            '"drop the second rounding in tariff_total"',
        ],
    )
    def test_marks_and_line_ends_do_not_count(self, text: str) -> None:
        fact = Fact(NEXT, "Drop the second rounding in tariff_total")
        assert held([fact], text) == (fact,)

    def test_a_part_is_not_the_fact(self) -> None:
        assert not held([Fact(NEXT, "Drop the second rounding")], "Drop the second …")


class TestInvented:
    def test_names_what_nobody_said(self) -> None:
        assert invented("Changed importer/tariffs.py and importer/vat.py", "I edit importer/tariffs.py") == (
            "importer/vat.py",
        )

    def test_loams_own_names_are_none(self) -> None:
        assert not invented("S-29 of acme/shop, see get_session_history", "")


class TestPointed:
    TOOLS = ("get_handoff", "query_insights", "get_session_history")

    def test_a_call_with_arguments(self) -> None:
        assert pointed('Read it: get_handoff(ref="S-29")', self.TOOLS) == ("get_handoff", {"ref": "S-29"})

    def test_a_bare_name_goes_with_the_reference_before_it(self) -> None:
        found = pointed("Handoff S-7 is in get_session_history.", self.TOOLS)
        assert found and found[0] == "get_session_history" and found[1]["ref"] == "S-7"

    def test_a_call_that_the_agent_does_not_have_is_none(self) -> None:
        assert pointed("→ GET sessions/S-29/, or read_handoff(S-29)", self.TOOLS) is None


def spell(action: Action, asked: Asked) -> tuple[str, dict[str, Any]]:
    return ("shell", {"command": action.command}) if isinstance(action, Run) else ("loam_query", {"query": "x"})


TOOLS = [{"name": f"tool_{at}", "function": {"name": f"tool_{at}"}} for at in range(FEWEST_TOOLS)]
BODIES: list[tuple[Any, str, dict[str, Any]]] = [
    (anthropic, "/v1/messages", {"messages": [{"role": "user", "content": "Hello"}], "tools": TOOLS}),
    (responses, "/v1/responses", {"input": "Hello", "tools": TOOLS}),
    (chat, "/v1/chat/completions", {"messages": [{"role": "user", "content": "Hello"}], "tools": TOOLS}),
    (
        gemini,
        "/v1beta/models/m:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}], "tools": [{"functionDeclarations": TOOLS}]},
    ),
]


@pytest.mark.parametrize(("wire", "path", "body"), BODIES, ids=["anthropic", "responses", "chat", "gemini"])
class TestEndpoint:
    def post(self, url: str, body: dict[str, Any]) -> str:
        request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(answer.read().decode())

    def test_answers_by_the_script_and_records(self, wire: Any, path: str, body: dict[str, Any]) -> None:
        script = Script(Reply("I look.", (Run("ls"),)), Reply("Seen."))
        with listening(script, spell, lambda asked: "") as endpoint:
            first, second = self.post(endpoint.url + path, body), self.post(endpoint.url + path, body)
        assert "I look." in first and "shell" in first
        assert "Seen." in second
        assert [asked.blocks[-1].text for asked in endpoint.asked] == ["Hello", "Hello"]
        assert endpoint.turns == 1

    def test_streams_the_same(self, wire: Any, path: str, body: dict[str, Any]) -> None:
        streamed = path.replace("generateContent", "streamGenerateContent")
        with listening(Script(Reply("I look.")), spell, lambda asked: "") as endpoint:
            text = self.post(endpoint.url + streamed, {**body, "stream": True})
        assert "I look." in "".join(json.dumps(json.loads(part)) for part in _events(text))

    def test_what_offers_no_tools_is_no_turn(self, wire: Any, path: str, body: dict[str, Any]) -> None:
        with listening(Script(Reply("I look.")), spell, lambda asked: "") as endpoint:
            assert "I look." not in self.post(endpoint.url + path, {**body, "tools": []})
        assert (endpoint.turns, len(endpoint.asked), len(endpoint.beside)) == (0, 0, 1)


def _events(text: str) -> list[str]:
    lines = [line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith("data:")]
    return [line for line in lines if line != "[DONE]"]


def test_loams_texts_are_its_fenced_ones_and_its_tools_results() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "name": "mcp__loam__query_insights", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "PLAT-1"}]}]}
    shell = {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash", "input": {"command": "loam"}}]}
    shown = {"role": "user", "content": [{"type": "tool_result", "content": "secret"}]}
    fenced = {"role": "user", "content": "<team-memory>\nacme\n</team-memory>"}
    asked = anthropic.read("", {"messages": [fenced, call, result, shell, shown]})
    assert told_by_loam(asked) == "<team-memory>\nacme\n</team-memory>\nPLAT-1"


def test_a_call_gets_only_what_its_tool_has_a_parameter_for() -> None:
    schema = {"name": "loam_start", "input_schema": {"properties": {"repo": {"type": "string"}}}}
    asked = anthropic.read("", {"tools": [schema], "messages": []})
    assert Ask("start", {"repo": "acme/shop", "branch": "main"}).fitting(asked) == {"repo": "acme/shop"}
