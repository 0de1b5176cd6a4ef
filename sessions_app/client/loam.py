#!/usr/bin/env python3
"""loam: a coding agent's way to its team's memory. One file, Python 3.9 or newer, nothing to install.

    python3 loam.py login http://loam.example.com      once; asks for a token from the page "Connect an agent"
    python3 loam.py install claude-code                hooks and MCP for Claude Code (or cursor, codex, vscode)
    python3 loam.py query "how do we release"          by hand, or from a script

What agents' hooks call (`loam hook EVENT`) ends with 0 whatever happens, and says nothing when the server is away:
what was to be told is written to a spool first and delivered later, each piece once. Texts are masked before they
leave this machine: secrets, personal data and invisible characters, by the rules of the server (the last part of
this file is a copy of them).

Environment: LOAM_URL, LOAM_TOKEN and LOAM_TEAM over what `login` wrote; LOAM_HOME for where it is written
(else ~/.config/loam); LOAM_SESSION for the session that commands speak in; LOAM_OFF=1 keeps the hooks silent.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import http.client
import importlib.util
import json
import math
import os
import re
import shlex
import socket
import stat
import sys
import threading
import time
import unicodedata
import urllib.parse
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

try:
    import fcntl
except ImportError:  # Windows: two deliveries at once are told apart by their keys, at the server
    fcntl = None  # type: ignore[assignment]


def _later(name: str) -> Any:
    """A module that is loaded when something of it is first used: a prompt's hook has no time for the others'."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    import argparse
    import ast
    import difflib
    import getpass
    import hashlib
    import subprocess
    import urllib.request
else:
    argparse, ast, difflib, getpass, hashlib, subprocess = map(
        _later, ("argparse", "ast", "difflib", "getpass", "hashlib", "subprocess")
    )
    urllib.request = _later("urllib.request")

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


def now() -> str:
    """ISO 8601 in UTC, to the millisecond."""
    seconds = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"


# --- what is kept on this machine ----------------------------------------------------------------------------
def home() -> Path:
    """Where everything of the client lies; only its owner can look in."""
    named = os.environ.get("LOAM_HOME")
    return Path(named) if named else Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "loam"


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


def known_account() -> Account:
    found = account()
    if found is None:
        raise Stop("Not logged in: run `loam login URL` first, or set LOAM_URL and LOAM_TOKEN.")
    return found


# --- speaking with the server --------------------------------------------------------------------------------
class Away(Exception):
    """The server could not be reached, or is not able to answer just now: the same call may do later."""


class Problem(Exception):
    """The server refused. `detail` and `errors` (field → faults) say why; `code` is for programs."""

    def __init__(self, status: int, body: Json) -> None:
        self.status, self.code = status, str(body.get("code", "error"))
        self.detail = str(body.get("detail") or body.get("title") or f"The server answered {status}.")
        self.body = body
        self.errors: Json = body.get("errors") if isinstance(body.get("errors"), dict) else {}  # type: ignore[assignment]
        super().__init__(str(self))

    def __str__(self) -> str:
        named = [(field, said) for field, said in self.errors.items() if isinstance(said, list)]
        faults = [f"{field}: {' '.join(map(str, said))}" for field, said in named]
        return " ".join([self.detail, *faults])


# An answer of this many bytes is none of Loam's.
LARGEST_ANSWER = 16_000_000
# 502 to 504 are a proxy's word for a server that is away; 500 and 429 may pass too.
PASSING = (429, 500, 502, 503, 504)
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Server:
    """The REST API and MCP of one Loam. `timeout` in seconds, for the connection and for each read."""

    def __init__(self, who: Account, timeout: float = 30.0) -> None:
        self.who, self.timeout = who, timeout

    def call(self, method: str, path: str, body: Any = None, *, key: str = "") -> Any:
        """The answer of `/api/v1/<path>` as JSON; `key` makes a repeated write count once. Raises Away, Problem."""
        headers = {"Idempotency-Key": key} if key else {}
        text, _ = self.send(method, f"/api/v1/{path}", body, headers)
        try:
            return json.loads(text) if text else None
        except ValueError as error:
            raise Away(f"{self.who.url} does not answer as Loam does.") from error

    def send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> tuple[str, Any]:
        """The text of an answer and its headers. A redirect is not followed: the token is for this server alone.

        Raises Away, Problem.
        """
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        sent = {
            "Authorization": f"Bearer {self.who.token}", "User-Agent": f"loam-client/{VERSION}",
            "Accept": "application/json", "Content-Type": "application/json", "Connection": "close", **headers,
        }  # fmt: skip
        try:
            line, base = self._line()
            with contextlib.closing(line):
                line.request(method, base + path, data, sent)
                answer = line.getresponse()
                text = answer.read(LARGEST_ANSWER).decode("utf-8")
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Away(f"{self.who.url} is out of reach: {error or type(error).__name__}") from error
        if answer.status >= 300:
            raise self._refusal(answer.status, text, answer.headers.get("Location", ""))
        return text, answer.headers

    def _line(self) -> tuple[http.client.HTTPConnection, str]:
        """A connection, through the proxy that the environment names, if any; and what paths begin with."""
        parts = urllib.parse.urlsplit(self.who.url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        proxy = "" if host in LOOPBACK else _proxy(parts.scheme, host)
        if not proxy:
            return kind(host, parts.port, timeout=self.timeout), parts.path
        way = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        line = kind(way.hostname or "", way.port or 3128, timeout=self.timeout)
        if secure:
            line.set_tunnel(host, parts.port or 443)
        return line, parts.path if secure else self.who.url

    def _refusal(self, status: int, text: str, elsewhere: str) -> Exception:
        if status in PASSING:
            return Away(f"{self.who.url} answers {status} just now.")
        if elsewhere:
            return Problem(status, {"detail": f"{self.who.url} sends to {elsewhere}: log in there."})
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        return Problem(status, body if isinstance(body, dict) else {})


def _proxy(scheme: str, host: str) -> str:
    if not any(name.lower() == f"{scheme}_proxy" for name in os.environ) or urllib.request.proxy_bypass(host):
        return ""
    return str(urllib.request.getproxies().get(scheme, ""))


# --- the outbox ----------------------------------------------------------------------------------------------
# What is to be told is a file first, and gone when the server has it. Each has a key of its own under which the
# server counts it once, so that a delivery whose answer was lost may be repeated.
MOST_SPOOLED = 5_000
MOST_IN_BATCH = 100
DRAFTS_ARE_DEAD = 3_600
SENT = "-sent"
EVENTS = "sessions/{session}/events/"


def spool_folder() -> Path:
    return home() / "spool"


def post(path: str, body: Json, *, of: str = "", url: str = "", key: str = "") -> Path:
    """Put a POST into the outbox. `{session}` in the path becomes the server's id of the agent's session `of`."""
    folder = spool_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    item = {"path": path, "body": body, "of": of, "key": key or fresh(), "url": url}
    place = folder / f"{time.time_ns():020d}-{fresh()[:8]}.json"
    write_private(place, json.dumps(item))
    return place


def waiting() -> list[Path]:
    """What is in the outbox, oldest first."""
    try:
        return sorted(entry for entry in spool_folder().iterdir() if entry.suffix == ".json" and entry.name[0] != ".")
    except OSError:
        return []


@contextlib.contextmanager
def _alone(name: str, *, wait: bool = False) -> Iterator[bool]:
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


def deliver(server: Server, *, until: float) -> int:
    """Empty the outbox as far as it goes by `until` (time.monotonic()); how many are left. Never raises."""
    with contextlib.suppress(OSError), _alone("deliver") as mine:
        if mine:
            _thin_out()
            for place in _batched(server.who.url):
                if time.monotonic() >= until or not _delivered(server, _on_its_way(place)):
                    break
    return len(waiting())


def _thin_out() -> None:
    """A server that is away for weeks must not fill the disk: the oldest go first."""
    for place in waiting()[:-MOST_SPOOLED]:
        place.unlink(missing_ok=True)
    for draft in spool_folder().glob(".*"):  # of a process that was killed while it wrote
        if time.time() - draft.stat().st_mtime > DRAFTS_ARE_DEAD:
            draft.unlink(missing_ok=True)


def _batched(url: str) -> Iterator[Path]:
    """The files to be sent, in order. Neighbouring events of a session become one file, whose key is then its own.

    A batch is written whole before its parts go; a part that a crash left behind is known by its name.
    """
    places = [place for place in waiting() if read_json(place).get("url") in ("", url)]
    done = {name for place in places for name in read_json(place).get("parts", [])}
    for place in [p for p in places if p.name in done]:
        place.unlink(missing_ok=True)
    places = [place for place in places if place.name not in done]
    at = 0
    while at < len(places):
        first = read_json(places[at])
        run = [places[at]]
        while first.get("path") == EVENTS and at + len(run) < len(places) and len(run) < MOST_IN_BATCH:
            other = read_json(places[at + len(run)])
            if SENT in run[0].stem + places[at + len(run)].stem:
                break
            if (other.get("path"), other.get("of")) != (EVENTS, first["of"]):
                break
            run.append(places[at + len(run)])
        at += len(run)
        yield _one_file(first, run) if len(run) > 1 else run[0]


def _on_its_way(place: Path) -> Path:
    """The file under the name of one that was sent: it may have arrived though no answer came, so that from now on
    it goes under its own key only, and is joined with no other.
    """
    return place if place.stem.endswith(SENT) else place.rename(place.with_name(f"{place.stem}{SENT}.json"))


def _one_file(first: Json, run: list[Path]) -> Path:
    events = [event for place in run for event in read_json(place).get("body", {}).get("events", [])]
    whole = {**first, "body": {"events": events}, "key": fresh(), "parts": [place.name for place in run]}
    # Named to stand where its first part stood.
    batch = run[0].with_name(f"{run[0].stem}{SENT}.json")
    write_private(batch, json.dumps(whole))
    for place in run:
        place.unlink(missing_ok=True)
    return batch


def _delivered(server: Server, place: Path) -> bool:
    """Whether the next may follow: this one has arrived, or was refused for good and put aside."""
    item = read_json(place)
    try:
        path = str(item["path"])
        if "{session}" in path:
            path = path.replace("{session}", urllib.parse.quote(session_of(server, item["of"]), safe=""))
        answer = server.call("POST", path, item["body"], key=item["key"])
    except Away:
        return False
    except Problem as problem:
        # Without a valid token everything would be refused; with one again, it is taken.
        if problem.status in (401, 403):
            return False
        _put_aside(place, item, str(problem))
        return True
    except KeyError:
        _put_aside(place, item, "This file is not one of ours.")
        return True
    if item.get("of") and isinstance(answer, dict):
        note(item["of"], seen=time.time())
    place.unlink(missing_ok=True)
    return True


def _put_aside(place: Path, item: Json, why: str) -> None:
    """What the server will never take is kept for a person to look at, the last fifty."""
    folder = home() / "refused"
    write_private(folder / place.name, json.dumps({**item, "why": why}, indent=1))
    place.unlink(missing_ok=True)
    for old in sorted(folder.glob("*.json"))[:-50]:
        old.unlink(missing_ok=True)


# --- the agent's sessions, and the server's --------------------------------------------------------------------
OLDEST_STATE = 30 * 86_400


def _state_place(of: str) -> Path:
    return home() / "sessions" / f"{urllib.parse.quote(of, safe='')[-180:]}.json"


def state(of: str) -> Json:
    """What is known of an agent's session; `of` is "<agent>:<the agent's own id>"."""
    found = read_json(_state_place(of))
    return found if isinstance(found, dict) else {}


def note(of: str, **facts: Any) -> Json:
    """Write facts down beside what is known; hooks that run side by side do not undo each other's."""
    with _alone("state", wait=True):
        known = {**state(of), **facts, "of": of}
        write_private(_state_place(of), json.dumps(known))
    return known


def states() -> list[Json]:
    """All that are known, the last seen first; those of a month ago are forgotten."""
    found = []
    for place in (home() / "sessions").glob("*.json"):
        known = read_json(place)
        if isinstance(known, dict) and time.time() - known.get("seen", 0) < OLDEST_STATE:
            found.append(known)
        else:
            place.unlink(missing_ok=True)
    return sorted(found, key=lambda known: -known.get("seen", 0))


def session_of(server: Server, of: str) -> str:
    """The server's id of an agent's session; one that could not be started when it began is started now."""
    known = state(of)
    if known.get("session") and known.get("url") == server.who.url:
        return str(known["session"])
    started = begin(server, of)
    return str(started["session"])


def begin(server: Server, of: str) -> Json:
    """Start the session that the state of `of` describes. The key makes a start whose answer was lost count once."""
    known = state(of)
    body = known.get("start") or {"repo": known.get("repo") or "unknown", "agent": of.partition(":")[0]}
    key = known.get("start_key") or fresh()
    note(of, start=body, start_key=key)
    try:
        answer = server.call("POST", "sessions/", body, key=key)
    except Problem as problem:
        # Of another account, or of a server that began anew: what was said before is then nobody's to tell.
        if "previous" not in problem.errors:
            raise
        body = {name: value for name, value in body.items() if name not in ("previous", "transcript")}
        answer = server.call("POST", "sessions/", body, key=key)
    if not isinstance(answer, dict) or not isinstance(answer.get("session"), str):
        raise Away(f"{server.who.url} does not answer as Loam does.")
    orientation = answer.get("orientation") or {}
    # The body held the last session's words; the server has them now.
    slim = {name: value for name, value in body.items() if name != "transcript"}
    return note(
        of, session=answer["session"], url=server.who.url, start=slim, orientation=orientation.get("text", ""),
        seen=time.time(),
    )  # fmt: skip


# --- what leaves this machine ----------------------------------------------------------------------------------
def mask(text: str) -> str:
    """The text without invisible characters, secrets and personal data. Every text goes through here before it goes."""
    text = redact_secrets(strip_invisible(text.replace("\0", "")).text)[0]
    return redact_personal(text)[0]


def short(text: str, most: int) -> str:
    """At most so many characters, cut at the end, and said so."""
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"


def masked_short(text: str, most: int) -> str:
    """Masked before it is cut: half a key would not be known for one. Four times as much is looked at, no more."""
    if len(text) > 4 * most:
        text = text[: 4 * most].rpartition(" ")[0]
    return short(mask(text), most)


# --- where an agent works --------------------------------------------------------------------------------------
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


# --- transcripts -----------------------------------------------------------------------------------------------
# What agents write down of their conversations, read for the session that was killed. The end counts: what was
# decided and left open last. Of what tools gave out only the end of a test's, a build's or a migration's is taken, for
# nobody knows what else is in it; which files were changed is.
READ_BYTES = 6_000_000
MOST_TURNS = 400
LONGEST_TURN = 4_000
LONGEST_OUTPUT = 1_500
MOST_CHARACTERS = 160_000
# What a client adds to a message is not what the user said.
_ADDED = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|environment_context|user_instructions|attached_files"
    r"|user_info|git_status|project_layout|INSTRUCTIONS)\b[^>]*>.*?</\1>",
    re.DOTALL,
)
_ASKED = re.compile(r"</?(?:user_query|timestamp|user_message)>")


