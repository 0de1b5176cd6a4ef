"""Edits of configuration files that keep what else is in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sessions_app.client.src.local import Json


def is_ours(command: Any) -> bool:
    """Whether a hook's command line is one of ours, of whatever version and place."""
    return bool(re.search(r"(?:loam\.py|loam-client|\.loam/loam)['\"]?\s+hook\s", str(command)))


Edit = Callable[[str, bool], str]


def whole_file(content: str) -> Edit:
    """An edit of a file that is the client's alone."""

    def edit(text: str, undo: bool) -> str:
        if text.strip() and not _OWN_FILE.search(text):
            raise ValueError("it is there already and not ours")
        return "" if undo else content

    return edit


_OWN_FILE = re.compile(r"[Ww]ritten by `loam install")


def json_edit(path: Path, *changes: Callable[[Json, bool], None]) -> tuple[Path, Edit]:
    """An edit of a JSON file that keeps its order, indentation and line end."""

    def edit(text: str, undo: bool) -> str:
        try:
            whole = json.loads(text.lstrip("\ufeff")) if text.strip() else {}
        except ValueError as error:
            raise ValueError(f"it is not plain JSON ({error}); comments and trailing commas would be lost") from error
        if not isinstance(whole, dict):
            raise ValueError("it does not hold an object")
        was = json.dumps(whole)
        for change in changes:
            change(whole, undo)
        if json.dumps(whole) == was:
            return text
        found = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
        done = json.dumps(whole, indent=found[1] if found else 2, ensure_ascii=False)
        return done + ("\n" if not text or text.endswith("\n") else "")

    return path, edit


def section_of(whole: Json, name: str) -> Json:
    section = whole.setdefault(name, {})
    if not isinstance(section, dict):
        raise ValueError(f"its `{name}` is not an object")
    return section


def server_entry(section: str, entry: Json) -> Callable[[Json, bool], None]:
    """`loam` among the MCP servers of a configuration."""

    def change(whole: Json, undo: bool) -> None:
        left_empty = whole.get(section) == {}  # by somebody else
        servers = section_of(whole, section)
        there = servers.get("loam")
        mine = there is None or any(name in json.dumps(there) for name in ("loam.py", "loam-client", "LOAM_TOKEN"))
        if not mine and not undo:
            raise ValueError(f"its `{section}` has a `loam` already that is not ours")
        if not undo:
            servers["loam"] = entry
        elif there is not None and mine:
            del servers["loam"]
        if not servers and not left_empty:
            del whole[section]

    return change


def hook_groups(groups: Mapping[str, Json]) -> Callable[[Json, bool], None]:
    """Hooks in the form of Claude Code, Codex and Gemini CLI: groups of handlers."""

    def change(whole: Json, undo: bool) -> None:
        left_empty = whole.get("hooks") == {}  # by somebody else
        hooks = section_of(whole, "hooks")
        for event in [*hooks]:
            was = hooks[event]
            if isinstance(was, list):
                hooks[event] = [kept for kept in map(_without_ours, was) if kept is not None]
            if was and not hooks[event]:
                del hooks[event]
        for event, group in {} if undo else groups.items():
            hooks.setdefault(event, []).append(group)
        if not hooks and not left_empty:
            del whole["hooks"]

    return change


def flat_hooks(handlers: Mapping[str, Json]) -> Callable[[Json, bool], None]:
    """Hooks in the form of Cursor and Copilot CLI: handlers, and a version."""
    in_groups = hook_groups(handlers)

    def change(whole: Json, undo: bool) -> None:
        if not undo:
            whole.setdefault("version", 1)
        in_groups(whole, undo)
        if undo and whole == {"version": 1}:
            del whole["version"]

    return change


def _without_ours(group: Any) -> Any:
    """The group without our handlers; None when nothing else was in it."""
    if not isinstance(group, dict):
        return group
    if is_ours(group.get("command") or group.get("bash")):
        return None
    handlers = group.get("hooks")
    if not isinstance(handlers, list):
        return group
    kept = [one for one in handlers if not (isinstance(one, dict) and is_ours(one.get("command", "")))]
    return group if len(kept) == len(handlers) else {**group, "hooks": kept} if kept else None
