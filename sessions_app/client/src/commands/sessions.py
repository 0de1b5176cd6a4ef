"""`loam start`, `end`, `ack`, `history` and `conversation`."""

from __future__ import annotations

import socket
import time
import urllib.parse

from accounts.rules.fence import inert_line
from sessions_app.client.src.checkout.place import checkout_id, uncommitted
from sessions_app.client.src.commands.base import by_hand, here, say, server_for, session_id
from sessions_app.client.src.commands.handoff import NOT_REVIEWED
from sessions_app.client.src.delivery.server import Server
from sessions_app.client.src.fenced import OwnLine
from sessions_app.client.src.hooks.answered import HANDOFF_TOKENS
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json, Stop, filled, fresh, known_account
from sessions_app.client.src.masking import mask
from sessions_app.client.src.sessions import begin, note, state


def do_start(args: argparse.Namespace) -> int:
    place, who = here(args), known_account()
    start = filled(
        repo=place.repo, branch=place.branch, team=args.team or who.team, agent=args.agent,
        machine=socket.gethostname()[:100], prompt=mask(args.prompt or ""), checkout=checkout_id(place.top),
    )  # fmt: skip
    start = {**start, **_uncommitted(place.top), "handoff_tokens": HANDOFF_TOKENS}
    begun: Json = {"start": start, "start_key": fresh(), "session": "", "ended": False}
    note(by_hand(), **begun, repo=place.repo, top=place.top, seen=time.time())
    known = begin(Server(who, timeout=args.timeout), by_hand())
    answer = {"session": known["session"], "orientation": known["orientation"]}
    say(answer, args, f"Session {known['session']}", text=str(known["orientation"]))
    return 0


def _uncommitted(top: str) -> Json:
    """The field that says what is not committed: an empty list is news too."""
    paths = uncommitted(top)
    return {} if paths is None else {"uncommitted": paths}


def do_end(args: argparse.Namespace) -> int:
    session = session_id(args)
    if not session:
        raise Stop("No session is open here: `loam start` begins one, --session names one.")
    body = filled(
        summary=mask(args.summary or ""), handoff_note=mask(args.note or ""),
        pending=list(map(mask, args.pending)), blockers=list(map(mask, args.blocker)),
    )  # fmt: skip
    body = {**body, **filled(branch=here(args).branch), **_uncommitted(here(args).top)}
    verb = "checkpoint" if args.checkpoint else "end"
    path = f"sessions/{urllib.parse.quote(session, safe='')}/{verb}/"
    done = server_for(args).post(path, body, key=fresh())
    if not args.checkpoint and state(by_hand()).get("session") == session:
        note(by_hand(), ended=True)
    say(done, args, OwnLine("Checkpoint written." if args.checkpoint else "Ended; the next session here is told."))
    return 0


def do_conversation(args: argparse.Namespace) -> int:
    path = f"sessions/{urllib.parse.quote(args.ref, safe='')}/conversation/"
    server, after = server_for(args), -1
    pages: list[Json] = []
    while True:
        pages.append(server.call("GET", f"{path}?limit=200&after={after}"))
        if not pages[-1]["left"] or not pages[-1]["passages"]:
            break
        after = pages[-1]["passages"][-1]["position"]
    passages = [one for page in pages for one in page["passages"]]
    text = "\n".join(page["text"] for page in pages)
    say({**pages[0], "passages": passages, "left": 0}, args, "", text=text)
    return 0


def do_ack(args: argparse.Namespace) -> int:
    session = session_id(args)
    if not session:
        raise Stop("No session is open here: `loam start` begins one, --session names one.")
    path = f"sessions/{urllib.parse.quote(session, safe='')}/ack/"
    done = server_for(args).call("POST", path, filled(handoff=args.handoff))
    say(done, args, OwnLine(f"The handoff of {inert_line(done['session'])} is yours; it is offered to nobody else."))
    return 0


def do_history(args: argparse.Namespace) -> int:
    answer = server_for(args).call("GET", f"sessions/?{urllib.parse.urlencode({'repo': here(args).repo})}")
    lines = []
    for one in answer.get("results", []):
        handoff = one.get("handoff") or {}
        about = [str(one.get(name) or "") for name in ("started_at", "ref", "user", "agent", "state", "branch")]
        lines.append("  ".join([about[0][:16], *filter(None, about[1:])]))
        lines += [f"    {handoff[name]}" for name in ("summary", "handoff_note") if handoff.get(name)]
        lines += [f"    - {step}" for step in handoff.get("pending") or ()]
    say(answer, args, "" if lines else "No session here yet.", others=lines and [NOT_REVIEWED, *lines])
    return 0
