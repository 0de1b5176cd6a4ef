"""Sessions made of recorded conversations: the client's hooks, called as each client calls them, on a running Loam.

The person's prompts and the agent's replies are recorded; what Loam says to them is not. The hooks run in this process,
on the home folder that its environment names, so a home needs a process of its own; `courier` delivers between them.
"""

import fcntl
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from sessions_app.client.src.commands.main import main as client
from sessions_app.client.src.delivery.courier import run_courier
from sessions_app.client.src.hooks.entry import BEFORE_TOOLS, courier_lock, entry
from sessions_app.client.src.sessions import note
from tests.clients.capture import CHECKOUT, HOME
from tests.clients.machine import Hook
from tests.clients.measures import tokens
from tests.clients.requests import FIXTURES, Json, Talk, Turn, shared

SEED = 7
REPOSITORIES = 12
# Machines at work at once; sessions go to them in turns.
HOMES = 4
# Of a hundred sessions so many are closed and resumed, are killed, were opened before and closed again without a word,
# go on with a second conversation, and ask about the subject of one of the team's notes.
RESUMED, KILLED, REOPENED, LONGER, ASKING = 15, 15, 10, 25, 50
MOST_EDITS = 2
# The clients' names of the moments, and of tools that change a file.
STARTS, PROMPTS = ("SessionStart", "sessionStart"), ("UserPromptSubmit", "BeforeAgent", "userPromptSubmitted")
STOPS, ENDS = ("Stop", "AfterAgent", "agentStop"), ("SessionEnd", "sessionEnd")
EDITORS = ("Edit", "apply_patch", "replace", "edit")
SESSION_LINE = re.compile(r"Loam session: \S+")
# A prompt whose hook has no answer in time is told nothing: here a busy machine is to spare no session a text.
PATIENCE = {"LOAM_HOOK_SECONDS": "60", "LOAM_LINGER": "0.01"}


@dataclass(frozen=True)
class Exchange:
    """A person's prompt and the agent's reply; `edits`: the file it changed before it replied, if any."""

    prompt: str
    reply: str
    edits: str = ""


@dataclass(frozen=True)
class Recording:
    """What happens in one session."""

    number: int
    client: str
    repo: str
    exchanges: tuple[Exchange, ...]
    resumed: bool = False
    killed: bool = False
    reopened: bool = False


@dataclass(frozen=True)
class Kept:
    """What came of a session. `on`, `off`: the mean share of a request that is the beginning of the next one, with Loam
    and without; `told`: tokens that Loam's hooks put before the model unasked, by moment; `same`: whether a start in
    equal state was told the same (None: there was none).
    """

    number: int
    client: str
    requests: int
    on: float
    off: float
    told: dict[str, int]
    same: bool | None = None

    @property
    def injected(self) -> int:
        return sum(self.told.values())


