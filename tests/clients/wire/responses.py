"""OpenAI's Responses API (`POST /v1/responses`), as Codex speaks it."""

import json
from collections.abc import Iterator
from typing import Any

from tests.clients.script import Asked, Block, Tool

PATH = "/v1/responses"


def read(path: str, body: dict[str, Any]) -> Asked:
    blocks = [Block("system", body["instructions"])] if body.get("instructions") else []
    given = body.get("input")
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given or []:
        blocks.extend(_blocks(item))
    return Asked(path, body, tuple(blocks), tuple(_tools(body.get("tools") or [])))


def _tools(tools: list[dict[str, Any]]) -> Iterator[Tool]:
    for tool in tools:
        if tool.get("type") == "namespace":
            for inner in tool.get("tools") or []:
                yield Tool(f"{tool['name']}{inner.get('name')}", json.dumps(inner, ensure_ascii=False))
        else:
            yield Tool(str(tool.get("name") or tool.get("type")), json.dumps(tool, ensure_ascii=False))


def _blocks(item: dict[str, Any]) -> Iterator[Block]:
    kind = item.get("type", "message")
    if kind == "message":
        content = item.get("content")
        parts = [{"text": content}] if isinstance(content, str) else content or []
        role = "system" if item.get("role") in ("system", "developer") else str(item.get("role"))
        yield from (Block(role, part["text"]) for part in parts if isinstance(part.get("text"), str))
    elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
        yield Block("call", json.dumps(item, ensure_ascii=False))
    elif kind.endswith("_output"):
        output = item.get("output")
        parts = output if isinstance(output, list) else [{"text": output}]
        yield Block("tool", "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict)))


def answer(body: dict[str, Any], text: str, calls: list[tuple[str, dict[str, Any]]], number: int) -> dict[str, Any]:
    """The whole response. A tool of a namespace is called by both names; one without a schema by its `input`."""
    said = {"type": "output_text", "text": text, "annotations": []}
    output: list[dict[str, Any]] = []
    if text:
        output.append({"type": "message", "id": f"m_{number}", "role": "assistant", "content": [said]})
    for at, (name, given) in enumerate(calls):
        call = {"id": f"fc_{number}_{at}", "call_id": f"call_{number}_{at}", "status": "completed"}
        namespace = _namespace(body, name)
        if set(given) == {"freeform"}:
            output.append({**call, "type": "custom_tool_call", "name": name, "input": given["freeform"]})
        elif namespace:
            short = name.removeprefix(namespace)
            spelt = {"name": short, "namespace": namespace, "arguments": json.dumps(given)}
            output.append({**call, "type": "function_call", **spelt})
        else:
            output.append({**call, "type": "function_call", "name": name, "arguments": json.dumps(given)})
    usage = {
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110,
    }  # fmt: skip
    return {
        "id": f"resp_{number}", "object": "response", "status": "completed", "model": body.get("model"),
        "output": output, "usage": usage,
    }  # fmt: skip


def _namespace(body: dict[str, Any], name: str) -> str:
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace" and name.startswith(tool["name"]):
            return str(tool["name"])
    return ""


def stream(whole: dict[str, Any]) -> Iterator[bytes]:
    yield _event("response.created", {"response": {**whole, "status": "in_progress", "output": []}})
    for index, item in enumerate(whole["output"]):
        yield _event("response.output_item.added", {"output_index": index, "item": item})
        if item["type"] == "message":
            for part, content in enumerate(item["content"]):
                about = {"item_id": item["id"], "output_index": index, "content_index": part}
                yield _event("response.output_text.delta", {**about, "delta": content["text"]})
        yield _event("response.output_item.done", {"output_index": index, "item": item})
    yield _event("response.completed", {"response": whole})


def _event(kind: str, fields: dict[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
