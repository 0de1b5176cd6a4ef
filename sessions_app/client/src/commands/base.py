"""What every command shares: its server, its place and how it answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from accounts.rules.fence import escaped, inert, untagged
from sessions_app.client.src.checkout.place import Checkout, as_anchored, place_of
from sessions_app.client.src.delivery.outbox import post
from sessions_app.client.src.delivery.server import Away, Server
from sessions_app.client.src.fenced import OwnLine, fenced
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json, fresh, known_account
from sessions_app.client.src.sessions import state


def say(value: Any, args: argparse.Namespace, own: str, *, others: Iterable[str] = (), text: str = "") -> None:
    """Print an answer for a program (`--json`), or for a reader, who may be a model: lines with others' words in them
    within a fence, a text that the server has fenced, and the client's own words.
    """
    if args.json:
        print(escaped(json.dumps(value, indent=2, ensure_ascii=False)))
    else:
        said = untagged(own) if isinstance(own, OwnLine) else inert(own)
        print("\n".join(filter(None, [fenced(others), text.strip(), said.rstrip()])))


def server_for(args: argparse.Namespace) -> Server:
    return Server(known_account(), timeout=args.timeout)


def here(args: argparse.Namespace) -> Checkout:
    place = place_of(os.getcwd())
    return Checkout(place.top, getattr(args, "repo", None) or place.repo, place.branch)


def files_of(args: argparse.Namespace) -> list[str]:
    """Return the files named by `--file`, as the team's notes have them."""
    top, folder = here(args).top, os.getcwd()
    return [as_anchored(path, top, folder) for path in args.file]


def by_hand() -> str:
    """The session that a person began in this checkout with `loam start`."""
    return f"shell:{place_of(os.getcwd()).top}"


def session_id(args: argparse.Namespace) -> str:
    named = getattr(args, "session", None) or os.environ.get("LOAM_SESSION")
    known = state(by_hand())
    return str(named or ("" if known.get("ended") else known.get("session", "")))


def send_or_queue(args: argparse.Namespace, path: str, body: Json, key: str = "") -> Json | None:
    """The server's answer; None, and said so, when it is away and the outbox has it under the same key."""
    key = key or fresh()
    try:
        done: Json = server_for(args).call("POST", path, body, key=key)
        return done
    except Away as away:
        post(path, body, url=known_account().url, key=key)
        say({"outcome": "kept"}, args, f"{away} It is kept here and will be delivered later.")
        return None
