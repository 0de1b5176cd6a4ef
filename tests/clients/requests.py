"""A client's requests to its model, turn by turn, in the shape of captured ones, with Loam or without it.

Where a client puts the text of a hook was read off the requests of real clients in sessions of several prompts, and
of sessions that were closed and resumed. A request is written in the order in which models read it: tools, system,
messages. What a client rewrites by itself (a marker of its cache, Gemini CLI's thought signatures) is left out.
"""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.clients.capture import FOLDER

Json = dict[str, Any]
FIXTURES: dict[str, Json] = {
    place.stem: json.loads(place.read_text(encoding="utf-8")) for place in sorted(FOLDER.glob("*.json"))
}
# What is of Loam in a request's head beside its tools: Claude Code repeats the instructions of MCP servers.
INSTRUCTIONS = "# MCP Server Instructions"


@dataclass(frozen=True)
class Turn:
    """A person's prompt, with what hooks said: `started` by SessionStart before it, `surfaced` by the prompt's own."""

    prompt: str
    started: str = ""
    surfaced: str = ""


@dataclass
class Talk:
    """One session's requests to the model. `listed`: Loam's tools as its server lists them; empty without Loam."""

    client: str
    listed: str = ""
    messages: list[Json] = field(default_factory=list)

    def asks(self, turn: Turn) -> None:
        first = not any(one.get("role") in ("assistant", "model") for one in self.messages)
        if self.client == "copilot-cli" and not first and turn.started:  # at the head, in place of what stood there
            self.messages[1:2] = _copilot_asks(turn, False)[:1]
            turn = replace(turn, started="")
        self.messages += ASKS[self.client](turn, first)

    def says(self, text: str) -> None:
        self.messages.append(SAYS[self.client](text))

    def edits(self, path: str, told: str = "") -> None:
        """Add the call of a tool that changes a file, its result, and what the hook after it said."""
        self.messages += EDITS[self.client](f"call_{len(self.messages)}", path, told)

    def is_blocked(self, reason: str) -> None:
        """Add what a Stop hook asks the agent to do before it stops."""
        texts = (_reminder(f"Stop hook blocking error from command: loam: {reason}"), f"Stop hook feedback:\n{reason}")
        self.messages.append({"role": "user", "content": _texts(*texts)})

    @property
    def request(self) -> bytes:
        body = FIXTURES[self.client]["requests"][0]
        own = [tool for tool in _flat(body["tools"]) if "loam" not in json.dumps(tool)]
        system = body.get("system") or body.get("systemInstruction") or ""
        parts = [json.dumps(own), self.listed, json.dumps(system), *(json.dumps(one) for one in self.messages)]
        return "\n".join(parts).encode()


def shared(one: bytes, following: bytes) -> float:
    """Return the share of a request that is, byte for byte, the beginning of the following one."""
    if following.startswith(one):
        return 1.0
    low, high = 0, min(len(one), len(following))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == following[:middle] else (low, middle - 1)
    return low / len(one)


def _flat(tools: Sequence[Json]) -> list[Json]:
    return [tool for group in tools for tool in group.get("functionDeclarations", [group])]


def _texts(*texts: str) -> list[Json]:
    return [{"type": "text", "text": text} for text in texts if text]


def _reminder(text: str) -> str:
    return f"<system-reminder>\n{text}\n</system-reminder>\n"


def _hooked(event: str, text: str) -> str:
    return _reminder(f"{event} hook additional context: {text}") if text else ""


def _beginning(client: str, count: int) -> list[Json]:
    """What stands before the person's first prompt."""
    body = FIXTURES[client]["requests"][0]
    messages = body.get("messages") or body.get("input") or body["contents"]
    return copy.deepcopy(messages[:count])


# --- Claude Code: reminders beside the prompt ------------------------------------------------------------------
def _claude_asks(turn: Turn, first: bool) -> list[Json]:
    start, prompt = _hooked("SessionStart", turn.started), _hooked("UserPromptSubmit", turn.surfaced)
    if not first:
        used = _reminder("<total_tokens>15000000 tokens left</total_tokens>")
        return [{"role": "user", "content": _texts(start, used, prompt, turn.prompt)}]
    blocks: list[str] = []
    for block in _beginning("claude-code", 1)[0]["content"][:-1]:
        text = str(block["text"])
        if "SessionStart hook" in text:
            text = start
        elif "UserPromptSubmit hook" in text:
            text = prompt
        elif INSTRUCTIONS in text and not turn.started:
            text = ""
        blocks.append(text)
    return [{"role": "user", "content": _texts(*blocks, turn.prompt)}]


