"""Turns from the transcripts that agents write.

Only the end is read: the last decisions and open steps matter most. Of what tools printed, only the end of the
output of a test, a build or a migration is taken, because other output may hold anything.
"""

from __future__ import annotations

import calendar
import contextlib
import json
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sessions_app.client.src.checkout.place import without_home
from sessions_app.client.src.hooks.plans import TodoList, is_of_list
from sessions_app.client.src.hooks.tools import events_of, exited_badly, is_edit_or_shell
from sessions_app.client.src.local import Json
from sessions_app.client.src.masking import masked_short

READ_BYTES = 6_000_000
# One JSON object is read whole or not at all.
MOST_OF_ONE_OBJECT = 64_000_000
MOST_TURNS = 400
LONGEST_TURN = 4_000
LONGEST_OUTPUT = 1_500
MOST_CHARACTERS = 160_000
# What a client adds to a message is not what the user said.
_ADDED = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|environment_context|user_instructions|attached_files"
    r"|hook_context|session_context|current_datetime|user_info|git_status|project_layout|INSTRUCTIONS)\b[^<>]*>"
    r"(?:(?!<\1\b).)*?</\1>",  # never past the next of its kind: many that nobody closes would be read over and over
    re.DOTALL,
)
_ASKED = re.compile(r"</?(?:user_query|timestamp|user_message)>")


@dataclass(frozen=True)
class Said:
    """One turn: role user, assistant or tool; for a tool the line is made here, and says what was done.

    `call` names a tool's use; a turn of role `result` has its output, and is joined with it. A turn of role `list` is a
    call of a to-do list's tool, its name and input as JSON.
    """

    role: str
    text: str
    at: str = ""
    call: str = ""
    failed: bool = False


def read_transcript(path: str, top: str, most: int = READ_BYTES) -> list[Said]:
    """Return the turns of a transcript, by whatever agent; empty if it is none. Its lines tell whose form it is.

    `most`: so many bytes of its end are read.
    """
    text = tail(path, max(most, MOST_OF_ONE_OBJECT) if path.endswith(".json") else most)
    if path.endswith(".json"):
        return _with_results(list(_gemini_session(text, top)))
    if path.endswith(".txt"):
        return list(_turns_in_text(text))
    turns: list[Said] = []
    codex = False
    for row in _as_they_stand([row for row in map(_row_of, text.splitlines()) if row]):
        codex = codex or row.get("type") in ("session_meta", "response_item", "event_msg")
        reads = _codex if codex else _copilot if "data" in row else _gemini if "id" in row else _claude_or_cursor
        turns.extend(reads(row, top))
    return _with_results(dated(turns))


def _row_of(line: str) -> Json:
    """The object of a line; empty for the line a crash, or the limit, cut, and for what is none."""
    with contextlib.suppress(ValueError, RecursionError):
        row = json.loads(line)
        return row if isinstance(row, dict) else {}
    return {}


def _as_they_stand(rows: list[Json]) -> list[Json]:
    """The rows as they stand at the end of the log: Gemini CLI writes a message again, whole, when it gains a call, and
    a line that takes back a message and all that came after it.
    """
    kept: dict[str | int, Json] = {}
    for number, row in enumerate(rows):
        back, own = row.get("$rewindTo"), row.get("id")
        if isinstance(back, str):
            known = list(kept)
            kept = {key: kept[key] for key in known[: known.index(back)]} if back in kept else kept
        else:
            kept[own if isinstance(own, str) and row.get("type") in ("user", "gemini") else number] = row
    return list(kept.values())


