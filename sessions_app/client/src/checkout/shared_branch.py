"""Which files of a checkout are as on the branch that the team shares: of others nothing is reported."""

from __future__ import annotations

import os
from collections.abc import Iterable

from sessions_app.client.src.checkout.place import git, git_answer
from sessions_app.client.src.local import Json

# How main branches are called where the remote does not say which one is.
USUAL_NAMES = ("main", "master", "trunk", "develop")


def shared_reports(top: str, files: Iterable[Json]) -> list[Json]:
    """Return the reports ({path, sha256, and `now`, the path of a file that was moved}) that are true for the team, as
    the server takes them.
    """
    files = list(files)
    shared = _as_shared(top, {path for one in files for path in (one["path"], one.get("now")) if path})
    return [
        {"path": one["path"], "sha256": one["sha256"], **({"now": one["now"]} if one.get("now") else {})}
        for one in files
        if {one["path"], one.get("now") or one["path"]} <= shared
    ]


def _as_shared(top: str, paths: set[str]) -> set[str]:
    """Return those of the paths that are in the working tree as on the remote's main branch, or missing from both.

    Without a branch of the remote's: as in the last commit, on a branch of a usual name. Empty if git does not tell.
    """
    ref = _shared_ref(top)
    wanted = sorted(path for path in paths if "\n" not in path)
    if not ref or not wanted:
        return set()
    words = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-relative", ref, "--")
    changed = git_answer(top, "diff", *words)
    kinds = git_answer(
        top, "cat-file", "--batch-check=%(objecttype)", given="".join(f"{ref}:{path}\n" for path in wanted)
    )
    if changed is None or kinds is None:
        return set()
    there = {path for path, kind in zip(wanted, kinds.split("\n")) if kind == "blob"}
    # What git does not compare, because it is in neither, must not be here either.
    same = {path for path in wanted if path in there or not os.path.lexists(os.path.join(top, path))}
    return same - set(changed.split("\0"))


def _shared_ref(top: str) -> str:
    names = [f"refs/remotes/origin/{name}" for name in ("HEAD", *USUAL_NAMES)]
    known = git(top, "for-each-ref", "--format=%(refname)", *names).split("\n")
    found = next((name for name in names if name in known), "")
    return found or ("HEAD" if git(top, "symbolic-ref", "--quiet", "--short", "HEAD") in USUAL_NAMES else "")
