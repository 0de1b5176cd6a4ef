"""OpenAI's Chat Completions (`POST /v1/chat/completions`), as OpenCode and Copilot CLI speak it to a provider."""

import json
from collections.abc import Iterator
from typing import Any

from tests.clients.script import Asked, Block, Tool

PATH = "/v1/chat/completions"


def read(path: str, body: dict[str, Any]) -> Asked:
    blocks: list[Block] = []
    for message in body.get("messages", []):
        content = message.get("content")
        parts = [{"text": content}] if isinstance(content, str) else content or []
        role = {"developer": "system"}.get(message["role"], message["role"])
        blocks.extend(Block(role, part["text"]) for part in parts if isinstance(part.get("text"), str))
        for call in message.get("tool_calls") or []:
            blocks.append(Block("call", json.dumps(call["function"], ensure_ascii=False)))
    tools = [Tool(tool["function"]["name"], json.dumps(tool, ensure_ascii=False)) for tool in body.get("tools") or []]
    return Asked(path, body, tuple(blocks), tuple(tools))


def answer(body: dict[str, Any], text: str, calls: list[tuple[str, dict[str, Any]]], number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {
                "index": at,
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for at, (name, given) in enumerate(calls)
        ]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", "scripted"),
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def stream(whole: dict[str, Any]) -> Iterator[bytes]:
    choice = whole["choices"][0]
    common = {**whole, "object": "chat.completion.chunk"}
    for delta, ended in ((choice["message"], None), ({}, choice["finish_reason"])):
        chunk = {**common, "choices": [{"index": 0, "delta": delta, "finish_reason": ended}], "usage": None}
        yield f"data: {json.dumps(chunk)}\n\n".encode()
    yield f"data: {json.dumps({**common, 'choices': []})}\n\n".encode()
    yield b"data: [DONE]\n\n"