def dated(turns: list[Said], otherwise: float = 0) -> list[Said]:
    """Return the turns; one that does not say when it was said has the moment of the one before it, else that one."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(otherwise)) if otherwise else ""
    for place, turn in enumerate(turns):
        at = turn.at or at
        turns[place] = turn if turn.at else replace(turn, at=at)
    return turns


def _with_results(turns: list[Said]) -> list[Said]:
    """Commands with the end of their output, and to-do lists as they were left; without edits that failed."""
    results: dict[str, Said] = {}
    for turn in turns:
        # Gemini CLI tells a call's result twice; the first says whether it failed.
        if turn.role == "result":
            results.setdefault(turn.call, turn)
    joined: list[Said] = []
    todo = TodoList()
    for turn in turns:
        if turn.role == "list":
            name, given = json.loads(turn.text)
            said = results.get(turn.call)
            listed = "" if said and said.failed else todo.take(name, given, said.text if said else "")
            joined.extend([Said("tool", listed, turn.at)] if listed else [])
            continue
        result = results.get(turn.call) if turn.role == "tool" and turn.call else None
        if turn.role == "result" or (result and result.failed and turn.text.startswith(EDITED)):
            continue
        shown = result.text.strip()[-LONGEST_OUTPUT:] if result and not turn.text.startswith(EDITED) else ""
        joined.append(Said(turn.role, f"{turn.text}\n{without_home(shown)}", turn.at) if shown else turn)
    return joined


def tail(path: str, most: int = READ_BYTES) -> str:
    """Return the end of a regular file, from a line's beginning; empty for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                return ""
            file.seek(max(0, about.st_size - most))
            text = file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""
    return text if about.st_size <= most else text.partition("\n")[2]


def _claude_or_cursor(row: Json, top: str) -> Iterator[Said]:
    """{"type" or "role": user|assistant, "message": {"content": text or blocks}, "timestamp"}; sub-agents apart.

    Cursor's have "role", and neither timestamps nor what tools answered.
    """
    message = row.get("message")
    role = row.get("type") if row.get("type") in ("user", "assistant") else row.get("role")
    if not isinstance(message, dict) or role not in ("user", "assistant"):
        return
    if message.get("model") == "<synthetic>":  # put there by the client
        return
    if row.get("isSidechain") or row.get("isMeta") or row.get("isApiErrorMessage") or row.get("isCompactSummary"):
        return
    at = str(row.get("timestamp") or "")
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks if isinstance(blocks, list) else []:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text":
            reads = _spoken_turns if "type" in row else _typed_turns
            yield from reads(role, block.get("text"), at)
        elif kind == "tool_use" and role == "assistant":
            yield from _used(block.get("name"), block.get("input"), at, top, block.get("id"))
        elif kind == "tool_result" and role == "user":
            failed = bool(block.get("is_error"))
            yield Said("result", _text_in(block.get("content")), at, str(block.get("tool_use_id")), failed)


def _codex(row: Json, top: str) -> Iterator[Said]:
    """{"type": "response_item", "payload": {"type": "message" or a call, …}}; events repeat the same and are left."""
    payload = row.get("payload")
    if row.get("type") != "response_item" or not isinstance(payload, dict):
        return
    at, kind = str(row.get("timestamp") or ""), payload.get("type")
    if kind == "message" and payload.get("role") in ("user", "assistant"):
        blocks = payload.get("content")
        for block in blocks if isinstance(blocks, list) else []:
            if isinstance(block, dict) and block.get("type") in ("input_text", "output_text", "text"):
                yield from _spoken_turns(payload["role"], block.get("text"), at)
    elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
        given = payload.get("arguments", payload.get("input", payload.get("action")))
        if isinstance(given, str) and given.lstrip().startswith("{"):
            with contextlib.suppress(ValueError):
                given = json.loads(given)
        yield from _used(payload.get("name") or kind, given, at, top, payload.get("call_id"))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield Said("result", _text_in(payload.get("output")), at, str(payload.get("call_id")))


def _copilot(row: Json, top: str) -> Iterator[Said]:
    """{"type": "user.message" or …, "data": {…}, "timestamp"}: one event a line."""
    data, at, kind = row.get("data"), str(row.get("timestamp") or ""), row.get("type")
    if not isinstance(data, dict):
        return
    if kind in ("user.message", "assistant.message"):
        yield from _spoken_turns(str(kind).partition(".")[0], data.get("content"), at)
    elif kind == "tool.execution_start":
        yield from _used(data.get("toolName"), data.get("arguments"), at, top, data.get("toolCallId"))
    elif kind == "tool.execution_complete":
        result = data.get("result") or data.get("error") or {}
        text = str(result.get("content") or result.get("message") or "") if isinstance(result, dict) else str(result)
        yield Said("result", text, at, str(data.get("toolCallId")), data.get("success") is False)


