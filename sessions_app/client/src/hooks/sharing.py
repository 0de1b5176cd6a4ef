"""Whether a member's own prompts may be shown to colleagues in handoffs: asked once, kept until the server has it."""

from __future__ import annotations

import json

from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.local import home, read_json, write_private

QUESTION = "May prompts that you type be shown to colleagues in handoffs? Only you see them otherwise. [y/N] "


def stored_answer() -> bool | None:
    """Return what was answered at `install`; None if it was never asked."""
    answer = read_json(home() / "settings.json").get("share_prompts")
    return answer if isinstance(answer, bool) else None


def waiting_answer() -> bool | None:
    """Return the answer if the server does not have it yet. Later changes are made on the settings page."""
    kept = read_json(home() / "settings.json")
    return None if kept.get("told") else stored_answer()


def keep_answer(share: bool) -> None:
    kept = read_json(home() / "settings.json")
    write_private(home() / "settings.json", json.dumps({**kept, "share_prompts": share, "told": False}))


def keep_setting(name: str, value: bool) -> None:
    """Keep what was set, for hooks to know without asking the server; the answer of `install` is then old."""
    kept = read_json(home() / "settings.json")
    told = {"told": True} if name == "share_prompts" else {}
    write_private(home() / "settings.json", json.dumps({**kept, name: value, **told}))


def asks_to_deposit() -> bool:
    """Return whether the agent may be asked at its Stop, as far as this machine was told."""
    return read_json(home() / "settings.json").get("ask_to_deposit") is not False


def mark_answer_sent() -> None:
    kept = read_json(home() / "settings.json")
    write_private(home() / "settings.json", json.dumps({**kept, "told": True}))


def tell_answer(server: Server) -> None:
    """Send the answer, if the server does not have it; it stays where the server is away or does not know the field."""
    share = waiting_answer()
    if share is None:
        return
    try:
        server.call("PATCH", "me/", {"share_prompts": share})
    except Away:
        return
    except Problem as refused:
        if refused.status == 403:
            print(f"Whether colleagues are shown your prompts was not changed. {refused}")
        return
    mark_answer_sent()