@dataclass(frozen=True)
class Said:
    """One turn: role user, assistant or tool; for a tool the line is made here, and says what was done.

    `call` names a tool's use; a turn of role `result` has its output, and is joined with it.
    """

    role: str
    text: str
    at: str = ""
    call: str = ""
    failed: bool = False


def read_transcript(path: str, top: str) -> list[Said]:
    """The turns of a Claude Code, Codex or Cursor transcript, as the file's own form tells; empty if it is none."""
    text = _tail(path)
    if path.endswith(".txt"):
        return list(_told_in_text(text))
    turns: list[Said] = []
    codex = False
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # the line a crash, or the limit, cut
        if isinstance(row, dict):
            codex = codex or row.get("type") in ("session_meta", "response_item", "event_msg")
            turns.extend(_codex(row, top) if codex else _claude_or_cursor(row, top))
    return _with_results(turns)


def _with_results(turns: list[Said]) -> list[Said]:
    """Commands with the end of their output; without edits that failed."""
    results = {turn.call: turn for turn in turns if turn.role == "result"}
    joined: list[Said] = []
    for turn in turns:
        result = results.get(turn.call) if turn.role == "tool" and turn.call else None
        if turn.role == "result" or (result and result.failed and turn.text.startswith(EDITED)):
            continue
        shown = result.text.strip()[-LONGEST_OUTPUT:] if result and not turn.text.startswith(EDITED) else ""
        joined.append(Said(turn.role, f"{turn.text}\n{_no_homes(shown)}", turn.at) if shown else turn)
    return joined


def _tail(path: str) -> str:
    """The end of a regular file, from a line's beginning; empty for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                return ""
            file.seek(max(0, about.st_size - READ_BYTES))
            text = file.read(READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return text if about.st_size <= READ_BYTES else text.partition("\n")[2]


def _claude_or_cursor(row: Json, top: str) -> Iterator[Said]:
    """{"type" or "role": user|assistant, "message": {"content": text or blocks}, "timestamp"}; sub-agents apart."""
    message = row.get("message")
    role = row.get("type") if row.get("type") in ("user", "assistant") else row.get("role")
    if not isinstance(message, dict) or role not in ("user", "assistant"):
        return
    if row.get("isSidechain") or row.get("isMeta") or row.get("isApiErrorMessage") or row.get("isCompactSummary"):
        return
    at = str(row.get("timestamp") or "")
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks if isinstance(blocks, list) else []:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text":
            yield from _spoken(role, block.get("text"), at)
        elif kind == "tool_use" and role == "assistant":
            yield from _used(block.get("name"), block.get("input"), at, top, block.get("id"))
        elif kind == "tool_result" and role == "user":
            failed = bool(block.get("is_error"))
            yield Said("result", _text_in(block.get("content")), at, str(block.get("tool_use_id")), failed)


def _codex(row: Json, top: str) -> Iterator[Said]:
    """{"type": "response_item", "payload": {"type": "message" or a call, …}}; events repeat the same and are left."""
    payload = row.get("payload")
    if row.get("type") != "response_item" or not isinstance(payload, dict):
        return
    at, kind = str(row.get("timestamp") or ""), payload.get("type")
    if kind == "message" and payload.get("role") in ("user", "assistant"):
        blocks = payload.get("content")
        for block in blocks if isinstance(blocks, list) else []:
            if isinstance(block, dict) and block.get("type") in ("input_text", "output_text", "text"):
                yield from _spoken(payload["role"], block.get("text"), at)
    elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
        given = payload.get("arguments", payload.get("input", payload.get("action")))
        if isinstance(given, str) and given.lstrip().startswith("{"):
            with contextlib.suppress(ValueError):
                given = json.loads(given)
        yield from _used(payload.get("name") or kind, given, at, top, payload.get("call_id"))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield Said("result", _text_in(payload.get("output")), at, str(payload.get("call_id")))


_TOLD = re.compile(r"^(user|assistant|A):[ \t]*\n(.*?)(?=^(?:user|assistant|A):[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
_NOT_TOLD = re.compile(r"^\[(?:Thinking|Tool call|Tool result)\].*?(?=^\[|\n\n|\Z)", re.MULTILINE | re.DOTALL)


def _told_in_text(text: str) -> Iterator[Said]:
    """Cursor's older form: `user:` and `assistant:` lines, with [Thinking], [Tool call] and [Tool result] between."""
    for role, part in _TOLD.findall(text):
        yield from _spoken("user" if role == "user" else "assistant", _NOT_TOLD.sub("", part), "")


def _spoken(role: str, text: Any, at: str) -> Iterator[Said]:
    if not isinstance(text, str):
        return
    text = _ASKED.sub("", _ADDED.sub("", text)).strip()
    if text and not text.startswith(("# AGENTS.md instructions", "Caveat: The messages below")):
        yield Said(role, text, at)


def _text_in(output: Any) -> str:
    """The text of a tool's output: as it is, in blocks, or as JSON with an `output` in it."""
    if isinstance(output, str) and output.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            output = json.loads(output)
    if isinstance(output, dict):
        output = output.get("output") or output.get("content")
    blocks = output if isinstance(output, list) else [output]
    return "\n".join(str(one.get("text") or "") if isinstance(one, dict) else str(one or "") for one in blocks)


# As the server reads a tool's turn: what was used, then on what.
EDITED, RAN = "Edit ", "Bash: "


def _used(name: Any, given: Any, at: str, top: str, call: Any = None) -> Iterator[Said]:
    for event in events_of(str(name or ""), given, "", top, failed=None):
        if event["kind"] == "edit":
            yield Said("tool", EDITED + event["path"], at, str(call or ""))
        elif event.get("command"):
            yield Said("tool", RAN + event["command"].replace("\n", " "), at, str(call or ""))


def digest(turns: list[Said]) -> list[Json]:
    """The last turns as the server takes them, masked, within the limits."""
    kept: list[Json] = []
    room = MOST_CHARACTERS
    for turn in reversed(turns[-MOST_TURNS:]):
        text = masked_short(turn.text, LONGEST_TURN)
        room -= len(text)
        if room < 0:
            break
        kept.append({"role": turn.role, "text": text, **({"at": turn.at} if _is_time(turn.at) else {})})
    return kept[::-1]


def _is_time(at: str) -> bool:
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)", at))


# --- what a tool did ---------------------------------------------------------------------------------------------
_EDITS = {"edit", "multiedit", "write", "notebookedit", "apply_patch", "str_replace", "search_replace", "edit_file"}
_SHELLS = {"bash", "shell", "exec_command", "local_shell", "local_shell_call", "run_terminal_cmd", "terminal"}
_PATH_FIELDS = ("file_path", "path", "notebook_path", "target_file")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# A runner, its flags, and what it is told to do: `npm run -s test`, `cargo build`.
_RUNNERS = r"(?:go|cargo|dotnet|mix|swift|deno|bun|bazel|sbt|gradlew?|mvnw?|make|npm|pnpm|yarn|manage\.py|rake|rails)"
_COMMANDS = tuple(
    (kind, re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])"))
    for kind, words in (
        ("test", r"pytest|vitest|jest|mocha|rspec|phpunit|ctest|unittest|nose2|tox|nox|playwright test|cypress run"),
        ("test", rf"{_RUNNERS}(?: run| -\S+)*[ :](?:test|check|verify)[\w:]*"),
        ("commit", r"git(?: -\S+(?: (?!-\S)\S+)?)*? (?:commit|merge|rebase|cherry-pick|revert)"),
        ("migration", r"manage\.py migrate|alembic (?:up|down)grade|prisma migrate|supabase db|knex migrate"),
        ("migration", r"(?:rails|rake) db:migrate|flyway"),
        ("build", r"tsc|webpack|vite build|rollup|esbuild|cmake --build|ninja|docker build|javac|gcc|g\+\+|clang"),
        ("build", rf"{_RUNNERS}(?: run| -\S+)* (?:build|compile|package|all)"),
    )
)
LONGEST_COMMAND = 500
LONGEST_LOOKED_AT = 2_000
LONGEST_FAULT = 4_000


def events_of(tool: str, given: Any, output: str, top: str, *, failed: bool | None) -> list[Json]:
    """What is worth telling of a tool's use: files it changed, and commands that test, build, commit or fail.

    `failed` is None when nobody knows. Reading leaves no trace, nor does a file outside the checkout.
    """
    tool = tool.lower()
    fields = given if isinstance(given, dict) else {}
    if tool in _EDITS or (isinstance(given, str) and "*** Begin Patch" in given):
        told = given if isinstance(given, str) else str(fields.get("input") or fields.get("patch") or "")
        named = next((fields[name] for name in _PATH_FIELDS if fields.get(name)), None)
        paths = [str(named)] if named else _PATCHED.findall(told)
        inside = [within(path.strip(), top) for path in paths]
        outcome = {} if failed is None else {"outcome": "failed" if failed else "ok"}
        return [{"kind": "edit", "path": short(path, 400), **outcome} for path in dict.fromkeys(inside) if path]
    if tool in _SHELLS:
        words = fields.get("command") or fields.get("cmd") or ""
        command = " ".join(map(str, words)) if isinstance(words, list) else str(words)
        if "*** Begin Patch" in command:
            return events_of("apply_patch", command, "", top, failed=failed)
        return _command(command, output, failed)
    return []


def _command(command: str, output: str, failed: bool | None) -> list[Json]:
    kind = next((kind for kind, known in _COMMANDS if known.search(command[:LONGEST_LOOKED_AT])), "")
    if failed is None and kind == "test" and output:
        failed = bool(re.search(r"\b[1-9]\d* (?:failed|failing|errors?)\b|^FAIL(?:ED|URES)?\b", output, re.M | re.I))
    if not command.strip() or not (kind or failed):
        return []
    event: Json = {"kind": kind or "error", "command": masked_short(_no_homes(command), LONGEST_COMMAND)}
    if failed is not None:
        event["outcome"] = "failed" if failed else "passed" if kind == "test" else "ok"
    if failed and output.strip():
        event["error"] = mask(_no_homes(output.strip()[-2 * LONGEST_FAULT :]))[-LONGEST_FAULT:]
    return [event]


def _no_homes(text: str) -> str:
    """The user's own folder is nobody's business."""
    own = str(Path.home())
    return text.replace(own, "~") if len(own) > 3 else text


# --- hooks -------------------------------------------------------------------------------------------------------
# Seconds after which a hook ends itself, saying nothing. A person waits for the answer to a prompt: 300 ms with the
# start of Python. Claude Code gives SessionEnd about 1.5 s.
BUDGETS = {
    "SessionStart": 4.0, "UserPromptSubmit": 0.22, "PostToolUse": 3.0, "PostToolUseFailure": 3.0,
    "PreCompact": 6.0, "Stop": 3.0, "SessionEnd": 1.2,
}  # fmt: skip
# Cursor's words for the same moments.
ALIASES = {
    "sessionStart": "SessionStart", "beforeSubmitPrompt": "UserPromptSubmit", "afterFileEdit": "PostToolUse",
    "afterShellExecution": "PostToolUse", "postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure",
    "preCompact": "PreCompact", "stop": "Stop", "sessionEnd": "SessionEnd",
}  # fmt: skip
LARGEST_INPUT = 4_000_000
LAST_ERROR = "last-hook-error.txt"
LONGEST_PROMPT = 4_000
# A turn's end is no end of a session; but every ten minutes what was said so far is put on record, so that another
# machine may take over from one that died.
BETWEEN_CHECKPOINTS = 600
# A session whose agent cannot be asked after has this long to show a sign of life (as on the server).
SILENCE = 1_800


@dataclass(frozen=True)
class Moment:
    """One call of a hook, whoever calls."""

    event: str
    agent: str
    given: Json
    ends: float

    @property
    def of(self) -> str:
        """The agent's session."""
        given = self.given
        own = given.get("session_id") or given.get("conversation_id") or given.get("cwd") or os.getcwd()
        return f"{self.agent}:{own}"

    @property
    def folder(self) -> str:
        roots = self.given.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        return str(self.given.get("cwd") or first or os.getcwd())

    @property
    def left(self) -> float:
        return max(0.05, self.ends - time.monotonic())