def _gemini(row: Json, top: str) -> Iterator[Said]:
    """{"id", "type": user|gemini, "content": text or parts, "toolCalls"}: calls stand beside what was said."""
    at, content = str(row.get("timestamp") or ""), row.get("content")
    if row.get("type") not in ("user", "gemini"):
        return
    for part in content if isinstance(content, list) else [{"text": content}]:
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        if isinstance(answer, dict):
            yield Said("result", _text_in(answer.get("response")), at, str(answer.get("id")))
        elif isinstance(part, dict):
            yield from _spoken_turns("user" if row["type"] == "user" else "assistant", part.get("text"), at)
    yield from _gemini_calls(row, top)


def _gemini_session(text: str, top: str) -> Iterator[Said]:
    """{"sessionId", "messages": [as `_gemini` reads them]}."""
    try:
        messages = json.loads(text)["messages"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return
    for row in messages if isinstance(messages, list) else []:
        if isinstance(row, dict):
            yield from _gemini(row, top)


def _gemini_calls(row: Json, top: str) -> Iterator[Said]:
    calls = row.get("toolCalls")
    for call in calls if isinstance(calls, list) and row.get("type") == "gemini" else []:
        if isinstance(call, dict):
            at = str(call.get("timestamp") or row.get("timestamp") or "")
            yield from _used(call.get("name"), call.get("args"), at, top, call.get("id"))
            parts = call.get("result")
            answers = (
                [one.get("functionResponse") for one in parts if isinstance(one, dict)]
                if isinstance(parts, list)
                else []
            )
            told = [_text_in(one.get("response")) for one in answers if isinstance(one, dict)]
            failed = call.get("status") in ("error", "cancelled")
            if told or failed:
                yield Said("result", "\n".join(told), at, str(call.get("id")), failed)


_TOLD = re.compile(r"^(user|assistant|A):[ \t]*\n(.*?)(?=^(?:user|assistant|A):[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
_NOT_TOLD = re.compile(r"^\[(?:Thinking|Tool call|Tool result)\].*?(?=^\[|\n\n|\Z)", re.MULTILINE | re.DOTALL)


def _turns_in_text(text: str) -> Iterator[Said]:
    """Cursor's older form: `user:` and `assistant:` lines, with [Thinking], [Tool call] and [Tool result] between."""
    for role, part in _TOLD.findall(text):
        yield from _spoken_turns("user" if role == "user" else "assistant", _NOT_TOLD.sub("", part), "")


def _spoken_turns(role: str, text: Any, at: str) -> Iterator[Said]:
    if not isinstance(text, str):
        return
    text = _ASKED.sub("", _ADDED.sub("", text)).strip()
    if text and not text.startswith(("# AGENTS.md instructions", "Caveat: The messages below")):
        yield Said(role, text, at)


# How Cursor writes what a user typed, after what it adds to it. A message that has no query but a moment, or what the
# client noticed, was typed by nobody.
_QUERY = re.compile(r"<user_query>((?:(?!<user_query>).)*?)</user_query>", re.DOTALL)
_MOMENT = re.compile(
    r"<timestamp>\w+, (\w{3}) (\d{1,2}), (\d{4}), (\d{1,2}):(\d\d) ([AP]M)"
    r" \(UTC(?:([+-]\d{1,2})(?::(\d\d))?)?\)</timestamp>"
)
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_NOT_SHOWN = "[REDACTED]"


def _typed_turns(role: str, text: Any, at: str) -> Iterator[Said]:
    """What stands in a text of Cursor's log: of a user's what they typed, with the moment that stands beside it."""
    if not isinstance(text, str):
        return
    if role != "user":
        yield from _spoken_turns(role, text.strip().removesuffix(_NOT_SHOWN), at)
        return
    typed = "\n".join(_QUERY.findall(text))
    if typed or not re.search(r"<(?:timestamp|system_notification)\b", text):
        yield from _spoken_turns(role, typed or text, cursor_moment(text) or at)


def cursor_moment(text: str) -> str:
    """Return the last moment that Cursor wrote into a text, in ISO 8601; "" for none."""
    found = _MOMENT.findall(text)
    if not found or found[-1][0] not in _MONTHS:
        return ""
    month, day, year, hour, minute, half, offset, offset_minutes = found[-1]
    of_day = int(hour) % 12 + (12 if half == "PM" else 0)
    said = calendar.timegm((int(year), _MONTHS.index(month) // 4 + 1, int(day), of_day, int(minute), 0))
    away = int(offset or 0) * 3600 + (-60 if offset.startswith("-") else 60) * int(offset_minutes or 0)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(said - away))


def _text_in(output: Any) -> str:
    """The text of a tool's output: as it is, in blocks, or as JSON with an `output` in it."""
    if isinstance(output, str) and output.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            output = json.loads(output)
    if isinstance(output, dict):
        output = output.get("output") or output.get("content")
    blocks = output if isinstance(output, list) else [output]
    return "\n".join(str(one.get("text") or "") if isinstance(one, dict) else str(one or "") for one in blocks)


# As the server reads a tool's turn: what was used, then on what.
EDITED, RAN = "Edit ", "Bash: "


def _used(name: Any, given: Any, at: str, top: str, call: Any = None) -> Iterator[Said]:
    if not is_edit_or_shell(str(name or "")) and is_of_list(str(name or ""), given):
        yield Said("list", json.dumps([str(name or ""), given]), at, str(call or ""))
        return
    for event in events_of(str(name or ""), given, "", top, failed=None):
        if event["kind"] == "edit":
            yield Said("tool", EDITED + event["path"], at, str(call or ""))
        elif event.get("command"):
            yield Said("tool", RAN + event["command"].replace("\n", " "), at, str(call or ""))


def digest(turns: list[Said]) -> list[Json]:
    """The last turns as the server takes them, masked, within the limits."""
    kept: list[Json] = []
    room = MOST_CHARACTERS
    for turn in reversed(turns[-MOST_TURNS:]):
        sent = _sent(turn)
        room -= len(sent["text"])
        if room < 0:
            break
        kept.append(sent)
    return kept[::-1]


def _sent(turn: Said) -> Json:
    """A turn as it is sent."""
    at = {"at": turn.at} if _is_time(turn.at) else {}
    return {"role": turn.role, "text": masked_short(turn.text, LONGEST_TURN), **at}


def in_slices(turns: list[Said]) -> list[list[Json]]:
    """All turns as the server takes them, masked, in slices within the limits; each begins with the user's words."""
    slices: list[list[Json]] = []
    open_slice: list[Json] = []
    room = MOST_CHARACTERS
    for turn in map(_sent, turns):
        if open_slice and (len(open_slice) == MOST_TURNS or len(turn["text"]) > room):
            asked = [at for at, one in enumerate(open_slice) if at and one["role"] == "user"]
            cut = len(open_slice) if turn["role"] == "user" or not asked else asked[-1]
            slices.append(open_slice[:cut])
            open_slice = open_slice[cut:]
            room = MOST_CHARACTERS - sum(len(one["text"]) for one in open_slice)
        open_slice.append(turn)
        room -= len(turn["text"])
    return [*slices, open_slice] if open_slice else slices


def _is_time(at: str) -> bool:
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)", at))


def exit_of_call(path: str, call: str) -> bool | None:
    """Return whether a command failed, by what Codex wrote of its call into the transcript; None if it does not say."""
    for line in tail(path).splitlines()[-400:]:
        if call in line and "exit" in line:
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                payload = json.loads(line)["payload"]
                status = payload.get("item", {}).get("exit_code")
                return status != 0 if isinstance(status, int) else exited_badly(_text_in(payload["output"]))
    return None
