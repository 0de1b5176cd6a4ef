"""The hooks of each agent, in the form of its configuration."""

from __future__ import annotations

from sessions_app.client.src.install.where import HookCaller
from sessions_app.client.src.local import Json

_TOOLS = "Edit|MultiEdit|Write|NotebookEdit|Bash"
# Those of Cursor's events that tell what was done; its `postToolUse` would tell the same once more.
CAMEL_EVENTS = {
    "cursor": (
        "sessionStart", "beforeSubmitPrompt", "afterFileEdit", "afterShellExecution", "preCompact", "stop",
        "sessionEnd",
    ),
    "copilot": (
        "sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure", "preCompact",
        "agentStop", "sessionEnd",
    ),
}  # fmt: skip

# Seconds: the most that Codex accepts for a hook of the end and of an interruption; it warns of more at each start.
CODEX_AT_THE_END = 3


def _group(call: HookCaller, event: str, timeout: int, matcher: str = "") -> Json:
    handler = {"type": "command", "command": call.line(event), "timeout": timeout}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}


def grouped_hooks(call: HookCaller) -> dict[str, Json]:
    """Return Claude Code's groups of handlers by event; timeouts in seconds.

    None is asynchronous: they take some 20 ms, and a client that ends while an asynchronous hook is under way may
    run no other one (Claude Code leaves out SessionEnd then).
    """
    return {
        "SessionStart": _group(call, "SessionStart", 10, "startup|resume|clear|compact|fork"),
        "UserPromptSubmit": _group(call, "UserPromptSubmit", 5),
        "PreToolUse": _group(call, "PreToolUse", 5, _TOOLS),
        "PostToolUse": _group(call, "PostToolUse", 5, _TOOLS),
        "PostToolUseFailure": _group(call, "PostToolUseFailure", 5, _TOOLS),
        "PreCompact": _group(call, "PreCompact", 5),
        "Stop": _group(call, "Stop", 5),
        "SessionEnd": _group(call, "SessionEnd", 5),
    }


def codex_hooks(call: HookCaller) -> dict[str, Json]:
    """Return the groups for Codex. It has no hook for a failed tool: the output of the tool tells of its failure."""
    groups = grouped_hooks(call)
    del groups["PostToolUseFailure"]
    del groups["PreToolUse"]  # it writes what the model said before it runs a tool
    groups["SessionStart"] = _group(call, "SessionStart", 10, "startup|resume|clear|compact")
    groups["PostToolUse"] = _group(call, "PostToolUse", 5, "Bash|apply_patch")
    groups.update((event, _group(call, event, CODEX_AT_THE_END)) for event in ("SessionEnd", "Interrupt"))
    return groups


def gemini_hooks(call: HookCaller) -> dict[str, Json]:
    """Return the groups for Gemini CLI; its timeouts are in milliseconds."""
    matchers = {"AfterTool": "write_file|replace|run_shell_command"}
    events = ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd")
    groups = {event: _group(call, event, 5_000, matchers.get(event, "")) for event in events}
    for group in groups.values():
        group["hooks"][0]["name"] = "loam"
    return groups


def camel_hooks(call: HookCaller, events: tuple[str, ...], *, typed: bool = False) -> dict[str, Json]:
    """Return the handlers of Cursor, or (`typed`) those of Copilot CLI, by event."""
    if typed:
        return {
            event: {"type": "command", "bash": call.line(event), "command": call.line(event), "timeoutSec": 10}
            for event in events
        }
    return {event: {"command": call.line(event)} for event in events}
