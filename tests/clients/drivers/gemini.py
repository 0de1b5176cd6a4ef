"""Gemini CLI: `gemini -p` and its terminal."""

from typing import Any

from tests.clients.driver import Driver, Play, Setup
from tests.clients.endpoint import Endpoint
from tests.clients.machine import Machine, merge
from tests.clients.processes import Process
from tests.clients.script import Action, Ask, Asked, Edit, Run, Write


class GeminiCli(Driver):
    name = "gemini-cli"
    aliases = ("gemini",)
    binary = "gemini"

    def prepare(self, setup: Setup) -> None:
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "ui": {"theme": "Default", "hideTips": True},
        }
        merge(setup.machine.home / ".gemini" / "settings.json", settings)

    def connect_by_hand(self, machine: Machine) -> None:
        entry = {"httpUrl": f"{machine.url}/mcp", "headers": {"Authorization": f"Bearer {machine.token}"}}
        merge(machine.home / ".gemini" / "settings.json", {"mcpServers": {"loam": {**entry, "trust": True}}})

    def environment(self, endpoint: Endpoint, setup: Setup) -> dict[str, str]:
        return {"GEMINI_API_KEY": "scripted", "GOOGLE_GEMINI_BASE_URL": endpoint.url, "GEMINI_CLI_NO_RELAUNCH": "true"}

    def command(self, play: Play) -> list[str]:
        words = [self.binary, "--yolo", "--skip-trust", "--model", "gemini-2.5-pro"]
        words += ["--resume", "latest"] * play.resumes
        return [*words, "-p", play.prompts[0]] if play.headless else words

    def ready(self, process: Process) -> bool:
        return process.until_shown(r"Type your message", 60)

    def finish(self, process: Process) -> None:
        process.type("/quit")

    def spell(self, action: Action, asked: Asked) -> tuple[str, dict[str, Any]]:
        place = self.setup.checkout
        match action:
            case Write():
                return "write_file", {"file_path": str(place / action.path), "content": action.text}
            case Edit():
                given = {"file_path": str(place / action.path), "old_string": action.old, "new_string": action.new}
                return "replace", {**given, "instruction": "Change this passage."}
            case Run():
                return "run_shell_command", {"command": action.command, "description": "Run a command"}
            case Ask():
                return asked.tool(action.tool) or f"mcp_loam_{action.tool}", action.fitting(asked)
