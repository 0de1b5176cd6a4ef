"""`loam config`: one's own settings that the client acts on. The server has them; the settings page has them all."""

from __future__ import annotations

from sessions_app.client.src.commands.base import say, server_for
from sessions_app.client.src.hooks.sharing import keep_setting
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json, Stop

# As it is typed → as it is called in the API.
SETTINGS_OF_ONES_OWN = {"share-prompts": "share_prompts", "ask-to-deposit": "ask_to_deposit"}
ON_OFF = {"on": True, "off": False}


def do_config(args: argparse.Namespace) -> int:
    server = server_for(args)
    if args.setting is None:
        known: Json = server.call("GET", "me/")
        shown = {name: known[field] for name, field in SETTINGS_OF_ONES_OWN.items() if field in known}
        say(shown, args, "\n".join(f"{name}: {'on' if value else 'off'}" for name, value in shown.items()))
        return 0
    if args.value is None:
        raise Stop("Say on or off.", 2)
    field, value = SETTINGS_OF_ONES_OWN[args.setting], ON_OFF[args.value]
    if args.setting == "ask-to-deposit" and not value:
        keep_setting(field, value)  # before anything else: from now on no hook asks, whatever the server says
    server.call("PATCH", "me/", {field: value})
    keep_setting(field, value)
    say({args.setting: value}, args, f"{args.setting}: {args.value}")
    return 0
