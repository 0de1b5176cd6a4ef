"""The configuration files of each agent, and what the client writes into them."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sessions_app.client.src.edits import hook_groups, json_edit, server_entry
from sessions_app.client.src.killed import claude_home, codex_home
from sessions_app.client.src.late import subprocess
from sessions_app.client.src.local import Json, home


def own_place() -> Path:
    """Where the hooks find this file: a copy beside the credentials, so that a download may be thrown away."""
    return home() / "loam-client" / "loam.py"


def _python() -> str:
    """The interpreter itself, not the one of a virtual environment that will be gone one day."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def client_words(*more: str) -> list[str]:
    # -I: neither the folder an agent works in nor its environment decides what is imported.
    # -S: the packages of this machine are not needed, and their start files take time.
    return [_python(), "-I", "-S", str(own_place().parent), *more]


def _line(*more: str) -> str:
    words = client_words(*more)
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


_TOOLS = "Edit|MultiEdit|Write|NotebookEdit|Bash"


def _claude_hooks(agent: str) -> dict[str, Json]:
    """Return the groups of handlers by event; timeouts in seconds.

    None is asynchronous: they take some 30 ms, and a client that ends while an asynchronous hook is under way may
    run no other one (Claude Code leaves out SessionEnd then).
    """

    def group(event: str, timeout: int, matcher: str = "") -> Json:
        handler = {"type": "command", "command": _line("hook", event, "--agent", agent), "timeout": timeout}
        return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}

    return {
        "SessionStart": group("SessionStart", 10, "startup|resume|clear|compact|fork"),
        "UserPromptSubmit": group("UserPromptSubmit", 5),
        "PostToolUse": group("PostToolUse", 5, _TOOLS),
        "PostToolUseFailure": group("PostToolUseFailure", 5, _TOOLS),
        "PreCompact": group("PreCompact", 5),
        "Stop": group("Stop", 5),
        "SessionEnd": group("SessionEnd", 5),
    }


def _codex_hooks() -> dict[str, Json]:
    """Return the groups for Codex. It has no hook for a failed tool: the output of the tool tells of its failure."""
    groups = _claude_hooks("codex")
    del groups["PostToolUseFailure"]
    groups["SessionStart"]["matcher"] = "startup|resume|clear|compact"
    groups["PostToolUse"]["matcher"] = "Bash|apply_patch"
    groups["Interrupt"] = {
        "hooks": [{**groups["Stop"]["hooks"][0], "command": _line("hook", "Interrupt", "--agent", "codex")}]
    }
    return groups


def _cursor_hooks() -> dict[str, Json]:
    """Cursor's own two for what was done; its `postToolUse` would tell the same once more."""
    events = "sessionStart beforeSubmitPrompt afterFileEdit afterShellExecution preCompact stop sessionEnd"
    return {event: {"command": _line("hook", event, "--agent", "cursor")} for event in events.split()}


def _stdio(**more: Any) -> Json:
    words = client_words("mcp")
    return {**more, "command": words[0], "args": words[1:]}


Plan = list[tuple[Path, Callable[[str, bool], str]]]


def plan_claude(project: bool) -> Plan:
    """Hooks and the MCP server of the user, or of the project (hooks there in the part that is not committed)."""
    if project:
        settings, servers = Path.cwd() / ".claude" / "settings.local.json", Path.cwd() / ".mcp.json"
    else:
        own = os.environ.get("CLAUDE_CONFIG_DIR")
        settings, servers = claude_home() / "settings.json", Path(own or Path.home()) / ".claude.json"
    return [
        json_edit(settings, hook_groups(_claude_hooks("claude-code"))),
        json_edit(servers, server_entry("mcpServers", _stdio(type="stdio"))),
    ]


def plan_cursor(project: bool) -> Plan:
    base = (Path.cwd() if project else Path.home()) / ".cursor"
    return [
        json_edit(base / "hooks.json", hook_groups(_cursor_hooks(), flat=True)),
        json_edit(base / "mcp.json", server_entry("mcpServers", _stdio())),
    ]


def plan_codex(project: bool) -> Plan:
    base = Path.cwd() / ".codex" if project else codex_home()
    return [
        json_edit(base / "hooks.json", hook_groups(_codex_hooks())),
        (base / "config.toml", _toml_edit),
    ]


def plan_vscode(project: bool) -> Plan:
    """VS Code has its MCP servers in a file of their own; it has no hooks."""
    user = {
        "darwin": Path.home() / "Library" / "Application Support",
        "win32": Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"),
    }.get(sys.platform, Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"))
    path = Path.cwd() / ".vscode" / "mcp.json" if project else user / "Code" / "User" / "mcp.json"
    return [json_edit(path, server_entry("servers", _stdio(type="stdio")))]


_TOML = re.compile(r"(?:(?<!\n)\n+)?^# >>> loam >>>.*?^# <<< loam <<<\n?", re.MULTILINE | re.DOTALL)


def _toml_edit(text: str, undo: bool) -> str:
    """A table between two marks at the end of config.toml: the standard library reads TOML and does not write it."""
    rest = _TOML.sub("", text)
    if rest != text and rest:
        rest = rest.rstrip("\n") + "\n"
    if undo:
        return rest
    if re.search(r"^\s*\[\s*mcp_servers\s*\.\s*[\"']?loam[\"']?\s*\]|^\s*mcp_servers\s*=", rest, re.MULTILINE):
        raise ValueError("it has a `loam` among its `mcp_servers`, or all of them in one line")
    entry = _stdio()
    lines = [
        "# >>> loam >>> put here by `loam install codex`, taken out by `loam install codex --uninstall`",
        "[mcp_servers.loam]",
        f"command = {json.dumps(entry['command'], ensure_ascii=False)}",
        f"args = {json.dumps(entry['args'], ensure_ascii=False)}",
        "# <<< loam <<<",
    ]
    return (f"{rest.rstrip()}\n\n" if rest.strip() else "") + "\n".join(lines) + "\n"


PLANS: dict[str, Callable[[bool], Plan]] = {
    "claude-code": plan_claude, "cursor": plan_cursor, "codex": plan_codex, "vscode": plan_vscode,
}  # fmt: skip


AFTER = {
    "claude-code": "Start a new session: it begins with what the last one left.",
    "codex": "Start Codex and trust the hooks when it asks (/hooks).",
    "cursor": "Restart Cursor.",
    "vscode": "Open the MCP view in VS Code and start `loam`.",
}
