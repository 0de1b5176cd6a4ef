"""The question before an agent stops: what was decided, while it still knows. Once a session, and only Claude Code's:
of the other clients none is known to give a stopping agent text that it then acts on.

A marker says that a session changed something; only then does a Stop take the time to ask the server. In a run without
a person (`claude -p`, the SDK) nothing is asked: the answer would take the place of the result that somebody waits for.
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.hooks.entry import ask_place
from sessions_app.client.src.hooks.moment import LAST_ERROR, read_input
from sessions_app.client.src.hooks.sharing import asks_to_deposit
from sessions_app.client.src.local import Json, account, home, now, write_private
from sessions_app.client.src.sessions import note, state

# Seconds. A person sees the agent stop that much later, once a session.
ASKING_TAKES, ASKING_ENDS = 0.8, 1.5
ASKED_CLIENT = "claude-code"
# What Claude Code says of a session that a person types into.
ENTRYPOINT, BY_A_PERSON = "CLAUDE_CODE_ENTRYPOINT", ("", "cli")


def mark_change(of: str) -> None:
    """Let the session's next Stop ask, unless it has been asked or nobody wants it."""
    if of.startswith(f"{ASKED_CLIENT}:") and not state(of).get("asked") and asks_to_deposit():
        write_private(Path(ask_place(of)), "")


def ask_at_stop(raw: bytes) -> Json:
    """Return what Claude Code is answered at a Stop: the question as a reason to go on, or nothing. Never fails."""
    watch = threading.Timer(float(os.environ.get("LOAM_HOOK_SECONDS") or ASKING_ENDS), _give_up)
    watch.daemon = True
    watch.start()
    answer: Json = {}
    try:
        answer = _block_or_nothing(read_input(raw))
    except (Away, Problem):
        pass  # the next Stop asks
    except Exception as error:
        with contextlib.suppress(OSError):
            write_private(home() / LAST_ERROR, f"{now()} Stop: {type(error).__name__}: {error}\n")
    watch.cancel()
    return answer


def _give_up() -> None:
    os.write(1, b"{}\n")
    os._exit(0)


def _block_or_nothing(given: Json) -> Json:
    of, who = f"{ASKED_CLIENT}:{given.get('session_id')}", account()
    known = state(of)
    goes_on = given.get("stop_hook_active") is not False
    if who is None or goes_on or not known.get("session") or os.environ.get(ENTRYPOINT, "") not in BY_A_PERSON:
        return {}
    if not asks_to_deposit():
        _forget(of)
        return {}
    patient = float(os.environ.get("LOAM_HOOK_SECONDS") or ASKING_TAKES)
    server = Server(who, timeout=patient, interface="mcp")
    said = server.call("POST", f"sessions/{known['session']}/deposit-question/", {"changed": True})
    if said.get("final"):
        _forget(of)
    text = str(said.get("text") or "")
    return {"decision": "block", "reason": text} if text else {}


def _forget(of: str) -> None:
    note(of, asked=True)
    Path(ask_place(of)).unlink(missing_ok=True)
