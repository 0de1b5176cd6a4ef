"""Hooks that a client finds in one's own settings and in a project: one of the two answers, the other stands back."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.sessions_app.client.machine import Machine
from tests.sessions_app.client.stand_in import ORIENTATION, StandIn

# The file in one's own settings, the one in a project; what the client calls a start, an edit and an end.
CLASSIC = ("SessionStart", "PostToolUse", "SessionEnd")
CLIENTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "claude-code": (".claude/settings.json", ".claude/settings.json", CLASSIC),
    "codex": (".codex/hooks.json", ".codex/hooks.json", CLASSIC),
    "gemini-cli": (
        ".gemini/settings.json", ".gemini/settings.json", ("SessionStart", "AfterTool", "SessionEnd"),
    ),
    "copilot": (
        ".copilot/hooks/loam.json", ".github/hooks/loam.json", ("sessionStart", "postToolUse", "sessionEnd"),
    ),
    "cursor": (
        ".cursor/hooks.json", ".cursor/hooks.json", ("sessionStart", "afterFileEdit", "sessionEnd"),
    ),
}  # fmt: skip


def command(path: Path, event: str) -> str:
    (entry,) = json.loads(path.read_text())["hooks"][event]
    return str(entry["hooks"][0]["command"] if "hooks" in entry else entry["command"])


def given(machine: Machine, name: str, event: str, **more: Any) -> str:
    key = {"copilot": "sessionId", "cursor": "conversation_id"}.get(name, "session_id")
    about: dict[str, Any] = {key: "one", "cwd": str(machine.checkout), "hook_event_name": event, **more}
    path = str(machine.checkout / "src" / "a.py")
    if event == "afterFileEdit":
        about |= {"file_path": path, "edits": []}
    elif event == "postToolUse":
        about |= {"toolName": "edit", "toolArgs": {"path": path}, "toolResult": {"resultType": "success"}}
    elif event in ("PostToolUse", "AfterTool"):
        about |= {"tool_name": "Edit", "tool_input": {"file_path": path}, "tool_response": {}}
        if name == "codex":
            patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"
            about |= {"tool_name": "apply_patch", "tool_input": {"command": patch}}
    return json.dumps(about)


def call(machine: Machine, line: str, text: str) -> str:
    """As a client calls it: by the shell, in the checkout."""
    env = {**machine.env(), "CLAUDE_PROJECT_DIR": str(machine.checkout), "GEMINI_PROJECT_DIR": str(machine.checkout)}
    done = subprocess.run(
        ["sh", "-c", line], input=text, env=env, cwd=machine.checkout, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    machine.delivered()
    return done.stdout.strip()


@pytest.fixture
def both(machine: Machine) -> Machine:
    """Each agent is installed in one's own settings and, by --project, in the checkout."""
    for name in CLIENTS:
        for form in ((), ("--project",)):
            assert machine.run("install", name, *form, "--yes").status == 0
    return machine


@pytest.mark.parametrize("name", list(CLIENTS))
def test_one_of_the_two_answers_and_tells(both: Machine, server: StandIn, name: str) -> None:
    own, shared, (start, edit, end) = CLIENTS[name]
    places = (both.home / own, both.checkout / shared)
    said = [call(both, command(path, start), given(both, name, start, source="startup")) for path in places]
    assert [ORIENTATION in text for text in said] == [True, False]
    for event in (edit, end):
        for path in reversed(places):
            assert call(both, command(path, event), given(both, name, event)) == "{}"
    assert len([path for _, path, _ in server.counted if path == "/api/v1/sessions/"]) == 1
    assert [len(body["events"]) for body in server.of("/events/")] == [1]
    assert len(server.of("/end/")) == 1


@pytest.mark.parametrize("name", list(CLIENTS))
def test_the_projects_answer_once_ones_own_are_taken_out(both: Machine, name: str) -> None:
    _, shared, (start, *_) = CLIENTS[name]
    both.run("install", name, "--uninstall", "--yes")
    said = call(both, command(both.checkout / shared, start), given(both, name, start, source="startup"))
    assert ORIENTATION in said


