"""`loam verify`: which of a repository's notes are out of date."""

from __future__ import annotations

import time
from collections.abc import Iterator

from sessions_app.client.src.commands import here, say, server_for
from sessions_app.client.src.freshness import States, file_states, with_commits
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json
from sessions_app.client.src.marks import MOST_REPORTED, fetch_anchors

# Seconds that git may be asked for moves and for numbers of commits.
GIT_TAKES = 60.0


def do_verify(args: argparse.Namespace) -> int:
    """Compare every note's files with this checkout, report them all, and name the notes that are out of date."""
    place, server = here(args), server_for(args)
    anchors = fetch_anchors(server, place.repo)
    until = time.monotonic() + GIT_TAKES
    states = file_states(place.top, [one for files in anchors.values() for one in files], until=until)
    changed = {anchor: state for anchor, state in states.items() if state.state in ("changed", "gone")}
    changed = with_commits(place.top, changed, until=until)
    stale = {ref: [f"{changed[one]}: {one[0]}" for one in files if one in changed] for ref, files in anchors.items()}
    stale = {ref: said for ref, said in sorted(stale.items()) if said}
    if not args.dry_run:
        for part in _reports(states):
            server.call("POST", "provenance/", {"repo": place.repo, "files": part})
    lines = [f"{ref}  {'; '.join(said)}" for ref, said in stale.items()]
    own = f"{len(stale)} of {len(anchors)} notes of {place.repo} are about files that changed since."
    say({"repo": place.repo, "checked": len(anchors), "stale": stale}, args, own, others=lines)
    return 1 if stale and args.fail else 0


def _reports(states: States) -> Iterator[list[Json]]:
    """Every file that could be compared, as it is now; one that was moved, and is as it was, counts as it was."""
    now: dict[str, str] = {}
    for (path, then), state in states.items():
        if state.state == "same":
            now[path] = then
        elif state.state != "unknown":
            now.setdefault(path, state.sha256)
    files = [{"path": path, "sha256": digest} for path, digest in sorted(now.items())]
    for at in range(0, len(files), MOST_REPORTED):
        yield files[at : at + MOST_REPORTED]
