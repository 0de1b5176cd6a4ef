"""Twelve ways in which models and their endpoints say the same: each is understood, over real HTTP."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from knowledge.adapters import llm
from knowledge.adapters.llm import Chat
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.rules.briefing import SURE, UNSURE_LINE
from knowledge.evidence.rules.confidence import FLOOR
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.judging.adapters.judge_llm import LlmJudge
from knowledge.judging.rules.relations import Relation
from tests.llm_endpoint import Endpoint, listening

QUESTION = "how do I list the largest files in a git repository"
WRITTEN = "Use `git rev-list --objects --all` [1]."
Ask = Callable[..., EvidenceAnswer]
Wrap = Callable[[Endpoint, Any], Any]


def message(endpoint: Endpoint, **fields: Any) -> Any:
    """A completion whose message has these fields."""
    body = {"choices": [{"message": {"role": "assistant", **fields}}], "usage": endpoint.usage}
    return 200, json.dumps(body).encode(), {}


def refusing(option: str, code: int = 400) -> Wrap:
    """An endpoint that takes no request with this option."""

    def wrapped(endpoint: Endpoint, given: Any) -> Any:
        if option in endpoint.asked[-1][2]:
            return code, json.dumps({"error": {"message": f"Unsupported parameter: '{option}'"}}).encode(), {}
        return given

    return wrapped


def renaming(endpoint: Endpoint, given: Any) -> Any:
    """One that wants `max_completion_tokens`."""
    sent = endpoint.asked[-1][2]
    if "max_tokens" in sent:
        told = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return 400, json.dumps({"error": {"message": told}}).encode(), {}
    assert sent["max_completion_tokens"] > 0
    return given


def cut_off(endpoint: Endpoint, given: Any) -> str:
    """Without its last bracket; of a briefing, without all behind the content."""
    text = json.dumps(given)
    return text.split('", "patterns"')[0] if "content" in given else text[:-1]


def listed(endpoint: Endpoint, given: Any) -> str:
    return json.dumps(given.get("scores", [given]))


def as_a_tool_call(endpoint: Endpoint, given: Any) -> Any:
    """As endpoints do whose models are trained on tools: no content, the answer in the arguments of a call."""
    name = given.get("tool", "answer")
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(given.get("arguments", given))},
    }
    return message(endpoint, content=None, tool_calls=[call])


def trailing_commas(endpoint: Endpoint, given: Any) -> str:
    return json.dumps(given, indent=1).replace('"\n', '",\n').replace("]\n", "],\n").replace("true\n", "true,\n")


DIALECTS: dict[str, Wrap] = {
    "a fence": lambda endpoint, given: f"```json\n{json.dumps(given, indent=2)}\n```",
    "a think block": lambda endpoint, given: f"<think>They want {{json}}: [maybe]</think>\n{json.dumps(given)}",
    "extra keys": lambda endpoint, given: {"thought": "Let me see.", **given, "notes": {"more": [1]}},
    "no temperature": refusing("temperature"),
    "no max_tokens": refusing("max_tokens", 422),
    "max_completion_tokens": renaming,
    "no response_format": refusing("response_format"),
    "a tool call": as_a_tool_call,
    "truncated JSON": cut_off,
    "leading prose": lambda endpoint, given: f"Certainly! Here is the answer:\n\n{json.dumps(given)}\n\nAnything else?",
    "trailing commas": trailing_commas,
    "single quotes": lambda endpoint, given: str(given),
    "a list": listed,
    "content in parts": lambda endpoint, given: message(
        endpoint, content=[{"type": "text", "text": json.dumps(given)}]
    ),
    "prose with words in brackets": lambda endpoint, given: (
        f"Here {{smile}} it [is]: {json.dumps(given)} Bye {{wave}}!"
    ),
    "strings for values": lambda endpoint, given: {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()
    },
    "wrapped": lambda endpoint, given: {"response": given},
}


def answers(wrap: Wrap, endpoint: Endpoint) -> dict[str, Any]:
    moves = [{"tool": "file_read", "arguments": {"paths": ["git/bisect.md"]}}]

    def scores(asked: Any) -> Any:
        # At first nothing answers directly, so that the loop is gone through.
        high = 9 if len(endpoint.of("score")) > 1 else 6
        return wrap(endpoint, {"scores": [high if "rev-list" in text else 1 for text in asked["passages"]]})

    brief = {"content": WRITTEN, "patterns": ["Blobs are sized."], "confidence": 0.9, "sufficient": True}
    words = {"levels": [["git", "largest"], ["rev-list"]], "rarity": {"rev-list": 9}, "other": ["blobs"]}
    return {
        "keywords": lambda asked: wrap(endpoint, words),
        "order": lambda asked: wrap(endpoint, {"files": [1]}),
        "score": scores,
        "step": lambda asked: wrap(endpoint, moves.pop(0) if moves else {"tool": "finish", "arguments": {}}),
        "brief": lambda asked: wrap(endpoint, brief),
        "judge": lambda asked: wrap(endpoint, {"relation": "duplicates", "confidence": 0.9}),
    }


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Endpoint]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(llm, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(Chat, "_failed", {})
    monkeypatch.setattr(Chat, "_refused", {})
    with listening() as made:
        settings.LOAM_LLM_URL, settings.LOAM_LLM_MODEL, settings.LOAM_LLM_KEY = made.url, "small", "k"
        yield made


@pytest.mark.parametrize("name", DIALECTS)
class TestADialect:
    def test_is_understood_in_every_part_of_a_search(self, ask: Ask, endpoint: Endpoint, name: str) -> None:
        endpoint.answers = answers(DIALECTS[name], endpoint)
        answer = ask(QUESTION, ReuseMode.DEEP)
        assert [one for one in answer.degraded if one["component"] == "llm"] == []
        assert WRITTEN[:40] in answer.content
        assert answer.cluster and answer.cluster.written_by == "small"
        assert answer.cited[0].path == "git/find-large-files.md" and answer.cited[0].judged == pytest.approx(0.9)
        assert [step.tool for step in answer.steps] == ["file_read"]
        assert {call.tries for call in answer.calls} == {1}

    def test_is_understood_by_the_judge_of_notes(self, endpoint: Endpoint, name: str) -> None:
        endpoint.answers = answers(DIALECTS[name], endpoint)
        judge = LlmJudge(url=endpoint.url, key="k", model="small", timeout=5.0)
        assert judge.judge("new", "old", 0.9).relation is Relation.DUPLICATES


class TestABusyEndpoint:
    @pytest.mark.parametrize("headers", [{}, {"Retry-After": "1"}])
    def test_is_asked_again_when_it_said(
        self, ask: Ask, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
    ) -> None:
        monkeypatch.setattr(llm, "PAUSE_WHEN_BUSY", 0.05, raising=False)
        usual = answers(DIALECTS["wrapped"], endpoint)
        refused: list[int] = []

        def keywords(asked: Any) -> Any:
            if not refused:
                refused.append(1)
                return 429, b"{}", headers
            return usual["keywords"](asked)

        endpoint.answers = usual | {"keywords": keywords}
        answer = ask(QUESTION, ReuseMode.DEEP)
        assert answer.cluster and answer.cluster.written_by == "small"


class TestAnUnsureModel:
    def test_says_that_it_may_be_wrong(self, ask: Ask, endpoint: Endpoint) -> None:
        usual = answers(DIALECTS["wrapped"], endpoint)
        brief = {"content": WRITTEN, "patterns": [], "confidence": 0.2, "sufficient": True}
        endpoint.answers = usual | {"brief": lambda asked: brief}
        answer = ask(QUESTION, ReuseMode.DEEP)
        assert FLOOR <= answer.confidence < SURE
        assert answer.content.startswith(UNSURE_LINE)
        assert WRITTEN in answer.content
