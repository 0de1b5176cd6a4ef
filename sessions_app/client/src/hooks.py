"""The handlers of agents' hooks."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from sessions_app.client.src.checkout import place_of
from sessions_app.client.src.killed import agent_process, unfinished
from sessions_app.client.src.local import Account, Json, account, filled, fresh, home, now, write_private
from sessions_app.client.src.masking import masked_short
from sessions_app.client.src.moment import (
    ALIASES,
    BETWEEN_CHECKPOINTS,
    LARGEST_INPUT,
    LAST_ERROR,
    LONGEST_PROMPT,
    Moment,
)
from sessions_app.client.src.outbox import EVENTS, deliver, post
from sessions_app.client.src.server import Away, Problem, Server
from sessions_app.client.src.sessions import begin, note, state
from sessions_app.client.src.tools import events_of
from sessions_app.client.src.transcripts import digest, read_transcript

# Seconds after which a hook ends itself, saying nothing. A person waits for the answer to a prompt: 300 ms with the
# start of Python. Claude Code gives SessionEnd about 1.5 s.
BUDGETS = {
    "SessionStart": 4.0, "UserPromptSubmit": 0.22, "PostToolUse": 3.0, "PostToolUseFailure": 3.0,
    "PreCompact": 6.0, "Stop": 3.0, "SessionEnd": 1.2,
}  # fmt: skip


def hook(event: str, agent: str) -> None:
    """Answer an agent's hook on stdout; never fail, never block, and be done in time."""
    began = time.monotonic()
    name = ALIASES.get(event, event)
    once = threading.Lock()
    budget = float(os.environ.get("LOAM_HOOK_SECONDS") or BUDGETS.get(name, 2.0))

    def give_up() -> None:
        with once:
            os._exit(0)

    watch = threading.Timer(budget, give_up)
    watch.daemon = True
    watch.start()
    answer: Json = {}
    try:
        given = json.loads(sys.stdin.buffer.read(LARGEST_INPUT).decode("utf-8", "replace") or "{}")
        agent = "cursor" if "conversation_id" in given or "cursor_version" in given else agent
        if not os.environ.get("LOAM_OFF") and name in HANDLERS:
            answer = HANDLERS[name](Moment(name, agent, given, began + budget - 0.05)) or {}
    except Exception as error:
        # Whatever it is, the agent works on; who looks for the reason finds it.
        with contextlib.suppress(OSError):
            write_private(home() / LAST_ERROR, f"{now()} {name}: {type(error).__name__}: {error}\n")
    with once:
        watch.cancel()
        print(json.dumps(answer), flush=True)


def _context(moment: Moment, text: str) -> Json:
    """Text for the agent's context, in the shape that its client reads."""
    if moment.agent == "cursor":
        going = {"continue": True} if moment.event == "UserPromptSubmit" else {}
        return {**going, **({"additional_context": text} if text else {})}
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": moment.event, "additionalContext": text}}


def on_start(moment: Moment) -> Json | None:
    who = account()
    if who is None:
        return None
    server = Server(who, timeout=moment.left)
    known = state(moment.of)
    if known.get("session") and not known.get("ended") and moment.given.get("source") in ("resume", "compact"):
        # The same session goes on. After a compaction its pointers are gone from the agent's mind.
        deliver(server, until=moment.ends)
        again = known.get("orientation", "") if moment.given["source"] == "compact" else ""
        return _context(moment, _oriented(again, known["session"]))
    deliver(server, until=time.monotonic() + moment.left / 2)
    _describe(moment, who)
    try:
        started = begin(server, moment.of)
    except Away:
        return None  # the first delivery that reaches the server starts it
    return _context(moment, _oriented(started["orientation"], started["session"]))


def _oriented(text: str, session: str) -> str:
    return f"{text}\n\nLoam session: {session} (pass it as `session` to Loam's tools)".strip()


def _describe(moment: Moment, who: Account) -> Json:
    """Write down what is to be told at the start: where, who, and what the session before this one left unsaid."""
    where = place_of(moment.folder)
    before, turns = unfinished(moment, where)
    start: Json = {"repo": where.repo, "agent": moment.agent, "machine": socket.gethostname()[:100]}
    start.update({name: said for name, said in (("team", who.team), ("branch", where.branch)) if said})
    if before.get("session"):
        start["previous"] = before["session"]
    if turns:
        start["transcript"] = turns
    if before:
        note(before["of"], ended=True)
    agent = agent_process()
    return note(
        moment.of, start=start, start_key=fresh(), session="", ended=False, repo=where.repo, top=where.top,
        transcript=moment.given.get("transcript_path") or "", process=agent, seen=time.time(), checkpointed=time.time(),
    )  # fmt: skip


