"""`loam verify`: which of a repository's notes are out of date."""

from __future__ import annotations

import time

from sessions_app.client.src.checkout.freshness import States, file_states, with_commits
from sessions_app.client.src.checkout.shared_branch import shared_reports
from sessions_app.client.src.commands.base import here, say, server_for
from sessions_app.client.src.hooks.marks import MOST_REPORTED, fetch_anchors
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json

# Seconds that git may be asked for moves and for numbers of commits.
GIT_TAKES = 60.0
# Files that a line names.
MOST_NAMED = 10


def do_verify(args: argparse.Namespace) -> int:
    """Compare every note's files with this checkout, report what is so for the team, and name the notes that are out of
    date here.
    """
    place, server = here(args), server_for(args)
    anchors = fetch_anchors(server, place.repo)
    until = time.monotonic() + GIT_TAKES
    states = file_states(place.top, [one for files in anchors.values() for one in files], until=until)
    changed = {anchor: state for anchor, state in states.items() if state.state in ("changed", "gone")}
    changed = with_commits(place.top, changed, until=until)
    stale = {ref: [f"{changed[one]}: {one[0]}" for one in files if one in changed] for ref, files in anchors.items()}
    stale = {ref: said for ref, said in sorted(stale.items()) if said}
    compared = _compared(states)
    reported = shared_reports(place.top, compared)
    if not args.dry_run:
        for at in range(0, len(reported), MOST_REPORTED):
            part = reported[at : at + MOST_REPORTED]
            server.call("POST", "provenance/", {"repo": place.repo, "files": part})
    own = sorted({one["path"] for one in compared} - {one["path"] for one in reported})
    lines = [f"{ref}  {'; '.join(said)}" for ref, said in stale.items()]
    words = f"{len(stale)} of {len(anchors)} notes of {place.repo} are about files that changed since."
    if own:
        words += f"\nNot reported, because they are not as on the remote's main branch: {_few(own)}"
    about = {"repo": place.repo, "checked": len(anchors), "stale": stale, "not_reported": own}
    say(about, args, words, others=lines)
    return 1 if stale and args.fail else 0


def _compared(states: States) -> list[Json]:
    """Every file that could be compared, as it is now; one that was moved, and is as it was, counts as it was."""
    found: dict[str, Json] = {}
    for (path, then), state in states.items():
        if state.state == "same":
            found[path] = {"path": path, "sha256": then, "now": state.now}
        elif state.state != "unknown":
            found.setdefault(path, {"path": path, "sha256": state.sha256, "now": state.now})
    return [found[path] for path in sorted(found)]


def _few(paths: list[str]) -> str:
    more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
    return f"{', '.join(paths[:MOST_NAMED])}{more}"
