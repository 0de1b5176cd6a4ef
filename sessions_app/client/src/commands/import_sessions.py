"""`loam import-sessions`: the conversations of the months before Loam, from the agents' own logs."""

from __future__ import annotations

import json
import re
import socket
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from accounts.rules.fence import inert
from sessions_app.client.src.commands.base import say, server_for
from sessions_app.client.src.commands.share import counted
from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.hooks.moment import SILENCE
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json, Stop, file_lock, filled, home, read_json, write_private
from sessions_app.client.src.sessions import states
from sessions_app.client.src.transcripts.logs import LOGS, Log, logs_of
from sessions_app.client.src.transcripts.turns import dated, in_slices, read_transcript

# As long as a team keeps conversations, if it says nothing else.
DAYS = 180
DAY = 86_400
# A log of more bytes than this is read from there on: its end tells more than its beginning.
MOST_OF_A_LOG = 64_000_000
# Seconds between the tries of a call that a busy server did not take.
PAUSES_OF_IMPORT = (2.0, 5.0, 15.0, 30.0)
NAMES = {"gemini-cli": "gemini", "claude": "claude-code"}


@dataclass
class ImportTally:
    """What was brought: sessions, passages and decisions by repository; what was left, and why: `running` may go on,
    of `unplaced` nobody knows the folder.
    """

    repos: dict[str, dict[str, int]] = field(default_factory=dict)
    known: int = 0
    empty: int = 0
    running: int = 0
    unplaced: int = 0
    refused: list[str] = field(default_factory=list)

    def add(self, repo: str, **counts: int) -> None:
        row = self.repos.setdefault(repo, {})
        for name, count in counts.items():
            row[name] = row.get(name, 0) + count

    @property
    def sessions(self) -> int:
        return sum(row.get("sessions", 0) for row in self.repos.values())

    def lines(self) -> list[str]:
        shown = [
            f"{repo}: " + ", ".join(counted(count, name[:-1]) for name, count in row.items())
            for repo, row in sorted(self.repos.items())
        ]
        shown += [f"{counted(self.known, 'session')} known already"] if self.known else []
        shown += [f"{counted(self.empty, 'log')} without a word in them"] if self.empty else []
        if self.running:
            shown.append(
                f"{counted(self.running, 'session')} left for later: something was said there within half an hour"
            )
        if self.unplaced:
            shown.append(
                f"{counted(self.unplaced, 'log')} of Gemini CLI or Cursor left: nothing in them names the folder; "
                "run this command in that folder"
            )
        return [*shown, *(f"refused: {line}" for line in self.refused)]


def do_import(args: argparse.Namespace) -> int:
    server, since, agents = server_for(args), _since(args.since), _agents(args.client)
    with file_lock("import") as mine:
        if not mine:
            raise Stop("Another import is under way.")
        due, tally = _due(agents, since, args.repo or "", server.who.url)
        repos = len({log.repo for log in due})
        about = f"{counted(len(due), 'session')} of {repos} {'repository' if repos == 1 else 'repositories'}"
        if args.dry_run:
            for log in due:
                tally.add(log.repo, sessions=1)
            dated = [f"{_day(log.said)}  {log.agent:<12} {log.repo}" for log in due]
            say(
                _report_data(tally, due),
                args,
                "\n".join([*dated, f"{about} would be imported.", *tally.lines()[repos:]]),
            )
            return 0
        if due and not args.yes and not _agreed(about):
            raise Stop("Nothing was sent; --yes sends without asking.")
        try:
            for log in due:
                _bring_or_tell(server, log, args.team or server.who.team, tally)
        except (KeyboardInterrupt, Away) as stopped:
            print(inert("\n".join(tally.lines())), file=sys.stderr)
            why, status = (str(stopped), 3) if isinstance(stopped, Away) else ("Stopped.", 130)
            raise Stop(f"{why} The same command goes on where this one stopped.", status) from stopped
    end = f"{counted(tally.sessions, 'session')} imported. They are yours alone unless you share them: `loam share`."
    say(_report_data(tally, due), args, "\n".join([*tally.lines(), end]))
    return 1 if tally.refused else 0


def _since(text: str | None) -> float:
    if not text:
        return time.time() - DAYS * DAY
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        raise Stop("--since takes a day, like 2026-05-01.", 2)
    try:
        return time.mktime(time.strptime(text, "%Y-%m-%d"))
    except ValueError as error:
        raise Stop("--since takes a day, like 2026-05-01.", 2) from error


