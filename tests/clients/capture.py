"""What the clients really sent, kept small enough for `make test`: their hooks' inputs, and requests to their models.

Paths of the machine, ids of sessions and long texts that are not Loam's are replaced; the shapes stay.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.clients.driver import Session
from tests.clients.follow import FENCE, SESSION
from tests.clients.machine import Hook
from tests.clients.measures import Measured

FOLDER = Path(__file__).with_name("captured")
HOME, CHECKOUT, PYTHON = "/home/dev", "/home/dev/work/shop", "python3"
SESSION_ID = "loam-s-" + "0" * 43
# A text that is not Loam's tells a reader of the fixture enough by its beginning.
LONGEST = 160


def write(measured: Measured) -> Path:
    """The fixture of a client, `captured/<client>.json`."""
    scrub = _scrubber(measured)
    hooks = [{"argv": _words(hook), "given": json.loads(scrub(hook.given))} for hook in _one_of_each(measured)]
    requests = [_short(json.loads(scrub(json.dumps(body)))) for body in _requests(measured.sessions)]
    whole = {"client": measured.client, "version": measured.version, "hooks": hooks, "requests": requests}
    FOLDER.mkdir(exist_ok=True)
    place = FOLDER / f"{measured.client.lower().replace(' ', '-')}.json"
    place.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    return place


def _words(hook: Hook) -> list[str]:
    return ["hook", hook.event, *(["--agent", hook.agent] if hook.agent else [])]


def _one_of_each(measured: Measured) -> list[Hook]:
    """The first call of each kind: by event, by tool, by what set it off."""
    found: dict[tuple[str, ...], Hook] = {}
    for hook in (hook for session in measured.sessions for hook in session.hooks):
        given = json.loads(hook.given or "{}")
        command = str((given.get("tool_input") or {}).get("command", ""))[:20]
        kind = (hook.event, command, *(str(given.get(name)) for name in ("tool_name", "source", "trigger", "toolName")))
        found.setdefault(kind, hook)
    return list(found.values())


def _requests(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    """The last request of the session that asks, and the first of the one after a kill."""
    asks, _, after, *_ = sessions
    return [asks.asked[-1].body, after.asked[0].body]


def _short(value: Any, *, ours: bool = False) -> Any:
    """Long texts that are not Loam's cut; tools of the client's own by their names alone."""
    if isinstance(value, list):
        return [_short(one, ours=ours) for one in value]
    if isinstance(value, dict):
        if "tools" in value and isinstance(value["tools"], list):
            value = {**value, "tools": [_tool(tool) for tool in value["tools"]]}
        result = value.get("type") in ("tool_result", "function_call_output") or value.get("role") == "tool"
        return {name: _short(one, ours=ours or result) for name, one in value.items()}
    if isinstance(value, str) and len(value) > LONGEST and not (ours or FENCE in value or SESSION.search(value)):
        return value[:LONGEST] + "…"
    return value


def _tool(tool: dict[str, Any]) -> Any:
    """A tool with its first words; a group of tools with those of each."""
    for name in ("functionDeclarations", "tools"):
        if isinstance(tool.get(name), list):
            return {**tool, name: [_tool(one) for one in tool[name]]}
    inner = tool.get("function")
    if isinstance(inner, dict):
        return {**tool, "function": _tool(inner)}
    kept = {name: tool[name] for name in ("type", "name", "defer_loading") if name in tool}
    return {**kept, "description": str(tool.get("description", ""))[:60]}


def _scrubber(measured: Measured) -> Any:
    """A function that replaces what belongs to the machine of the trial."""
    given = next((json.loads(hook.given) for session in measured.sessions for hook in session.hooks), {})
    checkout = str(given.get("cwd") or "")
    home = checkout.partition("/work/")[0]

    def scrub(text: str) -> str:
        for old, new in ((checkout, CHECKOUT), (home, HOME)):
            text = text.replace(old, new) if old else text
        for old, new in ((_slug(checkout), _slug(CHECKOUT)), (_slug(home), _slug(HOME))):
            text = text.replace(old, new) if old else text
        text = re.sub(r"/tmp/loam-clients-[^/\"\\ ]+/[^/\"\\ ]+/[^/\"\\ ]+", HOME, text)
        text = re.sub(r"Linux \d[\w.-]+", "Linux", text)
        text = re.sub(r"work/measure-[\w.-]+", "work/shop", text)
        text = re.sub(r"acme/measure-[\w.-]+", "acme/shop", text)
        text = re.sub(r"/[\w/.-]*/bin/python3[\d.]*", PYTHON, text)
        text = re.sub(r"loam_(?:[a-z][a-z0-9]{0,6}_)?[0-9a-f]{8}_[\w-]+", "loam_00000000_" + "0" * 43, text)
        return SESSION.sub(SESSION_ID, text)

    return scrub


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)
