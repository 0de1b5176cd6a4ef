"""Events from the use of a tool: files changed, and commands that test, build, commit, migrate or fail."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

from sessions_app.client.src.checkout.place import within, without_home
from sessions_app.client.src.local import Json
from sessions_app.client.src.masking import mask, masked_short, short

_EDITS = {
    "edit", "multiedit", "write", "notebookedit", "apply_patch", "applypatch", "str_replace", "strreplace",
    "search_replace", "edit_file", "write_file", "replace", "create", "patch",
}  # fmt: skip
_SHELLS = {
    "bash", "shell", "exec_command", "local_shell", "local_shell_call", "run_terminal_cmd", "terminal",
    "run_shell_command", "powershell",
}  # fmt: skip
_PATH_FIELDS = ("file_path", "path", "notebook_path", "target_file", "filePath")
_PATCHES = ("input", "patch", "command")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# A runner, its flags, and what it is told to do: `npm run -s test`, `cargo build`.
_RUNNERS = r"(?:go|cargo|dotnet|mix|swift|deno|bun|bazel|sbt|gradlew?|mvnw?|make|npm|pnpm|yarn|manage\.py|rake|rails)"
_COMMANDS = tuple(
    (kind, re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])"))
    for kind, words in (
        ("test", r"pytest|vitest|jest|mocha|rspec|phpunit|ctest|unittest|nose2|tox|nox|playwright test|cypress run"),
        ("test", rf"{_RUNNERS}(?: run| -\S+)*[ :](?:test|check|verify)[\w:]*"),
        ("commit", r"git(?: -\S+(?: (?!-\S)\S+)?)*? (?:commit|merge|rebase|cherry-pick|revert)"),
        ("migration", r"manage\.py migrate|alembic (?:up|down)grade|prisma migrate|supabase db|knex migrate"),
        ("migration", r"(?:rails|rake) db:migrate|flyway"),
        ("build", r"tsc|webpack|vite build|rollup|esbuild|cmake --build|ninja|docker build|javac|gcc|g\+\+|clang"),
        ("build", rf"{_RUNNERS}(?: run| -\S+)* (?:build|compile|package|all)"),
    )
)
_SHOWS_FAILURE = re.compile(r"\b[1-9]\d* (?:failed|failing|errors?)\b|^FAIL(?:ED|URES)?\b", re.M | re.I)
_SHOWS_SUCCESS = re.compile(r"\b\d+ (?:passed|passing)\b|\b0 (?:failed|failures)\b|^(?:OK|PASS)\b", re.M | re.I)
LONGEST_COMMAND = 500
LONGEST_LOOKED_AT = 2_000
LONGEST_FAULT = 4_000


def events_of(tool: str, given: Any, output: str, top: str, *, failed: bool | None) -> list[Json]:
    """What is worth telling of a tool's use: files it changed, and commands that test, build, commit or fail.

    `failed` is None when nobody knows. Reading leaves no trace, nor does a file outside the checkout.
    """
    tool = tool.lower()
    fields = given if isinstance(given, dict) else {}
    if tool in _EDITS or (isinstance(given, str) and "*** Begin Patch" in given):
        told = (
            given if isinstance(given, str) else str(next((fields[name] for name in _PATCHES if fields.get(name)), ""))
        )
        named = next((fields[name] for name in _PATH_FIELDS if fields.get(name)), None)
        paths = [str(named)] if named else _PATCHED.findall(told)
        inside = [within(path.strip(), top) for path in paths]
        outcome = {} if failed is None else {"outcome": "failed" if failed else "ok"}
        return [{"kind": "edit", "path": short(path, 400), **outcome} for path in dict.fromkeys(inside) if path]
    if tool in _SHELLS:
        words = fields.get("command") or fields.get("cmd") or ""
        command = " ".join(map(str, words)) if isinstance(words, list) else str(words)
        if "*** Begin Patch" in command:
            return events_of("apply_patch", command, "", top, failed=failed)
        return _command(command, output, failed)
    return []


def is_edit_or_shell(tool: str) -> bool:
    return tool.lower() in _EDITS or is_shell(tool)


def is_shell(tool: str) -> bool:
    return tool.lower() in _SHELLS


def _command(command: str, output: str, failed: bool | None) -> list[Json]:
    kind = next((kind for kind, known in _COMMANDS if known.search(command[:LONGEST_LOOKED_AT])), "")
    if failed is None and kind == "test" and output:
        failed = True if _SHOWS_FAILURE.search(output) else False if _SHOWS_SUCCESS.search(output) else None
    if not command.strip() or not (kind or failed):
        return []
    event: Json = {"kind": kind or "error", "command": masked_short(without_home(command), LONGEST_COMMAND)}
    if failed is not None:
        event["outcome"] = "failed" if failed else "passed" if kind == "test" else "ok"
    if failed and output.strip():
        event["error"] = mask(without_home(output.strip()[-2 * LONGEST_FAULT :]))[-LONGEST_FAULT:]
    return [event]


def tool_use(given: Json) -> tuple[str, Any, str]:
    """Return name, input and output of the tool, from the fields of Claude Code, Codex, Cursor, Gemini or Copilot."""
    if "command" in given:
        return "shell", {"command": given["command"]}, str(given.get("output") or "")
    if "edits" in given or ("file_path" in given and "tool_name" not in given):
        return "edit", {"file_path": given.get("file_path")}, ""
    answer = next((given[name] for name in _ANSWERS if name in given), None)
    if isinstance(answer, dict):
        answer = "\n".join(str(answer[name]) for name in _OUTPUTS if answer.get(name))
    output = "\n".join(str(part) for part in (answer, given.get("error")) if part)
    used = given.get("tool_input", given.get("toolArgs"))
    if isinstance(used, str) and used.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            used = json.loads(used)
    return str(given.get("tool_name") or given.get("toolName") or ""), used, output


_ANSWERS = ("tool_response", "tool_output", "toolResult", "tool_result", "error_message")
_OUTPUTS = ("stdout", "stderr", "output", "error", "llmContent", "textResultForLlm", "text_result_for_llm")
_EXITED = re.compile(r"(?:^Exit Code|^Process exited with code|completed with exit code)[: ]+(-?\d+)", re.M | re.I)
_DENIED = ("failure", "error", "rejected", "denied")


def was_failed(event: str, agent: str, given: Json) -> bool | None:
    """Return whether the tool failed; None when its client does not say."""
    if event == "PostToolUseFailure":
        return not given.get("is_interrupt")
    answer = next((given[name] for name in _ANSWERS if name in given), None)
    if isinstance(answer, str) and answer.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            answer = json.loads(answer)
    fields = answer if isinstance(answer, dict) else given
    for name in ("exit_code", "exitCode", "returncode"):
        if isinstance(fields.get(name), int):
            return bool(fields[name] != 0)
    text = answer if isinstance(answer, str) else "\n".join(str(fields.get(name) or "") for name in _OUTPUTS)
    told = exited_badly(text)
    if told is not None:
        return told
    kind = str(fields.get("resultType") or fields.get("result_type") or "")
    if kind:
        return kind.lower() in _DENIED
    if isinstance(fields.get("error"), (dict, str)) and fields["error"]:
        return True
    # Claude Code tells of failures by a hook of their own.
    return False if agent == "claude-code" else None


def exited_badly(output: str) -> bool | None:
    """Return whether a command failed by the exit status that its client wrote beside its output; None if none."""
    exited = _EXITED.search(output[-4_000:]) or _EXITED.search(output[:4_000])
    return exited[1] != "0" if exited else None
