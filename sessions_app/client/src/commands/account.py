"""`loam login` and `loam status`."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import urllib.parse
from pathlib import Path

from sessions_app.client.src.commands.base import here, say
from sessions_app.client.src.delivery.outbox import deliver, waiting
from sessions_app.client.src.delivery.server import LOOPBACK, Away, Problem, Server
from sessions_app.client.src.hooks.moment import LAST_ERROR
from sessions_app.client.src.hooks.sharing import tell_answer
from sessions_app.client.src.install.ignored import hooks_that_stand_back, ignored_hooks
from sessions_app.client.src.late import argparse, getpass, hashlib
from sessions_app.client.src.local import (
    VERSION,
    Account,
    Json,
    Stop,
    filled,
    home,
    known_account,
    read_json,
    write_private,
)
from sessions_app.client.src.sessions import states


def do_login(args: argparse.Namespace) -> int:
    url = args.url.rstrip("/")
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise Stop("The address looks like http://loam.example.com or https://….")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        print("Note: over plain http the token can be read on its way. Use https beyond this machine.", file=sys.stderr)
    token = args.token or os.environ.get("LOAM_TOKEN") or ""
    if not token:
        token = getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()
    who = Account(url, token.strip(), args.team or "")
    me = Server(who, timeout=args.timeout).call("GET", "me/")
    teams = [team["slug"] for team in me["teams"]]
    if who.team and who.team not in (*teams, "personal"):
        raise Stop(f"You have no team '{who.team}'; you have {', '.join(teams)}.")
    write_private(home() / "credentials.json", json.dumps(filled(url=url, token=who.token, team=who.team), indent=1))
    tell_answer(Server(who, timeout=args.timeout))
    shared = [team["slug"] for team in me["teams"] if team["kind"] == "shared" and team["level"] != "reader"]
    lines = [f"You are {me['user']} at {url}, in {', '.join(teams)}. Next: loam install claude-code"]
    if len(shared) != 1 and len(teams) > 1 and not who.team:
        lines.append(f"Say with --team where sessions and deposits go: {', '.join([*shared, 'personal'])}.")
    say(me, args, "\n".join(lines))
    return 0


# Seconds. What is known here is not to wait for a server that hangs.
STATUS_WAITS = 5.0


def do_status(args: argparse.Namespace) -> int:
    who = known_account()
    server = Server(who, timeout=min(args.timeout, STATUS_WAITS))
    refused = [read_json(path).get("why", "") for path in sorted((home() / "refused").glob("*.json"))]
    about: Json = {"url": who.url, "client": VERSION, "spool": 0, "refused": refused, "reachable": True}
    lines = []
    try:
        me = server.call("GET", "me/")
        about.update(user=me["user"], teams=[team["slug"] for team in me["teams"]], token=me["token"])
        lines.append(f"{me['user']} at {who.url}, in {', '.join(about['teams'])}; token “{me['token']['name']}”")
    except Away as error:
        about["reachable"] = False
        lines.append(str(error))
    # A server that has not answered is not asked to take what waits.
    left = deliver(server, until=time.monotonic() + args.timeout) if about["reachable"] else len(waiting())
    about["spool"] = left
    lines += [f"{left} waiting to be delivered, {len(refused)} refused", *(f"  {why}" for why in refused[-5:])]
    for known in states():
        if known.get("session") and not known.get("ended"):
            lines.append(f"session {known['session']} in {known.get('repo')}, {known['of'].partition(':')[0]}")
    if about["reachable"] and not _is_served(server):
        lines.append(
            f"The server has another client than this: curl -sSO {who.url}/connect/loam.py, then install again."
        )
    about["installed"] = sorted(read_json(home() / "installed.json"))
    lines += [f"installed in {path}" for path in about["installed"]]
    about["ignored_hooks"] = list(ignored_hooks())
    about["standing_back"] = list(hooks_that_stand_back(here(args).top))
    lines += [*about["ignored_hooks"], *about["standing_back"]]
    with contextlib.suppress(OSError):
        about["last_hook_error"] = (home() / LAST_ERROR).read_text(encoding="utf-8").strip()
        lines.append(f"last fault of a hook: {about['last_hook_error']}")
    kept = home() / "credentials.json"
    if os.name != "nt" and kept.exists() and kept.stat().st_mode & 0o077:
        lines.append(f"{kept} can be read by others: chmod 600 it.")
    say(about, args, "\n".join(lines))
    return 0 if about["reachable"] else 3


def _is_served(server: Server) -> bool:
    """Whether this very file is the one that the server hands out; so too when it cannot be told."""
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    try:
        server.send("HEAD", "/connect/loam.py", None, {"If-None-Match": f'"{own}"'})
    except Problem as problem:
        return problem.status != 200
    except Away:
        return True
    return False