def hook(event: str, agent: str) -> None:
    """Answer an agent's hook on stdout; never fail, never block, and be done in time."""
    began = time.monotonic()
    name = ALIASES.get(event, event)
    once = threading.Lock()
    budget = float(os.environ.get("LOAM_HOOK_SECONDS") or BUDGETS.get(name, 2.0))

    def give_up() -> None:
        with once:
            os._exit(0)

    watch = threading.Timer(budget, give_up)
    watch.daemon = True
    watch.start()
    answer: Json = {}
    try:
        given = json.loads(sys.stdin.buffer.read(LARGEST_INPUT).decode("utf-8", "replace") or "{}")
        agent = "cursor" if "conversation_id" in given or "cursor_version" in given else agent
        if not os.environ.get("LOAM_OFF") and name in HANDLERS:
            answer = HANDLERS[name](Moment(name, agent, given, began + budget - 0.05)) or {}
    except Exception as error:
        # Whatever it is, the agent works on; who looks for the reason finds it.
        with contextlib.suppress(OSError):
            write_private(home() / LAST_ERROR, f"{now()} {name}: {type(error).__name__}: {error}\n")
    with once:
        watch.cancel()
        print(json.dumps(answer), flush=True)


def _context(moment: Moment, text: str) -> Json:
    """Text for the agent's context, in the shape that its client reads."""
    if moment.agent == "cursor":
        going = {"continue": True} if moment.event == "UserPromptSubmit" else {}
        return {**going, **({"additional_context": text} if text else {})}
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": moment.event, "additionalContext": text}}


def on_start(moment: Moment) -> Json | None:
    who = account()
    if who is None:
        return None
    server = Server(who, timeout=moment.left)
    known = state(moment.of)
    if known.get("session") and not known.get("ended") and moment.given.get("source") in ("resume", "compact"):
        # The same session goes on. After a compaction its pointers are gone from the agent's mind.
        deliver(server, until=moment.ends)
        again = known.get("orientation", "") if moment.given["source"] == "compact" else ""
        return _context(moment, _oriented(again, known["session"]))
    deliver(server, until=time.monotonic() + moment.left / 2)
    _describe(moment, who)
    try:
        started = begin(server, moment.of)
    except Away:
        return None  # the first delivery that reaches the server starts it
    return _context(moment, _oriented(started["orientation"], started["session"]))


def _oriented(text: str, session: str) -> str:
    return f"{text}\n\nLoam session: {session} (pass it as `session` to Loam's tools)".strip()


def _describe(moment: Moment, who: Account) -> Json:
    """Write down what is to be told at the start: where, who, and what the session before this one left unsaid."""
    where = place_of(moment.folder)
    before, turns = _unfinished(moment, where)
    start: Json = {"repo": where.repo, "agent": moment.agent, "machine": socket.gethostname()[:100]}
    start.update({name: said for name, said in (("team", who.team), ("branch", where.branch)) if said})
    if before.get("session"):
        start["previous"] = before["session"]
    if turns:
        start["transcript"] = turns
    if before:
        note(before["of"], ended=True)
    agent = _ancestor()
    return note(
        moment.of, start=start, start_key=fresh(), session="", ended=False, repo=where.repo, top=where.top,
        transcript=moment.given.get("transcript_path") or "", process=agent, seen=time.time(), checkpointed=time.time(),
    )  # fmt: skip


def _unfinished(moment: Moment, where: Place) -> tuple[Json, list[Json]]:
    """The last session here that is over and never said so, and its turns; nothing when there is none.

    Two agents at work in one checkout are two sessions: one whose process runs, or that spoke a moment ago, is alive.
    """
    for known in states():
        if known["of"] == moment.of or known.get("top") != where.top:
            continue
        if known.get("ended"):
            return {}, []  # it ended as it should, and so nothing before it is the last
        transcript = str(known.get("transcript") or "")
        if _runs(known.get("process")) is True:
            continue
        if _runs(known.get("process")) is None and time.time() - _last_word(known, transcript) < SILENCE:
            continue
        return known, digest(read_transcript(transcript, where.top)) if transcript else []
    return _unknown_before(moment, where)


def _unknown_before(moment: Moment, where: Place) -> tuple[Json, list[Json]]:
    """A transcript of this checkout of which no hook ever told: Loam was not yet installed, or was off."""
    own = str(moment.given.get("transcript_path") or "")
    told = {str(known.get("transcript")) for known in states()} | {own}
    for path in transcripts(moment.agent, moment.folder, own):
        if path in told or not SILENCE < time.time() - os.path.getmtime(path) < OLDEST_UNTOLD:
            continue
        turns = digest(read_transcript(path, where.top))
        if turns:
            return note(f"{moment.agent}:{path}", transcript=path, top=where.top, seen=time.time(), ended=True), turns
    return {}, []


# A conversation of last week is not what a person goes on with today.
OLDEST_UNTOLD = 3 * 86_400


def transcripts(agent: str, folder: str, own: str) -> list[str]:
    """The agent's transcripts of conversations in that folder, the newest first, at most five."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", os.path.abspath(folder))
    if agent == "claude-code":
        place = Path(own).parent if own else _claude_home() / "projects" / slug
        found = [path for path in place.glob("*.jsonl") if not path.name.startswith("agent-")]
    elif agent == "cursor":
        place = Path.home() / ".cursor" / "projects" / slug.strip("-") / "agent-transcripts"
        found = [*place.glob("*.jsonl"), *place.glob("*/*.jsonl"), *place.glob("*.txt")]
    elif agent == "codex":
        newest = sorted((_codex_home() / "sessions").glob("*/*/*/rollout-*.jsonl"), reverse=True)[:40]
        found = [path for path in newest if _codex_folder(path) == os.path.abspath(folder)]
    else:
        found = []
    return [str(path) for path in sorted(found, key=lambda path: -path.stat().st_mtime)[:5]]


def _claude_home() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")


def _codex_home() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")


def _codex_folder(path: Path) -> str:
    """The folder a Codex conversation was held in: its first line says so."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return str(json.loads(file.readline(200_000))["payload"]["cwd"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _last_word(known: Json, transcript: str) -> float:
    with contextlib.suppress(OSError):
        return max(os.path.getmtime(transcript), float(known.get("seen", 0)))
    return float(known.get("seen", 0))


_BETWEEN = re.compile(r"(?i)^-?(?:sh|bash|zsh|dash|fish|ksh|env|cmd|cmd\.exe|powershell|python[\d.]*)$")


def _ancestor() -> list[Any]:
    """The agent's process: the first above us that is no shell, as [number, when it started]; empty if unknown."""
    number = os.getppid()
    for _ in range(6):
        about = _process(number)
        if about is None:
            return []
        name, above, started = about
        if not _BETWEEN.match(name):
            return [number, started]
        number = above
    return []


def _process(number: int) -> tuple[str, int, str] | None:
    """Name, parent and start of a process, from /proc; None without one (other systems, or it is gone)."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return (name, int(fields[1]), fields[19]) if fields[0] != "Z" else None


def _runs(process: Any) -> bool | None:
    """Whether the agent's process of a session still runs; None when that cannot be known."""
    if not process or not os.path.isdir("/proc/self"):
        return None
    about = _process(int(process[0]))
    return about is not None and about[2] == process[1]


def on_prompt(moment: Moment) -> Json | None:
    who, prompt = account(), moment.given.get("prompt")
    # A wake-up or a poll is nobody's question.
    asked = moment.given.get("source") in (None, "user", "sdk")
    if who is None or not asked or not isinstance(prompt, str) or not prompt.strip():
        return _context(moment, "")
    body: Json = {"prompt": masked_short(prompt, LONGEST_PROMPT)}
    body.update({"team": who.team} if who.team else {})
    known = state(moment.of)
    if known.get("session") and known.get("url") == who.url:
        body["session"] = known["session"]
    try:
        answer = Server(who, timeout=moment.left).call("POST", "surface/", body)
    except (Away, Problem):
        return _context(moment, "")
    return _context(moment, str(answer.get("text") or "") if answer.get("surfaced") else "")


def on_tool(moment: Moment) -> Json | None:
    who, known = account(), state(moment.of)
    if who is None:
        return None
    given = moment.given
    top = known.get("top") or place_of(moment.folder).top
    if not known:
        note(moment.of, top=top, repo=place_of(moment.folder).repo, seen=time.time())
    events = events_of(*_tool(given), top, failed=_failed(moment))
    for event in events:
        post(EVENTS, {"events": [{**event, "at": now()}]}, of=moment.of, url=who.url)
    if events:
        deliver(Server(who, timeout=moment.left), until=moment.ends)
    return None


def _tool(given: Json) -> tuple[str, Any, str]:
    """Name, input and output of the tool, from Claude Code's, Codex's or Cursor's fields."""
    if "command" in given:
        return "shell", {"command": given["command"]}, str(given.get("output") or "")
    if "edits" in given or ("file_path" in given and "tool_name" not in given):
        return "edit", {"file_path": given.get("file_path")}, ""
    answer = given.get("tool_response", given.get("tool_output", given.get("error_message")))
    if isinstance(answer, dict):
        answer = "\n".join(str(answer[name]) for name in ("stdout", "stderr", "output", "error") if answer.get(name))
    output = "\n".join(str(part) for part in (answer, given.get("error")) if part)
    return str(given.get("tool_name") or ""), given.get("tool_input"), output


def _failed(moment: Moment) -> bool | None:
    if moment.event == "PostToolUseFailure":
        return not moment.given.get("is_interrupt")
    answer = moment.given.get("tool_response", moment.given.get("tool_output"))
    if isinstance(answer, str) and answer.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            answer = json.loads(answer)
    fields = answer if isinstance(answer, dict) else moment.given
    for name in ("exit_code", "exitCode", "returncode"):
        if isinstance(fields.get(name), int):
            return bool(fields[name] != 0)
    # Claude Code tells of failures by a hook of their own.
    return False if moment.agent == "claude-code" else None


def on_compact(moment: Moment) -> Json | None:
    _record(moment, "checkpoint")
    return None


def on_stop(moment: Moment) -> Json | None:
    """The end of a turn. What waits is sent, and now and then what was said is put on record."""
    who, known = account(), state(moment.of)
    if who is None or not known:
        return None
    if time.time() - float(known.get("checkpointed", 0)) >= BETWEEN_CHECKPOINTS:
        _record(moment, "checkpoint")
    else:
        deliver(Server(who, timeout=moment.left), until=moment.ends)
    return None


def on_end(moment: Moment) -> Json | None:
    _record(moment, "end")
    return None


def _record(moment: Moment, verb: str) -> None:
    """Checkpoint or end: into the outbox with the turns so far, then on its way."""
    who, known = account(), state(moment.of)
    if who is None or not known or (verb == "end" and known.get("ended")):
        return
    path = str(moment.given.get("transcript_path") or known.get("transcript") or "")
    turns = read_transcript(path, known.get("top") or moment.folder) if path else []
    last = str(moment.given.get("last_assistant_message") or "")
    asked = next((turn.text for turn in turns if turn.role == "user"), "")
    done = last or next((turn.text for turn in reversed(turns) if turn.role == "assistant"), "")
    said = [f"Asked: {masked_short(asked, 300)}"] * bool(asked) + [f"Last said: {masked_short(done, 600)}"] * bool(done)
    body = filled(summary="\n".join(said), transcript=digest(turns))
    post(f"sessions/{{session}}/{verb}/", body, of=moment.of, url=who.url)
    note(moment.of, checkpointed=time.time(), **({"ended": True} if verb == "end" else {}))
    deliver(Server(who, timeout=moment.left), until=moment.ends)


HANDLERS: dict[str, Callable[[Moment], Json | None]] = {
    "SessionStart": on_start, "UserPromptSubmit": on_prompt, "PostToolUse": on_tool, "PostToolUseFailure": on_tool,
    "PreCompact": on_compact, "Stop": on_stop, "SessionEnd": on_end,
}  # fmt: skip


# --- installing --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Change:
    """A configuration file before and after; None where there is none."""

    path: Path
    before: str | None
    after: str | None


def install(agent: str, *, project: bool, undo: bool) -> list[Change]:
    """What would be changed for an agent; nothing is written yet. Raises Stop when a file cannot be kept whole."""
    plans: list[tuple[Path, Callable[[str, bool], str]]] = PLANS[agent](project)
    changes = []
    for path, edit in plans:
        path = Path(os.path.realpath(path))
        before = _text_of(path)
        after: str | None = _restored(path, before) if undo else None
        if after is None:
            try:
                after = edit(before or "", undo)
            except ValueError as error:
                raise Stop(f"{path} is left alone, and nothing was changed: {error}") from error
        changes.append(Change(path, before, None if undo and after.strip() in ("", "{}") else after))
    return [change for change in changes if (change.before or "") != (change.after or "")]


def apply(changes: list[Change], *, undo: bool) -> None:
    """Write the files, each whole or not at all, and keep what they were for the way back."""
    kept = read_json(home() / "installed.json")
    for change in changes:
        if change.after is None:
            change.path.unlink()
        else:
            mode = stat.S_IMODE(change.path.stat().st_mode) if change.path.exists() else 0o644
            write_private(change.path, change.after, mode)
        if undo:
            kept.pop(str(change.path), None)
        else:
            was = kept.get(str(change.path), {}).get("before", change.before)
            kept[str(change.path)] = {"before": was, "sha256": _sha256(change.after or "")}
    write_private(home() / "installed.json", json.dumps(kept, indent=1))


def _text_of(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"{path} cannot be read: {error}") from error


def _restored(path: Path, before: str | None) -> str | None:
    """What the file was before `install`, if nobody has touched it since."""
    kept = read_json(home() / "installed.json").get(str(path))
    if not kept or before is None or kept.get("sha256") != _sha256(before):
        return None
    return str(kept.get("before") or "")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def own_place() -> Path:
    """Where the hooks find this file: a copy beside the credentials, so that a download may be thrown away."""
    return home() / "loam-client" / "loam.py"


def settle() -> None:
    """Copy this file there. Python keeps the compiled form of a module, not of a script: a third of a hook's time."""
    write_private(own_place().with_name("__main__.py"), "import sys\n\nimport loam\n\nsys.exit(loam.main())\n")
    if Path(__file__).resolve() != own_place().resolve():
        write_private(own_place(), Path(__file__).read_text(encoding="utf-8"), 0o700)


