"""A colleague on another Unix account: a clone, a token, and nothing else of the machine it was committed on."""

import json
import re
import stat
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from sessions_app.models import AgentSession, SessionEvent
from tests.clients.account import Account, second_account, why_not
from tests.conftest import NOW
from tests.factories import make_insight
from tests.sessions_app.client.machine import Machine
from tests.web import serving

# On a machine as busy as one that runs tests a hook may take its time.
PATIENT = {"LOAM_HOOK_SECONDS": "20", "LOAM_LINGER": "0.01"}
LESSON = "The importer must read CSV in chunks of 5,000 rows, or the worker runs out of memory."
PROMPT = "How should I think about memory when the importer reads a large CSV file?"

# As an agent that speaks MCP over HTTP asks: it says hello, lists the tools, and calls one.
ASKS = """
import json, sys, urllib.request
url, headers = json.load(sys.stdin)
def ask(method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    with urllib.request.urlopen(urllib.request.Request(url, body, sent), timeout=30) as answer:
        return json.load(answer)["result"]
hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
ask("initialize", **hello)
headers["MCP-Protocol-Version"] = "2025-06-18"
tools = [tool["name"] for tool in ask("tools/list")["tools"]]
found = ask("tools/call", name="query_insights", arguments={"query": "memory of the CSV importer"})
print(json.dumps([tools, found["content"][0]["text"]]))
"""


