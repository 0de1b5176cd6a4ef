"""The outbox: each request is a file first, and is deleted when the server has it.

Each file has an idempotency key, so a delivery whose answer was lost may be repeated.
"""

from __future__ import annotations

import contextlib
import json
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.hooks.asking import mark_change
from sessions_app.client.src.local import Json, file_lock, fresh, home, read_json, write_private
from sessions_app.client.src.sessions import note, session_of

MOST_SPOOLED = 5_000
MOST_IN_BATCH = 100
DRAFTS_ARE_DEAD = 3_600
SENT = "-sent"
EVENTS = "sessions/{session}/events/"


def spool_folder() -> Path:
    return home() / "spool"


def post(path: str, body: Json, *, of: str = "", url: str = "", key: str = "") -> Path:
    """Put a POST into the outbox. `{session}` in the path becomes the server's id of the agent's session `of`."""
    folder = spool_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    item = {"path": path, "body": body, "of": of, "key": key or fresh(), "url": url}
    place = folder / f"{time.time_ns():020d}-{fresh()[:8]}.json"
    write_private(place, json.dumps(item))
    return place


def waiting() -> list[Path]:
    """What is in the outbox, oldest first."""
    try:
        return sorted(entry for entry in spool_folder().iterdir() if entry.suffix == ".json" and entry.name[0] != ".")
    except OSError:
        return []


def deliver(server: Server, *, until: float) -> int:
    """Empty the outbox as far as it goes by `until` (time.monotonic()); how many are left. Never raises."""
    with contextlib.suppress(OSError), file_lock("deliver") as mine:
        if mine:
            _thin_out()
            for place in _batched(server.who.url):
                if time.monotonic() >= until or not _delivered(server, _on_its_way(place)):
                    break
    return len(waiting())


def _thin_out() -> None:
    """A server that is away for weeks must not fill the disk: the oldest go first."""
    for place in waiting()[:-MOST_SPOOLED]:
        place.unlink(missing_ok=True)
    for draft in spool_folder().glob(".*"):  # of a process that was killed while it wrote
        if time.time() - draft.stat().st_mtime > DRAFTS_ARE_DEAD:
            draft.unlink(missing_ok=True)


def _batched(url: str) -> Iterator[Path]:
    """The files to be sent, in order. Neighbouring events of a session become one file, whose key is then its own.

    A batch is written whole before its parts go; a part that a crash left behind is known by its name.
    """
    places = [place for place in waiting() if read_json(place).get("url") in ("", url)]
    done = {name for place in places for name in read_json(place).get("parts", [])}
    for place in [p for p in places if p.name in done]:
        place.unlink(missing_ok=True)
    places = [place for place in places if place.name not in done]
    at = 0
    while at < len(places):
        first = read_json(places[at])
        run = [places[at]]
        while first.get("path") == EVENTS and at + len(run) < len(places) and len(run) < MOST_IN_BATCH:
            other = read_json(places[at + len(run)])
            if SENT in run[0].stem + places[at + len(run)].stem:
                break
            if (other.get("path"), other.get("of")) != (EVENTS, first["of"]):
                break
            run.append(places[at + len(run)])
        at += len(run)
        yield _one_file(first, run) if len(run) > 1 else run[0]


def _on_its_way(place: Path) -> Path:
    """The file under the name of one that was sent: it may have arrived though no answer came, so that from now on
    it goes under its own key only, and is joined with no other.
    """
    return place if place.stem.endswith(SENT) else place.rename(place.with_name(f"{place.stem}{SENT}.json"))


def _one_file(first: Json, run: list[Path]) -> Path:
    events = [event for place in run for event in read_json(place).get("body", {}).get("events", [])]
    whole = {**first, "body": {"events": events}, "key": fresh(), "parts": [place.name for place in run]}
    # Named to stand where its first part stood.
    batch = run[0].with_name(f"{run[0].stem}{SENT}.json")
    write_private(batch, json.dumps(whole))
    for place in run:
        place.unlink(missing_ok=True)
    return batch


def _delivered(server: Server, place: Path) -> bool:
    """Whether the next may follow: this one has arrived, or was refused for good and put aside."""
    item = read_json(place)
    try:
        path = str(item["path"])
        if "{session}" in path:
            path = path.replace("{session}", urllib.parse.quote(session_of(server, item["of"]), safe=""))
        answer = server.post(path, item["body"], key=item["key"])
    except Away:
        return False
    except Problem as problem:
        # Without a valid token, or with one of a cell that the team has left, everything would be refused; with another
        # one it is taken.
        if problem.status in (401, 403, 421):
            return False
        _put_aside(place, item, str(problem))
        return True
    except KeyError:
        _put_aside(place, item, "This file is not one of ours.")
        return True
    if item.get("of") and isinstance(answer, dict):
        note(item["of"], seen=time.time())
        if answer.get("decisions"):
            mark_change(item["of"])
    place.unlink(missing_ok=True)
    return True


def _put_aside(place: Path, item: Json, why: str) -> None:
    """What the server will never take is kept for a person to look at, the last fifty."""
    folder = home() / "refused"
    write_private(folder / place.name, json.dumps({**item, "why": why}, indent=1))
    place.unlink(missing_ok=True)
    for old in sorted(folder.glob("*.json"))[:-50]:
        old.unlink(missing_ok=True)