def _python() -> str:
    """The interpreter itself, not the one of a virtual environment that will be gone one day."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def _words(*more: str) -> list[str]:
    # -I: neither the folder an agent works in nor its environment decides what is imported.
    # -S: the packages of this machine are not needed, and their start files take time.
    return [_python(), "-I", "-S", str(own_place().parent), *more]


def _line(*more: str) -> str:
    words = _words(*more)
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def _ours(command: Any) -> bool:
    """Whether a hook's command line is one of ours, of whatever version and place."""
    return bool(re.search(r"(?:loam\.py|loam-client)['\"]?\s+hook\s", str(command)))


def _json_edit(path: Path, change: Callable[[Json, bool], None]) -> tuple[Path, Callable[[str, bool], str]]:
    """An edit of a JSON file that keeps its order, indentation and line end."""

    def edit(text: str, undo: bool) -> str:
        try:
            whole = json.loads(text.lstrip("\ufeff")) if text.strip() else {}
        except ValueError as error:
            raise ValueError(f"it is not plain JSON ({error}); comments and trailing commas would be lost") from error
        if not isinstance(whole, dict):
            raise ValueError("it does not hold an object")
        was = json.dumps(whole)
        change(whole, undo)
        if json.dumps(whole) == was:
            return text
        found = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
        done = json.dumps(whole, indent=found[1] if found else 2, ensure_ascii=False)
        return done + ("\n" if not text or text.endswith("\n") else "")

    return path, edit


def _section(whole: Json, name: str) -> Json:
    section = whole.setdefault(name, {})
    if not isinstance(section, dict):
        raise ValueError(f"its `{name}` is not an object")
    return section


def _server_entry(section: str, entry: Json) -> Callable[[Json, bool], None]:
    """`loam` among the MCP servers of a configuration."""

    def change(whole: Json, undo: bool) -> None:
        servers = _section(whole, section)
        there = servers.get("loam")
        mine = there is None or any(name in json.dumps(there) for name in ("loam.py", "loam-client"))
        if not mine and not undo:
            raise ValueError(f"its `{section}` has a `loam` already that is not ours")
        if not undo:
            servers["loam"] = entry
        elif there is not None and mine:
            del servers["loam"]
        if not servers:
            del whole[section]

    return change


def _hook_groups(groups: Mapping[str, Json], flat: bool = False) -> Callable[[Json, bool], None]:
    """Hooks in the form of Claude Code and Codex (groups of handlers), or of Cursor (`flat`: handlers)."""

    def change(whole: Json, undo: bool) -> None:
        if flat and not undo:
            whole.setdefault("version", 1)
        hooks = _section(whole, "hooks")
        for event in [*hooks]:
            if isinstance(hooks[event], list):
                hooks[event] = [kept for kept in map(_without_ours, hooks[event]) if kept is not None]
            if not hooks[event]:
                del hooks[event]
        for event, group in {} if undo else groups.items():
            hooks.setdefault(event, []).append(group)
        if not hooks:
            del whole["hooks"]
        if undo and flat and whole == {"version": 1}:
            del whole["version"]

    return change


def _without_ours(group: Any) -> Any:
    """The group without our handlers; None when nothing else was in it."""
    if not isinstance(group, dict):
        return group
    if _ours(group.get("command", "")):
        return None
    handlers = group.get("hooks")
    if not isinstance(handlers, list):
        return group
    kept = [one for one in handlers if not (isinstance(one, dict) and _ours(one.get("command", "")))]
    return group if len(kept) == len(handlers) else {**group, "hooks": kept} if kept else None


_TOOLS = "Edit|MultiEdit|Write|NotebookEdit|Bash"


def _claude_hooks(agent: str) -> dict[str, Json]:
    """Timeouts in seconds; what only tells of something does not make the agent wait (`async`)."""

    def group(event: str, timeout: int, **more: Any) -> Json:
        matcher = {"matcher": more.pop("matcher")} if "matcher" in more else {}
        command = _line("hook", event, "--agent", agent)
        return {**matcher, "hooks": [{"type": "command", "command": command, "timeout": timeout, **more}]}

    return {
        "SessionStart": group("SessionStart", 10, matcher="startup|resume|clear|compact|fork"),
        "UserPromptSubmit": group("UserPromptSubmit", 5),
        "PostToolUse": group("PostToolUse", 10, matcher=_TOOLS, **{"async": True}),
        "PostToolUseFailure": group("PostToolUseFailure", 10, matcher=_TOOLS, **{"async": True}),
        "PreCompact": group("PreCompact", 15),
        "Stop": group("Stop", 10, **{"async": True}),
        "SessionEnd": group("SessionEnd", 5),
    }


def _codex_hooks() -> dict[str, Json]:
    """Codex has no hook for a failed tool nor for a session's end, and runs none beside the agent."""
    groups = _claude_hooks("codex")
    del groups["PostToolUseFailure"], groups["SessionEnd"]
    groups["SessionStart"]["matcher"] = "startup|resume|clear"
    groups["PostToolUse"]["matcher"] = "Bash|apply_patch"
    for group in groups.values():
        group["hooks"][0].pop("async", None)
    return groups


def _cursor_hooks() -> dict[str, Json]:
    """Cursor's own two for what was done; its `postToolUse` would tell the same once more."""
    events = "sessionStart beforeSubmitPrompt afterFileEdit afterShellExecution preCompact stop sessionEnd"
    return {event: {"command": _line("hook", event, "--agent", "cursor")} for event in events.split()}


def _stdio(**more: Any) -> Json:
    words = _words("mcp")
    return {**more, "command": words[0], "args": words[1:]}


Plan = list[tuple[Path, Callable[[str, bool], str]]]


def plan_claude(project: bool) -> Plan:
    """Hooks and the MCP server of the user, or of the project (hooks there in the part that is not committed)."""
    if project:
        settings, servers = Path.cwd() / ".claude" / "settings.local.json", Path.cwd() / ".mcp.json"
    else:
        own = os.environ.get("CLAUDE_CONFIG_DIR")
        settings, servers = _claude_home() / "settings.json", Path(own or Path.home()) / ".claude.json"
    return [
        _json_edit(settings, _hook_groups(_claude_hooks("claude-code"))),
        _json_edit(servers, _server_entry("mcpServers", _stdio(type="stdio"))),
    ]


def plan_cursor(project: bool) -> Plan:
    base = (Path.cwd() if project else Path.home()) / ".cursor"
    return [
        _json_edit(base / "hooks.json", _hook_groups(_cursor_hooks(), flat=True)),
        _json_edit(base / "mcp.json", _server_entry("mcpServers", _stdio())),
    ]


def plan_codex(project: bool) -> Plan:
    base = Path.cwd() / ".codex" if project else _codex_home()
    return [
        _json_edit(base / "hooks.json", _hook_groups(_codex_hooks())),
        (base / "config.toml", _toml_edit),
    ]


def plan_vscode(project: bool) -> Plan:
    """VS Code has its MCP servers in a file of their own; it has no hooks."""
    user = {
        "darwin": Path.home() / "Library" / "Application Support",
        "win32": Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"),
    }.get(sys.platform, Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"))
    path = Path.cwd() / ".vscode" / "mcp.json" if project else user / "Code" / "User" / "mcp.json"
    return [_json_edit(path, _server_entry("servers", _stdio(type="stdio")))]


PLANS: dict[str, Callable[[bool], Plan]] = {
    "claude-code": plan_claude, "cursor": plan_cursor, "codex": plan_codex, "vscode": plan_vscode,
}  # fmt: skip
_TOML = re.compile(r"(?:(?<!\n)\n+)?^# >>> loam >>>.*?^# <<< loam <<<\n?", re.MULTILINE | re.DOTALL)


def _toml_edit(text: str, undo: bool) -> str:
    """A table between two marks at the end of config.toml: the standard library reads TOML and does not write it."""
    rest = _TOML.sub("", text)
    if rest != text and rest:
        rest = rest.rstrip("\n") + "\n"
    if undo:
        return rest
    if re.search(r"^\s*\[\s*mcp_servers\s*\.\s*[\"']?loam[\"']?\s*\]|^\s*mcp_servers\s*=", rest, re.MULTILINE):
        raise ValueError("it has a `loam` among its `mcp_servers`, or all of them in one line")
    entry = _stdio()
    lines = [
        "# >>> loam >>> put here by `loam install codex`, taken out by `loam install codex --uninstall`",
        "[mcp_servers.loam]",
        f"command = {json.dumps(entry['command'], ensure_ascii=False)}",
        f"args = {json.dumps(entry['args'], ensure_ascii=False)}",
        "# <<< loam <<<",
    ]
    return (f"{rest.rstrip()}\n\n" if rest.strip() else "") + "\n".join(lines) + "\n"


def diff(changes: list[Change]) -> str:
    """What a person is shown: unified, with whatever secrets stand beside it masked."""
    shown = []
    for change in changes:
        before, after = (text or "" for text in (change.before, change.after))
        old, new = (str(change.path) if text is not None else os.devnull for text in (change.before, change.after))
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="")
        shown.append("\n".join(lines))
    return redact_secrets("\n".join(shown))[0]


# --- the guard as a command --------------------------------------------------------------------------------------
LARGEST_SCANNED = 2_000_000


def scan(paths: Iterable[str], *, staged: bool) -> tuple[list[str], int]:
    """Lines that name each secret's kind and place (never the secret), and how many files were looked at."""
    found: list[str] = []
    looked = 0
    top = git(os.getcwd(), "rev-parse", "--show-toplevel") or os.getcwd()
    spared = _spared(top)
    for name, text, lines in _staged(top) if staged else _files(paths):
        if any(Path(name).match(glob) for glob in spared):
            continue
        looked += 1
        for finding in find_secrets(text):
            if lines is None or finding.line in lines:
                found.append(f"{name}:{finding.line}:{finding.column}: {finding.pattern}")
    return found, looked


def _spared(top: str) -> list[str]:
    """Globs of files that are not looked at: the lines of `.loam-guard-skip` in the checkout's top folder."""
    with contextlib.suppress(OSError):
        lines = (Path(top) / ".loam-guard-skip").read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return []


def _staged(top: str) -> Iterator[tuple[str, str, Collection[int]]]:
    """Each staged file as it would be committed, with the numbers of the lines that the commit adds."""
    names = git(top, "diff", "--cached", "--name-only", "-z", "--diff-filter=ACMRT", "--no-renames").split("\0")
    for name in filter(None, names):
        text = git(top, "show", f":{name}")
        if not text or "\0" in text[:8_000] or len(text) > LARGEST_SCANNED:
            continue
        added: set[int] = set()
        changed = git(top, "diff", "--cached", "-U0", "--no-ext-diff", "--no-color", "--no-renames", "--", name)
        for start, count in re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", changed, re.MULTILINE):
            added.update(range(int(start), int(start) + int(count or 1)))
        yield name, text, added


def _files(paths: Iterable[str]) -> Iterator[tuple[str, str, None]]:
    for path in paths:
        inner = sorted(_source_files(Path(path))) if Path(path).is_dir() else [Path(path)]
        for file in inner:
            try:
                if file.stat().st_size <= LARGEST_SCANNED:
                    raw = file.read_bytes()
                    if b"\0" not in raw[:8_000]:
                        yield str(file), raw.decode("utf-8", "replace"), None
            except OSError as error:
                raise Stop(f"{file} cannot be read: {error}") from error


_NOT_SOURCE = {
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    ".tox",
    ".mypy_cache",
    "dist",
    "build",
    "target",
}


def _source_files(top: Path) -> Iterator[Path]:
    """The files that git knows or would add; without git, all but what tools put there."""
    listed = git(str(top), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed:
        yield from (place for place in (top / name for name in listed.split("\0") if name) if place.is_file())
        return
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if name not in _NOT_SOURCE]
        yield from (Path(folder) / name for name in names)


# --- the code index ----------------------------------------------------------------------------------------------
_SCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_SCRIPT_IMPORT = re.compile(
    r"""(?:^|[\s;}])(?:import|export)\s+(?!\s)(?:type\s+(?!\s))?(?:[\w*{}$,][\w*{}$,\s]{0,1999}?(?<!\s)\s+(?!\s)from\s+)?"""
    r"""["']([^"'\n]{1,300})["']"""
    r"""|\b(?:require|import)\(\s*["']([^"'\n]{1,300})["']\s*\)""",
    re.MULTILINE,
)
LARGEST_SOURCE = 1_000_000