def on_prompt(moment: Moment) -> Json | None:
    who, prompt = account(), moment.given.get("prompt")
    # A wake-up or a poll is nobody's question.
    asked = moment.given.get("source") in (None, "user", "sdk")
    if who is None or not asked or not isinstance(prompt, str) or not prompt.strip():
        return _context(moment, "")
    body: Json = {"prompt": masked_short(prompt, LONGEST_PROMPT)}
    body.update({"team": who.team} if who.team else {})
    known = state(moment.of)
    if known.get("session") and known.get("url") == who.url:
        body["session"] = known["session"]
    try:
        answer = Server(who, timeout=moment.left).call("POST", "surface/", body)
    except (Away, Problem):
        return _context(moment, "")
    return _context(moment, str(answer.get("text") or "") if answer.get("surfaced") else "")


def on_tool(moment: Moment) -> Json | None:
    who, known = account(), state(moment.of)
    if who is None:
        return None
    given = moment.given
    top = known.get("top") or place_of(moment.folder).top
    if not known:
        note(moment.of, top=top, repo=place_of(moment.folder).repo, seen=time.time())
    events = events_of(*_tool(given), top, failed=_failed(moment))
    for event in events:
        post(EVENTS, {"events": [{**event, "at": now()}]}, of=moment.of, url=who.url)
    if events:
        deliver(Server(who, timeout=moment.left), until=moment.ends)
    return None


def _tool(given: Json) -> tuple[str, Any, str]:
    """Name, input and output of the tool, from Claude Code's, Codex's or Cursor's fields."""
    if "command" in given:
        return "shell", {"command": given["command"]}, str(given.get("output") or "")
    if "edits" in given or ("file_path" in given and "tool_name" not in given):
        return "edit", {"file_path": given.get("file_path")}, ""
    answer = given.get("tool_response", given.get("tool_output", given.get("error_message")))
    if isinstance(answer, dict):
        answer = "\n".join(str(answer[name]) for name in ("stdout", "stderr", "output", "error") if answer.get(name))
    output = "\n".join(str(part) for part in (answer, given.get("error")) if part)
    return str(given.get("tool_name") or ""), given.get("tool_input"), output


def _failed(moment: Moment) -> bool | None:
    if moment.event == "PostToolUseFailure":
        return not moment.given.get("is_interrupt")
    answer = moment.given.get("tool_response", moment.given.get("tool_output"))
    if isinstance(answer, str) and answer.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            answer = json.loads(answer)
    fields = answer if isinstance(answer, dict) else moment.given
    for name in ("exit_code", "exitCode", "returncode"):
        if isinstance(fields.get(name), int):
            return bool(fields[name] != 0)
    # Claude Code tells of failures by a hook of their own.
    return False if moment.agent == "claude-code" else None


def on_compact(moment: Moment) -> Json | None:
    _record(moment, "checkpoint")
    return None


def on_stop(moment: Moment) -> Json | None:
    """The end of a turn. What waits is sent, and now and then what was said is put on record."""
    who, known = account(), state(moment.of)
    if who is None or not known:
        return None
    if time.time() - float(known.get("checkpointed", 0)) >= BETWEEN_CHECKPOINTS:
        _record(moment, "checkpoint")
    else:
        deliver(Server(who, timeout=moment.left), until=moment.ends)
    return None


def on_end(moment: Moment) -> Json | None:
    _record(moment, "end")
    return None


def _record(moment: Moment, verb: str) -> None:
    """Checkpoint or end: into the outbox with the turns so far, then on its way."""
    who, known = account(), state(moment.of)
    if who is None or not known or (verb == "end" and known.get("ended")):
        return
    path = str(moment.given.get("transcript_path") or known.get("transcript") or "")
    turns = read_transcript(path, known.get("top") or moment.folder) if path else []
    last = str(moment.given.get("last_assistant_message") or "")
    asked = next((turn.text for turn in turns if turn.role == "user"), "")
    done = last or next((turn.text for turn in reversed(turns) if turn.role == "assistant"), "")
    said = [f"Asked: {masked_short(asked, 300)}"] * bool(asked) + [f"Last said: {masked_short(done, 600)}"] * bool(done)
    body = filled(summary="\n".join(said), transcript=digest(turns))
    post(f"sessions/{{session}}/{verb}/", body, of=moment.of, url=who.url)
    note(moment.of, checkpointed=time.time(), **({"ended": True} if verb == "end" else {}))
    deliver(Server(who, timeout=moment.left), until=moment.ends)


HANDLERS: dict[str, Callable[[Moment], Json | None]] = {
    "SessionStart": on_start, "UserPromptSubmit": on_prompt, "PostToolUse": on_tool, "PostToolUseFailure": on_tool,
    "PreCompact": on_compact, "Stop": on_stop, "SessionEnd": on_end,
}  # fmt: skip
