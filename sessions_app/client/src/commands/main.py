"""The command line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from accounts.rules.fence import inert_line
from sessions_app.client.src.commands.account import do_login, do_status
from sessions_app.client.src.commands.handoff import ACTIONS, do_claim, do_handoff
from sessions_app.client.src.commands.import_sessions import do_import
from sessions_app.client.src.commands.knowledge import RELATIONS, do_deposit, do_evidence, do_query, do_rate, do_relate
from sessions_app.client.src.commands.machine import do_guard, do_hook, do_index, do_install, do_mcp
from sessions_app.client.src.commands.sessions import do_ack, do_conversation, do_end, do_history, do_start
from sessions_app.client.src.commands.settings import ON_OFF, SETTINGS_OF_ONES_OWN, do_config
from sessions_app.client.src.commands.share import TURNS, do_share
from sessions_app.client.src.commands.verify import do_verify
from sessions_app.client.src.delivery.courier import CLAIM_MINUTES, run_courier
from sessions_app.client.src.delivery.server import Away, Problem
from sessions_app.client.src.hooks.answered import HANDLERS, hook
from sessions_app.client.src.hooks.asking import ask_at_stop
from sessions_app.client.src.hooks.entry import BEFORE_TOOLS, HELD, RECORDED, await_transcript, record
from sessions_app.client.src.hooks.moment import ALIASES
from sessions_app.client.src.install.agents import PLANS
from sessions_app.client.src.install.changes import settle
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import VERSION, Stop


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="loam", description=(__doc__ or "").partition("\n\n")[0])
    top.add_argument("--version", action="version", version=f"loam {VERSION}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        sub.add_argument("--json", action="store_true", help="answer as JSON")
        sub.add_argument("--timeout", type=float, default=30.0, help="seconds to wait for the server")
        return sub

    _account_commands(command)
    _knowledge_commands(command)
    _session_commands(command)
    _conversation_commands(command)
    _machine_commands(command)
    return top


Maker = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def _account_commands(command: Maker) -> None:
    login = command("login", do_login, "store the server's address and your token")
    login.add_argument("url")
    login.add_argument("--token", help="default: asks for it, or reads it from stdin")
    login.add_argument("--team", help="the team your deposits go to")
    command("status", do_status, "show your account, undelivered calls and installed agents")


def _knowledge_commands(command: Maker) -> None:
    query = command("query", do_query, "ask what the team knows")
    query.add_argument("text", nargs="+")
    query.add_argument("--limit", type=int)
    query.add_argument("--explain", action="store_true")
    deposit = command("deposit", do_deposit, "save a lesson for the team")
    deposit.add_argument("body", nargs="*", help="the lesson; without it or with '-': read from stdin")
    deposit.add_argument("--kind", required=True, help="SOLUTION PATTERN PITFALL CONTEXT WORKFLOW DEPENDENCY DECISION")
    deposit.add_argument("--title")
    deposit.add_argument("--reasoning")
    deposit.add_argument(
        "--question", action="append", default=[], help="a question it answers, in other words than its own"
    )
    deposit.add_argument("--team")
    deposit.add_argument("--key", help="idempotency key")
    for sub in (query, deposit):
        sub.add_argument("--error", help="the error it is about")
        sub.add_argument("--repo", help="default: the one of this folder")
        sub.add_argument("--session")
        for name in ("file", "symbol", "tag"):
            sub.add_argument(f"--{name}", action="append", default=[])
    relate = command("relate", do_relate, "state how a note of yours relates to another one")
    relate.add_argument("ref")
    relate.add_argument("other")
    relate.add_argument("relation", choices=RELATIONS)
    relate.add_argument("--note")
    rate = command("rate", do_rate, "rate a result as helpful or not")
    rate.add_argument("ref", nargs="+", help="PLAT-42, or S-12 for a conversation")
    rate.add_argument("verdict", choices=["helpful", "unhelpful"])
    rate.add_argument("--query-id")
    rate.add_argument("--reason")
    rate.add_argument("--session")
    evidence = command("evidence", do_evidence, "search the files of registered sources")
    evidence.add_argument("text", nargs="+")
    evidence.add_argument("--mode", choices=["FAST", "DEEP", "FILENAME_ONLY"])
    evidence.add_argument("--path", action="append", default=[])
    evidence.add_argument("--source", action="append", default=[])
    evidence.add_argument("--top-k", type=int)
    evidence.add_argument("--no-reuse", action="store_true", help="search again instead of using a saved answer")


def _session_commands(command: Maker) -> None:
    start = command("start", do_start, "begin a session by hand and print its orientation")
    start.add_argument("--agent", default="shell")
    start.add_argument("--team")
    start.add_argument("--prompt")
    end = command("end", do_end, "end the session with a note for the next one")
    end.add_argument("--summary")
    end.add_argument("--note", help="the first thing the next session should know")
    end.add_argument("--pending", action="append", default=[])
    end.add_argument("--blocker", action="append", default=[])
    end.add_argument("--session")
    end.add_argument("--checkpoint", action="store_true", help="store the note without ending the session")
    ack = command("ack", do_ack, "take over the handoff that your session was offered")
    ack.add_argument("handoff", nargs="?", help="the session that left the handoff; default: the one offered")
    ack.add_argument("--session")
    handoff = command("handoff", do_handoff, "open handoffs here: list, show S-29, take S-29, close S-29, reopen S-29")
    handoff.add_argument("action", choices=ACTIONS, nargs="?", default="list")
    handoff.add_argument("ref", nargs="?", help="the session that left it, as listed")
    handoff.add_argument("--session")
    handoff.add_argument("--repo", help="default: the one of this folder")
    claim = command("claim", do_claim, "claim files (importer/**) and show who else works on them")
    claim.add_argument("path", nargs="*", help="files or patterns; none: list")
    claim.add_argument("--release", action="store_true", help="release your claims")
    claim.add_argument("--minutes", type=int, default=CLAIM_MINUTES)
    claim.add_argument("--session")
    history = command("history", do_history, "recent sessions of this repo and their handoffs")
    talk = command("conversation", do_conversation, "show the conversation of a session, as far as you may read it")
    talk.add_argument("ref", help="like S-29")
    for sub in (start, history):
        sub.add_argument("--repo", help="default: the one of this folder")


def _conversation_commands(command: Maker) -> None:
    share = command("share", do_share, "share a repository's conversations with a team; without arguments: list")
    share.add_argument("repo", nargs="?", help="default: the one of this folder")
    share.add_argument("--all", action="store_true", help="all repositories that have no setting of their own")
    share.add_argument("--team", help="default: the one of `login`, or your only one; `personal` keeps it private")
    share.add_argument("--turns", choices=sorted(TURNS), help="agent (the default): without your own words")
    share.add_argument("--preview", action="store_true", help="show the amount the team would find; change nothing")
    share.add_argument("--remove", action="store_true", help="stop sharing, at once")
    share.add_argument("--yes", action="store_true", help="do not ask")
    past = command("import-sessions", do_import, "import past conversations from agents' logs")
    past.add_argument("--since", metavar="DATE", help="default: the last 180 days")
    past.add_argument("--client", action="append", default=[], help="default: claude-code, codex, cursor, gemini")
    past.add_argument("--repo", help="only sessions on this repository")
    past.add_argument("--team", help="the team of the sessions; the conversations stay private")
    past.add_argument("--dry-run", action="store_true", help="list them, send nothing")
    past.add_argument("--yes", action="store_true", help="do not ask")


def _machine_commands(command: Maker) -> None:
    index = command("index", do_index, "upload the imports between this repo's files")
    index.add_argument("--repo")
    index.add_argument("--team")
    index.add_argument("--print", action="store_true", help="show it, send nothing")
    guard = command("guard", do_guard, "look for secrets; with --staged as a pre-commit hook")
    guard.add_argument("what", choices=["scan"])
    guard.add_argument("path", nargs="*")
    guard.add_argument("--staged", action="store_true", help="the lines that the next commit adds")
    verify = command("verify", do_verify, "list notes of this repo whose files changed since")
    verify.add_argument("--repo", help="default: the one of this folder")
    verify.add_argument("--fail", action="store_true", help="exit with 1 if there are any, for CI or a pre-commit hook")
    verify.add_argument("--dry-run", action="store_true", help="report nothing to the server")
    config = command(
        "config", do_config, "change your settings (share-prompts, ask-to-deposit); without arguments: list"
    )
    config.add_argument("setting", nargs="?", choices=sorted(SETTINGS_OF_ONES_OWN))
    config.add_argument("value", nargs="?", choices=sorted(ON_OFF))
    command("mcp", do_mcp, "speak MCP over stdio")
    hooks = command("hook", do_hook, "entry point of an agent's hooks: JSON in, JSON out")
    hooks.add_argument("event", choices=sorted({*HANDLERS, *ALIASES, *RECORDED, *BEFORE_TOOLS}), metavar="EVENT")
    hooks.add_argument("--agent", default="claude-code")
    setup = command("install", do_install, "connect an agent: its hooks and MCP")
    setup.add_argument("agent", choices=sorted(PLANS))
    setup.add_argument("--print", action="store_true", help="show what would change, write nothing")
    setup.add_argument("--uninstall", action="store_true", help="revert the installation")
    setup.add_argument("--project", action="store_true", help="write to this folder instead of your own settings")
    shared = setup.add_mutually_exclusive_group()
    shared.add_argument("--share-prompts", dest="share_prompts", action="store_true", default=None)
    shared.add_argument("--no-share-prompts", dest="share_prompts", action="store_false")
    told = "whether sessions on this repository are shared with the team: no, agent (its turns alone) or all"
    setup.add_argument("--share-sessions", choices=["no", "agent", "all"], help=told)
    setup.add_argument("--yes", action="store_true", help="do not ask")


def fail(line: str, status: int) -> NoReturn:
    print(f"loam: {inert_line(line)}", file=sys.stderr)  # a refusal may repeat what others wrote
    raise SystemExit(status)


def main(words: list[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["hook"] and words[1:] and "-h" not in words and "--help" not in words:
        # Read here: the parser of all commands takes longer than what the hook has to do.
        agent = words[3] if words[2:3] == ["--agent"] and words[3:] else "claude-code"
        if HELD:
            print(json.dumps(ask_at_stop(HELD.pop())), flush=True)
        elif words[1] in RECORDED:  # on a system whose processes cannot end at once
            print(record(words[1], agent).decode(), flush=True)
        elif words[1] in BEFORE_TOOLS:
            print(await_transcript(agent).decode(), flush=True)
        else:
            hook(words[1], agent)
        return 0
    if words == ["courier"]:
        return run_courier()
    if words == ["settle"]:  # what a project's launcher calls with a fresh download
        settle()
        return 0
    args = parser().parse_args(words)
    try:
        return int(args.run(args))
    except Stop as stop:
        fail(str(stop), stop.status)
    except Away as away:
        fail(str(away), 3)
    except Problem as problem:
        fail(str(problem), 1)
    except KeyboardInterrupt:
        fail("stopped", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