# --- recordings ---------------------------------------------------------------------------------------------------
def conversations(folder: Path) -> list[tuple[Exchange, ...]]:
    """Return those of dev.jsonl and decoys.jsonl."""
    found = []
    for name in ("dev.jsonl", "decoys.jsonl"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found += [exchanges(chat) for chat in row.get("chats") or [row["chat"]]]
    return [one for one in found if one]


def exchanges(chat: Sequence[dict[str, str]]) -> tuple[Exchange, ...]:
    """Return pairs of what a person and what the agent said; where one spoke twice, both together."""
    pairs: list[tuple[list[str], list[str]]] = []
    for turn in chat:
        if turn["role"] == "user":
            if not pairs or pairs[-1][1]:
                pairs.append(([], []))
            pairs[-1][0].append(turn["text"])
        elif pairs:
            pairs[-1][1].append(turn["text"])
    return tuple(_exchange("\n\n".join(asked), "\n\n".join(said)) for asked, said in pairs if said)


def _exchange(prompt: str, reply: str) -> Exchange:
    """An agent that shows code has changed the file that it names."""
    named = re.search(r"\b[\w/]+\.py\b", reply) if "```" in reply else None
    return Exchange(prompt, reply, named.group().strip("/") if named else "")


def recordings(folder: Path, count: int, subjects: Sequence[str]) -> list[Recording]:
    """Return `count` sessions: each conversation in turn, over the clients, the repositories and what befalls them."""
    known, rng, found = conversations(folder), Random(SEED), []
    clients = list(FIXTURES)
    for number in range(count):
        said = known[number % len(known)]
        if rng.randrange(100) < LONGER:
            said += rng.choice(known)
        if subjects and rng.randrange(100) < ASKING:
            asked = Exchange(
                f"Before we go on: what do we know about this? {rng.choice(subjects)}", "I will keep to it."
            )
            place = rng.randrange(len(said) + 1)
            said = (*said[:place], asked, *said[place:])
        resumed, killed, reopened = (rng.randrange(100) < share for share in (RESUMED, KILLED, REOPENED))
        # Where nobody else works, what is told can only change with what was told there.
        repo = f"acme/quiet-{number % HOMES}" if reopened else f"acme/recorded-{rng.randrange(REPOSITORIES)}"
        client = clients[(number + number // len(known)) % len(clients)]
        found.append(Recording(number, client, repo, said, resumed, killed, reopened))
    return found


# --- a machine ----------------------------------------------------------------------------------------------------
@dataclass
class Home:
    """A person's machine; this process's environment is its."""

    folder: Path
    url: str
    token: str

    def __post_init__(self) -> None:
        for name in [name for name in os.environ if name.startswith(("LOAM_", "XDG_", "CLAUDE", "CODEX", "COPILOT"))]:
            del os.environ[name]
        here = {"HOME": str(self.folder), "LOAM_URL": self.url, "LOAM_TOKEN": self.token, "GIT_CONFIG_NOSYSTEM": "1"}
        os.environ.update(here | PATIENCE)

    def checkout(self, repo: str) -> Path:
        place = self.folder / "work" / repo.rpartition("/")[2]
        if not place.exists():
            place.mkdir(parents=True)
            git = ("git", "-C", str(place))
            subprocess.run([*git, "init", "-q"], check=True)
            subprocess.run([*git, "remote", "add", "origin", f"https://git.example.com/{repo}.git"], check=True)
        return place

    def listed(self) -> str:
        """Return Loam's tools, as the server lists them now."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        headers |= {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        asked = urllib.request.Request(f"{self.url}/mcp", json.dumps(message).encode(), headers)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.dumps(json.load(answer)["result"]["tools"])

    def hook(self, argv: Sequence[str], given: Json) -> Json:
        """Return what the hook answers. No courier is started beside it: the lock of one is held."""
        said = io.StringIO()
        with tempfile.TemporaryFile() as file, _locked(Path(courier_lock())), redirect_stdout(said):
            file.write(json.dumps(given).encode())
            file.seek(0)
            os.dup2(file.fileno(), 0)
            sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
            try:
                entry(list(argv))  # ends by itself where the client's process would
                client(list(argv))
            except SystemExit:
                pass
        found: Json = json.loads(said.getvalue() or "{}")
        return found


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# --- a session ----------------------------------------------------------------------------------------------------
@dataclass
class Replay:
    """A session under way: with Loam and, beside it, without."""

    home: Home
    plan: Recording
    on: list[bytes] = field(default_factory=list)
    off: list[bytes] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)
    last_reply: str = ""

    def __post_init__(self) -> None:
        self.checkout = self.home.checkout(self.plan.repo)
        self.id = f"{SEED:08x}-0000-4000-8000-{self.plan.number:012x}"
        self.transcript = self.home.folder / "transcripts" / f"{self.id}.jsonl"
        self.transcript.parent.mkdir(exist_ok=True)
        self.talk, self.bare = Talk(self.plan.client), Talk(self.plan.client)

    def run(self) -> Kept:
        same = self._same_again() if self.plan.reopened else None
        self.talk.listed = self.home.listed()
        started, middle = self._told("start", STARTS), len(self.plan.exchanges) // 2
        edits = 0
        for number, exchange in enumerate(self.plan.exchanges):
            if self.plan.resumed and number == middle > 0:
                self._end()
                started = self._told("resume", STARTS, source="resume")
                self.talk.listed = self.home.listed()
            self._turn(exchange, started, may_edit=edits < MOST_EDITS)
            edits, started = edits + bool(exchange.edits), ""
        if self.plan.killed:
            note(f"{self._argv(STARTS)[3]}:{self.id}", process=[2**22 + 7, "1"])
        else:
            self._end()
        on, off = _mean_shared(self.on), _mean_shared(self.off)
        return Kept(self.plan.number, self.plan.client, len(self.on), on, off, self.told, same)

    def _turn(self, exchange: Exchange, started: str, *, may_edit: bool) -> None:
        surfaced = self._told("prompt", PROMPTS, prompt=self._as_given(exchange.prompt, started))
        self._write("user", exchange.prompt)
        self.talk.asks(Turn(exchange.prompt, started, surfaced))
        self.bare.asks(Turn(exchange.prompt))
        self._ask()
        if exchange.edits and may_edit:
            told = self._told("tool", EDITORS, path=exchange.edits)
            run_courier()
            self.talk.edits(exchange.edits, told)
            self.bare.edits(exchange.edits)
            self._ask()
        self._answer(exchange.reply)
        said = self._call(STOPS)
        if said.get("decision") == "block":
            # Claude Code sends the reason twice.
            self.told["stop"] = 2 * tokens(said["reason"])
            self.talk.is_blocked(said["reason"])
            self.on.append(self.talk.request)
            self._answer("Nothing.", without_loam=False)

    def _as_given(self, prompt: str, started: str) -> str:
        """Gemini CLI gives the first prompt with what the start's hook said before it."""
        return (
            f"<hook_context>{started}</hook_context>\n\n{prompt}"
            if self.plan.client == "gemini-cli" and started
            else prompt
        )

    def _same_again(self) -> bool:
        """Whether a session that is opened, closed and opened again is told the same at its start."""
        first, own = SESSION_LINE.sub("", self._context(self._call(STARTS))), self.id
        self._end()
        self.id = f"{SEED:08x}-0000-4000-9000-{self.plan.number:012x}"
        second = SESSION_LINE.sub("", self._context(self._call(STARTS)))
        self._end()
        self.id = own.replace("-8000-", "-a000-")
        return first == second

    def _ask(self) -> None:
        self.on.append(self.talk.request)
        self.off.append(self.bare.request)

    def _answer(self, text: str, *, without_loam: bool = True) -> None:
        self._write("assistant", text)
        self.last_reply = text
        for talk in (self.talk, self.bare) if without_loam else (self.talk,):
            talk.says(text)

    def _told(self, moment: str, events: Sequence[str], **more: str) -> str:
        text = self._context(self._call(events, **more))
        self.told[moment] = self.told.get(moment, 0) + tokens(text)
        return text

    def _context(self, said: Json) -> str:
        return Hook("", "", "", json.dumps(said), None).context

    def _end(self) -> None:
        self._call(ENDS)
        run_courier()

    def _captured(self, events: Sequence[str]) -> Json:
        for hook in FIXTURES[self.plan.client]["hooks"]:
            given = hook["given"]
            named = (hook["argv"][1], given.get("tool_name"), given.get("toolName"))
            if hook["argv"][1] not in BEFORE_TOOLS and any(name in events for name in named):
                return dict(hook)
        raise LookupError(f"{self.plan.client} has no {events}")

    def _argv(self, events: Sequence[str]) -> list[str]:
        return list(self._captured(events)["argv"])

    def _call(self, events: Sequence[str], path: str = "", **more: str) -> Json:
        """Call a hook with what its client gives it, as it was captured, of this session and checkout."""
        hook = self._captured(events)
        given = hook["given"]
        own = given.get("session_id") or given["sessionId"]
        text = json.dumps(given).replace(own, self.id)
        for old, new in ((CHECKOUT, str(self.checkout)), (HOME, str(self.home.folder))):
            text = text.replace(old, new)
        for old in ("importer/tariffs.py", "tests/test_grams.py"):
            text = text.replace(old, path or old)
        given = {**json.loads(text), **more}
        if "last_assistant_message" in given:
            given["last_assistant_message"] = self.last_reply
        if hook["argv"][3] != "copilot":
            given["transcript_path"] = str(self.transcript)
        return self.home.hook(hook["argv"], given)

    def _write(self, role: str, text: str) -> None:
        """Add to the transcript, in the form that the client knows of OpenCode's plugin and Claude Code."""
        row: dict[str, Any] = {"type": role, "message": {"role": role, "content": text}}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _mean_shared(requests: Sequence[bytes]) -> float:
    pairs = [shared(one, following) for one, following in pairwise(requests)]
    return sum(pairs) / len(pairs) if pairs else 1.0
