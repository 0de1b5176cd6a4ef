"""`loam handoff` and `loam claim`."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator

from accounts.rules.fence import inert_line
from sessions_app.client.src.checkout.place import Checkout, checkout_id
from sessions_app.client.src.commands.base import here, say, server_for, session_id
from sessions_app.client.src.delivery.courier import claim_line
from sessions_app.client.src.delivery.server import Problem, Server
from sessions_app.client.src.fenced import OwnLine
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json, Stop, filled
from sessions_app.client.src.sessions import states

# Of whatever a session left: whose it is stands with each, and nobody has confirmed any of it.
NOT_REVIEWED = OwnLine("What sessions left, not reviewed:")
ACTIONS = ("list", "show", "take", "close", "reopen")


def do_handoff(args: argparse.Namespace) -> int:
    """List open handoffs, show one, take it over, close it or reopen it."""
    server, place = server_for(args), here(args)
    if args.action == "list":
        rows = _open_ones(server, place)
        lines = [line for one in rows for line in _listed(one)]
        say(rows, args, "" if lines else "No open handoff here.", others=lines and [NOT_REVIEWED, *lines])
        return 0
    if not args.ref:
        raise Stop(f"Which one? `loam handoff list` names them: loam handoff {args.action} S-29", 2)
    if args.action == "show":
        one = server.call("GET", f"sessions/{urllib.parse.quote(args.ref, safe='')}/")
        text = str(one.get("text") or (one.get("handoff") or {}).get("text") or "")
        lines = [] if text else _fields(one)
        say(one, args, "" if text or lines else f"{one.get('ref')} left no handoff.", others=lines, text=text)
        return 0
    mine = _own_session(args, place)
    body = filled(handoff=args.ref, action="" if args.action == "take" else args.action)
    path = f"sessions/{urllib.parse.quote(mine or args.ref, safe='')}/ack/"
    done = server.call("POST", path, body)
    said = {"take": "is yours; it is offered to nobody else.", "close": "is closed.", "reopen": "is open again."}
    text = str(done.get("text") or "") if args.action == "take" else ""
    own = OwnLine(f"The handoff of {inert_line(str(done.get('session') or args.ref))} {said[args.action]}")
    say(done, args, own, text=text)
    return 0


def _open_ones(server: Server, place: Checkout) -> list[Json]:
    """The open handoffs in the order a start offers them; of an older server, the last sessions that left one."""
    asked = {"repo": place.repo, "open": "true", "branch": place.branch, "checkout": checkout_id(place.top)}
    try:
        answer = server.call("GET", f"sessions/?{urllib.parse.urlencode(asked)}")
    except Problem as problem:
        if "open" not in problem.errors:
            raise
        answer = server.call("GET", f"sessions/?{urllib.parse.urlencode({'repo': place.repo})}")
    rows: list[Json] = answer.get("results", [])
    return [one for one in rows if one.get("handoff") and not one["handoff"].get("acknowledged_at")]


def _listed(one: Json) -> Iterator[str]:
    handoff = one["handoff"]
    about = (
        one.get("ref"),
        one.get("user"),
        one.get("branch"),
        str(handoff.get("as_of") or "")[:16],
        handoff.get("state"),
    )
    yield "  ".join(str(part) for part in about if part)
    why = handoff.get("why") or handoff.get("handoff_note") or handoff.get("summary")
    if why:
        yield f"    {why}"


def _fields(one: Json) -> list[str]:
    """The handoff of a session in lines, where its server is too old to tell it as a text; empty if it left none."""
    handoff = one.get("handoff") or {}
    if not handoff:
        return []
    lines = [f"{one.get('ref')}  {one.get('user')}  {one.get('branch')}  {one.get('state')}, not reviewed"]
    lines += [str(handoff[name]) for name in ("summary", "handoff_note") if handoff.get(name)]
    for title, name in (("Next", "pending"), ("Blocked", "blockers"), ("Recorded", "facts"), ("Files", "files")):
        lines += [f"{title}: {item}" for item in handoff.get(name) or ()]
    return lines


def _own_session(args: argparse.Namespace, place: Checkout) -> str:
    """The session named, or begun by hand, or of the agent that was last seen in this checkout; empty without one."""
    named = session_id(args)
    live = (known for known in states() if known.get("top") == place.top and not known.get("ended"))
    return named or next((str(known["session"]) for known in live if known.get("session")), "")


def do_claim(args: argparse.Namespace) -> int:
    """Claim files or patterns, give them back, or list who claims what; say whose work they overlap with."""
    session = _own_session(args, here(args))
    if not session:
        raise Stop("No session is open here: `loam start` begins one, --session names one.")
    body: Json = {"release": args.path} if args.release else filled(files=args.path)
    if args.path and not args.release:
        body["minutes"] = args.minutes
    done = server_for(args).call("POST", f"sessions/{urllib.parse.quote(session, safe='')}/claims/", body)
    lines = [f"yours: {one['path']}, until {str(one['until'])[:16]}Z" for one in done.get("claims", [])]
    others = [claim_line(one) for one in done.get("held_by_others", [])]
    head = f"Others work {'there' if args.path else 'on this repository'}; agree with them before you edit."
    own = head if others else "" if lines else "Nothing is claimed."
    say(done, args, own, others=[*lines, *others])
    return 0
