"""Files that a session changed by commands, which say only that they ran: git tells which files are in no commit, and
their times which of them are new.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from sessions_app.client.src.checkout.place import MOST_UNCOMMITTED
from sessions_app.client.src.local import Json, fresh, now
from sessions_app.client.src.masking import short
from sessions_app.client.src.sessions import note, state, states

# Path → nanoseconds of its last change, 0 if it is gone.
Look = dict[str, int]
# Files of a session that are remembered as its own.
MOST_OWN = 200
# Seconds by which a change may come after the hook that tells of its command, and after the last word of a session that
# was killed: its last command writes on.
AFTER_HOOK, AFTER_KILLED = 0.5, 60.0


def look_at(top: str, paths: list[str] | None) -> Look | None:
    """Return the uncommitted files with the times of their last change; None if these are not all of them."""
    if paths is None or len(paths) >= MOST_UNCOMMITTED:
        return None
    return {path: _changed_at(top, path) for path in paths}


def _changed_at(top: str, path: str) -> int:
    try:
        return os.lstat(os.path.join(top, path)).st_mtime_ns
    except OSError:
        return 0


def note_own(of: str, top: str, paths: Iterable[str]) -> None:
    """Note files that the session changed by a tool that said so: they are no news at its next look."""
    known = state(of)
    if isinstance(known.get("looked"), dict):
        changed = {path: _changed_at(top, path) for path in paths}
        note(of, looked={**known["looked"], **changed}, own=_latest({**_last_look(known), **changed}))


def changed_by_commands(of: str, top: str, paths: list[str] | None, at: float, grace: float) -> list[Json]:
    """Return events of the moment `at` (time.time()) for the uncommitted `paths` that changed since the session's last
    look, at most `grace` seconds after that moment, and not by another session; note this look.
    """
    known, found = state(of), look_at(top, paths)
    before = known.get("looked")
    if found is None or before is None:
        note(of, looked=found)
        return []
    theirs = {item for one in states() if one["of"] != of and one.get("top") == top for item in _last_look(one).items()}
    late = {path for path, changed in found.items() if changed > (at + grace) * 1e9}
    new = {path: found[path] for path in found.keys() - late if before.get(path) != found[path]}
    new = {path: changed for path, changed in new.items() if (path, changed) not in theirs}
    seen = {path: before.get(path) if path in late else found[path] for path in found}
    seen = {path: changed for path, changed in seen.items() if changed is not None}
    note(of, looked=seen, own=_latest({**_last_look(known), **new}))
    return [{"kind": "edit", "path": short(path, 400), "at": now(at), "id": fresh()} for path in sorted(new)]


def _last_look(known: Json) -> Look:
    return known.get("own") or {}


def _latest(own: Look) -> Look:
    return dict(sorted(own.items(), key=lambda item: item[1])[-MOST_OWN:])