@pytest.mark.parametrize(
    ("trusted", "speaks"), [(("own",), "own"), (("shared",), "shared"), (("own", "shared"), "own"), ((), "own")]
)
def test_codex_is_answered_by_those_that_it_trusts(both: Machine, trusted: tuple[str, ...], speaks: str) -> None:
    """Without trust in either it runs them only if it was told to ask nobody, and then both."""
    places = {"own": both.home / ".codex/hooks.json", "shared": both.checkout / ".codex/hooks.json"}
    config = both.home / ".codex/config.toml"
    told = [f'[hooks.state."{places[one]}:session_start:0:0"]\ntrusted_hash = "sha256:0"\n' for one in trusted]
    config.write_text("\n".join([config.read_text(), *told]))
    said = call(both, command(places["shared"], "SessionStart"), given(both, "codex", "SessionStart", source="startup"))
    assert (ORIENTATION in said) == (speaks == "shared")


@pytest.mark.parametrize("form", [(), ("--project",)])
@pytest.mark.parametrize("name", ["copilot", "cursor"])
def test_claude_codes_hooks_stand_back_in_a_client_that_has_its_own(
    machine: Machine, name: str, form: tuple[str, ...]
) -> None:
    """Copilot CLI, VS Code and Cursor run the hooks of `.claude/settings.json`, too."""
    machine.run("install", "claude-code", "--project", "--yes")
    line = command(machine.checkout / ".claude/settings.json", "SessionStart")
    about = {
        "copilot": {"hook_event_name": "SessionStart", "session_id": "one", "timestamp": "2026-11-23T10:34:38.249Z"},
        "cursor": {"conversation_id": "one", "hook_event_name": "SessionStart", "cursor_version": "2.0"},
    }[name]
    text = json.dumps({**about, "cwd": str(machine.checkout), "source": "new"})
    assert ORIENTATION in call(machine, line, text)
    machine.run("install", name, *form, "--yes")
    other = text.replace('"one"', '"two"')
    assert ORIENTATION not in call(machine, line, other)
    plain = json.dumps({"session_id": "three", "cwd": str(machine.checkout), "source": "startup"})
    assert ORIENTATION in call(machine, line, plain)


def test_status_and_install_say_which_stand_back(machine: Machine) -> None:
    first = machine.run("install", "claude-code", "--yes")
    assert "stand back" not in first.out + machine.run("status").out
    done = machine.run("install", "claude-code", "--project", "--yes")
    line = f"the hooks in {machine.checkout}/.claude/settings.json stand back for yours in"
    assert line in done.out
    assert line in machine.run("status").out
    assert [line in one for one in machine.run("status", "--json").json["standing_back"]] == [True]
    machine.run("install", "copilot", "--project", "--yes")
    assert "copilot: where it runs Claude Code's hooks too" in machine.run("status").out


# As OpenCode loads it: the names of the hooks that the plugin has.
LOADS = """
const { Loam } = await import(process.argv[2])
console.log(JSON.stringify(Object.keys(await Loam({ directory: process.cwd(), worktree: process.cwd() }))))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_opencodes_plugin_of_a_project_gives_way_to_ones_own(machine: Machine) -> None:
    """Each would write the same transcript."""
    (machine.home / "loads.mjs").write_text(LOADS)

    def hooks_of(plugin: Path) -> list[str]:
        copy = machine.home / "loam.mjs"
        copy.write_text(plugin.read_text())
        words = ["node", str(machine.home / "loads.mjs"), str(copy)]
        done = subprocess.run(words, env=machine.env(), capture_output=True, text=True, check=True, timeout=60)
        return list(json.loads(done.stdout))

    own, shared = machine.home / ".config/opencode/plugins/loam.js", machine.checkout / ".opencode/plugins/loam.js"
    machine.run("install", "opencode", "--project", "--yes")
    assert "chat.message" in hooks_of(shared)
    machine.run("install", "opencode", "--yes")
    assert hooks_of(shared) == []
    assert "chat.message" in hooks_of(own)
