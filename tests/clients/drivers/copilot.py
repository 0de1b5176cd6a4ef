"""GitHub Copilot CLI with a provider of one's own (`COPILOT_PROVIDER_BASE_URL`), offline."""

from typing import Any

from tests.clients.driver import Driver, Play, Setup
from tests.clients.endpoint import Endpoint
from tests.clients.machine import Machine, merge
from tests.clients.processes import Process
from tests.clients.script import Action, Ask, Asked, Edit, Run, Write


class CopilotCli(Driver):
    name = "copilot"
    aliases = ("copilot-cli", "github-copilot")
    binary = "copilot"

    def prepare(self, setup: Setup) -> None:
        trusted = {"trusted_folders": [str(setup.checkout)], "banner": "never"}
        merge(setup.machine.home / ".copilot" / "config.json", trusted)

    def connect_by_hand(self, machine: Machine) -> None:
        headers = {"Authorization": f"Bearer {machine.token}"}
        entry = {"type": "http", "url": f"{machine.url}/mcp", "headers": headers, "tools": ["*"]}
        merge(machine.home / ".copilot" / "mcp-config.json", {"mcpServers": {"loam": entry}})

    def environment(self, endpoint: Endpoint, setup: Setup) -> dict[str, str]:
        return {
            "COPILOT_PROVIDER_BASE_URL": f"{endpoint.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "scripted",
            "COPILOT_MODEL": "scripted",
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def command(self, play: Play) -> list[str]:
        words = [self.binary, "--allow-all", "--no-auto-update", *(["--continue"] * play.resumes)]
        return [*words, "-p", play.prompts[0]] if play.headless else [*words, "--no-color"]

    def ready(self, process: Process) -> bool:
        return process.until_shown(r"@ (to )?mention|/ (for )?commands|\u276f", 60)

    def finish(self, process: Process) -> None:
        process.type("/exit")

    def spell(self, action: Action, asked: Asked) -> tuple[str, dict[str, Any]]:
        place = self.setup.checkout
        names = {tool.name for tool in asked.tools}
        match action:
            case Write():
                return "create", {"path": str(place / action.path), "file_text": action.text}
            case Edit():
                return "edit", {"path": str(place / action.path), "old_str": action.old, "new_str": action.new}
            case Run():
                shell = next((name for name in ("bash", "shell") if name in names), "bash")
                given = {"command": action.command, "description": "Run a command", "sessionId": "1"}
                return shell, {**given, "mode": "sync", "initial_wait": 60}
            case Ask():
                return asked.tool(action.tool) or f"loam-{action.tool}", action.fitting(asked)
