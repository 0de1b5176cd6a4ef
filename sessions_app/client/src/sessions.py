"""The agents' sessions on this machine, and the server's ids of them."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.parse
from pathlib import Path
from typing import Any

from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.hooks.entry import notice_place
from sessions_app.client.src.install.where import project_team
from sessions_app.client.src.local import Json, file_lock, filled, fresh, home, read_json, write_private

OLDEST_STATE = 30 * 86_400


def _state_place(of: str) -> Path:
    return home() / "sessions" / f"{urllib.parse.quote(of, safe='')[-180:]}.json"


def state(of: str) -> Json:
    """What is known of an agent's session; `of` is "<agent>:<the agent's own id>"."""
    found = read_json(_state_place(of))
    return found if isinstance(found, dict) else {}


def note(of: str, **facts: Any) -> Json:
    """Write facts down beside what is known; hooks that run side by side do not undo each other's."""
    with file_lock("state", wait=True):
        known = {**state(of), **facts, "of": of}
        write_private(_state_place(of), json.dumps(known))
    return known


def count_shown(of: str, text: str) -> None:
    """Add to the tokens (four characters each) that this client put before the session's model unasked.

    What the server puts beside prompts it counts itself.
    """
    if text:
        note(of, told_tokens=int(state(of).get("told_tokens") or 0) - (-len(text) // 4))


def give_later(of: str, text: str) -> None:
    """Leave text, if there is any, for the model of an agent's session to the next hook that can give it."""
    if not text:
        return
    place = Path(notice_place(of))
    before = ""
    with contextlib.suppress(OSError, ValueError):
        before = str(json.loads(place.read_text(encoding="utf-8"))) + "\n\n"
    write_private(place, json.dumps(before + text))
    count_shown(of, text)


def states() -> list[Json]:
    """All that are known, the last seen first; those of a month ago are forgotten."""
    found = []
    for place in (home() / "sessions").glob("*.json"):
        known = read_json(place)
        if isinstance(known, dict) and time.time() - known.get("seen", 0) < OLDEST_STATE:
            found.append(known)
        else:
            place.unlink(missing_ok=True)
    return sorted(found, key=lambda known: -known.get("seen", 0))


def session_of(server: Server, of: str) -> str:
    """The server's id of an agent's session; one that could not be started when it began is started now."""
    known = state(of)
    if known.get("session") and known.get("url") == server.who.url:
        return str(known["session"])
    started = begin(server, of)
    return str(started["session"])


def begin(server: Server, of: str) -> Json:
    """Start the session that the state of `of` describes. The key makes a start whose answer was lost count once."""
    known = state(of)
    body = known.get("start") or {"repo": known.get("repo") or "unknown", "agent": of.partition(":")[0]}
    key = known.get("start_key") or fresh()
    note(of, start=body, start_key=key)
    try:
        answer = server.post("sessions/", body, key=key)
    except Problem as problem:
        # Of another account, or of a server that began again: what was said before is then nobody's to tell.
        left_out = ("previous", "transcript") if "previous" in problem.errors else ()
        # Whose teams are several and who named none goes to the one that the project names.
        team = project_team(str(known.get("top") or ""), server.who.url) if problem.code == "team_unclear" else ""
        if not left_out and not team:
            raise
        body = {**{name: value for name, value in body.items() if name not in left_out}, **filled(team=team)}
        answer = server.post("sessions/", body, key=key)
    if not isinstance(answer, dict) or not isinstance(answer.get("session"), str):
        raise Away(f"{server.who.url} does not answer as Loam does.")
    # The body held the last session's words; the server has them now.
    slim = {name: value for name, value in body.items() if name != "transcript"}
    return note(
        of, session=answer["session"], url=server.who.url, start=slim, orientation=_first_words(answer),
        pointers=str((answer.get("orientation") or {}).get("text") or ""), seen=time.time(),
    )  # fmt: skip


def _first_words(answer: Json) -> str:
    """Return the orientation, and behind it the texts of the handoffs of its work item that are offered first."""
    parts = (answer.get("orientation"), answer.get("handoff"), *(answer.get("more_handoffs") or ()))
    return "\n\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text"))
