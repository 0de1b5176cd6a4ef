"""Codex: `codex exec`, and its terminal."""

import json
from pathlib import Path
from typing import Any

from tests.clients.driver import Driver, Play, Setup
from tests.clients.endpoint import Endpoint
from tests.clients.processes import Process
from tests.clients.script import Action, Ask, Asked, Edit, Run, Write

MODEL = "scripted"
CONFIG = """\
model = "{model}"
model_catalog_json = "{catalog}"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false

[projects."{checkout}"]
trust_level = "trusted"
"""


class Codex(Driver):
    """Hooks run only if a person has trusted them, or with `--dangerously-bypass-hook-trust`: `trusted` says which."""

    name = "codex"
    binary = "codex"

    def __init__(self, setup: Setup, *, trusted: bool = True) -> None:
        super().__init__(setup)
        self.trusted = trusted

    def prepare(self, setup: Setup) -> None:
        place = self._config
        if place.exists():
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        catalog = place.with_name("models.json")
        catalog.write_text(json.dumps({"models": [self._model()]}))
        about = {"url": "http://127.0.0.1:1", "checkout": setup.checkout, "model": MODEL, "catalog": catalog}
        place.write_text(CONFIG.format(**about))

    def _model(self) -> dict[str, Any]:
        """A model of Codex's own list under another name: it edits by patches, and is shown every tool at once."""
        listed = json.loads(self.setup.machine.run(self.binary, "debug", "models"))["models"]
        known = next(one for one in listed if one.get("apply_patch_tool_type") and not one.get("tool_mode"))
        return {**known, "slug": MODEL, "supports_search_tool": False, "upgrade": None, "availability_nux": None}

    def connect(self, endpoint: Endpoint) -> None:
        lines = self._config.read_text().splitlines()
        lines = [f'base_url = "{endpoint.url}/v1"' if line.startswith("base_url") else line for line in lines]
        self._config.write_text("\n".join(lines) + "\n")

    @property
    def _config(self) -> Path:
        return self.setup.machine.home / ".codex" / "config.toml"

    def environment(self, endpoint: Endpoint, setup: Setup) -> dict[str, str]:
        return {"SCRIPTED_KEY": "scripted"}

    def command(self, play: Play) -> list[str]:
        flags = ["--dangerously-bypass-approvals-and-sandbox"]
        flags += ["--dangerously-bypass-hook-trust"] * self.trusted
        if play.headless:
            resumed = ["resume", "--last"] if play.resumes else []
            return [self.binary, "exec", *flags, *resumed, play.prompts[0]]
        return [self.binary, *(["resume", "--last"] if play.resumes else []), *flags]

    def ready(self, process: Process) -> bool:
        return process.until_shown(r"context left|/model|\u203a", 40)

    def finish(self, process: Process) -> None:
        process.type("/quit")

    def spell(self, action: Action, asked: Asked) -> tuple[str, dict[str, Any]]:
        names = {tool.name for tool in asked.tools}
        match action:
            case Write():
                body = "".join(f"+{line}\n" for line in action.text.splitlines())
                return self._patch(f"*** Add File: {action.path}\n{body}", names)
            case Edit():
                old = "".join(f"-{line}\n" for line in action.old.splitlines())
                new = "".join(f"+{line}\n" for line in action.new.splitlines())
                return self._patch(f"*** Update File: {action.path}\n@@\n{old}{new}", names)
            case Run():
                return self._shell(action.command, names)
            case Ask():
                return asked.tool(action.tool) or f"mcp__loam__{action.tool}", action.fitting(asked)

    def _patch(self, hunk: str, names: set[str]) -> tuple[str, dict[str, Any]]:
        patch = f"*** Begin Patch\n{hunk}*** End Patch"
        if "apply_patch" in names:
            return "apply_patch", {"freeform": patch}
        return self._shell(f"apply_patch <<'PATCH'\n{patch}\nPATCH", names)

    def _shell(self, command: str, names: set[str]) -> tuple[str, dict[str, Any]]:
        if "exec_command" in names:
            return "exec_command", {"cmd": command}
        if "shell_command" in names:
            return "shell_command", {"command": command}
        return "shell", {"command": ["bash", "-lc", command]}
