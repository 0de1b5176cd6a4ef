"""Installation of the client for an agent, and its removal."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from accounts.rules.guard import redact_secrets
from sessions_app.client.src.agents import PLANS
from sessions_app.client.src.late import difflib, hashlib
from sessions_app.client.src.local import Stop, account_url, home, read_json, write_private
from sessions_app.client.src.where import own_place


@dataclass(frozen=True)
class Change:
    """A configuration file before and after; None where there is none."""

    path: Path
    before: str | None
    after: str | None


def install(agent: str, *, project: bool, undo: bool) -> list[Change]:
    """What would be changed for an agent; nothing is written yet. Raises Stop when a file cannot be kept whole."""
    if project and not undo and not account_url():
        raise Stop("A project's files name the server: run `loam login URL` first, or set LOAM_URL.")
    plans: list[tuple[Path, Callable[[str, bool], str]]] = PLANS[agent](project)
    changes = []
    for path, edit in plans:
        path = Path(os.path.realpath(path))
        before = _text_of(path)
        after: str | None = _restored(path, before) if undo else None
        if after is None:
            try:
                after = edit(before or "", undo)
            except ValueError as error:
                raise Stop(f"{path} is left alone, and nothing was changed: {error}") from error
        changes.append(Change(path, before, None if undo and after.strip() in ("", "{}") else after))
    return [change for change in changes if (change.before or "") != (change.after or "")]


def apply(changes: list[Change], *, undo: bool) -> None:
    """Write the files, each whole or not at all, and keep what they were for the way back."""
    kept = read_json(home() / "installed.json")
    for change in changes:
        if change.after is None:
            change.path.unlink()
        else:
            mode = stat.S_IMODE(change.path.stat().st_mode) if change.path.exists() else _mode(change.after)
            write_private(change.path, change.after, mode)
        if undo:
            kept.pop(str(change.path), None)
        else:
            was = kept.get(str(change.path), {}).get("before", change.before)
            kept[str(change.path)] = {"before": was, "sha256": _sha256(change.after or "")}
    write_private(home() / "installed.json", json.dumps(kept, indent=1))


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


def _restored(path: Path, before: str | None) -> str | None:
    """What the file was before `install`, if nobody has touched it since."""
    kept = read_json(home() / "installed.json").get(str(path))
    if not kept or before is None or kept.get("sha256") != _sha256(before):
        return None
    return str(kept.get("before") or "")


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
