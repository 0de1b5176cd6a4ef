"""Logs of past sessions, as Claude Code, Codex, Cursor and Gemini CLI leave them on a machine."""

import json
import os
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.sessions_app.client.machine import Machine

CODEX = "0199c0de-0000-7000-8000-000000000001"
Talk = Sequence[tuple[str, str]]
ORDERS = [("user", "Why are orders lost?"), ("assistant", "The broker drops them after 512 deliveries.")]


def moment(days: float, second: int = 0) -> str:
    at = datetime.now(UTC) - timedelta(days=days) + timedelta(seconds=second)
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _file(path: Path, rows: Sequence[dict[str, Any]], days: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    at = time.time() - days * 86_400
    os.utime(path, (at, at))
    return path


def claude(machine: Machine, name: str, talk: Talk = ORDERS, *, days: float = 40, folder: str = "") -> Path:
    cwd = folder or str(machine.checkout)
    rows = [
        {
            "type": role,
            "sessionId": name,
            "cwd": cwd,
            "gitBranch": "main",
            "timestamp": moment(days, second),
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for second, (role, text) in enumerate(talk)
    ]
    head = {"type": "summary", "summary": "Orders"}
    return _file(machine.home / ".claude" / "projects" / "-work-shop" / f"{name}.jsonl", [head, *rows], days)


def codex(machine: Machine, talk: Talk = ORDERS, *, days: float = 40) -> Path:
    about = {"id": CODEX, "cwd": "/gone/api", "git": {"repository_url": "git@git.example.com:acme/api.git"}}
    rows: list[dict[str, Any]] = [{"type": "session_meta", "timestamp": moment(days), "payload": about}]
    for second, (role, text) in enumerate(talk):
        part = {"type": "input_text" if role == "user" else "output_text", "text": text}
        payload = {"type": "message", "role": role, "content": [part]}
        rows.append({"type": "response_item", "timestamp": moment(days, second), "payload": payload})
    folder = machine.home / ".codex" / "sessions" / "2026" / "05" / "01"
    return _file(folder / f"rollout-2026-05-01T10-00-00-{CODEX}.jsonl", rows, days)


def gemini_object(
    machine: Machine, talk: Talk = ORDERS, *, days: float = 40, place: str = "shop", root: str = ""
) -> Path:
    """One object, as Gemini CLI once wrote a session. `place`: its folder's name; `root`: what `.project_root` says."""
    base = machine.home / ".gemini" / "tmp" / place
    (base / "chats").mkdir(parents=True)
    if root:
        (base / ".project_root").write_text(root)
    messages: list[dict[str, Any]] = [
        {
            "id": f"m{second}",
            "type": "user" if role == "user" else "gemini",
            "timestamp": moment(days, second),
            "content": [{"text": text}] if role == "user" else text,
        }
        for second, (role, text) in enumerate(talk)
    ]
    answer = {
        "functionResponse": {"id": "t2", "name": "run_shell_command", "response": {"output": "16 passed in 0.3s"}}
    }
    messages[-1]["toolCalls"] = [
        {"id": "t1", "name": "replace", "args": {"file_path": str(machine.checkout / "src" / "orders.py")},
         "status": "success", "timestamp": moment(days, 5), "result": []},
        {"id": "t2", "name": "run_shell_command", "args": {"command": "pytest -q"}, "result": [answer],
         "status": "success", "timestamp": moment(days, 6)},
    ]  # fmt: skip
    about = {"sessionId": "gem-2", "projectHash": "x", "startTime": moment(days), "lastUpdated": moment(days, 9)}
    path = base / "chats" / "session-2026-05-01T10-00-gem2.json"
    path.write_text(json.dumps({**about, "messages": messages}, indent=2))
    at = time.time() - days * 86_400
    os.utime(path, (at, at))
    return path


def gemini(machine: Machine, talk: Talk = ORDERS, *, days: float = 40) -> Path:
    base = machine.home / ".gemini" / "tmp" / "shop"
    base.mkdir(parents=True)
    (base / ".project_root").write_text(str(machine.checkout))
    rows: list[dict[str, Any]] = [{"sessionId": "gem-1", "projectHash": "x", "startTime": moment(days)}]
    for second, (role, text) in enumerate(talk):
        kind = "user" if role == "user" else "gemini"
        rows.append({"id": f"m{second}", "type": kind, "timestamp": moment(days, second), "content": text})
    return _file(base / "chats" / "session-2026-05-01T10-00-gem1.jsonl", rows, days)


def cursor(machine: Machine, *, days: float = 40, place: str = "", trusted: str = "", stamped: bool = True) -> Path:
    """`place`: the name of the project's folder; `trusted`: the folder that the file beside the logs names."""
    base = (
        machine.home
        / ".cursor"
        / "projects"
        / (place or re.sub(r"[^A-Za-z0-9]+", "-", str(machine.checkout.resolve())).strip("-"))
    )
    edited = f"{machine.checkout.resolve()}/src/orders.py"
    at = datetime.now(UTC) - timedelta(days=days)
    stamp = at.strftime("<timestamp>%A, %b %d, %Y, %I:%M %p (UTC)</timestamp>\n") if stamped else ""
    asked, answered = (text for _, text in ORDERS)
    rows = [
        {"role": "user", "message": {"content": [
            {"type": "text", "text": f"{stamp}<user_query>\n{asked}\n</user_query>"}]}},
        {"role": "assistant", "message": {"content": [
            {"type": "text", "text": answered},
            {"type": "tool_use", "name": "StrReplace", "input": {"path": edited}}]}},
        {"type": "turn_ended", "status": "success"},
    ]  # fmt: skip
    path = _file(base / "agent-transcripts" / "cur-1" / "cur-1.jsonl", rows, days)
    _file(base / "agent-transcripts" / "cur-1" / "subagents" / "sub-1.jsonl", rows, days)
    if trusted:
        (base / ".workspace-trusted").write_text(json.dumps({"workspacePath": trusted}))
    return path
