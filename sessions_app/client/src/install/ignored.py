"""Which agents ignore the hooks that were installed for them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from sessions_app.client.src.hooks.entry import HOOK_FILES, has_hooks, hook_file, trusted_by_codex
from sessions_app.client.src.install.edits import is_ours
from sessions_app.client.src.local import home, read_json
from sessions_app.client.src.sessions import states
from sessions_app.client.src.transcripts.killed import claude_home, codex_home


def ignored_hooks() -> Iterator[str]:
    """Return a line for each agent that has our hooks and does not call them, with what to do."""
    for path in map(Path, sorted(read_json(home() / "installed.json"))):
        text = json.dumps(read_json(path)) if path.suffix == ".json" else ""
        if not is_ours(text.replace('\\"', "")):
            continue
        agent = _agent_of(path)
        if agent == "codex" and not trusted_by_codex(str(path)):
            yield f"Codex ignores the hooks in {path} until you trust them: start codex, then /hooks."
        elif read_json(path).get("disableAllHooks"):
            yield f"{path} says disableAllHooks: no hook runs."
        elif agent and _last_transcript(agent) > max(_last_call(agent), path.stat().st_mtime) + _SLACK:
            yield f"{agent} had a session that no hook in {path} reported: are its hooks trusted and on?"


def hooks_that_stand_back(folder: str) -> Iterator[str]:
    """Return a line for each agent that finds our hooks in two files, of which one stands back; `folder`: a project."""
    places = {agent: dict.fromkeys((hook_file(agent), hook_file(agent, folder))) for agent in HOOK_FILES}
    found = {agent: [path for path in paths if has_hooks(agent, path)] for agent, paths in places.items()}
    for agent, paths in found.items():
        if len(paths) == 2:
            once = " once you trust these" if agent == "codex" and not trusted_by_codex(paths[0]) else ""
            yield f"{agent}: the hooks in {paths[1]} stand back for yours in {paths[0]}{once}."
    for agent in ("copilot", "cursor"):
        if found["claude-code"] and found[agent]:
            yield f"{agent}: where it runs Claude Code's hooks too, they stand back for its own in {found[agent][0]}."


# Seconds between the last line of a transcript and the last hook of its session.
_SLACK = 120


def _agent_of(path: Path) -> str:
    if path.parent == codex_home() or path.parent.name == ".codex":
        return "codex"
    return "claude-code" if path.parent == claude_home() else ""


def _last_call(agent: str) -> float:
    return max((float(one.get("seen", 0)) for one in states() if one["of"].startswith(f"{agent}:")), default=0.0)


def _last_transcript(agent: str) -> float:
    pattern, base = {
        "codex": ("*/*/*/rollout-*.jsonl", codex_home() / "sessions"),
        "claude-code": ("*/*.jsonl", claude_home() / "projects"),
    }[agent]
    return max((os.path.getmtime(path) for path in base.glob(pattern)), default=0.0)
