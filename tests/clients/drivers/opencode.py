"""OpenCode: `opencode run` and its terminal."""

from typing import Any

from tests.clients.driver import Driver, Play, Setup
from tests.clients.endpoint import Endpoint
from tests.clients.machine import Machine, merge
from tests.clients.processes import Process
from tests.clients.script import Action, Ask, Asked, Edit, Run, Write


class OpenCode(Driver):
    name = "opencode"
    binary = "opencode"

    def prepare(self, setup: Setup) -> None:
        model = {"name": "Scripted", "limit": {"context": 200_000, "output": 8_000}, "tool_call": True}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": "{env:SCRIPTED_URL}/v1", "apiKey": "scripted"},
            "models": {"scripted": model},
        }
        settings = {
            "$schema": "https://opencode.ai/config.json",
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "autoupdate": False,
            "share": "disabled",
            "provider": {"scripted": provider},
            # The trial's own files lie beside the checkout.
            "permission": {"edit": "allow", "bash": "allow", "webfetch": "deny", "external_directory": "allow"},
        }
        merge(self._config(setup.machine), settings)

    def _config(self, machine: Machine) -> Any:
        return machine.home / ".config" / "opencode" / "opencode.json"

    def connect_by_hand(self, machine: Machine) -> None:
        headers = {"Authorization": f"Bearer {machine.token}"}
        entry = {"type": "remote", "url": f"{machine.url}/mcp", "enabled": True, "headers": headers, "oauth": False}
        merge(self._config(machine), {"mcp": {"loam": entry}})

    def environment(self, endpoint: Endpoint, setup: Setup) -> dict[str, str]:
        return {
            "SCRIPTED_URL": endpoint.url,
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        }

    def command(self, play: Play) -> list[str]:
        resumed = ["--continue"] * play.resumes
        if play.headless:
            return [self.binary, "run", *resumed, "--model", "scripted/scripted", play.prompts[0]]
        return [self.binary, *resumed]

    def ready(self, process: Process) -> bool:
        return process.until_shown(r"Ask anything|Scripted", 60)

    def finish(self, process: Process) -> None:
        process.type("/exit")

    def spell(self, action: Action, asked: Asked) -> tuple[str, dict[str, Any]]:
        place = self.setup.checkout
        match action:
            case Write():
                return "write", {"filePath": str(place / action.path), "content": action.text}
            case Edit():
                given = {"filePath": str(place / action.path), "oldString": action.old, "newString": action.new}
                return "edit", given
            case Run():
                return "bash", {"command": action.command, "description": "Run a command"}
            case Ask():
                return asked.tool(action.tool) or f"loam_{action.tool}", action.fitting(asked)
