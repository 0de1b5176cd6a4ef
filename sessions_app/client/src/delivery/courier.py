"""The courier: a process of its own that turns what hooks wrote down into requests, and delivers them.

One is at work for each account. It stays for a moment when it is done, so that a burst of hooks starts one process.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator

from sessions_app.client.src.checkout.place import place_of, uncommitted
from sessions_app.client.src.checkout.working_tree import AFTER_HOOK, changed_by_commands, note_own
from sessions_app.client.src.delivery.outbox import EVENTS, MOST_IN_BATCH, deliver, post
from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.fenced import fenced
from sessions_app.client.src.hooks.answered import GOES_ON, oriented
from sessions_app.client.src.hooks.asking import mark_change
from sessions_app.client.src.hooks.checkpoint import checkpoint_body, own_state
from sessions_app.client.src.hooks.entry import TELLING, courier_lock, fcntl
from sessions_app.client.src.hooks.marks import refresh_anchors, report_changes
from sessions_app.client.src.hooks.moment import BETWEEN_CHECKPOINTS, LAST_ERROR, Moment, read_moment, recorded_calls
from sessions_app.client.src.hooks.tools import events_of, is_shell, tool_use, was_failed
from sessions_app.client.src.local import Json, account, home, now, write_private
from sessions_app.client.src.sessions import begin, give_later, note, session_of, state, states
from sessions_app.client.src.transcripts.turns import exit_of_call

# Seconds. Longer than most pauses between two tools of a busy agent.
LINGERS = 2.0
# Clients that call the hook of a start after a compaction; the others are told with the next prompt.
STARTS_AFTER_COMPACTION = ("claude-code", "codex")
# A server that hangs is left for the next courier; nobody waits for this one.
CALL_TAKES, DELIVERY_TAKES = 10.0, 60.0
# git may take so long to tell what is in no commit; what it does not tell in time the next checkpoint does.
STATUS_TAKES = 3.0
# A hook may hold the lock for an instant, to see whether a courier works.
LOCK_TRIES, BETWEEN_TRIES = 6, 0.05
# More than this many calls that nobody could turn into requests are those of weeks: the oldest go.
MOST_MOMENTS = 5_000


def run_courier() -> int:
    """Deliver what there is, and what comes while it is at it; return the exit status."""
    lingers = float(os.environ.get("LOAM_LINGER") or LINGERS)
    while True:
        with _lock() as mine:
            if not mine:
                return 0
            done = _work()
            until = time.monotonic() + lingers
            while done and time.monotonic() < until:
                if recorded_calls():
                    done = _work()
                    until = time.monotonic() + lingers
                time.sleep(min(0.1, lingers))
        # A hook that saw the lock held has started nobody: what it wrote is seen here.
        if not done or not recorded_calls():
            return 0


@contextlib.contextmanager
def _lock() -> Iterator[bool]:
    home().mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(courier_lock(), "a", encoding="utf-8") as file:
        yield _take_lock(file.fileno())


def _take_lock(handle: int) -> bool:
    if fcntl is None:
        return True
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            time.sleep(BETWEEN_TRIES)
    return False


def _work() -> bool:
    """Turn calls into requests and deliver them; whether the server has taken all of it. New calls may have come."""
    who, reached = account(), True
    if who is None:
        return False
    server = Server(who, timeout=CALL_TAKES, interface="mcp")
    claimed: dict[str, list[str]] = {}
    ran: dict[str, Moment] = {}
    for path in recorded_calls()[:-MOST_MOMENTS]:
        path.unlink(missing_ok=True)
    for path in recorded_calls():
        try:
            moment, _ = read_moment(path, time.monotonic() + DELIVERY_TAKES)
            if moment.event == "SessionStart":
                _late_start(server, moment)
            elif moment.event in RECORDERS:
                claimed.setdefault(moment.of, []).extend(RECORDERS[moment.event](moment) or ())
                if moment.event in TELLING and is_shell(tool_use(moment.given)[0]):
                    ran[moment.of] = moment
        except Away:
            reached = False
            continue  # a late start is tried again
        except Exception as error:
            with contextlib.suppress(OSError):
                write_private(home() / LAST_ERROR, f"{now()} {path.stem}: {type(error).__name__}: {error}\n")
        path.unlink(missing_ok=True)
    for moment in ran.values():
        _tell_of_files(moment, who.url)
    left = deliver(server, until=time.monotonic() + DELIVERY_TAKES)
    if not left:
        newest = next((known for known in states() if known.get("session") and not known.get("ended")), {})
        if newest.get("repo") and newest.get("url") == who.url:
            refresh_anchors(server, str(newest["repo"]))
        for of, paths in claimed.items():
            _claim(server, of, paths)
    return reached and not left


def _late_start(server: Server, moment: Moment) -> None:
    """Start the session that its hook could not start in time, or ask how it stands if it only goes on; the text waits
    for the next hook.
    """
    known = state(moment.of)
    if known.get("ended"):
        return
    if known.get("session") and moment.given.get("source") in GOES_ON:
        give_later(moment.of, own_state(server, moment))
        return
    if not known.get("session"):
        deliver(server, until=time.monotonic() + DELIVERY_TAKES)  # killed sessions first: the start offers them
        known = begin(server, moment.of)
    give_later(moment.of, oriented(known["orientation"], known["session"]))


def on_tool(moment: Moment) -> list[str]:
    """Put what a tool did into the outbox; return the files it changed."""
    who, known = account(), state(moment.of)
    if who is None:
        return []
    top = known.get("top") or place_of(moment.folder).top
    if not known:
        note(moment.of, top=top, repo=place_of(moment.folder).repo, seen=time.time())
    failed = was_failed(moment.event, moment.agent, moment.given)
    call = str(moment.given.get("tool_use_id") or "")
    if failed is None and call and moment.given.get("transcript_path"):
        failed = exit_of_call(str(moment.given["transcript_path"]), call)
    events = events_of(*tool_use(moment.given), top, failed=failed)
    for number, event in enumerate(events):
        told = {**event, "at": now(moment.at), "id": f"{moment.name}-{number}"}
        post(EVENTS, {"events": [told]}, of=moment.of, url=who.url)
    edited = [str(event["path"]) for event in events if event["kind"] == "edit" and event.get("outcome") != "failed"]
    if edited:
        mark_change(moment.of)
        note_own(moment.of, top, edited)
    return edited


def _tell_of_files(moment: Moment, url: str) -> None:
    """Put what a command did to the files of the checkout into the outbox: it says itself only that it ran."""
    top = str(state(moment.of).get("top") or "")
    events = changed_by_commands(moment.of, top, uncommitted(top, STATUS_TAKES), moment.at, AFTER_HOOK) if top else []
    for start in range(0, len(events), MOST_IN_BATCH):
        post(EVENTS, {"events": events[start : start + MOST_IN_BATCH]}, of=moment.of, url=url)
    if events:
        mark_change(moment.of)


def on_compact(moment: Moment) -> None:
    """Put the session on record, and leave its agent what it then knows no more where no start tells it."""
    who = account()
    if who is not None and moment.event == "PreCompact" and moment.agent not in STARTS_AFTER_COMPACTION:
        with contextlib.suppress(Away):
            give_later(moment.of, own_state(Server(who, timeout=CALL_TAKES, interface="mcp"), moment))
            return
    _put_on_record(moment, "checkpoint")


def on_stop(moment: Moment) -> None:
    """Put what was said on record now and then: the end of a turn is no end of a session."""
    known = state(moment.of)
    if known and moment.at - float(known.get("checkpointed", 0)) >= BETWEEN_CHECKPOINTS:
        _put_on_record(moment, "checkpoint")


def on_end(moment: Moment) -> None:
    _put_on_record(moment, "end")


def _put_on_record(moment: Moment, verb: str) -> None:
    """Put a checkpoint or the end into the outbox, with the turns so far."""
    who, known = account(), state(moment.of)
    # One that a later session has recovered may have said its end all the same, and could not deliver it.
    if who is None or not known or (verb == "end" and known.get("ended") and not known.get("recovered")):
        return
    post(f"sessions/{{session}}/{verb}/", checkpoint_body(moment), of=moment.of, url=who.url)
    note(moment.of, checkpointed=moment.at, **({"ended": True, "recovered": False} if verb == "end" else {}))


# A claim is renewed by an edit that comes after half of its time.
CLAIM_MINUTES = 30


def _claim(server: Server, of: str, paths: list[str]) -> None:
    """Claim the files that the session changed; what another session holds is told to its model once."""
    known = state(of)
    before: Json = known.get("claimed") or {}
    due = [path for path in dict.fromkeys(paths) if time.time() - before.get(path, 0) > CLAIM_MINUTES * 30]
    if not due or known.get("ended"):
        return
    try:
        body = {"files": due[:50], "minutes": CLAIM_MINUTES}
        answer = server.call("POST", f"sessions/{session_of(server, of)}/claims/", body)
    except (Away, Problem):
        return
    note(of, claimed={**before, **dict.fromkeys(due, time.time())})
    lines = [claim_line(one) for one in answer.get("held_by_others") or () if one["path"] not in known.get("told", ())]
    if lines:
        note(of, told=[*known.get("told", ()), *(one["path"] for one in answer["held_by_others"])])
        told = "Another session works on a file you changed; agree with its user:"
        give_later(of, f"{told}\n{fenced(lines)}")


def claim_line(one: Json) -> str:
    return f"- {one['path']}: {one['user']} ({one['session']}), until {str(one['until'])[:16]}Z"


def on_changed(moment: Moment) -> None:
    """Report files that a text was marked with."""
    who, given = account(), moment.given
    if who is not None:
        report_changes(str(given["top"]), str(given["repo"]), who.url, list(given["files"]))


RECORDERS: dict[str, Callable[[Moment], list[str] | None]] = {
    "PostToolUse": on_tool, "PostToolUseFailure": on_tool, "PreCompact": on_compact, "Interrupt": on_compact,
    "Stop": on_stop, "SessionEnd": on_end, "FilesChanged": on_changed,
}  # fmt: skip
