"""Claude Code: headless (`-p`) and interactive, on a pseudo-terminal."""

from typing import Any

from tests.clients.driver import Driver, Play, Setup
from tests.clients.endpoint import Endpoint
from tests.clients.machine import merge
from tests.clients.processes import Process
from tests.clients.script import Action, Ask, Asked, Edit, First, Raw, Reply, Run, Write


class ClaudeCode(Driver):
    name = "claude-code"
    binary = "claude"

    def prepare(self, setup: Setup) -> None:
        """What a person has answered once: the theme, the folder is trusted, these tools may be used."""
        home = setup.machine.home
        allowed = ["Bash", "Edit", "Write", "Read", "mcp__loam"]
        settings = {"permissions": {"allow": allowed}, "theme": "dark", "enableAllProjectMcpServers": True}
        merge(home / ".claude" / "settings.json", settings)
        project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        known = {"hasCompletedOnboarding": True, "numStartups": 3, "projects": {str(setup.checkout): project}}
        merge(home / ".claude.json", known)

    def environment(self, endpoint: Endpoint, setup: Setup) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": endpoint.url,
            "ANTHROPIC_AUTH_TOKEN": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "IS_SANDBOX": "1",
        }

    def command(self, play: Play) -> list[str]:
        words = [self.binary, "--model", "claude-sonnet-4-5"]
        if play.resumes:
            words.append("--continue")
        if play.headless:
            words += ["-p", play.prompts[0], "--output-format", "stream-json", "--verbose"]
        return words

    def ready(self, process: Process) -> bool:
        return process.until_shown(r"\? for shortcuts|❯|> ", 40)

    def finish(self, process: Process) -> None:
        process.type("/exit")

    def spell(self, action: Action, asked: Asked) -> tuple[str, dict[str, Any]]:
        place = self.setup.checkout
        match action:
            case Write():
                return "Write", {"file_path": str(place / action.path), "content": action.text}
            case Edit():
                given = {"file_path": str(place / action.path), "old_string": action.old, "new_string": action.new}
                return "Edit", given
            case Run():
                return "Bash", {"command": action.command, "description": "Run a command"}
            case Ask():
                return self._loaded(action.tool, asked), action.fitting(asked)

    def everything(self, asked: Asked) -> Reply:
        names = ",".join(f"mcp__loam__{name}" for name in asked.ours if not asked.tool(name))
        return (
            Reply("", (Raw("ToolSearch", {"query": f"select:{names}", "max_results": 40}),))
            if names
            else super().everything(asked)
        )

    def _loaded(self, tool: str, asked: Asked) -> str:
        """The name of a tool of Loam's. Tools that are not in the request are loaded by ToolSearch, once."""
        name = asked.tool(tool) or f"mcp__loam__{tool}"
        searched = f'"select:{name}"' in asked.context
        if not asked.tool(tool) and not searched and any(one.name == "ToolSearch" for one in asked.tools):
            raise First("ToolSearch", {"query": f"select:{name}", "max_results": 5})
        return name
