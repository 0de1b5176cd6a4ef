"""Hooks that are answered: the start of a session and a prompt. The others are only recorded: see `entry`."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Callable

from sessions_app.client.src.checkout.place import Checkout, checkout_id, place_of, uncommitted
from sessions_app.client.src.checkout.working_tree import AFTER_KILLED, changed_by_commands, look_at
from sessions_app.client.src.delivery.outbox import EVENTS, MOST_IN_BATCH, post, waiting
from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.hooks.checkpoint import own_state
from sessions_app.client.src.hooks.deadline import Deadline, ask_patiently
from sessions_app.client.src.hooks.entry import LARGEST_INPUT, stands_back, start_courier, take_notice, write_moment
from sessions_app.client.src.hooks.marks import as_report, marked, refs_in, stored_anchors
from sessions_app.client.src.hooks.moment import (
    ALIASES,
    LAST_ERROR,
    LONGEST_PROMPT,
    Moment,
    moment_of,
    read_input,
    recorded_calls,
)
from sessions_app.client.src.hooks.sharing import mark_answer_sent, waiting_answer
from sessions_app.client.src.local import Account, Json, account, filled, fresh, home, now, read_json, write_private
from sessions_app.client.src.masking import masked_short
from sessions_app.client.src.sessions import begin, count_shown, give_later, note, state
from sessions_app.client.src.transcripts.killed import KilledAgent, agent_process, killed_sessions, last_word, recovery

# Seconds after which a hook ends itself, saying nothing. A person waits for the answer to a prompt: 300 ms with the
# start of Python, and a second where the server says that it is well (`deadline`). A start reads what killed sessions
# left before it asks the server.
BUDGETS = {"SessionStart": 4.0, "UserPromptSubmit": 0.22}
# Seconds in which a server must answer that it is well, or a start does not wait for it at all: it may hang.
HEALTH_WAITS = 0.25
# Seconds that a start then waits for what it asks, and of them for the recovery of killed sessions. What takes longer
# is done by the courier, and the orientation is given at the next prompt.
START_WAITS, RECOVERY_WAITS = 3.2, 2.4
# Seconds that it waits first for what could not be delivered before: the end of the session before it, most often.
DELIVERY_WAITS, STANDS_STILL, BETWEEN_LOOKS = 1.4, 0.7, 0.02
HANDOFF_TOKENS = 400
# Answers of one session that are remembered as received: a session is told less often.
MOST_RECEIVED = 100
# Where a start comes from whose session goes on.
GOES_ON = ("resume", "compact")
# Clients that put what a start says at the head of the conversation again when it is resumed, in place of what stood
# there: another text would change all that the model was sent, and cost its cache.
REPLACES_AT_RESUME = ("copilot",)


def hook(event: str, agent: str) -> None:
    """Answer an agent's hook on stdout; never fail, never block, and be done in time."""
    began = time.monotonic()
    name = ALIASES.get(event, event)
    budget = float(os.environ.get("LOAM_HOOK_SECONDS") or BUDGETS.get(name, 2.0))
    deadline = Deadline(budget)
    answer: Json = {}
    try:
        raw = sys.stdin.buffer.read(LARGEST_INPUT)
        given = read_input(raw)
        if not os.environ.get("LOAM_OFF") and name in HANDLERS and not stands_back(agent, raw):
            moment = moment_of(event, agent, given, ends=began + budget - 0.05, at=time.time(), cwd=os.getcwd())
            answer = HANDLERS[name](moment, deadline) or {}
    except Exception as error:
        # Whatever it is, the agent works on; who looks for the reason finds it.
        with contextlib.suppress(OSError):
            write_private(home() / LAST_ERROR, f"{now()} {name}: {type(error).__name__}: {error}\n")
    with deadline.lock:
        deadline.met()
        print(json.dumps(answer), flush=True)


