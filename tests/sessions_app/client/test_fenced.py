"""Every command that a model may run, and every hook that it is told by, with a memory that somebody hostile wrote."""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.actions.tokens import issue_token
from accounts.rules.fence import escaped
from accounts.rules.rights import Member, Scope
from knowledge.evidence.models import Source
from sessions_app.client.src.commands.main import parser
from sessions_app.client.src.hooks.answered import HANDLERS
from sessions_app.conversations.actions.share import share
from sessions_app.mcp.gateway import API
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.cases import cases
from tests.conftest import NOW
from tests.factories import make_insight
from tests.fences import FENCED, unfenced
from tests.knowledge.evidence.conftest import books, files  # noqa: F401
from tests.sessions_app.client.machine import Machine
from tests.sessions_app.conversations.talk import talk
from tests.sessions_app.hostile_memory import LEFT, SOME, fill
from tests.sessions_app.mcp.injections import INJECTIONS, broken
from tests.web import serving

HERE = {"repo": "acme/shop", "team": "platform"}
# How each command is run, so that it prints whatever it can of others' words; in this order.
# A name in a JSON document of one value a line.
KEY = re.compile(r'\s*"\w+":')
RUNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "status": (("status",),),
    "config": (("config",),),
    "start": (("start", "--prompt", SOME[0]),),
    "query": (("query", "CSV importer memory"), ("query", "CSV importer memory", "--explain", "--limit", "20")),
    "deposit": (
        ("deposit", "--kind", "CONTEXT", "The importer reads CSV in chunks of memory, 5,000 rows each."),
        ("deposit", "--kind", "CONTEXT", f"The importer reads CSV in chunks of memory. {SOME[7]}"),
        ("deposit", "--kind", SOME[1], "Refused."),
    ),
    "relate": (("relate", "PLAT-1", "PLAT-2", "unrelated"), ("relate", SOME[2], "PLAT-2", "unrelated")),
    "rate": (("rate", "PLAT-1", "helpful"), ("rate", SOME[2], "helpful")),
    "evidence": (
        ("evidence", "quarterly kestrel report says"),
        ("evidence", "quarterly kestrel report says", "--mode", "FILENAME_ONLY"),
    ),
    "history": (("history",),),
    "handoff": (
        ("handoff",),
        ("handoff", "show", "{left}"),
        ("handoff", "take", "{left}"),
        ("handoff", "show", "S-99"),
    ),
    "ack": (("ack", "{left}"),),
    "claim": (("claim",), ("claim", "src/**")),
    "conversation": (("conversation", "{talked}"),),
    "share": (("share",), ("share", "--preview", "--team", "platform")),
    "import-sessions": (("import-sessions", "--dry-run"),),
    "verify": (("verify", "--dry-run"),),
    "end": (("end", "--checkpoint", "--summary", SOME[5]), ("end", "--summary", SOME[5])),
}
# What prints nothing of a memory: of one's own machine, or looked at apart below.
OTHERS = {"login", "index", "guard", "install", "mcp", "hook"}
# Whose words, and whether anybody has reviewed them, as each command says that gives others' words back.
PROVENANCE = {
    "start": r"alice's.*(?s:.)*not reviewed|Handoff S-\d+ \(alice's",
    "query": r"PLAT-\d+  \w+ · draft · alice's agent",
    "deposit": r"PLAT-\d+",
    "evidence": r"kestrel\.md(?s:.)*not reviewed",
    "history": r"not reviewed:\n(?s:.)*\balice\b",
    "handoff": r"of alice, .*not reviewed",
    "claim": r"\balice \(S-\d+\)",
    "conversation": r"of alice on .*, not reviewed",
    "verify": r"notes of acme/shop",
    "share": r"S-\d+",
}


@pytest.fixture
def url(transactional_db: None) -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture
def talked(url: str, alice: Member, books: Source, files: Path) -> str:  # noqa: F811
    return fill(alice, files)


