"""Anthropic's Messages API (`POST /v1/messages`), as Claude Code speaks it."""

import json
from collections.abc import Iterator
from typing import Any

from tests.clients.script import Asked, Block, Tool

PATH = "/v1/messages"


def read(path: str, body: dict[str, Any]) -> Asked:
    blocks = [Block("system", text) for text in _texts(body.get("system"))]
    for message in body.get("messages", []):
        blocks.extend(_blocks(message))
    tools = [Tool(str(tool.get("name")), json.dumps(tool, ensure_ascii=False)) for tool in body.get("tools") or []]
    return Asked(path, body, tuple(blocks), tuple(tools))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]


def _blocks(message: dict[str, Any]) -> Iterator[Block]:
    content = message.get("content")
    if isinstance(content, str):
        yield Block(message["role"], content)
    for block in content if isinstance(content, list) else []:
        match block.get("type"):
            case "text":
                yield Block(message["role"], block["text"])
            case "tool_use":
                yield Block("call", json.dumps({"name": block["name"], "input": block["input"]}, ensure_ascii=False))
            case "tool_result":
                yield Block("tool", "\n".join(_texts(block.get("content"))))


def answer(body: dict[str, Any], text: str, calls: list[tuple[str, dict[str, Any]]], number: int) -> dict[str, Any]:
    """The whole message."""
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    for at, (name, given) in enumerate(calls):
        content.append({"type": "tool_use", "id": f"toolu_{number:04d}{at:02d}", "name": name, "input": given})
    return {
        "id": f"msg_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }


def stream(whole: dict[str, Any]) -> Iterator[bytes]:
    """The message as server-sent events."""
    start = {**whole, "content": [], "stop_reason": None}
    yield _event("message_start", {"message": start})
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            yield _event("content_block_start", {"index": index, "content_block": {"type": "text", "text": ""}})
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            yield _event("content_block_start", {"index": index, "content_block": {**block, "input": {}}})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", {"delta": ended, "usage": {"output_tokens": 10}})
    yield _event("message_stop", {})


def _event(kind: str, fields: dict[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
