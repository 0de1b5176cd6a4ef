"""`loam index`, `guard`, `mcp`, `hook` and `install`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessions_app.client.src.checkout.code_index import import_graph
from sessions_app.client.src.checkout.place import git
from sessions_app.client.src.commands.base import here, say, server_for
from sessions_app.client.src.commands.scan import scan
from sessions_app.client.src.commands.share import ask_to_share_sessions
from sessions_app.client.src.delivery.bridge import Bridge
from sessions_app.client.src.delivery.server import Server
from sessions_app.client.src.hooks.answered import hook
from sessions_app.client.src.hooks.sharing import QUESTION, keep_answer, stored_answer, tell_answer
from sessions_app.client.src.install.agents import AFTER
from sessions_app.client.src.install.changes import apply, diff, install, settle
from sessions_app.client.src.install.ignored import hooks_that_stand_back
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json, Stop, account, filled, known_account

LARGEST_UPLOAD = 800_000
# What a working copy without a commit is called.
UNCOMMITTED = "uncommitted"


def do_index(args: argparse.Namespace) -> int:
    place = here(args)
    files = import_graph(place.top)
    if args.print:
        say(files, args, "\n".join(f"{one['path']}: {', '.join(one['imports'])}" for one in files))
        return 0
    server = server_for(args)
    commit = git(place.top, "rev-parse", "HEAD") or UNCOMMITTED
    about = filled(repo=place.repo, commit=commit, team=args.team or server.who.team)
    answer: Any = None
    for part in _in_parts(files):
        answer = server.call("POST", "code-index/", {**about, "files": part})
    edges = sum(len(one["imports"]) for one in files)
    say(answer, args, f"{len(files)} files and {edges} imports of {place.repo} are indexed.")
    return 0


def _in_parts(files: list[Json]) -> Iterator[list[Json]]:
    """The files in uploads that the server takes; one, if there are none."""
    part: list[Json] = []
    size = 0
    for one in files:
        length = len(json.dumps(one))
        if part and size + length > LARGEST_UPLOAD:
            yield part
            part, size = [], 0
        part.append(one)
        size += length
    yield part


def do_guard(args: argparse.Namespace) -> int:
    found, looked = scan(args.path or ["."], staged=args.staged)
    none = f"No secret in {looked} file{'s' * (looked != 1)}."
    say({"found": found, "files": looked}, args, "\n".join(found) or none)
    if found and not args.json:
        print("Take it out, or name the file in .loam-guard-skip if it is not a secret.", file=sys.stderr)
    return 1 if found else 0


def do_mcp(args: argparse.Namespace) -> int:
    Bridge(Server(known_account(), timeout=120.0)).run()
    return 0


def do_hook(args: argparse.Namespace) -> int:
    hook(args.event, args.agent)
    return 0


def _ask_to_share(args: argparse.Namespace) -> None:
    """Ask once whether one's own prompts may be shared; without a terminal the answer is no, or the option's."""
    share = args.share_prompts
    if share is None and stored_answer() is None and sys.stdin.isatty() and not args.yes:
        share = input(QUESTION).strip().lower() in ("y", "yes")
    if share is not None:
        keep_answer(share)
    who = account()
    if who is not None:
        tell_answer(Server(who, timeout=args.timeout))


def do_install(args: argparse.Namespace) -> int:
    changes = install(args.agent, project=args.project, undo=args.uninstall)
    left = [f"left in {one.path}, for {' and '.join(one.needed_by)}" for one in changes if one.needed_by and one.before]
    due = [change for change in changes if change.differs]
    if due:
        print(diff(due))
    if args.print:
        print("\n".join(left or ([] if due else ["Nothing to change."])))
        return 0
    if due and not args.yes and not _agreed_to_write():
        raise Stop("Nothing was written; --yes writes without asking.")
    if not args.uninstall:
        settle()  # perhaps this file is newer than the one that the hooks call
    apply(args.agent, changes, undo=args.uninstall)
    done = "taken out of" if args.uninstall else "installed in"
    print("\n".join([*(f"{done} {change.path}" for change in due), *left] or ["Nothing to change."]))
    if due and not args.uninstall:
        _ask_to_share(args)
        ask_to_share_sessions(args)
        print("Now run `loam login URL`." if account() is None else AFTER.get(args.agent, ""))
    if not args.uninstall and args.project:
        for path in _ignored_by_git([change.path for change in changes if change.after is not None]):
            print(f"git ignores {path}, so colleagues do not get it: take it out of .gitignore, or `git add -f` it.")
    if not args.uninstall:
        for line in hooks_that_stand_back(os.getcwd() if args.project else here(args).top):
            print(line)
    return 0


def _ignored_by_git(paths: list[Path]) -> list[str]:
    """Return those that git ignores, as paths of this folder."""
    names = [os.path.relpath(path) for path in paths]
    return git(".", "check-ignore", "--", *names).splitlines()


def _agreed_to_write() -> bool:
    return sys.stdin.isatty() and input("Write this? [y/N] ").strip().lower() in ("y", "yes")