@pytest.fixture
def left(talked: str, alices_agent: APIClient) -> str:
    """A handoff of Alice's, and a session of hers that holds files."""
    begun = alices_agent.post(f"{API}sessions/", {**HERE, "branch": SOME[3]}).json()
    alices_agent.post(f"{API}sessions/{begun['session']}/end/", LEFT, format="json")
    live = alices_agent.post(f"{API}sessions/", HERE).json()["session"]
    claims = {"files": ["src/**", f"src/{SOME[4]}"]}
    assert alices_agent.post(f"{API}sessions/{live}/claims/", claims, format="json").status_code == 200
    return str(begun["ref"])


@pytest.fixture
def bobs(url: str, left: str, bob: Member, tmp_path: Path) -> Machine:
    secret = issue_token(name="bob's", scopes=list(Scope), by=bob, now=NOW).secret
    machine = Machine(tmp_path, url, secret, extra={"LOAM_TEAM": "platform"})
    machine.git("init")
    machine.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
    return machine


def commands() -> set[str]:
    """All that the client has, by its own parser."""
    (found,) = (one for one in parser()._actions if isinstance(one, argparse._SubParsersAction))
    return set(found.choices)


def texts_in(value: Any) -> Iterator[str]:
    """Every text of a decoded answer."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(one)


class TestEveryCommand:
    def test_is_run_here(self) -> None:
        assert commands() == {*RUNS, *OTHERS}

    def test_keeps_them_within_and_says_whose_they_are(self, bobs: Machine, talked: str, left: str) -> None:
        told: dict[str, str] = {}
        for name, runs in RUNS.items():
            for words in runs:
                done = bobs.run(*(word.format(left=left, talked=talked) if "{" in word else word for word in words))
                assert "Traceback" not in done.err, (words, done.err)
                assert broken(unfenced(done.out)) == broken(done.err) == [], (words, done.out, done.err)
                told[name] = told.get(name, "") + done.out
        marked = {name for name, out in told.items() if "‹" in out}
        assert {"query", "evidence", "history", "handoff", "start", "conversation", "claim"} <= marked
        for name in (name for name, out in told.items() if FENCED.search(out)):
            assert re.search(PROVENANCE[name], told[name]), (name, told[name])

    def test_keeps_them_within_as_json(self, bobs: Machine, talked: str, left: str) -> None:
        said = 0
        for runs in RUNS.values():
            for words in runs:
                given = [word.format(left=left, talked=talked) if "{" in word else word for word in words]
                done = bobs.run(*given, "--json")
                # A value has no line of its own: what a line begins with is a name that Loam gives ("user": …).
                told = [line for line in broken(done.out) if not KEY.match(line)]
                assert told == [], (words, done.out)
                said += bool(done.out) and any(set(SOME) & {*text.split("\n")} for text in texts_in(done.json))
        assert said, "the same data, escaped"


QUIET: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("config",),
    ("start", "--prompt", "Speed the importer up"),
    ("query", "what chunks does the CSV importer read"),
    ("query", "CSV importer memory", "--explain"),
    ("query", "who bakes bread in Oslo"),
    ("deposit", "--kind", "CONTEXT", "The importer reads CSV in chunks of memory, 5,000 rows each."),
    ("relate", "PLAT-1", "PLAT-2", "complements"),
    ("rate", "PLAT-1", "helpful"),
    ("evidence", "when does the log volume fill up"),
    ("evidence", "zanzibar quokka protocol"),
    ("evidence", "log volume", "--mode", "FILENAME_ONLY"),
    ("history",),
    ("handoff",),
    ("handoff", "show", "{left}"),
    ("claim",),
    ("claim", "src/b.py"),
    ("conversation", "{talked}"),
    ("handoff", "take", "{left}"),
    ("share",),
    ("share", "--preview", "--team", "platform"),
    ("import-sessions", "--dry-run"),
    ("verify", "--dry-run"),
    ("end", "--checkpoint", "--summary", "The importer reads in chunks."),
    ("end", "--summary", "The importer reads in chunks."),
)


class TestLinesOfTheClient:
    @pytest.fixture
    def quiet(
        self,
        url: str,
        alice: Member,
        bob: Member,
        alices_agent: APIClient,
        books: Source,  # noqa: F811
        tmp_path: Path,
    ) -> tuple[Machine, str, str]:
        """Bob's machine, a handoff of Alice's and a conversation that she shares; nothing in all of it is hostile."""
        for number in range(3):
            make_insight(alice, body=f"The importer reads CSV in chunks of memory, {number + 4},000 rows each.")
        said = [Turn("user", "How do we import CSV?"), Turn("assistant", "In chunks of 5,000 rows, for the memory.")]
        talked = talk(alice, said).ref
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        begun = alices_agent.post(f"{API}sessions/", {**HERE, "branch": "main"}).json()
        words = {"summary": "Chunks are in.", "pending": ["Measure it"], "handoff_note": "Mind the header."}
        alices_agent.post(f"{API}sessions/{begun['session']}/end/", words, format="json")
        live = alices_agent.post(f"{API}sessions/", HERE).json()["session"]
        alices_agent.post(f"{API}sessions/{live}/claims/", {"files": ["src/a.py"]}, format="json")
        secret = issue_token(name="bob's", scopes=list(Scope), by=bob, now=NOW).secret
        machine = Machine(tmp_path, url, secret, extra={"LOAM_TEAM": "platform"})
        machine.git("init")
        machine.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
        return machine, begun["ref"], talked

    def test_are_not_taken_for_those_of_others(self, quiet: tuple[Machine, str, str]) -> None:
        machine, left, talked = quiet
        marked = {}
        for words in QUIET:
            done = machine.run(*(word.format(left=left, talked=talked) for word in words))
            marked[words] = [line for line in f"{done.out}\n{done.err}".split("\n") if "‹" in line]
        assert [f"{words[0]}: {line}" for words, lines in marked.items() for line in lines] == []


class TestEscaped:
    @cases("text", INJECTIONS[::3])
    def test_is_the_same_data(self, text: str) -> None:
        document = escaped(json.dumps({"said": text}, ensure_ascii=False))
        assert json.loads(document) == {"said": text}
        assert broken(document) == []


class TestEveryHook:
    def test_keeps_them_within(self, bobs: Machine, left: str) -> None:
        assert set(HANDLERS) == {"SessionStart", "UserPromptSubmit"}
        edited = {"file_path": str(bobs.checkout / "src/a.py")}
        told = []
        for event, given in (
            ("SessionStart", {"source": "startup"}),
            ("UserPromptSubmit", {"prompt": "Rewrite the CSV importer with larger chunks of memory"}),
            ("PostToolUse", {"tool_name": "Edit", "tool_input": edited, "tool_response": {}}),
            ("PostToolUse", {"tool_name": "Edit", "tool_input": edited, "tool_response": {}}),
            ("SessionStart", {"source": "compact"}),
        ):
            answer = bobs.hook(event, **given)
            told += [text for text in texts_in(answer.json) if "\n" in text]
        assert len(told) >= 4
        for text in told:
            assert FENCED.search(text) and broken(unfenced(text)) == [], text
        assert sum("‹" in text for text in told) >= 3
        assert any("Another session works on a file" in text for text in told)


class TestTheBridge:
    def test_passes_the_servers_texts_on(self, bobs: Machine) -> None:
        call = {"name": "query_insights", "arguments": {"query": "CSV importer memory"}}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        answer = json.loads(bobs.run("mcp", given=f"{line}\n").out)
        text = answer["result"]["content"][0]["text"]
        assert FENCED.search(text) and broken(unfenced(text)) == [] and "‹" in text