def _agents(named: list[str]) -> list[str]:
    found = [NAMES.get(name, name) for name in named] or sorted(LOGS)
    for name in found:
        if name not in LOGS:
            raise Stop(f"--client takes one of {', '.join(sorted(LOGS))}.", 2)
    return found


def _agreed(about: str) -> bool:
    if not sys.stdin.isatty():
        return False
    return input(f"Send the conversations of {about}, masked, for you alone to find? [y/N] ").strip().lower() in (
        "y",
        "yes",
    )


# --- which are due ------------------------------------------------------------------------------------------
def _place_of_imports() -> Any:
    return home() / "imports.json"


def _due(agents: list[str], since: float, repo: str, url: str) -> tuple[list[Log], ImportTally]:
    """The logs to be sent, the oldest first. Not those of a session that runs, or that its hooks have told of."""
    tally, due = ImportTally(), []
    told = {str(known.get("transcript")) for known in states() if known.get("session")}
    done: Json = read_json(_place_of_imports())
    logs = logs_of(agents)
    tally.unplaced = logs.unplaced
    for log in logs.found:
        if log.said < since or (repo and log.repo != repo):
            continue
        before = done.get(f"{url} {log.of}") or {}
        if log.path in told or (before.get("size") == log.size and before.get("done")):
            tally.known += 1
        elif time.time() - log.said < SILENCE:
            tally.running += 1
        else:
            due.append(log)
    return due, tally


def _note_import(url: str, log: Log, sent: int, *, done: bool) -> None:
    known: Json = read_json(_place_of_imports())
    known[f"{url} {log.of}"] = {"size": log.size, "sent": sent, "done": done}
    write_private(_place_of_imports(), json.dumps(known))


# --- sent ---------------------------------------------------------------------------------------------------
# The server's answer when it fails on what it was sent; others say that it cannot answer anybody just now.
FAILED = 500


def _bring_or_tell(server: Server, log: Log, team: str, tally: ImportTally) -> None:
    """Send one session; one that cannot be read, or that the server fails on, is told of, and the others are sent."""
    try:
        _bring(server, log, team, tally)
    except Stop:
        raise
    except Away as away:
        if away.status != FAILED:
            raise
        tally.refused.append(f"{log.of}: the server fails on it ({FAILED}).")
    except Exception as error:
        tally.refused.append(f"{log.of}: {type(error).__name__}: {error}"[:400])


def _bring(server: Server, log: Log, team: str, tally: ImportTally) -> None:
    """Send one session in slices, from the first that the server does not have. Raises Away."""
    before = (read_json(_place_of_imports()) or {}).get(f"{server.who.url} {log.of}") or {}
    slices = in_slices(dated(read_transcript(log.path, log.top, most=MOST_OF_A_LOG), log.said))
    if not slices or not any(turn.get("at") for turn in slices[0]):
        tally.empty += 1
        _note_import(server.who.url, log, 0, done=True)
        return
    about = filled(
        repo=log.repo, agent_session=log.of[:200], team=team, branch=log.branch[:200], agent=log.agent,
        machine=socket.gethostname()[:100],
    )  # fmt: skip
    begin = int(before.get("sent", 0)) if before.get("size") == log.size else 0
    passages, answer = 0, {}
    for number, turns in enumerate(slices[begin:], start=begin + 1):
        try:
            answer = _patient(server, {**about, "transcript": turns})
        except Problem as problem:
            if problem.status in (401, 403, 404):
                raise Stop(str(problem)) from problem
            tally.refused.append(f"{log.of}: {problem}")
            return
        passages += int(answer.get("passages", 0))
        _note_import(server.who.url, log, number, done=number == len(slices))
    if passages:
        tally.add(log.repo, sessions=1, passages=passages, decisions=int(answer.get("decisions", 0)))
    else:
        tally.known += 1


def _patient(server: Server, body: Json) -> Json:
    """The answer; a server that is busy is asked again, after longer and longer pauses. Raises Away, Problem."""
    for pause in PAUSES_OF_IMPORT:
        try:
            return dict(server.call("POST", "sessions/import/", body))
        except Away as away:
            if away.status == FAILED:
                raise
            time.sleep(pause)
    return dict(server.call("POST", "sessions/import/", body))


def _report_data(tally: ImportTally, due: list[Log]) -> Json:
    return {
        "repos": tally.repos, "sessions": tally.sessions, "known": tally.known, "empty": tally.empty,
        "running": tally.running, "unplaced": tally.unplaced, "refused": tally.refused, "found": len(due),
    }  # fmt: skip


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
