"""Gemini's API (`POST /v1beta/models/…:streamGenerateContent`), as Gemini CLI speaks it."""

import json
from collections.abc import Iterator
from typing import Any

from tests.clients.script import Asked, Block, Tool

PATH = "/v1beta/models/"


def read(path: str, body: dict[str, Any]) -> Asked:
    blocks = list(_blocks("system", body.get("systemInstruction")))
    for content in body.get("contents", []):
        role = "assistant" if content.get("role") == "model" else "user"
        blocks.extend(_blocks(role, content))
    tools = [
        Tool(str(one.get("name")), json.dumps(one, ensure_ascii=False))
        for group in body.get("tools") or []
        for one in group.get("functionDeclarations") or []
    ]
    return Asked(path, body, tuple(blocks), tuple(tools))


def _blocks(role: str, content: Any) -> Iterator[Block]:
    for part in (content or {}).get("parts", []):
        if isinstance(part.get("text"), str):
            yield Block(role, part["text"])
        elif "functionCall" in part:
            yield Block("call", json.dumps(part["functionCall"], ensure_ascii=False))
        elif "functionResponse" in part:
            response = part["functionResponse"].get("response") or {}
            yield Block("tool", "\n".join(map(_shown, response.values())))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def answer(body: dict[str, Any], text: str, calls: list[tuple[str, dict[str, Any]]], number: int) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": name, "args": given}} for name, given in calls]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
        "modelVersion": "scripted",
        "responseId": f"r{number}",
    }


def stream(whole: dict[str, Any]) -> Iterator[bytes]:
    yield f"data: {json.dumps(whole)}\r\n\r\n".encode()
