"""`loam share`: with which team the conversations of a repository's sessions are shared. Nobody but you, at first."""

from __future__ import annotations

import json
import sys
import urllib.parse

from sessions_app.client.src.checkout.place import place_of
from sessions_app.client.src.commands.base import say, server_for
from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Account, Json, Stop, account, home, read_json, write_private

TURNS = {"all": "the whole conversation", "agent": "what your agents said and did"}
ANSWERS = {"": "no", "n": "no", "no": "no", "a": "agent", "agent": "agent", "w": "all", "all": "all", "whole": "all"}
NOT_SHARED = "Conversations of your sessions are yours alone; `loam share` shares a repository's with a team."


def do_share(args: argparse.Namespace) -> int:
    server = server_for(args)
    setting = args.team or args.turns or args.preview or args.remove or args.all or args.repo
    if not setting:
        answer = server.call("GET", "sessions/sharing/")
        say(answer["results"], args, "\n".join(map(_line, answer["results"])) or f"Nothing is shared. {NOT_SHARED}")
        return 0
    repo = "" if args.all else args.repo or place_of(".").repo
    if args.remove:
        done = server.call("DELETE", f"sessions/sharing/?{urllib.parse.urlencode({'repo': repo})}")
        say(done, args, f"{_named(repo)}: shared no more; {counted(done['passages'], 'passage')} yours alone again.")
        return 0
    team, turns = args.team or server.who.team or _only_team(server), args.turns or "agent"
    seen = _preview(server, repo, turns)
    if args.preview:
        say(seen, args, _previewed(seen, repo, team, turns), others=_examples(seen))
        return 0
    if not args.json:
        say(seen, args, _previewed(seen, repo, team, turns), others=_examples(seen))
    if not args.yes and not _agrees("Share this? [y/N] "):
        raise Stop("Nothing was shared; --yes shares without asking.")
    _set(server, repo, team, turns)
    shared = {"repo": repo, "team": team, "turns": turns}
    say(shared, args, f"{_named(repo)}: {TURNS[turns]} is shared with {team}, from now on too.")
    return 0


def _named(repo: str) -> str:
    return repo or "all repositories"


def _line(one: Json) -> str:
    more = "; more is being moved" if one.get("waiting") else ""
    what = TURNS.get(one["turns"], one["turns"])
    return f"{_named(one['repo'])}: {what}, with {one['team']} ({extent(one)}{more})"


def counted(number: int, one: str) -> str:
    return f"{number} {one}{'s' * (number != 1)}"


def extent(one: Json) -> str:
    return f"{counted(one['passages'], 'passage')} of {counted(one['sessions'], 'session')}"


def _preview(server: Server, repo: str, turns: str) -> Json:
    asked = urllib.parse.urlencode({"preview": "true", "repo": repo, "turns": turns})
    return dict(server.call("GET", f"sessions/sharing/?{asked}")["preview"])


def _previewed(seen: Json, repo: str, team: str, turns: str) -> str:
    """What a team would read, as its owner is shown it before."""
    lines = [f"{team} would find {TURNS[turns]} in sessions on {_named(repo)}:"]
    if not seen["passages"]:
        return "\n".join([*lines, "  nothing yet; sessions to come."])
    since, until = (str(seen[name])[:10] for name in ("since", "until"))
    lines.append(f"  {extent(seen)}, {since} to {until}, and those to come")
    return "\n".join(lines)


def _examples(seen: Json) -> list[str]:
    return [f"{one['session']} {str(one['said_at'])[:10]}: {one['line']}" for one in seen["examples"]]


def _set(server: Server, repo: str, team: str, turns: str) -> None:
    server.call("PUT", "sessions/sharing/", {"repo": repo, "team": team, "turns": turns})


def _only_team(server: Server) -> str:
    """The one shared team of the caller. Raises Stop where that is not clear."""
    teams = [one for one in server.call("GET", "me/")["teams"] if one.get("kind") == "shared"]
    if len(teams) != 1:
        raise Stop("Name the team with --team.")
    return str(teams[0]["slug"])


def _agrees(question: str) -> bool:
    return sys.stdin.isatty() and input(question).strip().lower() in ("y", "yes")


# --- asked once ---------------------------------------------------------------------------------------------
def ask_to_share_sessions(args: argparse.Namespace) -> None:
    """Ask, once a repository, whether its conversations may be shared; without a terminal they are not, and it is said.

    `--share-sessions` answers beforehand.
    """
    settings: Json = read_json(home() / "settings.json")
    asked: Json = settings.get("sessions_asked") or {}
    who, repo, answer = account(), place_of(".").repo, args.share_sessions
    if answer is None and repo in asked:
        return
    if who is None or (answer is None and (args.yes or not sys.stdin.isatty())):
        print(_as_it_is(who, repo, args.timeout))
        return
    server = Server(who, timeout=args.timeout)
    if answer is None:
        answer = _asked(repo, who.team)
    try:
        if answer != "no":
            team = who.team or _only_team(server)
            _set(server, repo, team, answer)
            print(f"{repo}: {TURNS[answer]} is shared with {team}. `loam share {repo} --remove` ends it.")
        else:
            print(NOT_SHARED)
    except (Away, Problem, Stop) as error:
        print(f"Nothing was shared: {error} Use `loam share {repo} --team TEAM`.")
        return
    write_private(home() / "settings.json", json.dumps({**settings, "sessions_asked": {**asked, repo: answer}}))


def _as_it_is(who: Account | None, repo: str, timeout: float) -> str:
    """Return with whom the conversations on a repository are shared, by its own setting or by that of all."""
    try:
        rows = Server(who, timeout=timeout).call("GET", "sessions/sharing/")["results"] if who else []
    except (Away, Problem) as error:
        return f"The sharing of your conversations is unknown here: {error} `loam share` lists it."
    found = [one for name in (repo, "") for one in rows if one["repo"] == name]
    return f"Conversations on {_line(found[0])}. `loam share` changes it." if found else NOT_SHARED


def _asked(repo: str, team: str) -> str:
    print("Loam keeps what is said in your agents' sessions, for you alone to find.")
    print(f"Share those on {repo} with {team or 'your team'}?")
    said = input("[n]o, what the [a]gent said and did, or the [w]hole conversation? [n] ").strip().lower()
    return ANSWERS.get(said, "no")