@dataclass(frozen=True)
class Colleague:
    """Bob, on his own account, with his clone."""

    account: Account
    clone: Path
    token: str
    first: Path

    def sh(self, command: str, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command of a configuration as its agent does: by the shell, in the clone."""
        known = {"LOAM_TOKEN": self.token, **PATIENT, **more}
        return self.account.run("sh", "-c", command, cwd=self.clone, given=given, more=known)

    def read(self, name: str) -> Any:
        """Return a file of the clone, read by its owner."""
        done = self.account.run("cat", name, cwd=self.clone)
        assert done.returncode == 0, done.stderr
        return tomllib.loads(done.stdout) if name.endswith(".toml") else json.loads(done.stdout)


Connected = Callable[..., Colleague]


@pytest.fixture
def connected(transactional_db: None, alice: Member, bob: Member, tmp_path: Path) -> Iterator[Connected]:
    """Called with agents: Alice installs these, commits and pushes; Bob clones, on an account that cannot look into her
    home.
    """
    if why_not():
        pytest.skip(why_not())
    make_insight(alice, body=LESSON)
    hers, his = (issue_token(name="laptop", scopes=list(Scope), by=by, now=NOW).secret for by in (alice, bob))
    first = tmp_path / "alice"
    first.mkdir(mode=0o700)
    with serving() as url, second_account() as account:

        def connect(*agents: str) -> Colleague:
            machine = Machine(first, url, hers, extra={"LOAM_TEAM": "platform"})
            machine.git("init")
            for agent in agents:
                done = machine.run("install", agent, "--project", "--yes")
                assert done.status == 0, done.err
            machine.git("add", ".")
            machine.git("commit", "-m", "Connect the agents")
            bundle = first / "shop.bundle"
            machine.git("bundle", "create", str(bundle), "HEAD", "main")
            clone = account.home / "src" / "shop"
            cloned = account.run("git", "clone", "-q", "-b", "main", str(account.give(bundle)), str(clone))
            assert cloned.returncode == 0, cloned.stderr
            account.run("git", "remote", "set-url", "origin", "https://git.example.com/acme/shop.git", cwd=clone)
            return Colleague(account, clone, his, first)

        yield connect


def of_groups(settings: Any) -> dict[str, str]:
    """Return the command of each event, of Claude Code's form."""
    return {event: groups[-1]["hooks"][0]["command"] for event, groups in settings["hooks"].items()}


def flat(key: str) -> Callable[[Any], dict[str, str]]:
    return lambda settings: {event: handlers[-1][key] for event, handlers in settings["hooks"].items()}


@dataclass(frozen=True)
class Way:
    """How an agent reads its committed hooks, and the three calls that matter."""

    file: str
    commands: Callable[[Any], dict[str, str]]
    agent: str
    start: str
    prompt: str
    edit: str
    end: str
    top: str = ""  # the variable that its shell knows the project's folder by


CLASSIC = ("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd")
WAYS = {
    "claude-code": Way(".claude/settings.json", of_groups, "claude-code", *CLASSIC, "CLAUDE_PROJECT_DIR"),
    "codex": Way(".codex/hooks.json", of_groups, "codex", *CLASSIC),
    "gemini-cli": Way(
        ".gemini/settings.json", of_groups, "gemini", "SessionStart", "BeforeAgent", "AfterTool", "SessionEnd",
        "GEMINI_PROJECT_DIR",
    ),
    "cursor": Way(
        ".cursor/hooks.json", flat("command"), "cursor", "sessionStart", "beforeSubmitPrompt", "afterFileEdit",
        "sessionEnd",
    ),
    "copilot": Way(
        ".github/hooks/loam.json", flat("bash"), "copilot", "sessionStart", "userPromptSubmitted", "postToolUse",
        "sessionEnd",
    ),
}  # fmt: skip


def given(way: Way, clone: Path, **more: Any) -> str:
    """Return the input of a hook, in its client's names."""
    names = {"copilot": "sessionId", "cursor": "conversation_id"}
    common: dict[str, Any] = {names.get(way.agent, "session_id"): "bobs-session", "cwd": str(clone)}
    if way.agent == "cursor":
        common["workspace_roots"] = [str(clone)]
    return json.dumps({**common, **more})


def an_edit(way: Way, clone: Path) -> dict[str, Any]:
    path = str(clone / "importer" / "tariffs.py")
    if way.agent == "cursor":
        return {"file_path": path, "edits": [{"old_string": "a", "new_string": "b"}]}
    if way.agent == "copilot":
        arguments = {"path": path, "old_str": "a", "new_str": "b"}
        return {"toolName": "edit", "toolArgs": arguments, "toolResult": {"resultType": "success"}}
    name = {"gemini": "replace", "codex": "apply_patch"}.get(way.agent, "Edit")
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"
    used = {"command": patch} if way.agent == "codex" else {"file_path": path, "old_string": "a", "new_string": "b"}
    return {"tool_name": name, "tool_input": used, "tool_response": {}}


def eventually(found: Callable[[], Any]) -> Any:
    """What a courier delivers beside the hooks, as soon as it is there."""
    until = time.monotonic() + 20
    while not (what := found()) and time.monotonic() < until:
        time.sleep(0.1)
    return what


@pytest.mark.parametrize("name", list(WAYS))
def test_the_committed_hooks_are_answered_and_told_to_the_server(connected: Connected, bob: Member, name: str) -> None:
    colleague = connected(name)
    way, clone = WAYS[name], colleague.clone
    assert colleague.account.run("ls", str(colleague.first)).returncode != 0, "the first home can be read"
    commands = way.commands(colleague.read(way.file))
    more = {way.top: str(clone)} if way.top else {}
    said = colleague.sh(commands[way.start], given(way, clone, source="startup"), **more)
    assert "Loam session: loam-s-" in said.stdout, said.stderr
    assert "acme/shop: pointers" in said.stdout
    asked = colleague.sh(commands[way.prompt], given(way, clone, prompt=PROMPT), **more)
    assert "5,000 rows" in asked.stdout, asked.stderr
    for event, about in ((way.edit, an_edit(way, clone)), (way.end, {"reason": "exit"})):
        done = colleague.sh(commands[event], given(way, clone, **about), **more)
        assert (done.returncode, done.stdout.strip()) == (0, "{}"), done.stderr
    session = eventually(lambda: AgentSession.objects.filter(state="ended").first())
    assert session, "the session did not end at the server"
    assert (session.user_id, session.team.slug, session.repo) == (bob.user_id, "platform", "acme/shop")
    assert [event.path for event in SessionEvent.objects.all()] == ["importer/tariffs.py"]
    own = colleague.account.home / ".config" / "loam"
    assert (own.owner(), stat.S_IMODE(own.stat().st_mode)) == (colleague.account.name, 0o700)


# How each agent's committed entry names the token, and where its address and headers stand.
ENTRIES: dict[str, Callable[[Colleague], dict[str, Any]]] = {
    "claude-code": lambda one: one.read(".mcp.json")["mcpServers"]["loam"],
    "gemini-cli": lambda one: one.read(".gemini/settings.json")["mcpServers"]["loam"],
    "opencode": lambda one: one.read("opencode.json")["mcp"]["loam"],
    "vscode": lambda one: one.read(".vscode/mcp.json")["servers"]["loam"],
    "cursor": lambda one: one.read(".cursor/mcp.json")["mcpServers"]["loam"],
}
EXPANDED = {
    "claude-code": r"\$\{(\w+)\}", "gemini-cli": r"\$(\w+)", "opencode": r"\{env:(\w+)\}", "vscode": r"\$\{env:(\w+)\}",
    "cursor": r"\$\{env:(\w+)\}",
}  # fmt: skip


def test_the_committed_mcp_entries_are_answered_with_the_colleagues_own_token(connected: Connected) -> None:
    colleague = connected(*ENTRIES)
    known = {"LOAM_TOKEN": colleague.token}
    for name, read in ENTRIES.items():
        entry = read(colleague)
        headers = {
            key: re.sub(EXPANDED[name], lambda match: known[match.group(1)], value)
            for key, value in entry["headers"].items()
        }
        asked = json.dumps([entry.get("httpUrl") or entry["url"], headers])
        done = colleague.account.run("python3", "-I", "-c", ASKS, given=asked)
        assert done.returncode == 0, (name, done.stderr)
        tools, text = json.loads(done.stdout)
        assert {"query_insights", "deposit_insight", "checkpoint_session"} <= set(tools), name
        assert "5,000 rows" in text, name


def test_the_committed_mcp_command_of_codex_is_answered_and_ends_at_once_without_a_token(connected: Connected) -> None:
    """Codex starts it in the project, with the variables that the entry names."""
    colleague = connected("codex")
    entry = colleague.read(".codex/config.toml")["mcp_servers"]["loam"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
    query = {"name": "query_insights", "arguments": {"query": "memory of the CSV importer"}}
    calls = [("initialize", hello), ("tools/list", {}), ("tools/call", query)]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params})
        for at, (method, params) in enumerate(calls)
    ]
    known = {name: value for name, value in {"LOAM_TOKEN": colleague.token}.items() if name in entry["env_vars"]}
    words = (entry["command"], *entry["args"])
    done = colleague.account.run(*words, cwd=colleague.clone, given="\n".join(lines) + "\n", more=known)
    answers = {one["id"]: one["result"] for one in map(json.loads, done.stdout.splitlines())}
    assert {"query_insights", "deposit_insight"} <= {tool["name"] for tool in answers[1]["tools"]}
    assert "5,000 rows" in answers[2]["content"][0]["text"]
    done = colleague.account.run(*words, cwd=colleague.clone)
    assert (done.returncode, "LOAM_TOKEN" in done.stderr) == (1, True)


