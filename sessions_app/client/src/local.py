"""The files the client keeps on this machine, and the account it uses."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions_app.client.src.hooks.entry import fcntl, own_folder

VERSION = "0.1.0"
Json = dict[str, Any]


class Stop(Exception):
    """What a person is told in one line. The command ends with `status`: 1 refused or wrong, 3 the server is away."""

    def __init__(self, line: str, status: int = 1) -> None:
        super().__init__(line)
        self.status = status


def fresh() -> str:
    """128 random bits: the key of something told once, a name nobody else has."""
    return os.urandom(16).hex()


def now(at: float | None = None) -> str:
    """Return a time, else this one, as ISO 8601 in UTC to the millisecond."""
    seconds = time.time() if at is None else at
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"


def filled(**fields: Any) -> Json:
    """Those that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def home() -> Path:
    """Where everything of the client lies; only its owner can look in."""
    return Path(own_folder())


def write_private(path: Path, text: str, mode: int = 0o600) -> None:
    """The whole text or none of it, readable by its owner alone (or as `mode` says)."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{fresh()[:8]}")
    handle = os.open(str(draft), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(draft, mode)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def read_json(path: Path) -> Any:
    """What a file of ours says; an empty object if it is missing or spoiled."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


@dataclass(frozen=True)
class Account:
    """Where the server is and how it knows us."""

    url: str
    token: str
    team: str = ""


def account() -> Account | None:
    """The account of the environment, else of `login`; None when there is none."""
    kept = read_json(home() / "credentials.json")
    url = os.environ.get("LOAM_URL") or kept.get("url", "")
    token = os.environ.get("LOAM_TOKEN") or kept.get("token", "")
    # A token goes to the server it was made for, never to one that only the environment names.
    if not os.environ.get("LOAM_TOKEN") and url.rstrip("/") != str(kept.get("url", "")).rstrip("/"):
        token = ""
    team = os.environ.get("LOAM_TEAM") or kept.get("team", "")
    return Account(url.rstrip("/"), token, team) if url and token else None


def account_url() -> str:
    """Return the server's address, known from the environment or `login`, with or without a token."""
    kept = read_json(home() / "credentials.json")
    return str(os.environ.get("LOAM_URL") or kept.get("url", "")).rstrip("/")


def known_account() -> Account:
    found = account()
    if found is None:
        raise Stop("Not logged in: run `loam login URL` first, or set LOAM_URL and LOAM_TOKEN.")
    return found


@contextlib.contextmanager
def file_lock(name: str, *, wait: bool = False) -> Iterator[bool]:
    """Whether nobody else of this user is at it; True for one process at a time."""
    folder = home()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(folder / f".{name}.lock", "a", encoding="utf-8") as file:
        if fcntl is None:
            yield True
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            yield False
            return
        yield True


def machine_id() -> str:
    """Return a random name of this machine and user, the same for good; it says nothing of either."""
    place = home() / "machine"
    with contextlib.suppress(OSError):
        found = place.read_text(encoding="utf-8").strip()
        if found:
            return found
    made = fresh()
    write_private(place, made)
    return made