def import_graph(top: str) -> list[Json]:
    """[{path, imports}] of a checkout: which of its own files each file imports. What is not its own is left out."""
    root = Path(top)
    names = {within(str(path), top) for path in _source_files(root)} - {""}
    modules = _modules(names)
    found = []
    for name in sorted(names):
        if not name.endswith((".py", ".pyi", *_SCRIPT)):
            continue
        try:
            if (root / name).stat().st_size > LARGEST_SOURCE:
                continue
            text = (root / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        python = name.endswith((".py", ".pyi"))
        meant = _python_imports(text, name, modules) if python else _script_imports(text, name, names)
        found.append({"path": name, "imports": sorted(set(meant) - {name})})
    return found


def _modules(names: Collection[str]) -> dict[str, str]:
    """Dotted name → file, for packages that begin at the top or in `src/` or `lib/`."""
    found: dict[str, str] = {}
    for name in sorted(names, key=len, reverse=True):
        if name.endswith((".py", ".pyi")):
            bare = re.sub(r"(?:^|/)__init__$", "", name.rpartition(".")[0])
            for below in (bare, re.sub(r"^(?:src|lib|python)/", "", bare)):
                found[below.replace("/", ".")] = name
    return found


def _python_imports(text: str, name: str, modules: Mapping[str, str]) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    package = name.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _known_module(alias.name, modules)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            stem = re.sub(r"^(?:src|lib|python)\.", "", stem) if node.level else stem
            for alias in node.names:
                yield from _known_module(f"{stem}.{alias.name}", modules)


def _known_module(dotted: str, modules: Mapping[str, str]) -> Iterator[str]:
    """The file of the longest beginning of a dotted name that has one: `a.b.c` may be a name in `a.b`."""
    parts = dotted.split(".")
    for end in (len(parts), len(parts) - 1):
        known = modules.get(".".join(parts[:end])) if end > 0 else None
        if known:
            yield known
            return


def _script_imports(text: str, name: str, names: Collection[str]) -> Iterator[str]:
    for match in _SCRIPT_IMPORT.finditer(text):
        meant = match[1] or match[2]
        if not meant.startswith("."):
            continue
        base = os.path.normpath(os.path.join(os.path.dirname(name), meant)).replace(os.sep, "/")
        bare = re.sub(r"\.[mc]?jsx?$", "", base)  # TypeScript names the file that it will be
        tried = (base, *(bare + end for end in _SCRIPT), *(f"{base}/index{end}" for end in _SCRIPT))
        known = next((path for path in tried if path in names), None)
        if known:
            yield known


# --- MCP over stdio ----------------------------------------------------------------------------------------------
_VERSION_META = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
AT_ONCE = 8


class Bridge:
    """Lines of JSON-RPC from stdin to the server's `/mcp`, and its answers back, each as it comes."""

    def __init__(self, server: Server) -> None:
        self.server, self.version = server, ""
        self._out = threading.Lock()

    def run(self) -> None:
        under_way: list[threading.Thread] = []
        for line in filter(bytes.strip, sys.stdin.buffer):
            try:
                message = json.loads(line)
            except ValueError:
                self._say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Not JSON."}})
                continue
            # The handshake comes first: what it settles goes with every later call.
            if isinstance(message, dict) and message.get("method") == "initialize":
                self.pass_on(message)
                continue
            under_way = [one for one in under_way if one.is_alive()]
            if len(under_way) >= AT_ONCE:
                under_way.pop(0).join()
            under_way.append(threading.Thread(target=self.pass_on, args=(message,)))
            under_way[-1].start()
        for one in under_way:
            one.join()

    def pass_on(self, message: Any) -> None:
        asked = isinstance(message, dict) and "id" in message and "method" in message
        try:
            text, headers = self.server.send("POST", "/mcp", message, self._headers(message))
            for answer in _answers(text, headers.get("Content-Type") or ""):
                if asked and message["method"] == "initialize" and isinstance(answer.get("result"), dict):
                    self.version = str(answer["result"].get("protocolVersion") or "")
                self._say(answer)
        except (Away, Problem) as error:
            said = error.body.get("error") if isinstance(error, Problem) else None
            # What is wrong by the protocol comes with a status of its own, and in the protocol's own words.
            fault = said if isinstance(said, dict) else {"code": -32000, "message": str(error)}
            if asked:
                self._say({"jsonrpc": "2.0", "id": message["id"], "error": fault})

    def _headers(self, message: Any) -> dict[str, str]:
        headers = {"Accept": "application/json, text/event-stream"}
        params = message.get("params") if isinstance(message, dict) else None
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(_VERSION_META) if isinstance(meta, dict) else None
        if version or self.version:
            headers["MCP-Protocol-Version"] = str(version or self.version)
        if version:
            method = str(message.get("method"))
            headers["Mcp-Method"] = method
            name = params.get(_NAMED_BY.get(method, ""))
            if isinstance(name, str):
                plain = re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", name) and not name.startswith("=?base64?")
                headers["Mcp-Name"] = name if plain else f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        return headers

    def _say(self, answer: Json) -> None:
        with self._out:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _answers(text: str, kind: str) -> Iterator[Json]:
    """The JSON-RPC messages of an answer: one as JSON, none (202), or some as events."""
    parts = re.findall(r"^data: ?(.*)$", text, re.MULTILINE) if "event-stream" in kind else [text]
    for part in parts:
        if part.strip():
            try:
                message = json.loads(part)
            except ValueError as error:
                raise Away("The server's answer is not JSON.") from error
            yield from message if isinstance(message, list) else [message]


# --- commands ----------------------------------------------------------------------------------------------------
def say(value: Any, args: argparse.Namespace, shown: str) -> None:
    """The answer for a program (`--json`), or as a person reads it."""
    print(json.dumps(value, indent=2, ensure_ascii=False) if args.json else shown.rstrip())


def server_for(args: argparse.Namespace) -> Server:
    return Server(known_account(), timeout=args.timeout)


def here(args: argparse.Namespace) -> Place:
    place = place_of(os.getcwd())
    return Place(place.top, getattr(args, "repo", None) or place.repo, place.branch)


def by_hand() -> str:
    """The session that a person began in this checkout with `loam start`."""
    return f"shell:{place_of(os.getcwd()).top}"


def session_id(args: argparse.Namespace) -> str:
    named = getattr(args, "session", None) or os.environ.get("LOAM_SESSION")
    known = state(by_hand())
    return str(named or ("" if known.get("ended") else known.get("session", "")))


def filled(**fields: Any) -> Json:
    """Those that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def do_login(args: argparse.Namespace) -> int:
    url = args.url.rstrip("/")
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise Stop("The address looks like http://loam.example.com or https://….")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        print("Note: over plain http the token can be read on its way. Use https beyond this machine.", file=sys.stderr)
    token = args.token or os.environ.get("LOAM_TOKEN") or ""
    if not token:
        token = getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()
    who = Account(url, token.strip(), args.team or "")
    me = Server(who, timeout=args.timeout).call("GET", "me/")
    teams = [team["slug"] for team in me["teams"]]
    if who.team and who.team not in (*teams, "personal"):
        raise Stop(f"You have no team '{who.team}'; you have {', '.join(teams)}.")
    write_private(home() / "credentials.json", json.dumps(filled(url=url, token=who.token, team=who.team), indent=1))
    shared = [team["slug"] for team in me["teams"] if team["kind"] == "shared" and team["level"] != "reader"]
    lines = [f"You are {me['user']} at {url}, in {', '.join(teams)}. Next: loam install claude-code"]
    if len(shared) != 1 and len(teams) > 1 and not who.team:
        lines.append(f"Say with --team where sessions and deposits go: {', '.join([*shared, 'personal'])}.")
    say(me, args, "\n".join(lines))
    return 0


def do_status(args: argparse.Namespace) -> int:
    who = known_account()
    server = Server(who, timeout=args.timeout)
    left = deliver(server, until=time.monotonic() + args.timeout)
    refused = [read_json(path).get("why", "") for path in sorted((home() / "refused").glob("*.json"))]
    about: Json = {"url": who.url, "client": VERSION, "spool": left, "refused": refused, "reachable": True}
    lines = []
    try:
        me = server.call("GET", "me/")
        about.update(user=me["user"], teams=[team["slug"] for team in me["teams"]], token=me["token"])
        lines.append(f"{me['user']} at {who.url}, in {', '.join(about['teams'])}; token “{me['token']['name']}”")
    except Away as error:
        about["reachable"] = False
        lines.append(str(error))
    lines += [f"{left} waiting to be delivered, {len(refused)} refused", *(f"  {why}" for why in refused[-5:])]
    for known in states():
        if known.get("session") and not known.get("ended"):
            lines.append(f"session {known['session']} in {known.get('repo')}, {known['of'].partition(':')[0]}")
    if about["reachable"] and not _is_served(server):
        lines.append(
            f"The server has another client than this: curl -sSO {who.url}/connect/loam.py, then install again."
        )
    about["installed"] = sorted(read_json(home() / "installed.json"))
    lines += [f"installed in {path}" for path in about["installed"]]
    with contextlib.suppress(OSError):
        about["last_hook_error"] = (home() / LAST_ERROR).read_text(encoding="utf-8").strip()
        lines.append(f"last fault of a hook: {about['last_hook_error']}")
    kept = home() / "credentials.json"
    if os.name != "nt" and kept.exists() and kept.stat().st_mode & 0o077:
        lines.append(f"{kept} can be read by others: chmod 600 it.")
    say(about, args, "\n".join(lines))
    return 0 if about["reachable"] else 3


def _is_served(server: Server) -> bool:
    """Whether this very file is the one that the server hands out; so too when it cannot be told."""
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    try:
        server.send("HEAD", "/connect/loam.py", None, {"If-None-Match": f'"{own}"'})
    except Problem as problem:
        return problem.status != 200
    except Away:
        return True
    return False


def do_query(args: argparse.Namespace) -> int:
    body = filled(
        query=masked_short(" ".join(args.text), 24_000), files=args.file, symbols=args.symbol, tags=args.tag,
        limit=args.limit, error=mask(args.error or ""), repo=here(args).repo, session=session_id(args),
        explain=args.explain or None,
    )  # fmt: skip
    answer = server_for(args).call("POST", "query/", body)
    lines = []
    for hit in answer["insights"]:
        lines.append(f"{hit['ref']}  {hit['kind']} · {hit['status']}  {hit['score']:.2f}  {hit['title']}")
        lines += [f"    {line}" for line in hit["body"].splitlines()[:12]] + [f"    ({hit['why']})", ""]
    lines += [f"Part down: {part['component']}: {part['reason']}" for part in answer.get("degraded", [])]
    say(answer, args, "\n".join(lines) or "Nothing relevant is known.")
    return 0


def do_deposit(args: argparse.Namespace) -> int:
    text = " ".join(args.body) if args.body and args.body != ["-"] else sys.stdin.read()
    if not text.strip():
        raise Stop("There is nothing to deposit: give the text, or pipe it in.", 2)
    secrets = find_secrets(text + "\n" + (args.reasoning or ""))
    if secrets:
        raise Stop("Not sent, it has a secret in it: " + "; ".join(map(str, secrets)))
    body = filled(
        kind=args.kind.upper(), body=text.strip(), title=args.title, reasoning=args.reasoning, tags=args.tag,
        files=args.file, symbols=args.symbol, error=mask(args.error or ""), repo=here(args).repo,
        session=session_id(args), team=args.team or known_account().team,
    )  # fmt: skip
    done = _sent_or_kept(args, "insights/", body, args.key)
    if done:
        say(done, args, "\n".join(_deposited(done)))
        if done.get("ask") and not args.json and sys.stdin.isatty():
            _answer(args, done)
    return 0


RELATIONS = ("duplicates", "supersedes", "contradicts", "complements", "unrelated")


def _deposited(done: Json) -> list[str]:
    """What became of a deposit or of what was said of it, and what is asked, with the command that answers."""
    ref = done["insight"]["ref"]
    lines = [f"{done['outcome']}: {ref}  {done['insight']['title']}"]
    for one in done.get("related") or []:
        cues = "; ".join(f"{cue['kind']}: {' '.join(cue['first'])} / {' '.join(cue['second'])}" for cue in one["cues"])
        lines.append(f"  {one['relation']} {one['ref']}: {one['state']} ({one['reason']}{', ' + cues if cues else ''})")
    near = (done.get("ask") or {}).get("neighbours", [])
    if near:
        lines.append("How does it relate to what is near?")
        for one in near:
            lines.append(f"  {one['ref']}  {one['kind']} · {one['status']} · {one['age_days']:.0f} days: {one['text']}")
        lines.append(f"Answer: loam relate {ref} {near[0]['ref']} {'|'.join(RELATIONS)}")
    return lines


def _answer(args: argparse.Namespace, done: Json) -> None:
    """Take the answer at the terminal; what is left empty stays open."""
    said = []
    for one in done["ask"]["neighbours"]:
        word = input(f"{done['insight']['ref']} … {one['ref']} ({', '.join(RELATIONS)}; Enter: leave open): ").strip()
        found = [name for name in RELATIONS if word and name.startswith(word.lower())]
        if len(found) == 1:
            said.append({"ref": one["ref"], "relation": found[0]})
    if said:
        path = f"insights/{done['insight']['ref']}/relations/"
        say({}, args, "\n".join(_deposited(server_for(args).call("POST", path, {"relations": said}))))


def do_relate(args: argparse.Namespace) -> int:
    said = [filled(ref=args.other, relation=args.relation, note=mask(args.note or ""))]
    done = server_for(args).call("POST", f"insights/{args.ref}/relations/", {"relations": said})
    say(done, args, "\n".join(_deposited(done)))
    return 0


def _sent_or_kept(args: argparse.Namespace, path: str, body: Json, key: str = "") -> Json | None:
    """The server's answer; None, and said so, when it is away and the outbox has it under the same key."""
    key = key or fresh()
    try:
        done: Json = server_for(args).call("POST", path, body, key=key)
        return done
    except Away as away:
        post(path, body, url=known_account().url, key=key)
        say({"outcome": "kept"}, args, f"{away} It is kept here and will be delivered later.")
        return None


def do_rate(args: argparse.Namespace) -> int:
    body = filled(
        insights=args.ref, verdict=args.verdict, query_id=args.query_id, reason=mask(args.reason or ""),
        session=session_id(args),
    )  # fmt: skip
    done = _sent_or_kept(args, "ratings/", body)
    if done:
        lines = [f"{one['ref']}: strength {one['strength']}, {one['status']}" for one in done["results"]]
        say(done, args, "\n".join(lines))
    return 0


def do_start(args: argparse.Namespace) -> int:
    place, who = here(args), known_account()
    start = filled(
        repo=place.repo, branch=place.branch, team=args.team or who.team, agent=args.agent,
        machine=socket.gethostname()[:100], prompt=mask(args.prompt or ""),
    )  # fmt: skip
    begun: Json = {"start": start, "start_key": fresh(), "session": "", "ended": False}
    note(by_hand(), **begun, repo=place.repo, top=place.top, seen=time.time())
    known = begin(Server(who, timeout=args.timeout), by_hand())
    answer = {"session": known["session"], "orientation": known["orientation"]}
    say(answer, args, f"{known['orientation']}\n\nSession {known['session']}")
    return 0


def do_end(args: argparse.Namespace) -> int:
    session = session_id(args)
    if not session:
        raise Stop("No session is open here: `loam start` begins one, --session names one.")
    body = filled(
        summary=mask(args.summary or ""), handoff_note=mask(args.note or ""),
        pending=list(map(mask, args.pending)), blockers=list(map(mask, args.blocker)),
    )  # fmt: skip
    verb = "checkpoint" if args.checkpoint else "end"
    path = f"sessions/{urllib.parse.quote(session, safe='')}/{verb}/"
    done = server_for(args).call("POST", path, body, key=fresh())
    if not args.checkpoint and state(by_hand()).get("session") == session:
        note(by_hand(), ended=True)
    say(done, args, "Checkpoint written." if args.checkpoint else "Ended; the next session here is told.")
    return 0


def do_ack(args: argparse.Namespace) -> int:
    session = session_id(args)
    if not session:
        raise Stop("No session is open here: `loam start` begins one, --session names one.")
    path = f"sessions/{urllib.parse.quote(session, safe='')}/ack/"
    done = server_for(args).call("POST", path, filled(handoff=args.handoff))
    say(done, args, f"The handoff of {done['session']} is yours; it is offered to nobody else.")
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
    say(answer, args, "\n".join(lines) or "No session here yet.")
    return 0


def do_evidence(args: argparse.Namespace) -> int:
    text = mask(" ".join(args.text))
    body = filled(query=text, mode=args.mode, paths=args.path, sources=args.source, top_k=args.top_k)
    answer = server_for(args).call("POST", "evidence/search/", body)
    lines = [answer.get("content") or ""]
    for one in answer.get("evidences", []):
        lines.append(f"{one['file']}:{one['start_line']}-{one['end_line']}  {one.get('summary', '')}")
    lines += [f"{one['path']}  {one['score']:.2f}" for one in answer.get("files_ranked", [])]
    say(answer, args, "\n".join(filter(None, lines)) or "Nothing was found.")
    return 0


# A request of the server's is at most a million bytes.
LARGEST_UPLOAD = 800_000
# What a working copy without a commit is called.
UNCOMMITTED = "uncommitted"


def do_index(args: argparse.Namespace) -> int:
    place = here(args)
    files = import_graph(place.top)
    if args.print:
        say(files, args, "\n".join(f"{one['path']}: {', '.join(one['imports'])}" for one in files))
        return 0
    server = server_for(args)
    commit = git(place.top, "rev-parse", "HEAD") or UNCOMMITTED
    about = filled(repo=place.repo, commit=commit, team=args.team or server.who.team)
    answer: Any = None
    for part in _in_parts(files):
        answer = server.call("POST", "code-index/", {**about, "files": part})
    edges = sum(len(one["imports"]) for one in files)
    say(answer, args, f"{len(files)} files and {edges} imports of {place.repo} are indexed.")
    return 0


def _in_parts(files: list[Json]) -> Iterator[list[Json]]:
    """The files in uploads that the server takes; one, if there are none."""
    part: list[Json] = []
    size = 0
    for one in files:
        length = len(json.dumps(one))
        if part and size + length > LARGEST_UPLOAD:
            yield part
            part, size = [], 0
        part.append(one)
        size += length
    yield part


def do_guard(args: argparse.Namespace) -> int:
    found, looked = scan(args.path or ["."], staged=args.staged)
    none = f"No secret in {looked} file{'s' * (looked != 1)}."
    say({"found": found, "files": looked}, args, "\n".join(found) or none)
    if found and not args.json:
        print("Take it out, or name the file in .loam-guard-skip if it is no secret.", file=sys.stderr)
    return 1 if found else 0


def do_mcp(args: argparse.Namespace) -> int:
    Bridge(Server(known_account(), timeout=120.0)).run()
    return 0


def do_hook(args: argparse.Namespace) -> int:
    hook(args.event, args.agent)
    return 0


def do_install(args: argparse.Namespace) -> int:
    changes = install(args.agent, project=args.project, undo=args.uninstall)
    if not changes:
        if not args.print and not args.uninstall:
            settle()  # perhaps this file is newer than the one that the hooks call
        print("Nothing to change.")
        return 0
    print(diff(changes))
    if args.print:
        return 0
    if not args.yes and (not sys.stdin.isatty() or input("Write this? [y/N] ").strip().lower() not in ("y", "yes")):
        raise Stop("Nothing was written; --yes writes without asking.")
    if not args.uninstall:
        settle()
    apply(changes, undo=args.uninstall)
    done = "taken out of" if args.uninstall else "installed in"
    print("\n".join(f"{done} {change.path}" for change in changes))
    if not args.uninstall:
        print("Now run `loam login URL`." if account() is None else AFTER.get(args.agent, ""))
    return 0


AFTER = {
    "claude-code": "Start a new session: it begins with what the last one left.",
    "codex": "Start Codex and trust the hooks when it asks (/hooks).",
    "cursor": "Restart Cursor.",
    "vscode": "Open the MCP view in VS Code and start `loam`.",
}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="loam", description=(__doc__ or "").partition("\n\n")[0])
    top.add_argument("--version", action="version", version=f"loam {VERSION}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        sub.add_argument("--json", action="store_true", help="answer as JSON")
        sub.add_argument("--timeout", type=float, default=30.0, help="seconds to wait for the server")
        return sub

    _account_commands(command)
    _knowledge_commands(command)
    _session_commands(command)
    _machine_commands(command)
    return top


Maker = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def _account_commands(command: Maker) -> None:
    login = command("login", do_login, "say where the server is, and who you are")
    login.add_argument("url")
    login.add_argument("--token", help="else it is asked for, or read from stdin")
    login.add_argument("--team", help="the team your deposits go to")
    command("status", do_status, "who you are, what waits to be delivered, what is installed")


def _knowledge_commands(command: Maker) -> None:
    query = command("query", do_query, "ask what the team knows")
    query.add_argument("text", nargs="+")
    query.add_argument("--limit", type=int)
    query.add_argument("--explain", action="store_true")
    deposit = command("deposit", do_deposit, "save a lesson for the team")
    deposit.add_argument("body", nargs="*", help="the lesson; left out or '-': read from stdin")
    deposit.add_argument("--kind", required=True, help="SOLUTION PATTERN PITFALL CONTEXT WORKFLOW DEPENDENCY DECISION")
    deposit.add_argument("--title")
    deposit.add_argument("--reasoning")
    deposit.add_argument("--team")
    deposit.add_argument("--key", help="idempotency key")
    for sub in (query, deposit):
        sub.add_argument("--error", help="the error it is about")
        sub.add_argument("--repo", help="else that of this folder")
        sub.add_argument("--session")
        for name in ("file", "symbol", "tag"):
            sub.add_argument(f"--{name}", action="append", default=[])
    relate = command("relate", do_relate, "say what a note of yours is to another one")
    relate.add_argument("ref")
    relate.add_argument("other")
    relate.add_argument("relation", choices=RELATIONS)
    relate.add_argument("--note")
    rate = command("rate", do_rate, "say whether what was returned helped")
    rate.add_argument("ref", nargs="+")
    rate.add_argument("verdict", choices=["helpful", "unhelpful"])
    rate.add_argument("--query-id")
    rate.add_argument("--reason")
    rate.add_argument("--session")
    evidence = command("evidence", do_evidence, "search the registered sources themselves")
    evidence.add_argument("text", nargs="+")
    evidence.add_argument("--mode", choices=["FAST", "DEEP", "FILENAME_ONLY"])
    evidence.add_argument("--path", action="append", default=[])
    evidence.add_argument("--source", action="append", default=[])
    evidence.add_argument("--top-k", type=int)


def _session_commands(command: Maker) -> None:
    start = command("start", do_start, "begin a session by hand, and be oriented")
    start.add_argument("--agent", default="shell")
    start.add_argument("--team")
    start.add_argument("--prompt")
    end = command("end", do_end, "end it with a note for the next")
    end.add_argument("--summary")
    end.add_argument("--note", help="what the next session should know first")
    end.add_argument("--pending", action="append", default=[])
    end.add_argument("--blocker", action="append", default=[])
    end.add_argument("--session")
    end.add_argument("--checkpoint", action="store_true", help="write the note and go on")
    ack = command("ack", do_ack, "take over the handoff that your session was offered")
    ack.add_argument("handoff", nargs="?", help="the session whose handoff it is; else the one offered")
    ack.add_argument("--session")
    history = command("history", do_history, "recent sessions of this repo and their handoffs")
    for sub in (start, history):
        sub.add_argument("--repo", help="else that of this folder")


def _machine_commands(command: Maker) -> None:
    index = command("index", do_index, "upload which of this repo's files import which")
    index.add_argument("--repo")
    index.add_argument("--team")
    index.add_argument("--print", action="store_true", help="show it, send nothing")
    guard = command("guard", do_guard, "look for secrets; with --staged, a pre-commit hook")
    guard.add_argument("what", choices=["scan"])
    guard.add_argument("path", nargs="*")
    guard.add_argument("--staged", action="store_true", help="the lines that the next commit adds")
    command("mcp", do_mcp, "speak MCP over stdio")
    hooks = command("hook", do_hook, "what an agent's hooks call: JSON in, JSON out")
    hooks.add_argument("event", choices=[*HANDLERS, *ALIASES], metavar="EVENT")
    hooks.add_argument("--agent", default="claude-code")
    setup = command("install", do_install, "connect an agent: its hooks and MCP")
    setup.add_argument("agent", choices=sorted(PLANS))
    setup.add_argument("--print", action="store_true", help="show what would change, write nothing")
    setup.add_argument("--uninstall", action="store_true", help="take it out again")
    setup.add_argument("--project", action="store_true", help="in this folder instead of your own settings")
    setup.add_argument("--yes", action="store_true", help="do not ask")


def fail(line: str, status: int) -> NoReturn:
    print(f"loam: {line}", file=sys.stderr)
    raise SystemExit(status)


def main(words: list[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["hook"] and words[1:] and "-h" not in words and "--help" not in words:
        # Read by hand: the parser of all commands takes longer than what the hook has to do.
        hook(words[1], words[3] if words[2:3] == ["--agent"] and words[3:] else "claude-code")
        return 0
    args = parser().parse_args(words)
    try:
        return int(args.run(args))
    except Stop as stop:
        fail(str(stop), stop.status)
    except Away as away:
        fail(str(away), 3)
    except Problem as problem:
        fail(str(problem), 1)
    except KeyboardInterrupt:
        fail("stopped", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


# --- the guard: a copy of the server's rules, written by `manage.py bundle_client`; change them there --
@dataclass(frozen=True)
class Stripped:
    """The text without invisible characters, and how many of which kind it had (kind → count, without line ends)."""

    text: str
    removed: Mapping[str, int]

    @property
    def count(self) -> int:
        """How many characters that are together."""
        return sum(self.removed.values())


_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
# England, Scotland and Wales: the only sequences of tags in use (Unicode emoji 15, emoji_tag_sequence).
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
# Kind → the characters of it. Arabic number signs and their like are of category Cf too, but they are seen.
_KINDS = {
    "control": "\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f",
    "soft hyphen": "\xad",
    "zero width": "\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0",
    "direction": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "variation selector": "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
    "tag": "\U000e0000-\U000e00ff",
    "format": "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a",
    "surrogate": "\ud800-\udfff",
}
_KIND = {name: re.compile(f"[{characters}]") for name, characters in _KINDS.items()}
_COLOUR = r"\x1b(?:\[[0-9;?]{0,20}[A-Za-z]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))"
_SUSPECT = re.compile(f"{_FLAGS}|{_COLOUR}|[{''.join(_KINDS.values())}]")


def strip_invisible(text: str) -> Stripped:
    """The text as a person reads it. Nothing else of it changes; letters are not brought to a normal form."""
    removed: Counter[str] = Counter()

    def left(match: re.Match[str]) -> str:
        if _is_needed(match):
            return match.group()
        removed[next(kind for kind, regex in _KIND.items() if regex.match(match.group()))] += 1
        return ""

    return Stripped(_SUSPECT.sub(left, _LINE_ENDS.sub("\n", text)), dict(removed))


JOINER, NON_JOINER = "\u200d", "\u200c"
# Scripts whose letters join, or whose consonants stack: Arabic to Sinhala, Tibetan to Myanmar, Khmer and Mongolian,
# Balinese and its neighbours, the Arabic forms, the Brahmic scripts beyond the first plane, Adlam.
_JOINING = re.compile(
    "[\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1a00-\u1bff\ua880-\ua8df\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
# Emoji of other categories than symbols: !! !? wavy dash, part alternation mark, information source.
_OTHER_EMOJI = "\u203c\u2049\u3030\u303d\u2139"
_KEYCAP = "\u20e3"


def _is_needed(match: re.Match[str]) -> bool:
    """Whether its neighbours need the character. Neighbours are those of the text as it came: a doubt removes."""
    text, place, found = match.string, match.start(), match.group()
    if len(found) > 1:
        return not found.startswith("\x1b")
    before, after = text[max(0, place - 1) : place], text[place + 1 : place + 2]
    if found in (JOINER, NON_JOINER) and _joins(before) and _joins(after):
        return True
    if found == JOINER:
        emoji = text[max(0, place - 2) : place - 1] if before == "\ufe0f" else before
        return _is_symbol(emoji) and _is_symbol(after)
    if "\ufe00" <= found <= "\ufe0f":
        keycap = before in set("0123456789#*") and after == _KEYCAP
        return _is_symbol(before) or keycap or bool(_IDEOGRAPH.match(before))
    if found >= "\U000e0100":
        return bool(_IDEOGRAPH.match(before))
    return bool("\u180b" <= found <= "\u180f" and found != "\u180e" and _MONGOLIAN.match(before))


def _joins(character: str) -> bool:
    return bool(_JOINING.match(character)) and unicodedata.category(character)[0] in "LM"


def _is_symbol(character: str) -> bool:
    return bool(character) and (unicodedata.category(character)[0] == "S" or character in _OTHER_EMOJI)


@dataclass(frozen=True)
class SecretPattern:
    """One row: the group `secret` (else the whole match) is the secret; `hints`: texts (in lower case) one of which
    every match has, looked for first because that is cheap; `is_secret` decides about a match.
    """

    name: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]
    is_secret: Callable[[re.Match[str]], bool]


def secret_span(match: re.Match[str]) -> tuple[int, int]:
    """Where the secret itself stands in the text: the group that holds it, else the whole match."""
    held = [name for name in ("secret", "quoted", "single", "bare") if name in match.re.groupindex]
    group = next((name for name in held if match[name] is not None), 0)
    start, end = match.span(group)
    if group == "bare":
        # outside quotes a value ends before the punctuation of its sentence
        end = start + len(match[group].rstrip(".:)]}>"))
    return start, end


def value_of(match: re.Match[str]) -> str:
    start, end = secret_span(match)
    return match.string[start:end]


# --- examples ------------------------------------------------------------------------------------------
# Said of the value of a token: documented, or made up so that everybody sees it.
_EXAMPLE_TOKEN = re.compile(r"(?i:example|placeholder|redacted|dummy|changeme|your)|(.)\1{4}|[xX]{4}|\*{3}|\.{3}|…")
_SEQUENCES = ("1234567890", "0123456789", "abcdefghij", "ABCDEFGHIJ", "a1b2c3d4e5")
# Keys their makers publish: the storage emulator's, the token on jwt.io, two UUIDs of standards.
_PUBLISHED = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1",
    "eyJzdWIiOiIxMjM0NTY3ODkwI",
    "550e8400-e29b-41d4-a716-446655440000",
    "123e4567-e89b-12d3-a456-426614174000",
)
# A random token of 16 characters has about 12 different ones; fewer than 6 is somebody leaning on a key.
DISTINCT = 6


def is_made_up(value: str) -> bool:
    """Whether a token is a documented example or an obvious stand-in."""
    if _EXAMPLE_TOKEN.search(value) or any(part in value for part in (*_SEQUENCES, *_PUBLISHED)):
        return True
    return len(set(value.lower())) < DISTINCT


# Said of the value of an assignment: a stand-in, a name for the secret instead of the secret, or code that fetches it.
_STAND_IN = re.compile(
    r"(?i:p[a4@]ss(?:w[o0]rd|wd|phrase)?|s[e3]cr[e3]t|token|api.?key|access.?key|credential|example|sample|dummy|fake|mock|placeholder"
    r"|change.?(?:me|it|this)|replace|insert|todo|redacted|your|\bmy[-_]|hunter2|test|foo|bar|baz|default|admin|value"
    r"|string|null|none|undefined|true|false|optional|required|encrypted|process\.env|environ|getenv|config|settings)"
)
_CODE = re.compile(
    r"^[$<{%\[(&@*]|[()<>{}\[\]]|\$\{|\{\{|^[\w-]+(?:\.[A-Za-z_]\w*)+$|^(?:~|\.{1,2})?/|://|::|->|=>|^--?[a-z]"
)
# words-joined-by-hyphens-2, NameOfThing, a_b_c: how people name things, not how machines draw secrets
_NAME_LIKE = re.compile(r"[A-Za-z]{2,}(?:[-_./:][A-Za-z]{2,})*(?:[-_.]?\d{1,4})?")
SHORTEST_PASSWORD = 8
SHORTEST_STREWN = 10
_LETTERS_TO_DIGITS = re.compile(r"[A-Za-z](?=[0-9])")
SHORTEST_KEY = 16
# Bits per character. English words lie near 2.8 at this length, hexadecimal near 3.5, base 64 above 4.
ENTROPY = 3.0


def entropy(value: str) -> float:
    """Shannon entropy of the characters, bits per character (0 for an empty text)."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _classes(value: str) -> int:
    signs = (str.islower, str.isupper, str.isdigit, lambda c: c in "!@#$%^&*+=?~|")
    return sum(any(sign(c) for c in value) for sign in signs)


def looks_random(value: str) -> bool:
    """A key or token as machines draw them: long, letters and digits mixed, high entropy."""
    if len(value) < SHORTEST_KEY or _NAME_LIKE.fullmatch(value) or not value.isascii():
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and entropy(value) >= ENTROPY


def looks_chosen(value: str) -> bool:
    """A password as people choose them: characters of three kinds, or a long one with digits strewn among letters."""
    if len(value) < SHORTEST_PASSWORD or not value.isascii():
        return False
    strewn = len(_LETTERS_TO_DIGITS.findall(value)) >= 2 and len(value) >= SHORTEST_STREWN
    return _classes(value) >= 3 or strewn


# --- decisions -----------------------------------------------------------------------------------------
def _token(match: re.Match[str]) -> bool:
    return not is_made_up(value_of(match))


def _mixed_token(match: re.Match[str]) -> bool:
    """For prefixes that words begin with too (`sk-`, `r8_`): with a digit or strewn capitals, as drawn ones have."""
    value = value_of(match)
    capitals, small = (sum(sign(c) for c in value) for sign in (str.isupper, str.islower))
    return _token(match) and (any(c.isdigit() for c in value) or (capitals >= 3 and small >= 3))


def _stands_in(value: str) -> bool:
    if _CODE.search(value) or is_made_up(value):
        return True
    rest = _STAND_IN.sub("", value)
    return rest != value and not looks_random(rest)


def _assigned(match: re.Match[str]) -> bool:
    """`name = value`: the value must look random, or chosen if the name says password."""
    return _chosen(match) if _PASSWORD_NAME.search(match["name"]) else _random(match)


def _random(match: re.Match[str]) -> bool:
    return not _stands_in(value_of(match)) and looks_random(value_of(match))


def _chosen(match: re.Match[str]) -> bool:
    return _random(match) or (not _stands_in(value_of(match)) and looks_chosen(value_of(match)))


def _is_digest(value: str) -> bool:
    """A git hash or another digest in hexadecimal: as long as some keys, but public."""
    return bool(re.fullmatch("[0-9a-f]{40}|[0-9A-F]{40}", value))


def _basic(match: re.Match[str]) -> bool:
    """`Basic` is base 64 of `user:password`; the documented pairs are examples."""
    try:
        decoded = base64.b64decode(value_of(match), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and not _weak(user, password)


_OWN_HOST = re.compile(
    r"(?i:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host(?:name)?|server|db|database|"
    r"(?:.*\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost))"
)


# u:p@ and a:b@ are how a format is explained.
SHORTEST_IN_URL = 4


def _weak(user: str, password: str) -> bool:
    return _stands_in(password) or password.lower() == user.lower() or len(password) < SHORTEST_IN_URL


def _connection(match: re.Match[str]) -> bool:
    """`scheme://user:password@host`: not when the password stands in for one, nor a plain one of one's own machine."""
    if _weak(match["user"], match["secret"]):
        return False
    plain = not (looks_random(match["secret"]) or looks_chosen(match["secret"]))
    return not (plain and _OWN_HOST.fullmatch(match["host"]))


# --- the table -----------------------------------------------------------------------------------------
_START, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"


def _row(name: str, hints: str, regex: str, is_secret: Callable[[re.Match[str]], bool] = _token) -> SecretPattern:
    return SecretPattern(name, tuple(hints.split()), re.compile(regex), is_secret)


_PASSWORD_NAME = re.compile(r"(?i:pass(?:word|wd|phrase|code)?|pwd)$")
_SECRET_NAME = (
    r"(?P<name>(?<![\w.-])(?!(?i:[\w.-]{0,60}(?:page|csrf|xsrf|sync|cursor|cancel\w{0,6}|continuation|public)[_-]?))"
    r"[\w.-]{0,60}(?i:password|passwd|passphrase|passcode|pwd|secret|api[_-]?key|access[_-]?key|secret[_-]?key"
    r"|auth[_-]?key|account[_-]?key|signing[_-]?key|encryption[_-]?key|private[_-]?key|license[_-]?key|app[_-]?key|token))"
)
_VALUE = r"(?:\"(?P<quoted>[^\"\s]{8,200})\"|'(?P<single>[^'\s]{8,200})'|[\"'`]?(?P<bare>[^\s\"'`,;]{8,200}))"

TABLE: tuple[SecretPattern, ...] = (
    _row(
        "private key",
        "private",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|[\"'+,>|]|[A-Za-z-]{3,20}: .{0,80}\n){0,40}"
        r"(?P<secret>[A-Za-z0-9+/]{40}[A-Za-z0-9+/=\s\\\"',+>|]{0,12000})",
        lambda match: len(set(match["secret"])) >= 2 * DISTINCT,
    ),
    _row("PuTTY private key", "private-lines", r"Private-Lines: \d{1,3}\s{1,4}(?P<secret>[A-Za-z0-9+/=]{40,20000})"),
    _row("age secret key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,60}"),
    _row("AWS access key", "akia asia abia acca", rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}"),
    _row(
        "AWS secret key",
        "aws amazon secret",
        r"(?i:aws|amazon|secret).{0,20}?(?i:key|secret).{0,20}?[\"'\s:=]{1,5}"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        lambda match: _token(match) and looks_random(match["secret"]) and not _is_digest(match["secret"]),
    ),
    _row("Google API key", "aiza", rf"{_START}AIza[\w-]{{35}}{_END}"),
    _row("Google OAuth secret", "gocspx- ya29.", rf"{_START}(?:GOCSPX-[\w-]{{24,40}}|ya29\.[\w-]{{30,400}})"),
    _row(
        "Google service account",
        "private_key_id",
        r"\"private_key_id\"\s{0,4}:\s{0,4}\"(?P<secret>[0-9a-f]{40})\"",
    ),
    _row(
        "Azure storage key",
        "key",
        r"(?i:account_?key|shared_?access_?key|storage_?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?"
        r"(?P<secret>[A-Za-z0-9+/]{42,88}={0,2})",
    ),
    _row("Azure signature", "sig=", r"[?&]sig=(?P<secret>[A-Za-z0-9%+/]{40,120})"),
    _row("Azure client secret", "q~", rf"{_START}[\w~.-]{{3}}[78]Q~[\w~.-]{{31,34}}"),
    _row(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_START}(?:gh[pousr]_[A-Za-z0-9]{{36,251}}|github_pat_\w{{22,255}})",
    ),
    _row("GitLab token", "gl", rf"{_START}gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[\w.-]{{20,64}}"),
    _row("Slack token", "xox xapp-", rf"{_START}(?:xox[abeoprs]|xapp-\d)-[A-Za-z0-9-]{{10,250}}", _mixed_token),
    _row(
        "Slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>T\w{6,14}/\w{6,24}/\w{16,64})",
    ),
    _row(
        "Discord webhook",
        "webhooks",
        r"discord(?:app)?\.com/api/webhooks/\d{17,20}/(?P<secret>[\w-]{50,90})",
    ),
    _row(
        "Discord bot token",
        ".",
        rf"{_START}[MNO][A-Za-z0-9_-]{{23,27}}\.[\w-]{{6}}\.[\w-]{{27,40}}(?![\w-])",
        _mixed_token,
    ),
    _row(
        "Stripe key",
        "k_live_ whsec_",
        rf"{_START}(?:[sr]k_live_[A-Za-z0-9]{{16,250}}|whsec_[A-Za-z0-9+/]{{24,64}}={{0,2}})",
    ),
    _row("Anthropic key", "sk-ant-", rf"{_START}sk-ant-[\w-]{{20,200}}", _mixed_token),
    _row(
        "OpenAI key",
        "sk-",
        rf"{_START}sk-(?:(?:proj|svcacct|admin|or-v1|lf)-[\w-]{{20,250}}|[A-Za-z0-9]{{32,64}}(?![\w-]))",
        _mixed_token,
    ),
    _row("npm token", "npm_", rf"{_START}npm_[A-Za-z0-9]{{36}}{_END}"),
    _row("PyPI token", "pypi-age", rf"{_START}pypi-AgE[\w-]{{50,300}}"),
    _row("SendGrid key", "sg.", rf"{_START}SG\.[\w-]{{16,32}}\.[\w-]{{16,64}}", _mixed_token),
    _row("Twilio key", "sk", rf"{_START}SK[0-9a-f]{{32}}{_END}"),
    _row(
        "Mailgun or Mailchimp key",
        "key- -us",
        rf"(?<![\w-])(?:key-[0-9a-f]{{32}}|[0-9a-f]{{32}}-us\d{{1,2}}){_END}",
    ),
    _row("Telegram token", ":aa", rf"(?:{_START}|(?<=bot))\d{{8,10}}:AA[\w-]{{32,35}}(?![\w-])"),
    _row("Hugging Face token", "hf_", rf"{_START}hf_[A-Za-z0-9]{{30,60}}{_END}"),
    _row("DigitalOcean token", "_v1_", rf"{_START}do[opr]_v1_[0-9a-f]{{40,80}}"),
    _row(
        "Heroku key",
        "hrku- heroku",
        rf"{_START}HRKU-[\w-]{{30,80}}|(?i:heroku).{{0,30}}?[=:\s\"']{{1,4}}"
        r"(?P<secret>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    ),
    _row(
        "Datadog key",
        "datadog dd",
        r"(?i:datadog|dd)[_-]?(?i:api|app|application)[_-]?(?i:key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?"
        r"(?P<secret>[0-9a-f]{32,40})(?![0-9a-f])",
    ),
    _row("Loam token", "loam_", rf"{_START}loam_[0-9a-f]{{8}}_[\w-]{{32,64}}"),
    _row("Vault token", "hvs. hvb. hvr.", rf"{_START}hv[sbr]\.[\w-]{{20,300}}"),
    _row("Databricks token", "dapi", rf"{_START}dapi[0-9a-f]{{32}}(?:-\d)?{_END}"),
    _row(
        "Shopify or Square token",
        "shp sq0",
        rf"{_START}(?:shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|sq0(?:atp|csp)-[\w-]{{22,60}})",
    ),
    _row("Terraform token", ".atlasv1.", rf"{_START}[A-Za-z0-9]{{14}}\.atlasv1\.[\w-]{{40,80}}"),
    _row(
        "service token",  # Linear, Notion, Figma, Postman, Grafana, Sentry, Docker, Atlassian, New Relic, Doppler, …
        "_ - .",
        rf"{_START}(?:lin_api_|ntn_|figd_|PMAK-|glsa_|glc_|sntry[su]_|dckr_pat_|ATATT3|NRAK-|dp\.pt\.|pscale_tkn_"
        r"|sbp_|rubygems_|gsk_|r8_|pplx-|xai-|tskey-|EAACEdEose0cBA)[\w.+/=-]{20,400}",
        _mixed_token,
    ),
    _row("JSON web token", "eyj", rf"{_START}eyJ[\w-]{{8,2000}}\.eyJ[\w-]{{8,8000}}\.[\w-]{{16,1000}}"),
    _row(
        "connection string",
        "://",
        rf"{_START}[A-Za-z][A-Za-z0-9+.-]{{1,30}}://(?P<user>[^\s:/@\"'`<>|]{{0,100}}):"
        r"(?P<secret>[^\s/@\"'`<>|]{1,200})@(?P<host>[^\s/:?#\"'`,;<>)]{1,200})",
        _connection,
    ),
    _row(
        "authorization header",
        "bearer authorization",
        r"(?i:bearer|authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?token)\s{1,4}(?P<secret>[A-Za-z0-9._~+/=-]{16,2000})",
        _random,
    ),
    _row(
        "basic authorization",
        "basic",
        r"(?i:authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?basic)\s{1,4}(?P<secret>[A-Za-z0-9+/]{8,400}={0,2})",
        _basic,
    ),
    _row(
        "password on a command line",
        "curl sshpass",
        r"(?:\bcurl\b.{0,200}?\s(?:-u|--user)[= ]|\bsshpass -p ?)[\"']?(?:[\w.@-]{1,60}:)?(?P<secret>[^\s\"']{6,100})",
        _chosen,
    ),
    _row(
        "secret in an assignment",
        "pass pwd secret key token",
        rf"{_SECRET_NAME}[\"'`]?\s{{0,4}}(?::=|=>|[:=])\s{{0,4}}{_VALUE}",
        _assigned,
    ),
)


@dataclass(frozen=True)
class PersonalPattern:
    """One row: the group `held` (else the whole match) is replaced by `mask` if `is_personal` says so."""

    name: str
    mask: str
    regex: re.Pattern[str]
    is_personal: Callable[[re.Match[str]], bool]

    def span(self, match: re.Match[str]) -> tuple[int, int]:
        return match.span("held" if "held" in self.regex.groupindex else 0)


# --- e-mail --------------------------------------------------------------------------------------------
_EMAIL = re.compile(
    r"(?<![\w.+-])(?P<local>[\w.+-]{1,64})@(?P<domain>(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,24})"
    r"(?![\w(@-]|\.\w)"
)
# RFC 2606 and 6761: names that are nobody's, kept for documentation and tests.
_RESERVED_DOMAIN = re.compile(r"(?i:(?:.*\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost|local))")
# Nobody's by custom (what manuals write for a domain), or not one person's (lists, and GitHub's stand-in addresses).
_CUSTOMARY_DOMAIN = re.compile(
    r"(?i:(?:your|my|some|other)?-?(?:domain|company|corp|org|host|site|website|server|email|test)\.(?:com|org|net)"
    r"|(?:foo|bar|baz|acme|contoso|[a-z])\.com|(?:lists|groups)\..*|googlegroups\.com|groups\.io|.*\.?noreply\..*)"
)
# Not a person's: machines, roles, and what manuals write where a name belongs.
_NOBODY = re.compile(
    r"(?i:.*no.?reply.*|do.?not.?reply|git|hg|svn|root|ubuntu|debian|ec2-user|vagrant|deploy|ci|bot"
    r"|your.*|(?:my)?[._-]?(?:user\d?|name|username|e?mail)|you|me|foo|bar|foobar|baz|someone|somebody|example"
    r"|(?:info|support|sales|security|abuse|postmaster|webmaster|hello|contact|team|help|admin|office|billing|legal"
    r"|press|privacy|social|dev|test|users)(?:[+_-][\w.+-]{1,40})?)"
)
# Reads like a top-level domain behind an @, but ends a file's or a unit's name: icon@2x.png, getty@tty1.service.
_FILE_ENDING = re.compile(
    r"(?i:png|jpe?g|gif|svg|webp|ico|pdf|[cm]?[jt]sx?|py|rb|md|json|css|html?|ya?ml|toml|zip|tgz|gz|whl|service"
    r"|socket|timer|target|mount|slice|conf|cfg|txt|log|sh|plist|xpi|so|dylib|jar|lock)"
)
# A login on a machine: ssh jane@build.acme.com, jane@build.acme.com:/srv, https://jane@git.acme.com.
_LOGIN_BEFORE = re.compile(r"(?:://\S{0,120}|\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\b[^\n|;]{0,80})$")
_LOGIN_AFTER = re.compile(r":(?:[~/]|[\w.-]{1,80}(?:/|\.git\b))")
# How far before an address the command that logs in may stand.
BEFORE = 120


def _is_email(match: re.Match[str]) -> bool:
    start, end = match.span()
    return not (
        _RESERVED_DOMAIN.fullmatch(match["domain"])
        or _CUSTOMARY_DOMAIN.fullmatch(match["domain"])
        or _NOBODY.fullmatch(match["local"])
        or _FILE_ENDING.fullmatch(match["domain"].rsplit(".", 1)[-1])
        or _LOGIN_AFTER.match(match.string, end)
        or _LOGIN_BEFORE.search(match.string[max(0, start - BEFORE) : start])
    )


# --- telephone -----------------------------------------------------------------------------------------
_PHONE_INTERNATIONAL = re.compile(r"(?<![\w.+-])\+[1-9]\d{0,2}(?:[ .()/-]{0,2}\d{1,4}){2,6}(?!\w|[.-]\d)")
_PHONE_AMERICAN = re.compile(
    r"(?<![\w.+/-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])[2-9]\d\d[.-]\d{4}(?!\w|[./-]\w)"
)
_PHONE_NAMED = re.compile(
    r"(?i:\b(?:phone|telephone|tel|mobile|fax|whatsapp)(?: (?:number|no))?)[.:]{0,2}\s{0,3}"
    r"(?P<held>\(?0?\d[\d ()./-]{5,16}\d)(?!\w)"
)
# E.164 allows 15 digits; with fewer than 7 it is an extension or a quantity.
FEWEST_DIGITS, MOST_DIGITS = 7, 15
# +49 30 123456 has separators; without any, as in +2147483647, it takes 11 digits to be told from a signed number.
FEWEST_GROUPED, FEWEST_PLAIN = 9, 11
# Numbers of films and manuals: the 555 exchange, 123-456-7890, one digit repeated.
_FICTIONAL = re.compile(r"555\d{4}$|1234567|(\d)\1{5}")


def _digits(match: re.Match[str]) -> str:
    held = match["held"] if "held" in match.re.groupindex else match.group()
    return "".join(c for c in held if c.isdigit())


def _is_phone(match: re.Match[str]) -> bool:
    digits = _digits(match)
    fewest = FEWEST_DIGITS
    if match.group().startswith("+"):
        fewest = FEWEST_PLAIN if match.group()[1:] == digits else FEWEST_GROUPED
    return fewest <= len(digits) <= MOST_DIGITS and not _FICTIONAL.search(digits)


# --- cards ---------------------------------------------------------------------------------------------
_CARD = re.compile(r"(?<![\w.+/=-])\d(?:[ -]?\d){12,18}(?![\w/=]|[.-]\w)")
# Prefix and length of the large issuers (ISO/IEC 7812): Visa, Mastercard, American Express, Discover, JCB, Diners.
_ISSUED = re.compile(
    r"4\d{12}(?:\d{3})?(?:\d{3})?|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|35\d{14}|3(?:0[0-5]|[68]\d)\d{11}"
)
# Groups as printed on a card; blanks anywhere else are columns of numbers.
_GROUPS = re.compile(r"\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5}")
# The test cards of the payment services are of few digits (4242…, 4111…, 5555…4444, 3782 822463 10005, 6011 1111…).
_TEST_CARD = re.compile(
    r"(?:42){4}|(\d)\1{5}|0{4}\d{0,4}$|^37828224631|^378734493671|^601111|^30569309|^38520000|^353011|^400000"
)


def luhn(digits: str) -> bool:
    """Whether the check digit is right (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_card(match: re.Match[str]) -> bool:
    digits = _digits(match)
    return bool(
        _GROUPS.fullmatch(match.group())
        and _ISSUED.fullmatch(digits)
        and luhn(digits)
        and not _TEST_CARD.search(digits)
    )


# $1 and $12 are parameters of a shell or a statement: a dollar sign needs cents, thousands or a unit behind it.
_MONEY = re.compile(
    r"(?<![\w$])(?:\$ ?(?:\d{1,3}(?:,\d{3}){1,5}|\d{3,12})(?:\.\d{1,2})?|\$ ?\d{1,2}\.\d\d"
    r"|[$€£¥] ?\d{1,12}(?:\.\d{1,2})? ?(?:k|m|bn|million|billion)|[€£¥] ?\d[\d,]{0,20}(?:\.\d{1,2})?)(?!\w)"
    r"|(?<![\w.,])\d[\d,]{0,20}(?:\.\d{1,2})? ?(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|dollars|euros)\b"
)

EMAIL, PHONE, CARD, MONEY = "[EMAIL]", "[PHONE]", "[CARD]", "[MONEY]"
PERSONAL: tuple[PersonalPattern, ...] = (
    PersonalPattern("e-mail address", EMAIL, _EMAIL, _is_email),
    PersonalPattern("card number", CARD, _CARD, _is_card),
    PersonalPattern("phone number", PHONE, _PHONE_INTERNATIONAL, _is_phone),
    PersonalPattern("phone number", PHONE, _PHONE_AMERICAN, _is_phone),
    PersonalPattern("phone number", PHONE, _PHONE_NAMED, _is_phone),
)
SUMS = PersonalPattern("sum of money", MONEY, _MONEY, lambda match: True)


@dataclass(frozen=True)
class Finding:
    """Something at `line` and `column` (both from 1) of the text called `field`; what it is, not what it says."""

    pattern: str
    line: int
    column: int
    field: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}"
        return f"{self.pattern} in {self.field}, {place}" if self.field else f"{self.pattern} at {place}"


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    pattern: str


# --- secrets -------------------------------------------------------------------------------------------
SECRET = "[SECRET]"


def find_secrets(text: str, *, field: str = "", allowed: Collection[str] = ()) -> list[Finding]:
    """The secrets in a text, in their order; each place once, by the first pattern of the table that knows it."""
    return _findings(text, _secret_spans(text, allowed), field)


def redact_secrets(text: str, *, field: str = "", allowed: Collection[str] = ()) -> tuple[str, list[Finding]]:
    """The text with `[SECRET]` in the place of each secret, and where they were (in the text as it came)."""
    spans = _secret_spans(text, allowed)
    return _masked(text, spans, dict.fromkeys((s.pattern for s in spans), SECRET)), _findings(text, spans, field)


def secret_values(text: str, *, allowed: Collection[str] = ()) -> list[str]:
    """The secrets themselves, each once: for nothing but to put them among the reviewed terms."""
    return list(dict.fromkeys(text[span.start : span.end] for span in _secret_spans(text, allowed)))


def masked(text: str) -> str:
    """What is kept of a text that must not be lost (a question, a reason): nothing unseen in it, its secrets masked."""
    return redact_secrets(strip_invisible(text).text)[0]


def _secret_spans(text: str, allowed: Collection[str]) -> list[_Span]:
    lowered = text.lower()
    spans: list[_Span] = []
    for row in TABLE:
        if not any(hint in lowered for hint in row.hints):
            continue
        for match in row.regex.finditer(text):
            if row.is_secret(match) and value_of(match) not in allowed:
                spans.append(_Span(*secret_span(match), row.name))
    return _apart(spans)


def _apart(spans: list[_Span]) -> list[_Span]:
    """By their place in the text, those that overlap made one under the name of the first."""
    apart: list[_Span] = []
    for span in sorted(spans, key=lambda s: s.start):
        if apart and span.start < apart[-1].end:
            apart[-1] = _Span(apart[-1].start, max(span.end, apart[-1].end), apart[-1].pattern)
        else:
            apart.append(span)
    return apart


def _findings(text: str, spans: list[_Span], field: str) -> list[Finding]:
    found = []
    line, line_start = 1, 0
    for span in spans:
        line += text.count("\n", line_start, span.start)
        line_start = text.rfind("\n", 0, span.start) + 1
        found.append(Finding(span.pattern, line, span.start - line_start + 1, field))
    return found


def _masked(text: str, spans: list[_Span], masks: Mapping[str, str]) -> str:
    parts, last = [], 0
    for span in spans:
        parts += [text[last : span.start], masks[span.pattern]]
        last = span.end
    return "".join([*parts, text[last:]])


# --- personal data -------------------------------------------------------------------------------------
def redact_personal(
    text: str, *, field: str = "", allowed: Collection[str] = (), money: bool = False
) -> tuple[str, list[Finding]]:
    """The text with `[EMAIL]`, `[PHONE]`, `[CARD]` (and `[MONEY]` if asked) for what belongs to somebody, and where.

    Places are those of the text as it came. Reserved and documented values stay (see `guard_personal`).
    """
    patterns = (*PERSONAL, SUMS) if money else PERSONAL
    spans = _apart(
        [
            _Span(*row.span(match), row.name)
            for row in patterns
            for match in row.regex.finditer(text)
            if row.is_personal(match) and match.group() not in allowed
        ]
    )
    return _masked(text, spans, {row.name: row.mask for row in patterns}), _findings(text, spans, field)


if __name__ == "__main__":
    sys.exit(main())
