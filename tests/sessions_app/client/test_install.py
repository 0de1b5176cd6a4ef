"""Connecting an agent: what was there stays, what is done is shown first, and can be undone."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.sessions_app.client.machine import Machine
from tests.sessions_app.client.stand_in import StandIn

AGENTS = ("claude-code", "cursor", "codex", "vscode", "gemini-cli", "opencode", "copilot")
SETTINGS = """{
    "model": "opus",
    "env": {"GITHUB_TOKEN": "ghp_q8Zt4vLw9Rk2Xn7Bc3Md5Fg6Hj1Kp0Sa2Td4"},
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done – fertig"}]}],
        "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "ruff format"}]}]
    }
}"""
SERVERS = '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "npx"\n\t\t}\n\t},\n\t"numStartups": 7\n}\n'
TOML = 'model = "o4"\n\n[mcp_servers.other]\ncommand = "npx"  # keep\n'


def files(machine: Machine) -> dict[str, tuple[bytes, int]]:
    """What agents read: each file of the home folder that is not the client's own."""
    return {
        str(path.relative_to(machine.home)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in machine.home.rglob("*")
        if path.is_file() and not path.is_relative_to(machine.own) and ".git" not in path.parts
    }


def folders(machine: Machine) -> set[Path]:
    found = {path for path in machine.home.rglob("*") if path.is_dir() and ".git" not in path.parts}
    return {path for path in found if not path.is_relative_to(machine.own)}


@pytest.fixture
def lived_in(machine: Machine) -> Machine:
    """A machine whose agents have settings already."""
    for name, text in (
        (".claude/settings.json", SETTINGS),
        (".claude.json", SERVERS),
        (".cursor/mcp.json", SERVERS),
        (".cursor/hooks.json", '{"version": 1, "hooks": {"stop": [{"command": "./done.sh"}]}}\n'),
        (".codex/config.toml", TOML),
        (".gemini/settings.json", SERVERS),
        (
            ".config/opencode/opencode.json",
            '{"model": "x/y", "mcp": {"other": {"type": "remote", "url": "https://x"}}}',
        ),
        (".copilot/mcp-config.json", SERVERS),
        (".config/Code/User/mcp.json", '{"inputs": [], "servers": {"other": {"type": "http", "url": "https://x"}}}'),
    ):
        path = machine.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
    return machine


class TestInstall:
    @pytest.mark.parametrize("agent", AGENTS)
    def test_print_shows_the_difference_and_writes_nothing(self, lived_in: Machine, agent: str) -> None:
        before = files(lived_in)
        done = lived_in.run("install", agent, "--print")
        assert done.status == 0
        assert "+++ " in done.out
        assert "loam-client" in done.out
        assert files(lived_in) == before
        assert not (lived_in.own / "loam-client").exists()

    @pytest.mark.parametrize("agent", AGENTS)
    def test_without_a_yes_nothing_is_written(self, lived_in: Machine, agent: str) -> None:
        before = files(lived_in)
        done = lived_in.run("install", agent)
        assert (done.status, files(lived_in) == before) == (1, True)
        assert "--yes" in done.err

    @pytest.mark.parametrize("agent", AGENTS)
    @pytest.mark.parametrize("lived", [True, False])
    def test_and_uninstall_leave_every_byte_as_it_was(
        self, request: pytest.FixtureRequest, agent: str, lived: bool
    ) -> None:
        machine: Machine = request.getfixturevalue("lived_in" if lived else "machine")
        machine.own.mkdir(parents=True, exist_ok=True)
        before, there = files(machine), folders(machine)
        assert machine.run("install", agent, "--yes").status == 0
        assert files(machine) != before
        assert machine.run("install", agent, "--uninstall", "--yes").status == 0
        assert files(machine) == before
        assert folders(machine) == there

    @pytest.mark.parametrize("agent", AGENTS)
    def test_twice_is_once(self, lived_in: Machine, agent: str) -> None:
        lived_in.run("install", agent, "--yes")
        once = files(lived_in)
        assert "Nothing to change" in lived_in.run("install", agent, "--yes").out
        assert files(lived_in) == once

    def test_again_renews_the_client(self, lived_in: Machine) -> None:
        lived_in.run("install", "cursor", "--yes")
        (lived_in.own / "loam-client/loam.py").write_text("raise SystemExit('an older one')\n")
        subprocess.run(
            [lived_in.python, str(lived_in.downloaded), "install", "cursor", "--yes"], env=lived_in.env(), check=True
        )
        assert (lived_in.own / "loam-client/loam.py").read_text() == lived_in.downloaded.read_text()

    def test_lays_the_client_down_as_these_tests_run_it(self, lived_in: Machine) -> None:
        lived_in.as_downloaded = True
        assert lived_in.run("login", lived_in.url, given=f"{lived_in.token}\n").status == 0
        lived_in.run("install", "cursor", "--yes")
        laid = lived_in.own / "loam-client"
        assert {path.name: path.read_text() for path in laid.glob("*.py")} == {
            path.name: path.read_text() for path in lived_in.unpacked.glob("*.py")
        }

    def test_keeps_what_others_wrote_meanwhile(self, lived_in: Machine) -> None:
        lived_in.run("install", "claude-code", "--yes")
        path = lived_in.home / ".claude/settings.json"
        mine = json.loads(path.read_text())
        mine["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "later"})
        path.write_text(json.dumps(mine))
        lived_in.run("install", "claude-code", "--uninstall", "--yes")
        left = json.loads(path.read_text())
        expected = json.loads(SETTINGS)
        expected["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "later"})
        assert left == expected

    def test_keeps_what_stands_behind_codexs_table(self, lived_in: Machine) -> None:
        path = lived_in.home / ".codex/config.toml"
        before = path.read_text().rstrip("\n") + "\n"
        path.write_text(before)
        lived_in.run("install", "codex", "--yes")
        path.write_text(path.read_text() + '\n[tui]\ntheme = "dark"\n')
        lived_in.run("install", "codex", "--uninstall", "--yes")
        assert path.read_text() == before + '\n[tui]\ntheme = "dark"\n'

    def test_writes_claude_codes_hooks_in_their_form(self, lived_in: Machine) -> None:
        lived_in.run("install", "claude-code", "--yes")
        settings = json.loads((lived_in.home / ".claude/settings.json").read_text())
        assert settings["hooks"]["Stop"][0] == json.loads(SETTINGS)["hooks"]["Stop"][0]
        ours = {event: groups[-1] for event, groups in settings["hooks"].items()}
        assert set(ours) >= {"SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"}
        for event, group in ours.items():
            (handler,) = group["hooks"]
            assert handler["type"] == "command"
            assert handler["timeout"] <= 15
            assert f" hook {event} " in handler["command"]
        assert ours["SessionStart"]["matcher"] == "startup|resume|clear|compact|fork"
        assert not any("async" in group["hooks"][0] for group in ours.values())
        servers = json.loads((lived_in.home / ".claude.json").read_text())
        assert servers["mcpServers"]["loam"]["args"][-1] == "mcp"
        assert (servers["numStartups"], servers["mcpServers"]["other"]) == (7, {"command": "npx"})

    def test_the_hook_it_wrote_runs(self, lived_in: Machine) -> None:
        lived_in.run("install", "claude-code", "--yes")
        settings = json.loads((lived_in.home / ".claude/settings.json").read_text())
        command = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
        given = json.dumps({"session_id": "x", "cwd": str(lived_in.checkout), "source": "startup"})
        with os.popen(f"cd {lived_in.checkout} && echo '{given}' | {env_of(lived_in)} {command}") as pipe:
            answer = json.loads(pipe.read())
        assert "loam-s-1" in answer["hookSpecificOutput"]["additionalContext"]

    def test_writes_codexs_table_as_toml(self, lived_in: Machine) -> None:
        lived_in.run("install", "codex", "--yes")
        text = (lived_in.home / ".codex/config.toml").read_text()
        table = tomllib.loads(text)["mcp_servers"]
        assert text.startswith(TOML)
        assert set(table) == {"other", "loam"}
        hooks = json.loads((lived_in.home / ".codex/hooks.json").read_text())["hooks"]
        recorded = {"PostToolUse", "PreCompact", "Stop", "Interrupt", "SessionEnd"}
        assert set(hooks) == {"SessionStart", "UserPromptSubmit", *recorded}
        # Codex warns at each start of a longer time for these two.
        assert all(hooks[event][0]["hooks"][0]["timeout"] <= 3 for event in ("Interrupt", "SessionEnd"))

    def test_writes_cursors_hooks_flat(self, lived_in: Machine) -> None:
        lived_in.run("install", "cursor", "--yes")
        hooks = json.loads((lived_in.home / ".cursor/hooks.json").read_text())
        assert hooks["version"] == 1
        assert hooks["hooks"]["stop"][0] == {"command": "./done.sh"}
        assert set(hooks["hooks"]) >= {"sessionStart", "beforeSubmitPrompt", "afterFileEdit", "sessionEnd"}

    def test_keeps_comments_by_refusing(self, lived_in: Machine) -> None:
        path = lived_in.home / ".config/Code/User/mcp.json"
        path.write_text('{\n  // mine\n  "servers": {}\n}')
        before = files(lived_in)
        done = lived_in.run("install", "vscode", "--yes")
        assert (done.status, files(lived_in) == before) == (1, True)
        assert "comments" in done.err

    def test_takes_nothing_that_another_put_there(self, lived_in: Machine) -> None:
        (lived_in.home / ".codex/config.toml").write_text('[mcp_servers.loam]\ncommand = "mine"\n')
        (lived_in.home / ".cursor/mcp.json").write_text('{"mcpServers": {"loam": {"command": "mine"}}}')
        before = files(lived_in)
        assert [lived_in.run("install", agent, "--yes").status for agent in ("codex", "cursor")] == [1, 1]
        assert files(lived_in) == before

    def test_shows_no_secret_of_the_file(self, lived_in: Machine) -> None:
        done = lived_in.run("install", "claude-code", "--print")
        assert "ghp_q8Zt4vLw9Rk2" not in done.out

    def test_follows_a_link_to_where_the_settings_are_kept(self, lived_in: Machine) -> None:
        path, kept = lived_in.home / ".claude/settings.json", lived_in.home / "dotfiles.json"
        path.rename(kept)
        path.symlink_to(kept)
        lived_in.run("install", "claude-code", "--yes")
        assert path.is_symlink()
        assert "loam-client" in kept.read_text()

    def test_the_token_is_in_no_configuration(self, lived_in: Machine) -> None:
        for agent in AGENTS:
            lived_in.run("install", agent, "--yes")
        assert all(lived_in.token.encode() not in content for content, _ in files(lived_in).values())


def env_of(machine: Machine) -> str:
    return "env -i " + " ".join(f"{name}='{value}'" for name, value in machine.env().items())


def test_path_is_absolute(lived_in: Machine) -> None:
    lived_in.run("install", "cursor", "--yes")
    entry = json.loads((lived_in.home / ".cursor/mcp.json").read_text())["mcpServers"]["loam"]
    assert Path(entry["command"]).is_absolute()
    assert Path(entry["args"][-2]).is_absolute()


class TestInAProject:
    """What a colleague needs is in the files that are committed, and nothing of the machine they were written on."""

    @pytest.fixture
    def committed(self, machine: Machine) -> Machine:
        machine.extra = {"LOAM_TEAM": "platform"}
        for agent in AGENTS:
            done = machine.run("install", agent, "--project", "--yes")
            assert done.status == 0, done.err
        machine.git("add", ".")
        machine.git("commit", "-m", "Connect the agents")
        return machine

    def test_names_no_path_no_home_and_no_python_of_a_machine(self, committed: Machine) -> None:
        names = subprocess.run(
            ["git", "ls-files"], cwd=committed.checkout, capture_output=True, text=True, check=True
        ).stdout.split()
        assert {".claude/settings.json", ".mcp.json", ".codex/hooks.json", ".loam/loam", ".github/hooks/loam.json"} <= {
            *names
        }
        for name in names:
            text = (committed.checkout / name).read_text()
            found = [
                word for word in (str(committed.home), sys.prefix, sys.executable, "/root", "/usr") if word in text
            ]
            assert found == [], name
            assert committed.token not in text
        assert not (committed.home / ".claude").exists()

    def test_a_colleague_with_another_home_connects_from_the_clone_alone(
        self, committed: Machine, server: StandIn, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        """Their own account, another Python, nothing installed: the launcher fetches the client from the server."""
        other = tmp_path_factory.mktemp("colleague")
        clone = other / "src" / "shop"
        env = {"HOME": str(other), "PATH": "/usr/bin:/bin", "LOAM_TOKEN": "loam_11111111_" + "cd4" * 12}
        env |= {"LOAM_HOOK_SECONDS": "20", "LOAM_LINGER": "0.01", "CLAUDE_PROJECT_DIR": str(clone)}
        subprocess.run(["git", "clone", "-q", str(committed.checkout), str(clone)], check=True, env=env)
        settings = json.loads((clone / ".claude/settings.json").read_text())
        command = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
        given = json.dumps({"session_id": "theirs", "cwd": str(clone), "source": "startup"})
        done = subprocess.run(
            ["sh", "-c", command], input=given, env=env, cwd=clone, capture_output=True, text=True, timeout=60
        )
        assert "loam-s-1" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        assert server.of("/api/v1/sessions/")[-1]["team"] == "platform"
        assert (other / ".config/loam/loam-client/loam.py").exists()

    def test_a_colleague_without_a_token_works_on_undisturbed(self, committed: Machine, server: StandIn) -> None:
        env = {"HOME": str(committed.home / "nobody"), "PATH": "/usr/bin:/bin"}
        for event in ("SessionStart", "PostToolUse"):
            done = subprocess.run(
                [".loam/loam", "hook", event],
                input="{}",
                env=env,
                cwd=committed.checkout,
                capture_output=True,
                text=True,
            )
            assert (done.returncode, done.stdout.strip()) == (0, "{}")
        assert server.calls == []

    def test_speaks_mcp_over_http_with_the_token_of_whoever_runs_it(self, committed: Machine) -> None:
        entry = json.loads((committed.checkout / ".mcp.json").read_text())["mcpServers"]["loam"]
        assert (entry["type"], entry["url"]) == ("http", f"{committed.url}/mcp")
        assert entry["headers"] == {"Authorization": "Bearer ${LOAM_TOKEN}"}

    def test_gives_codex_an_entry_that_can_be_joined_with_that_of_ones_own_settings(self, committed: Machine) -> None:
        """Codex joins the two tables, and does not start with a `url` beside a `command`."""
        committed.run("install", "codex", "--yes")
        own, shared = (
            tomllib.loads((folder / ".codex/config.toml").read_text())["mcp_servers"]["loam"]
            for folder in (committed.home, committed.checkout)
        )
        assert set(own) == {"command", "args"}
        assert set(shared) == {"command", "args", "env_vars"}
        assert "LOAM_TOKEN" in shared["env_vars"]

    def test_is_valid_for_each_agent_that_reads_a_shared_file_in_any_order(self, machine: Machine) -> None:
        """Claude Code skips a server with `tools` as Copilot CLI writes them; Copilot CLI needs none."""
        found = []
        for agents in (AGENTS, tuple(reversed(AGENTS))):
            for agent in agents:
                assert machine.run("install", agent, "--project", "--yes").status == 0
            found.append(files(machine))
            for agent in agents:
                machine.run("install", agent, "--project", "--uninstall", "--yes")
        assert found[0] == found[1]
        entry = json.loads(found[0]["work/shop/.mcp.json"][0])["mcpServers"]["loam"]
        assert set(entry) == {"type", "url", "headers"}

    @pytest.mark.parametrize("same_order", [True, False])
    def test_uninstall_leaves_every_byte_as_it_was(self, machine: Machine, same_order: bool) -> None:
        machine.write(".mcp.json", SERVERS)
        machine.write(".claude/settings.json", SETTINGS)
        machine.own.mkdir(parents=True, exist_ok=True)
        before, there = files(machine), folders(machine)
        for agent in AGENTS:
            machine.run("install", agent, "--project", "--yes")
        for agent in AGENTS if same_order else reversed(AGENTS):
            machine.run("install", agent, "--project", "--uninstall", "--yes")
        assert (files(machine), folders(machine)) == (before, there)

    @pytest.mark.parametrize("agent", AGENTS)
    @pytest.mark.parametrize(
        "text", ["{}", '{\n\t"mcpServers": {},\n\t"servers": {},\n\t"hooks": {"Stop": []}\n}', "\n"]
    )
    def test_uninstall_keeps_a_file_with_nothing_in_it(self, machine: Machine, agent: str, text: str) -> None:
        machine.own.mkdir(parents=True, exist_ok=True)
        for name in (
            ".mcp.json",
            ".claude/settings.json",
            ".cursor/mcp.json",
            ".gemini/settings.json",
            "opencode.json",
        ):
            machine.write(name, text)
        before = files(machine)
        assert machine.run("install", agent, "--project", "--yes").status == 0
        assert machine.run("install", agent, "--project", "--uninstall", "--yes").status == 0
        assert files(machine) == before

    def test_says_which_files_git_keeps_from_colleagues(self, machine: Machine) -> None:
        assert "git ignores" not in machine.run("install", "vscode", "--project", "--yes").out
        machine.write(".gitignore", ".claude/\n")
        assert "git ignores .claude/settings.json" in machine.run("install", "claude-code", "--project", "--yes").out


SHARING = [
    *((one, other, ("--project",)) for one in ("claude-code", "vscode", "codex") for other in ("copilot",)),
    *((one, other, ("--project",)) for one in ("copilot",) for other in ("claude-code", "vscode", "cursor")),
    ("claude-code", "vscode", ("--project",)), ("copilot", "vscode", ()), ("vscode", "copilot", ()),
]  # fmt: skip


class TestAgentsThatShareFiles:
    @pytest.mark.parametrize(("stays", "goes", "form"), SHARING)
    def test_keep_them_when_one_is_taken_out(
        self, machine: Machine, stays: str, goes: str, form: tuple[str, ...]
    ) -> None:
        before = files(machine)
        for agent in (goes, stays):
            machine.run("install", agent, *form, "--yes")
        for agent in (goes, stays):
            machine.run("install", agent, *form, "--uninstall", "--yes")
        assert files(machine) == before
        machine.run("install", stays, *form, "--yes")
        alone = files(machine)
        machine.run("install", goes, *form, "--yes")
        done = machine.run("install", goes, *form, "--uninstall", "--yes")
        assert files(machine) == alone
        assert f"for {stays}" in done.out

    def test_keep_them_when_three_overlap(self, machine: Machine) -> None:
        """Each file of Copilot CLI's is one of another agent's too."""
        for agent in ("claude-code", "vscode"):
            machine.run("install", agent, "--project", "--yes")
        two = files(machine)
        assert "Nothing to change" in machine.run("install", "copilot", "--project", "--yes").out
        machine.run("install", "claude-code", "--project", "--uninstall", "--yes")
        assert (machine.checkout / ".mcp.json").exists()
        machine.run("install", "claude-code", "--project", "--yes")
        machine.run("install", "copilot", "--project", "--uninstall", "--yes")
        assert files(machine) == two
        for agent in ("claude-code", "vscode"):
            machine.run("install", agent, "--project", "--uninstall", "--yes")
        assert not [name for name in files(machine) if name.startswith("work/")]

    def test_keep_them_in_a_clone_that_another_machine_installed(
        self, machine: Machine, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        for agent in ("claude-code", "copilot", "codex"):
            machine.run("install", agent, "--project", "--yes")
        machine.git("add", ".")
        machine.git("commit", "-m", "Connect the agents")
        other = Machine(tmp_path_factory.mktemp("colleague"), machine.url, machine.token)
        other.checkout.parent.mkdir(parents=True)
        subprocess.run(["git", "clone", "-q", str(machine.checkout), str(other.checkout)], check=True)
        other.run("install", "claude-code", "--project", "--uninstall", "--yes")
        assert {".mcp.json", ".loam", ".github", ".codex"} <= {path.name for path in other.checkout.iterdir()}
        assert not (other.checkout / ".claude/settings.json").exists()
        for agent in ("copilot", "codex"):
            other.run("install", agent, "--project", "--uninstall", "--yes")
        assert [path.name for path in other.checkout.iterdir() if path.is_file()] == []


class TestSharingPrompts:
    """A person's prompts are theirs: shared in handoffs only if they say so."""

    def told(self, machine: Machine, server: StandIn, *words: str) -> list[object]:
        assert machine.run("install", "claude-code", "--yes", *words).status == 0
        machine.hook("SessionStart", source="startup")
        machine.hook("SessionStart", source="startup", session_id="second")
        starts = [body for _, path, body in server.counted if path == "/api/v1/sessions/"]
        return [body.get("share_prompts") for body in starts]

    def test_is_off_where_nobody_was_asked(self, machine: Machine, server: StandIn) -> None:
        assert self.told(machine, server) == [None, None]

    def test_is_told_once_so_that_the_settings_page_can_change_it(self, machine: Machine, server: StandIn) -> None:
        assert self.told(machine, server, "--share-prompts") == [True, None]
