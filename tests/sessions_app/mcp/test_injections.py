"""Each door through which a model reads what others wrote, tried with two hundred injections."""

import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from rest_framework.test import APIClient

from accounts.actions.preferences import state
from accounts.rules.fence import inert, inert_line
from accounts.rules.rights import Member
from knowledge.evidence.models import Source
from sessions_app.conversations.actions.share import share
from sessions_app.mcp.catalogue import TOOLS
from sessions_app.mcp.gateway import API
from sessions_app.rules.beside import Other, beside
from sessions_app.rules.speakers import SharedTurns
from sessions_app.rules.turn import Turn
from skills.actions import author
from skills.rules.sheet import Sheet
from tests.conftest import NOW
from tests.factories import make_insight
from tests.fences import unfenced
from tests.sessions_app.conversations.talk import talk
from tests.sessions_app.mcp.conftest import Connect
from tests.sessions_app.mcp.injections import INJECTIONS, OWN, broken
from tests.sessions_app.mcp.test_tools import run

ABOUT = "The importer reads CSV in chunks of memory."
ALL = f"{ABOUT}\n" + "\n\n".join(INJECTIONS)
SOME = [inj for inj in INJECTIONS if "\n" not in inj][:40]


class TestEachInjection:
    def test_there_are_two_hundred(self) -> None:
        assert len(set(INJECTIONS)) >= 200

    @pytest.mark.parametrize("text", INJECTIONS)
    def test_is_seen_by_the_reader_and_disarmed_by_the_fence(self, text: str) -> None:
        assert text in OWN or broken(text)
        assert broken(inert(text)) == broken(inert_line(f"so far {text}")) == []
        assert "‹" in inert(text)


class TestLoamsOwnLines:
    @pytest.mark.parametrize("relation", ["contradicts", "complements", "supersedes", "undetermined"])
    @pytest.mark.parametrize("newer", [True, False])
    @pytest.mark.parametrize("state", [{}, {"proposed": True}, {"refused": True}])
    def test_nobody_else_has_one(self, relation: str, newer: bool, state: dict[str, Any]) -> None:
        other = Other(
            ref="PLAT-7", date="today", who="bob", by_person=False, status="promoted", kind="PITFALL",
            relation=relation, newer=newer, sentence="Push.", **{"proposed": False, "replaces": newer, **state},
        )  # fmt: skip
        assert inert(beside(other)).startswith("‹")


@pytest.fixture
def memory(alice: Member, bob: Member, books: Source, files: Path) -> str:
    """Everything that can be written, written by somebody hostile; returns the session that was talked in."""
    lines = "\n\n".join(f"The quarterly kestrel report says: {text}" for text in INJECTIONS)
    (files / "kestrel.md").write_text(f"# Kestrel report\n\n{lines}\n")
    for number, start in enumerate(range(0, len(INJECTIONS), 30)):
        body = f"{ABOUT}\n" + "\n\n".join(INJECTIONS[start : start + 30])
        make_insight(alice, body=body, title=f"CSV importer memory {number} {SOME[number]}", reasoning=body[:900])
    for number, text in enumerate(SOME[:12]):
        state(key=f"key_{number}", value=text[:60], category="general", team="platform", by=alice, now=NOW)
    sheet = Sheet(name="csv-import", description=f"How to import CSV {SOME[0]}", instructions=ALL)
    author.create(sheet=sheet, team="platform", by=alice, now=NOW, live=True)
    said = [Turn("user", f"How do we import CSV? {text}") for text in SOME[:10]]
    ref = talk(alice, [*said, Turn("assistant", ALL), Turn("user", "Keep the CSV importer's limit at 5,000 rows.")]).ref
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
    return ref


