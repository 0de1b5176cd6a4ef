"""The configuration files of each agent, and what the client writes into them."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from sessions_app.client.src.install.agent_hooks import (
    CAMEL_EVENTS,
    camel_hooks,
    codex_hooks,
    gemini_hooks,
    grouped_hooks,
)
from sessions_app.client.src.install.edits import Edit, flat_hooks, hook_groups, json_edit, server_entry, whole_file
from sessions_app.client.src.install.opencode import plugin
from sessions_app.client.src.install.where import LAUNCHER, HookCaller, client_words, launcher
from sessions_app.client.src.local import Json, account_url
from sessions_app.client.src.transcripts.killed import claude_home, codex_home

Plan = list[tuple[Path, Edit]]
BEARER = "Bearer {}"
# What Codex passes on to an MCP server only if it is named.
PASSED_ON = ["LOAM_TOKEN", "LOAM_URL", "LOAM_TEAM", "LOAM_HOME", "XDG_CONFIG_HOME"]


def _stdio(**more: str) -> Json:
    words = client_words("mcp")
    return {**more, "command": words[0], "args": words[1:]}


def _http(token: str, key: str = "url", **more: object) -> Json:
    """Return an entry for a client that speaks MCP over HTTP itself; `token`: how it writes LOAM_TOKEN's value."""
    return {**more, key: f"{account_url()}/mcp", "headers": {"Authorization": BEARER.format(token)}}


def _launcher() -> tuple[Path, Edit]:
    return Path.cwd() / LAUNCHER, whole_file(launcher(account_url(), os.environ.get("LOAM_TEAM", "")))


def _mcp_json() -> tuple[Path, Edit]:
    """The file that Claude Code and Copilot CLI share. Copilot CLI needs no `tools` here, and with them as it writes
    them Claude Code skips the server.
    """
    return json_edit(Path.cwd() / ".mcp.json", server_entry("mcpServers", _http("${LOAM_TOKEN}", type="http")))


def plan_claude(project: bool) -> Plan:
    if project:
        call = HookCaller("claude-code", '"$CLAUDE_PROJECT_DIR"/')
        return [
            json_edit(Path.cwd() / ".claude" / "settings.json", hook_groups(grouped_hooks(call))),
            _mcp_json(),
            _launcher(),
        ]
    own = os.environ.get("CLAUDE_CONFIG_DIR")
    return [
        json_edit(claude_home() / "settings.json", hook_groups(grouped_hooks(HookCaller("claude-code")))),
        json_edit(Path(own or Path.home()) / ".claude.json", server_entry("mcpServers", _stdio(type="stdio"))),
    ]


def plan_cursor(project: bool) -> Plan:
    base = (Path.cwd() if project else Path.home()) / ".cursor"
    call = HookCaller("cursor", "./" if project else "")
    entry = _http("${env:LOAM_TOKEN}") if project else _stdio()
    return [
        json_edit(base / "hooks.json", flat_hooks(camel_hooks(call, CAMEL_EVENTS["cursor"]))),
        json_edit(base / "mcp.json", server_entry("mcpServers", entry)),
        *([_launcher()] if project else []),
    ]


def plan_codex(project: bool) -> Plan:
    base = Path.cwd() / ".codex" if project else codex_home()
    call = HookCaller("codex", '"$(git rev-parse --show-toplevel)"/' if project else "")
    # Codex joins this table with that of one's own settings, and starts with no `url` beside a `command`.
    top_launcher = f'exec "$(git rev-parse --show-toplevel)"/{LAUNCHER} mcp'
    entry = {"command": "sh", "args": ["-c", top_launcher], "env_vars": PASSED_ON} if project else _stdio()
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
    return [
        json_edit(base / "hooks.json", hook_groups(codex_hooks(call))),
        (base / "config.toml", lambda text, undo: _toml_edit(text, undo, lines)),
        *([_launcher()] if project else []),
    ]


def plan_gemini(project: bool) -> Plan:
    base = (Path.cwd() if project else Path.home()) / ".gemini"
    call = HookCaller("gemini", '"$GEMINI_PROJECT_DIR"/' if project else "")
    entry = _http("$LOAM_TOKEN", "httpUrl") if project else _stdio()
    change = (hook_groups(gemini_hooks(call)), server_entry("mcpServers", entry))
    return [json_edit(base / "settings.json", *change), *([_launcher()] if project else [])]