def in_context(moment: Moment, text: str) -> Json:
    """Return text for the agent's context, in the shape that its client reads."""
    if moment.agent == "cursor":
        going = {"continue": True} if moment.event == "UserPromptSubmit" else {}
        return {**going, **({"additional_context": text} if text else {})}
    if not text:
        return {}
    if moment.agent == "copilot":
        return {"additionalContext": text}
    event = "BeforeAgent" if moment.agent == "gemini" and moment.event == "UserPromptSubmit" else moment.event
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def on_start(moment: Moment, deadline: Deadline | None = None) -> Json | None:
    who = account()
    if who is None:
        return None
    known = state(moment.of)
    if known.get("session") and not known.get("ended") and moment.given.get("source") in GOES_ON:
        return _at_start(moment, known, oriented(_resumed_text(moment, who, known), known["session"]))
    where = place_of(moment.folder)
    _describe(moment, who, where)
    try:
        ends = _until(moment, who)
        _deliver_what_waits(who.url, min(time.monotonic() + DELIVERY_WAITS, ends - (START_WAITS - RECOVERY_WAITS)))
        _recover(moment, who, where, ends - (START_WAITS - RECOVERY_WAITS))
        started = begin(Server(who, timeout=max(0.05, ends - time.monotonic()), interface="mcp"), moment.of)
    except Away:
        _recover(moment, who, where, until=0)
        note(moment.of, start={**state(moment.of)["start"], "at": now(moment.at)})
        write_moment("SessionStart", moment.agent, json.dumps(moment.given).encode())
        start_courier()
        return None
    if "share_prompts" in started["start"]:
        mark_answer_sent()
    own = ""
    if moment.given.get("source") in GOES_ON and started["session"] == known.get("session"):
        with contextlib.suppress(Away):  # given up meanwhile, and now it goes on
            own = own_state(Server(who, timeout=max(0.05, ends - time.monotonic()), interface="mcp"), moment)
    start_courier()  # it fetches what the notes of this repository were learned from
    # A conversation that was ended and is resumed knows what it left itself.
    knows = moment.given.get("source") == "resume" and known.get("ended")
    pointers = started["pointers" if knows else "orientation"]
    text = "\n\n".join(filter(None, (_with_marks(moment, pointers), own)))
    return _at_start(moment, known, oriented(text, started["session"]))


def _at_start(moment: Moment, known: Json, text: str) -> Json:
    """Return the answer of a start; where the client would rewrite the conversation's head by it, the same as at first,
    and the text waits for the next prompt.
    """
    if moment.agent in REPLACES_AT_RESUME and moment.given.get("source") in GOES_ON:
        give_later(moment.of, text)
        return in_context(moment, str(known.get("first_words") or ""))
    count_shown(moment.of, text)
    if moment.agent in REPLACES_AT_RESUME:
        note(moment.of, first_words=text)
    return in_context(moment, text)


def _deliver_what_waits(url: str, until: float) -> None:
    """Have the courier deliver what lies here since the server was away, and wait for it until then, or until nothing
    moves any more: what is another server's, or is refused with this token, stays where it is.
    """
    others = {path for path in waiting() if read_json(path).get("url") not in ("", url)}
    left = {*waiting(), *recorded_calls()} - others
    if left:
        start_courier()
    moved = time.monotonic()
    while left and time.monotonic() < min(until, moved + STANDS_STILL):
        time.sleep(BETWEEN_LOOKS)
        before, left = left, {*waiting(), *recorded_calls()} - others
        moved = time.monotonic() if left != before else moved


def _until(moment: Moment, who: Account) -> float:
    """Until when a start waits for a server that is well (time.monotonic()). Raises Away at once if it is not."""
    patient = float(os.environ.get("LOAM_HOOK_SECONDS") or 0)
    Server(who, timeout=max(HEALTH_WAITS, patient)).send("GET", "/api/v1/health/", None, {})
    return min(moment.ends, time.monotonic() + max(START_WAITS, patient))


def _resumed_text(moment: Moment, who: Account, known: Json) -> str:
    """Return what the agent of a session that goes on is told: how it stands itself.

    A client that was killed may have lost its last words, and after a compaction the agent has a summary only: then
    it is given its pointers again, too.
    """
    note(moment.of, process=agent_process(), seen=time.time())
    try:
        ends = _until(moment, who)
        own = own_state(Server(who, timeout=max(0.05, ends - time.monotonic()), interface="mcp"), moment)
        if waiting():
            start_courier()
    except Away:
        own = ""
        write_moment("SessionStart", moment.agent, json.dumps(moment.given).encode())
        start_courier()
    if moment.given["source"] == "resume":
        return own
    pointers = str(known.get("pointers" if own else "orientation") or "")
    return "\n\n".join(filter(None, (pointers, own)))


def oriented(text: str, session: str) -> str:
    return f"{text}\n\nLoam session: {session} (pass it as `session` to Loam's tools)".strip()


def _describe(moment: Moment, who: Account, where: Checkout) -> None:
    """Write down what the server is to be told of the start, before it is asked."""
    start = filled(
        repo=where.repo, agent=moment.agent, machine=socket.gethostname()[:100], team=who.team, branch=where.branch,
        checkout=checkout_id(where.top), agent_session=moment.of[:200],
    )  # fmt: skip
    start["handoff_tokens"] = HANDOFF_TOKENS
    share = waiting_answer()
    if share is not None:
        start["share_prompts"] = share
    paths = uncommitted(where.top, timeout=1)
    if paths is not None:
        start["uncommitted"] = paths
    note(
        moment.of, start=start, start_key=fresh(), session="", ended=False, repo=where.repo, top=where.top,
        looked=look_at(where.top, paths), own={},
        transcript=moment.transcript, process=agent_process(), seen=time.time(),
        checkpointed=0.0,
    )  # fmt: skip