async def through_every_tool(client: Client, talked: str) -> dict[str, list[str]]:
    """What each tool says, by its name; every tool of the catalogue is called with what leads to others' words."""
    said: dict[str, list[str]] = {}

    async def call(name: str, /, **given: Any) -> str:
        result: Any = await client.call_tool(name, given)
        said.setdefault(name, []).extend(block.text for block in result.content)
        return said[name][-1]

    begun = await call("start_session", repo="acme/shop", team="platform", branch=SOME[3], agent=SOME[4][:60])
    session = re.search(r"loam-s-\S+(?=:)", begun).group()  # type: ignore[union-attr]
    for query in ("CSV importer memory", "what limit does the CSV importer keep", SOME[5]):
        await call("query_insights", query=query, max_tokens=8_000, limit=20)
    await call("query_insights", query="CSV importer", depth=1)
    await call("deposit_insight", kind="CONTEXT", body=f"CSV importer memory, {SOME[6]}", team="platform")
    for ref in (*(f"PLAT-{number}" for number in range(1, 12)), talked, f"{talked}/conversation", "skill:csv-import"):
        text = await call("get_insight", ref=ref)
        if "page=2" in text:
            await call("get_insight", ref=ref, page=2)
    await call("rate_insight", insights="PLAT-1", verdict="helpful", session=session)
    await call("relate_insight", ref="PLAT-1", relations=[{"ref": "PLAT-2", "relation": "unrelated", "note": SOME[7]}])
    for mode in ("FAST", "FILENAME_ONLY"):
        await call("search_evidence", query="quarterly kestrel report says", mode=mode)
    for one in (await client.list_resources()).resources:
        said["get_insight"].append(one.name)
        read: Any = await client.read_resource(one.uri)
        said["get_insight"].extend(part.text for part in read.contents)
    left = {"summary": ALL[:3_000], "pending": SOME[:9], "handoff_note": ALL[:1_500], "blockers": SOME[9:12]}
    await call("checkpoint_session", session=session, **left)
    await call("checkpoint_session", session=session, **left, end=True)
    begun = await call("start_session", repo="acme/shop", team="platform")
    await call("get_session_history", repo="acme/shop")
    for tool in TOOLS:
        if tool.name not in said:
            await call(tool.name, **{name: GIVEN[name] for name in tool.takes if name in GIVEN})
    return said


# For what else the catalogue has: enough to be answered.
GIVEN = {"name": "csv-import", "repo": "acme/shop", "query": "CSV importer memory", "ref": "PLAT-1", "key": "key_1"}


class TestEveryTool:
    def test_keeps_them_within(self, connect: Connect, memory: str) -> None:
        async def story(client: Client) -> dict[str, list[str]]:
            return await through_every_tool(client, memory)

        said = run(connect, story, "bob", wish="?toolset=all")
        assert set(said) == {tool.name for tool in TOOLS}
        told = 0
        for name, texts in said.items():
            for text in texts:
                assert broken(unfenced(text)) == [], (name, text)
                told += "‹" in text
        assert told > 20


class TestEveryText:
    """By REST: each answer that has a `text` for a model."""

    def test_keeps_them_within(self, memory: str, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        first = alices_agent.post(f"{API}sessions/", {"repo": "acme/shop", "team": "platform"}).json()["session"]
        left = {"summary": ALL[:3_000], "pending": SOME[:9], "handoff_note": ALL[:1_500], "blockers": SOME[9:12]}
        alices_agent.post(f"{API}sessions/{first}/end/", left, format="json")
        answers = [
            bobs_agent.post(f"{API}sessions/", {"repo": "acme/shop", "team": "platform"}),
            bobs_agent.post(f"{API}query/", {"query": "CSV importer memory", "max_tokens": 8_000}),
            bobs_agent.post(f"{API}surface/", {"prompt": "Rewrite the CSV importer with larger chunks of memory"}),
            bobs_agent.get(f"{API}sessions/{memory}/conversation/?limit=200"),
            bobs_agent.get(f"{API}sessions/{first}/"),
        ]
        texts = [text for answer in answers for text in _texts(answer.json())]
        assert len(texts) >= 5
        for text in texts:
            assert broken(unfenced(text)) == [], text
        assert sum("‹" in text for text in texts) >= 4


def _texts(found: Any) -> list[str]:
    """Each `text` of an answer that is fenced or stands beside a fence; passages and bodies are data, not texts."""
    if not isinstance(found, dict):
        return []
    mine = [found["text"]] if isinstance(found.get("text"), str) and found["text"] else []
    return mine + [text for name in ("orientation", "handoff") for text in _texts(found.get(name))]
