"""The checkout an agent works in: its top folder, repository name and branch."""

from __future__ import annotations

import os
import re
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from sessions_app.client.src.late import subprocess


@dataclass(frozen=True)
class Place:
    """A checkout: its top folder, the repo's name (owner/name of its origin, else the folder's), the branch."""

    top: str
    repo: str
    branch: str


def git(folder: str, *words: str) -> str:
    """What git says, without the last line end; empty when there is no git or no repository."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, timeout=5, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").rstrip("\n") if done.returncode == 0 else ""


def place_of(folder: str) -> Place:
    top = git(folder, "rev-parse", "--show-toplevel") or os.path.abspath(folder)
    origin = os.environ.get("LOAM_REPO") or repo_name(git(folder, "config", "--get", "remote.origin.url"))
    branch = git(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Place(top, (origin or os.path.basename(top) or "unknown")[:200], branch[:200])


def repo_name(origin: str) -> str:
    """`owner/name` of a remote's address; whatever else the address says (host, user, password) stays here."""
    path = urllib.parse.urlsplit(origin).path if "://" in origin else origin.rpartition(":")[2]
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..", "~")]
    return re.sub(r"\.git$", "", "/".join(parts[-2:]))


def within(path: str, top: str) -> str:
    """The path below the checkout's top folder with slashes; empty when it lies elsewhere: not the team's to know."""
    if not path:
        return ""
    whole = os.path.normpath(path if os.path.isabs(path) else os.path.join(top, path))
    for one, other in ((whole, top), (os.path.realpath(whole), os.path.realpath(top))):
        if one.startswith(other.rstrip(os.sep) + os.sep):
            return os.path.relpath(one, other).replace(os.sep, "/")
    return ""


def without_home(text: str) -> str:
    """The user's own folder is nobody's business."""
    own = str(Path.home())
    return text.replace(own, "~") if len(own) > 3 else text