def _recover(moment: Moment, who: Account, where: Checkout, until: float) -> None:
    """Tell of every killed session of this checkout: before the start as far as time goes, the rest by the courier.

    A session is marked as ended only when the server has it or it lies in the outbox; with `until` in the past they all
    do. Raises Away when the server did not answer in time.
    """
    gone: Away | None = None
    for one in killed_sessions(moment, where):
        body = recovery(one, where)
        key = str(one.known.get("recovery_key") or fresh())
        note(one.of, recovery_key=key)
        files = _changed_by(one, where, state(moment.of)["start"].get("uncommitted"))
        left = until - time.monotonic()
        server = Server(who, max(0.05, left), "mcp")
        if body and (gone or left <= 0 or not _recovered(server, moment, body, key, files)):
            gone = gone or (Away("") if left > 0 else None)
            if files:
                post(EVENTS, {"events": files}, of=one.of, url=who.url)
            post("sessions/recover/", body, url=who.url, key=key)
        note(one.of, ended=True, recovered=True)
    if gone:
        raise gone


def _changed_by(one: KilledAgent, where: Checkout, paths: list[str] | None) -> list[Json]:
    """Return events for files that a killed session's commands changed and that no hook told of."""
    if not one.known.get("session"):
        return []
    at = last_word(one.known, one.transcript)
    return changed_by_commands(one.of, where.top, paths, at, AFTER_KILLED)[:MOST_IN_BATCH]


def _recovered(server: Server, moment: Moment, body: Json, key: str, files: list[Json]) -> bool:
    """Whether the server has answered. One that knows no recovery gets the latest session with the start."""
    try:
        if files:
            with contextlib.suppress(Problem):
                server.call("POST", f"sessions/{body['session']}/events/", {"events": files})
        server.call("POST", "sessions/recover/", body, key=key)
    except Away:
        return False
    except Problem as problem:
        start = state(moment.of)["start"]
        if problem.status in (404, 405) and "transcript" not in start and body["transcript"]:
            more = filled(previous=body.get("session"), transcript=body["transcript"])
            note(moment.of, start={**start, **more})
    return True


def on_prompt(moment: Moment, deadline: Deadline | None = None) -> Json | None:
    who, prompt = account(), moment.given.get("prompt")
    # A wake-up or a poll is nobody's question.
    asked = moment.given.get("source") in (None, "user", "sdk")
    if who is None or not asked or not isinstance(prompt, str) or not prompt.strip():
        return in_context(moment, "")
    late = take_notice(moment.of)
    first = str(json.loads(late)) if late else ""
    body: Json = {"prompt": masked_short(prompt, LONGEST_PROMPT)}
    body.update({"team": who.team} if who.team else {})
    known = state(moment.of)
    if known.get("session") and known.get("url") == who.url:
        body["session"] = known["session"]
        body["told"] = int(known.get("told_tokens") or 0)
        # What the server answers too late the model does not read: only what came in time was told.
        body["received"] = list(known.get("received") or ())
    try:
        answer = ask_patiently(who, lambda server: server.post("surface/", body), moment.ends, deadline)
    except (Away, Problem):
        return in_context(moment, first)
    surfaced = str(answer.get("text") or "") if answer.get("surfaced") else ""
    if surfaced and answer.get("query_id"):
        note(moment.of, received=[*(known.get("received") or ()), answer["query_id"]][-MOST_RECEIVED:])
    return in_context(moment, "\n\n".join(filter(None, (first, _with_marks(moment, surfaced)))))


def _with_marks(moment: Moment, text: str) -> str:
    """Return the text with marks at notes whose files changed; what changed is reported by the courier."""
    known = state(moment.of)
    if not text or not known.get("top") or not refs_in(text):
        return text
    done, changed = marked(text, str(known["top"]), stored_anchors(str(known.get("repo"))))
    if changed:
        about = {**moment.given, "top": known["top"], "repo": known["repo"], "files": as_report(changed)}
        write_moment("FilesChanged", moment.agent, json.dumps(about).encode())
        start_courier()
    return done


HANDLERS: dict[str, Callable[[Moment, Deadline], Json | None]] = {
    "SessionStart": on_start,
    "UserPromptSubmit": on_prompt,
}