# As OpenCode loads and calls it.
PLUGIN = """
const { Loam } = await import(process.argv[2])
const hooks = await Loam({ directory: process.cwd(), worktree: process.cwd() })
const output = { message: { id: "msg_1" }, parts: [{ type: "text", text: process.argv[3] }] }
await hooks["chat.message"]({ sessionID: "bobs-session" }, output)
console.log(JSON.stringify(output.parts.map((part) => part.text)))
process.exit(0)
"""


def test_the_committed_plugin_of_opencode_is_answered(connected: Connected, bob: Member) -> None:
    colleague = connected("opencode")
    if colleague.account.run("node", "--version").returncode:
        pytest.skip("there is no node for another account")
    plugin = colleague.account.home / "loam.mjs"
    committed = colleague.account.run("cat", ".opencode/plugins/loam.js", cwd=colleague.clone).stdout
    plugin.write_text(committed)
    caller = colleague.account.home / "caller.mjs"
    caller.write_text(PLUGIN)
    done = colleague.sh(f"node {caller} {plugin} '{PROMPT}'")
    assert done.returncode == 0, done.stderr
    texts = "\n".join(json.loads(done.stdout.splitlines()[-1]))
    assert "acme/shop: pointers" in texts
    assert "5,000 rows" in texts
    session = eventually(lambda: AgentSession.objects.filter(state="ended").first())
    assert session and session.user_id == bob.user_id


def test_a_colleague_who_logged_in_needs_no_variable_for_the_hooks(connected: Connected) -> None:
    """`loam login` with the downloaded file, as the page "Connect an agent" says; the launcher does the rest."""
    colleague = connected("claude-code")
    url = re.findall(r'LOAM_URL:=([^}"]+)', (colleague.clone / ".loam" / "loam").read_text())[0]
    account = colleague.account
    done = account.run("sh", "-c", f"curl -fsS -O {url}/connect/loam.py && python3 loam.py login {url}",
                       given=f"{colleague.token}\n", more={"LOAM_TEAM": "platform"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    way = WAYS["claude-code"]
    command = way.commands(colleague.read(way.file))[way.start]
    more = {**PATIENT, "CLAUDE_PROJECT_DIR": str(colleague.clone)}
    text = given(way, colleague.clone, source="startup")
    said = account.run("sh", "-c", command, cwd=colleague.clone, given=text, more=more)
    assert "Loam session: loam-s-" in said.stdout, said.stderr
    credentials = account.home / ".config" / "loam" / "credentials.json"
    assert stat.S_IMODE(credentials.stat().st_mode) == 0o600


def test_the_account_is_gone_afterwards() -> None:
    if why_not():
        pytest.skip(why_not())
    with second_account() as account:
        assert account.run("id", "-un").stdout.strip() == account.name
    assert subprocess.run(["id", account.name], capture_output=True, check=False).returncode != 0
    assert not account.home.exists()
    assert account.processes() == []