def _claude_edits(call: str, path: str, told: str) -> list[Json]:
    used = {"type": "tool_use", "id": call, "name": "Edit", "input": {"file_path": path}}
    result = {"type": "tool_result", "tool_use_id": call, "content": f"The file {path} has been updated."}
    content = [result, *_texts(_hooked("PostToolUse:Edit", told))]
    return [{"role": "assistant", "content": [used]}, {"role": "user", "content": content}]


# --- Codex: messages of a developer's --------------------------------------------------------------------------
def _item(role: str, text: str, kind: str = "input_text") -> Json:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _codex_asks(turn: Turn, first: bool) -> list[Json]:
    before = _beginning("codex", 3) if first else []
    start = [_item("developer", turn.started)] if turn.started else []
    after = [_item("developer", turn.surfaced)] if turn.surfaced else []
    return [*before, *start, _item("user", turn.prompt), *after]


def _codex_edits(call: str, path: str, told: str) -> list[Json]:
    used = {"type": "custom_tool_call", "call_id": call, "name": "apply_patch", "input": f"*** Update File: {path}"}
    result = {"type": "custom_tool_call_output", "call_id": call, "output": f"Success. Updated {path}"}
    return [used, result, *([_item("developer", told)] if told else [])]


# --- Gemini CLI: parts of the prompt, escaped ------------------------------------------------------------------
def _escaped(text: str) -> str:
    inert = text.replace("<", "&lt;").replace(">", "&gt;")
    return f"<hook_context>{inert}</hook_context>" if text else ""


def _gemini_asks(turn: Turn, first: bool) -> list[Json]:
    context = _beginning("gemini-cli", 1)[0]["parts"][0]["text"] if first else ""
    texts = (context, _escaped(turn.started), turn.prompt, _escaped(turn.surfaced))
    return [{"parts": [{"text": text} for text in texts if text], "role": "user"}]


def _gemini_edits(call: str, path: str, told: str) -> list[Json]:
    used = {"functionCall": {"id": call, "name": "replace", "args": {"file_path": path}}}
    output = "\n".join(filter(None, (f"Successfully modified file: {path}", told)))
    result = {"functionResponse": {"id": call, "name": "replace", "response": {"output": output}}}
    return [{"parts": [used], "role": "model"}, {"parts": [result], "role": "user"}]


# --- OpenCode and Copilot CLI: chat messages -------------------------------------------------------------------
def _opencode_asks(turn: Turn, first: bool) -> list[Json]:
    told = "\n\n".join(filter(None, (turn.started, turn.surfaced)))
    content = _texts(told, turn.prompt) if told else turn.prompt
    return [*(_beginning("opencode", 1) if first else []), {"role": "user", "content": content}]


def _copilot_asks(turn: Turn, first: bool) -> list[Json]:
    start = [{"role": "user", "content": turn.started}] if turn.started else []
    told = f"\n\n<system_reminder>\n{turn.surfaced}\n</system_reminder>" if turn.surfaced else ""
    prompt = f"<current_datetime>2026-11-23T01:07:39.548+00:00</current_datetime>\n\n{turn.prompt}{told}"
    return [*(_beginning("copilot-cli", 1) if first else []), *start, {"role": "user", "content": prompt}]


def _chat_edits(call: str, path: str, told: str) -> list[Json]:
    function = {"name": "edit", "arguments": json.dumps({"filePath": path})}
    used = {"role": "assistant", "content": "", "tool_calls": [{"id": call, "type": "function", "function": function}]}
    content = "\n\n".join(filter(None, ("Edit applied successfully.", told)))
    return [used, {"role": "tool", "tool_call_id": call, "content": content}]


ASKS: dict[str, Callable[[Turn, bool], list[Json]]] = {
    "claude-code": _claude_asks, "codex": _codex_asks, "gemini-cli": _gemini_asks, "opencode": _opencode_asks,
    "copilot-cli": _copilot_asks,
}  # fmt: skip
SAYS: dict[str, Callable[[str], Json]] = {
    "claude-code": lambda text: {"role": "assistant", "content": _texts(text)},
    "codex": lambda text: _item("assistant", text, "output_text"),
    "gemini-cli": lambda text: {"parts": [{"text": text}], "role": "model"},
    "opencode": lambda text: {"role": "assistant", "content": text},
    "copilot-cli": lambda text: {"role": "assistant", "content": text},
}
EDITS: dict[str, Callable[[str, str, str], list[Json]]] = {
    "claude-code": _claude_edits, "codex": _codex_edits, "gemini-cli": _gemini_edits, "opencode": _chat_edits,
    "copilot-cli": _chat_edits,
}  # fmt: skip
