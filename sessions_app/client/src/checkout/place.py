"""The checkout an agent works in: its top folder, repository name and branch."""

from __future__ import annotations

import os
import re
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from sessions_app.client.src.late import hashlib, subprocess
from sessions_app.client.src.local import machine_id


@dataclass(frozen=True)
class Checkout:
    """A checkout: its top folder, the repo's name (owner/name of its origin, else the folder's), the branch."""

    top: str
    repo: str
    branch: str


def git(folder: str, *words: str) -> str:
    """Return what git says, without the last line end; empty when there is no git or no repository."""
    return git_answer(folder, *words) or ""


def git_answer(folder: str, *words: str, timeout: float = 5, given: str = "") -> str | None:
    """Return what git says, without the last line end; None when it failed. `given` is its input."""
    said = git_bytes(folder, *words, timeout=timeout, given=given)
    return None if said is None else said.decode("utf-8", "replace").rstrip("\n")


def git_bytes(folder: str, *words: str, timeout: float = 5, given: str = "") -> bytes | None:
    """Return what git says, as it is; None when it failed."""
    # Without the lock an agent's own `git commit` at the same moment would not be refused.
    command = ["git", "--no-optional-locks", "-c", "core.quotePath=false", "-C", folder, *words]
    try:
        data = given.encode("utf-8", "surrogateescape")
        done = subprocess.run(command, capture_output=True, timeout=timeout, check=False, input=data)
    except (OSError, ValueError, subprocess.SubprocessError):  # ValueError: a NUL in the folder's name
        return None
    return done.stdout if done.returncode == 0 else None


# What tools leave behind where no .gitignore names it; nobody's unfinished work.
_MADE_BY_TOOLS = re.compile(r"(?:^|/)(?:__pycache__|node_modules|\.venv|\.[a-z]+_cache)/|\.pyc$|(?:^|/)\.DS_Store$")
# As many paths as the server takes.
MOST_UNCOMMITTED = 200


def uncommitted(top: str, timeout: float = 5) -> list[str] | None:
    """Return the paths that differ from the last commit, new files too; None when git does not say."""
    status = git_answer(top, "status", "--porcelain", "-z", "--untracked-files=all", timeout=timeout)
    if status is None:
        return None
    found, parts = [], iter(status.split("\0"))
    for part in parts:
        if len(part) > 3:
            if not _MADE_BY_TOOLS.search(part[3:]):
                found.append(part[3:])
            if part[0] in "RC":
                next(parts, "")  # where it was before
    return found[:MOST_UNCOMMITTED]


def checkout_id(top: str) -> str:
    """Return an opaque id of the checkout on this machine; it tells nobody its path."""
    text = f"{machine_id()}\0{os.path.realpath(top)}"
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def place_of(folder: str) -> Checkout:
    top = git(folder, "rev-parse", "--show-toplevel") or os.path.abspath(folder)
    origin = os.environ.get("LOAM_REPO") or repo_name(git(folder, "config", "--get", "remote.origin.url"))
    branch = git(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Checkout(top, (origin or os.path.basename(top) or "unknown")[:200], branch[:200])


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


def as_anchored(path: str, top: str, folder: str) -> str:
    """The path as the team's notes have it, below the checkout's top folder, of one that was given in `folder`; what
    lies elsewhere is left as it is.
    """
    near = os.path.join(folder, path)
    return within(near if os.path.exists(near) else path, top) or path


def without_home(text: str) -> str:
    """The user's own folder is nobody's business."""
    own = str(Path.home())
    return text.replace(own, "~") if len(own) > 3 else text
