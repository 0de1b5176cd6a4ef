"""Marks in texts about to be shown: which notes were learned from files that have changed since.

The anchors of a repository's notes are kept on this machine, fetched by the courier, so that a hook asks no server.
Reading reports what changed and never what stayed the same: a note does not look fresher because it was read.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.parse
from collections.abc import Iterable
from pathlib import Path

from accounts.rules.fence import inert_line
from sessions_app.client.src.checkout.freshness import States, file_states, with_commits
from sessions_app.client.src.checkout.shared_branch import shared_reports
from sessions_app.client.src.delivery.outbox import post
from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.local import Json, home, read_json, write_private

Anchors = dict[str, list[tuple[str, str]]]
# A note's name, as texts have it; a session's (S-12) has one letter.
_REF = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b")
# Seconds that a text of a hook waits for its marks, one that was asked for, and both for the number of commits besides.
MARKING_TAKES, ASKED_MARKING_TAKES, COUNTING_TAKES = 0.03, 0.3, 0.02
# Files of one text that are looked at.
MOST_ANCHORS = 200
# Seconds after which the kept anchors are fetched again.
ANCHORS_AGE = 600
# Files in one report: the server takes 5,000.
MOST_REPORTED = 1_000


def _place(repo: str) -> Path:
    return home() / "anchors" / f"{urllib.parse.quote(repo, safe='')[-180:]}.json"


def stored_anchors(repo: str) -> Anchors:
    """Return the anchors of the repository's notes as last fetched: ref → [(path, sha256)]."""
    kept = read_json(_place(repo)).get("anchors")
    return {ref: [(path, then) for path, then in files] for ref, files in (kept or {}).items()}


def fetch_anchors(server: Server, repo: str, refs: Iterable[str] = ()) -> Anchors:
    """Return the anchors of the repository's notes from the server; none if it does not tell. Raises Away."""
    asked = {"repo": repo, **({"refs": ",".join(refs)} if refs else {})}
    try:
        answer = server.call("GET", f"provenance/?{urllib.parse.urlencode(asked)}")
    except Problem:
        return {}
    found: Anchors = {}
    for one in answer.get("insights") or ():
        found[one["ref"]] = [(str(item["path"]), str(item.get("sha256", ""))) for item in one["provenance"]]
    return found


def refresh_anchors(server: Server, repo: str, *, age: float = ANCHORS_AGE) -> None:
    """Fetch and keep the anchors of a repository, unless they are young."""
    kept = read_json(_place(repo))
    if time.time() - float(kept.get("at", 0)) < age and kept.get("url") == server.who.url:
        return
    try:
        anchors = fetch_anchors(server, repo)
    except Away:
        return
    about = {"at": time.time(), "url": server.who.url, "anchors": anchors, "reported": kept.get("reported", {})}
    write_private(_place(repo), json.dumps(about))


def refs_in(text: str) -> list[str]:
    return list(dict.fromkeys(_REF.findall(text)))


def marked(text: str, top: str, anchors: Anchors, *, takes: float = MARKING_TAKES) -> tuple[str, States]:
    """Return the text with a mark behind each line whose notes' files changed, and the files that did.

    What is not read within `takes` seconds is not marked; LOAM_HOOK_SECONDS gives a busy machine longer.
    """
    refs = [ref for ref in refs_in(text) if anchors.get(ref)]
    wanted = [anchor for ref in refs for anchor in anchors[ref]][:MOST_ANCHORS]
    if not wanted:
        return text, {}
    ends = time.monotonic() + float(os.environ.get("LOAM_HOOK_SECONDS") or takes)
    states = file_states(top, wanted, until=ends)
    changed = {anchor: state for anchor, state in states.items() if state.state in ("changed", "gone")}
    changed = with_commits(top, changed, until=ends + COUNTING_TAKES)
    lines, done = [], set()
    for line in text.split("\n"):
        new = [ref for ref in refs_in(line) if ref not in done and anchors.get(ref)]
        done.update(new)
        said = [inert_line(f"{changed[one]}: {one[0]}") for ref in new for one in anchors[ref] if one in changed]
        lines.append(f"{line} [{'; '.join(dict.fromkeys(said))}]" if said else line)
    return "\n".join(lines), changed


def as_report(changed: States) -> list[Json]:
    """Return the changed files, each under the path that its notes name, with `now`, the one that it has now."""
    files = [{"path": path, "sha256": state.sha256, "now": state.now} for (path, _), state in changed.items()]
    return files[:MOST_REPORTED]


def report_changes(top: str, repo: str, url: str, files: list[Json]) -> None:
    """Put into the outbox what is news for the team: changes on the branch that all share."""
    kept = read_json(_place(repo))
    reported = kept.get("reported") or {}
    news = [one for one in files if reported.get(one["path"]) != one["sha256"]]
    news = shared_reports(top, news) if news else []
    if news:
        post("provenance/", {"repo": repo, "files": news}, url=url)
        told = {one["path"]: one["sha256"] for one in news}
        write_private(_place(repo), json.dumps({**kept, "reported": {**reported, **told}}))
