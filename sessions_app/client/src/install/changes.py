"""Installation of the client for an agent, and its removal."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from accounts.rules.guard.detection import redact_secrets
from sessions_app.client.src.install.agents import PLANS
from sessions_app.client.src.install.edits import Edit
from sessions_app.client.src.install.where import own_place
from sessions_app.client.src.late import difflib, hashlib
from sessions_app.client.src.local import Json, Stop, account_url, home, read_json, write_private


@dataclass(frozen=True)
class Change:
    """A configuration file before and after; None where there is none. `needed_by`: other agents that use it."""

    path: Path
    before: str | None
    after: str | None
    needed_by: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        return (self.before or "") != (self.after or "")


def install(agent: str, *, project: bool, undo: bool) -> list[Change]:
    """Return each file of an agent's with what it would become; nothing is written yet. Raises Stop when a file cannot
    be kept whole.
    """
    if project and not undo and not account_url():
        raise Stop("A project's files name the server: run `loam login URL` first, or set LOAM_URL.")
    needed = _needed_by_others(agent, project) if undo else {}
    records, changes = _records(), []
    for path, edit in _planned(agent, project).items():
        before = _text_of(path)
        if path in needed:
            changes.append(Change(path, before, before, tuple(needed[path])))
            continue
        try:
            after = _restored(path, before, edit) if undo else None
            after = edit(before or "", undo) if after is None else after
        except ValueError as error:
            raise Stop(f"{path} is left alone, and nothing was changed: {error}") from error
        # A file that was there before with nothing in it is somebody's, too.
        ours = undo and after.strip() in ("", "{}") and records.get(str(path), {}).get("before") is None
        changes.append(Change(path, before, None if ours else after))
    return changes


def _planned(agent: str, project: bool) -> dict[Path, Edit]:
    return {Path(os.path.realpath(path)): edit for path, edit in PLANS[agent](project)}


def _records() -> dict[str, Json]:
    """What is known of the files that were written: by path, what they were and for which agents (`by`)."""
    kept: dict[str, Json] = read_json(home() / "installed.json")
    return kept


def _needed_by_others(agent: str, project: bool) -> dict[Path, list[str]]:
    """Return the files of an agent's that others need, with their names: agents share files in a project.

    Another agent is installed if this machine did it, or if all its files are here, as in a colleague's clone; not if
    each of them is here for an agent that is known to be installed.
    """
    records, files = _records(), {name: _planned(name, project) for name in PLANS}
    known = {name for name in files if any(name in records.get(str(path), {}).get("by", ()) for path in files[name])}
    explained = {path for name in {agent, *known} for path in files[name]}
    found: dict[Path, list[str]] = {}
    for name in sorted(files.keys() - {agent}):
        here = all(_has_ours(path, edit) for path, edit in files[name].items())
        if here and (name in known or files[name].keys() - explained):
            for path in files[name].keys() & files[agent].keys():
                found.setdefault(path, []).append(name)
    return found


def _has_ours(path: Path, edit: Edit) -> bool:
    try:
        text = _text_of(path) or ""
        return edit(text, True) != text
    except (ValueError, Stop):
        return False


def apply(agent: str, changes: list[Change], *, undo: bool) -> None:
    """Write the files, each whole or not at all, and keep what they were for the way back."""
    records = _records()
    made = {folder for record in records.values() for folder in record.get("made", ())}
    for change in changes:
        name = str(change.path)
        record = records.pop(name, {})
        by = {*record.get("by", ())}
        if change.differs and change.after is not None:
            above = [str(folder) for folder in change.path.parents if str(folder) in made or not folder.exists()]
            made.update(above)
            mode = stat.S_IMODE(change.path.stat().st_mode) if change.path.exists() else _mode(change.after)
            write_private(change.path, change.after, mode)
            record = {"before": change.before, "made": above, **record, "sha256": _sha256(change.after)}
        elif change.differs:
            change.path.unlink()
            _remove_empty(map(Path, record.get("made", ())))
        if not undo or (change.needed_by and record):
            records[name] = {**record, "by": sorted(by - {agent} if undo else by | {agent})}
    write_private(home() / "installed.json", json.dumps(records, indent=1))


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove those that are empty; a folder comes after those in it."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _mode(text: str) -> int:
    return 0o755 if text.startswith("#!") else 0o644


def _text_of(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"{path} cannot be read: {error}") from error


def _restored(path: Path, before: str | None, edit: Edit) -> str | None:
    """What the file was before the first `install`, if nobody has touched it since; None if that had ours in it too."""
    kept = _records().get(str(path), {})
    if "before" not in kept or before is None or kept.get("sha256") != _sha256(before):
        return None
    was = str(kept["before"] or "")
    return was if edit(was, True) == was else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def settle() -> None:
    """Copy this file there. Python keeps the compiled form of a module, not of a script: a third of a hook's time."""
    write_private(own_place().with_name("__main__.py"), "import sys\n\nimport loam\n\nsys.exit(loam.main())\n")
    if Path(__file__).resolve() != own_place().resolve():
        write_private(own_place(), Path(__file__).read_text(encoding="utf-8"), 0o700)


def diff(changes: list[Change]) -> str:
    """What a person is shown: unified, with whatever secrets stand beside it masked."""
    shown = []
    for change in changes:
        before, after = (text or "" for text in (change.before, change.after))
        old, new = (str(change.path) if text is not None else os.devnull for text in (change.before, change.after))
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="")
        shown.append("\n".join(lines))
    return redact_secrets("\n".join(shown))[0]