def plan_opencode(project: bool) -> Plan:
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "opencode"
    if project:
        entry = _http("{env:LOAM_TOKEN}", type="remote", enabled=True, oauth=False)
        place, settings = Path.cwd() / ".opencode" / "plugins" / "loam.js", Path.cwd() / "opencode.json"
        text = plugin(None)
    else:
        entry = {"type": "local", "command": client_words("mcp"), "enabled": True}
        place, settings, text = config / "plugins" / "loam.js", config / "opencode.json", plugin(client_words())
    return [
        (place, whole_file(text)),
        json_edit(settings, server_entry("mcp", entry)),
        *([_launcher()] if project else []),
    ]


def plan_copilot(project: bool) -> Plan:
    """Copilot CLI and VS Code read the same hooks."""
    if project:
        return [_copilot_hooks(project), _mcp_json(), _launcher()]
    base = Path(os.environ.get("COPILOT_HOME") or Path.home() / ".copilot")
    entry = _stdio(type="local")
    entry["tools"] = ["*"]
    return [_copilot_hooks(project), json_edit(base / "mcp-config.json", server_entry("mcpServers", entry))]


def _copilot_hooks(project: bool) -> tuple[Path, Edit]:
    base = Path(os.environ.get("COPILOT_HOME") or Path.home() / ".copilot") / "hooks"
    call = HookCaller("copilot", "./" if project else "")
    place = Path.cwd() / ".github" / "hooks" if project else base
    return json_edit(place / "loam.json", flat_hooks(camel_hooks(call, CAMEL_EVENTS["copilot"], typed=True)))


def plan_vscode(project: bool) -> Plan:
    """VS Code has its MCP servers in a file of their own, and reads the hooks of Copilot CLI."""
    user = {
        "darwin": Path.home() / "Library" / "Application Support",
        "win32": Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"),
    }.get(sys.platform, Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"))
    if project:
        entry = _http("${env:LOAM_TOKEN}", type="http")
        place = Path.cwd() / ".vscode" / "mcp.json"
        return [_copilot_hooks(project), json_edit(place, server_entry("servers", entry)), _launcher()]
    place = user / "Code" / "User" / "mcp.json"
    return [_copilot_hooks(project), json_edit(place, server_entry("servers", _stdio(type="stdio")))]


_TOML = re.compile(r"(?:(?<!\n)\n+)?^# >>> loam >>>.*?^# <<< loam <<<\n?", re.MULTILINE | re.DOTALL)


def _toml_edit(text: str, undo: bool, entry: list[str]) -> str:
    """A table between two marks at the end of config.toml: the standard library reads TOML and does not write it."""
    # The line before keeps its own end; what follows the table, and how, is somebody else's.
    rest = _TOML.sub(lambda found: "\n" if found.group().startswith("\n") else "", text)
    if undo:
        return rest
    if re.search(r"^\s*\[\s*mcp_servers\s*\.\s*[\"']?loam[\"']?\s*\]|^\s*mcp_servers\s*=", rest, re.MULTILINE):
        raise ValueError("it has a `loam` among its `mcp_servers`, or all of them in one line")
    lines = [
        "# >>> loam >>> put here by `loam install codex`, taken out by `loam install codex --uninstall`",
        "[mcp_servers.loam]",
        *entry,
        "# <<< loam <<<",
    ]
    return (f"{rest.rstrip()}\n\n" if rest.strip() else "") + "\n".join(lines) + "\n"


PLANS: dict[str, Callable[[bool], Plan]] = {
    "claude-code": plan_claude, "cursor": plan_cursor, "codex": plan_codex, "vscode": plan_vscode,
    "gemini-cli": plan_gemini, "opencode": plan_opencode, "copilot": plan_copilot,
}  # fmt: skip
AFTER = {
    "claude-code": "Start a new session: it starts with the handoff of the last one.",
    "codex": "Start Codex and trust the hooks when it asks (/hooks).",
    "cursor": "Restart Cursor.",
    "vscode": "Open the MCP view in VS Code and start `loam`.",
    "gemini-cli": "Start Gemini CLI; /hooks panel lists the hooks, /mcp the tools.",
    "opencode": "Restart OpenCode.",
    "copilot": "Start Copilot CLI in a folder that you trust.",
}
