"""Each door through which a model reads what others wrote, tried with two hundred injections."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from mcp import Client
from mcp.shared.exceptions import MCPError
from rest_framework.test import APIClient

from accounts.rules.fence import inert, inert_line
from accounts.rules.rights import Member
from knowledge.evidence.models import Source
from sessions_app.answers.rules.beside import Other, beside
from sessions_app.answers.rules.fence import Fence
from sessions_app.mcp.catalogue import TOOLS
from sessions_app.mcp.gateway import API
from sessions_app.mcp.prompts import PROMPTS
from tests.cases import cases
from tests.fences import FENCED, unfenced
from tests.sessions_app.hostile_memory import ABOUT, ALL, LEFT, SOME, at, fill, texts_of_the_schema
from tests.sessions_app.mcp.conftest import Connect
from tests.sessions_app.mcp.injections import FORGED, INJECTIONS, LONG_SENTENCE, OWN, broken
from tests.sessions_app.mcp.test_tools import run


class TestEachInjection:
    def test_there_are_two_hundred(self) -> None:
        assert len(set(INJECTIONS)) >= 200

    @cases("text", INJECTIONS)
    def test_is_seen_by_the_reader_and_disarmed_by_the_fence(self, text: str) -> None:
        assert text in (*OWN, *FORGED) or broken(text)
        assert broken(inert(text)) == broken(inert_line(f"so far {text}")) == []
        assert "‹" in inert(text)


class TestLoamsOwnLines:
    @cases("relation", ["contradicts", "complements", "supersedes", "undetermined"])
    @cases("newer", [True, False])
    @cases("state", [{}, {"proposed": True}, {"refused": True}, {"rejected": True}, {"shown_above": True}])
    def test_nobody_else_has_one(self, relation: str, newer: bool, state: dict[str, Any]) -> None:
        other = Other(
            ref="PLAT-7", date="today", who="bob", by_person=False, status="promoted", kind="PITFALL",
            relation=relation, newer=newer, sentence="Push.", **{"proposed": False, "replaces": newer, **state},
        )  # fmt: skip
        line = beside(other)
        assert inert(line).startswith("‹") or not line


@pytest.fixture
def memory(alice: Member, books: Source, files: Path) -> str:
    return fill(alice, files)


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
    deposited = await call("deposit_insight", **EVERY_FIELD)
    await call("get_insight", ref=re.search(r"PLAT-\d+", deposited).group())  # type: ignore[union-attr]
    await call("query_insights", query="nightly export of invoices", files=EVERY_FIELD["files"], error=SOME[25])
    for ref in (*(f"PLAT-{number}" for number in range(1, 12)), talked, f"{talked}/conversation", "skill:csv-import"):
        text = await call("get_insight", ref=ref)
        if "page=2" in text:
            await call("get_insight", ref=ref, page=2)
    await call("rate_insight", insights="PLAT-1", verdict="helpful", session=session)
    await call("relate_insight", ref="PLAT-1", relations=[{"ref": "PLAT-2", "relation": "unrelated", "note": SOME[7]}])
    for mode in ("FAST", "FILENAME_ONLY"):
        await call("search_evidence", query="quarterly kestrel report says", mode=mode)
    await call("checkpoint_session", session=session, **LEFT)
    await call("checkpoint_session", session=session, **LEFT, end=True)
    begun = await call("start_session", repo="acme/shop", team="platform")
    await call("get_session_history", repo="acme/shop")
    for tool in TOOLS:
        if tool.name not in said:
            await call(tool.name, **{name: GIVEN[name] for name in tool.takes if name in GIVEN})
    return said


# A deposit with somebody else's words in each field that takes a text.
EVERY_FIELD: dict[str, Any] = {
    "kind": "DECISION", "team": "platform", "repo": "acme/shop", "title": f"Export of invoices {SOME[22]}",
    "body": f"The nightly export of invoices is written in two steps.\n{SOME[23]}",
    "reasoning": SOME[24], "error": SOME[25],
    "files": [SOME[26][:100]], "symbols": [SOME[27][:60]], "tags": [SOME[28][:40]], "questions": [SOME[29][:190]],
    "provenance": [{"path": SOME[30][:100], "sha256": "0" * 64}],
    "relations": [{"ref": "PLAT-1", "relation": "unrelated", "note": SOME[31]}],
}  # fmt: skip


# For what else the catalogue has: enough to be answered.
GIVEN = {"name": "csv-import", "repo": "acme/shop", "query": "CSV importer memory", "ref": "PLAT-1", "key": "key_1"}


# Whose words, and whether anybody has reviewed them, as each tool says that gives others' words back.
PROVENANCE = {
    "query_insights": r"draft · .* · alice's agent",
    "get_insight": r"draft · .* · alice's agent",
    "start_session": r"Handoff S-\d+ \(.*bob's|yours",
    "search_evidence": r"not reviewed",
    "list_saved_answers": r"not reviewed",
    "get_session_history": r"not reviewed:\n(?s:.)*\bbob\b",
    "get_skill": r"version 1, published by alice",
    "get_preferences": r"\(team, explicit\)",
    "deposit_insight": r"Saved|alice's agent",
}


class TestADeposit:
    def test_has_somebody_elses_words_in_each_field_that_takes_a_text(self) -> None:
        [tool] = [tool for tool in TOOLS if tool.name == "deposit_insight"]
        assert set(tool.takes) - set(EVERY_FIELD) == {"session"}


class TestEveryTool:
    def test_keeps_them_within_and_says_whose_they_are(self, connect: Connect, memory: str) -> None:
        async def story(client: Client) -> dict[str, list[str]]:
            return await through_every_tool(client, memory)

        said = run(connect, story, "bob", wish="?toolset=all")
        assert set(said) == {tool.name for tool in TOOLS}
        told = 0
        for name, texts in said.items():
            for text in texts:
                assert broken(unfenced(text)) == [], (name, text)
                if name == "get_insight":
                    assert {line.strip() for line in text.split("\n")} & {*OWN, *FORGED} == set(), text
                told += "‹" in text
        assert told > 20
        for name, who in PROVENANCE.items():
            assert re.search(who, "\n".join(said[name])), name
        assert {name for name, texts in said.items() if FENCED.search("\n".join(texts))} <= {*PROVENANCE, *UNSIGNED}


# Fenced, and of nobody: labels and counts that are made of many notes or events; what the caller has just sent.
UNSIGNED = {"list_topics", "get_friction_report", "relate_insight", "checkpoint_session"}


class TestEveryLineOfLoams:
    def test_is_one_that_nobody_else_may_begin(self, connect: Connect, memory: str) -> None:
        """Whatever a tool says of its own within its fences: the same line, written by somebody else, is marked. Only
        what these calls bring about: every line in the source is tried by `test_own_lines.py`.
        """

        async def story(client: Client) -> dict[str, list[str]]:
            return await through_every_tool(client, memory)

        own: set[str] = set()
        for texts in run(connect, story, "bob", wish="?toolset=all").values():
            told = [found[2] for text in texts for found in FENCED.finditer(text)]
            own |= {line for text in told for line in text.split("\n") if line.strip()}
        foreign = {line for text in (*INJECTIONS, ABOUT) for line in inert(text).split("\n")}
        foreign |= {cut for line in foreign for cut in (f"[…] {line}", f"{line} […]")}
        said = [line for line in own - foreign if not line.startswith(("‹", *LISTED))]
        said = [line for line in said if LONG_SENTENCE not in line]
        assert len(said) > 20
        assert [line for line in said if inert(line) == line] == []


# Others' words, as they begin here, and items of a list of Loam's; titles and headings that say nothing by themselves.
LISTED = ("- ", "CSV importer memory", "CSV, memory", ABOUT, "How do we import CSV?", "Why: ", "**Kestrel report**")
LISTED += ("Files:", "Sources:", "kestrel.md", "The nightly export of invoices", "invoices, nightly")


class TestEveryResource:
    def test_keeps_them_within_and_says_whose_they_are(self, connect: Connect, memory: str) -> None:
        async def story(client: Client) -> tuple[list[Any], list[str]]:
            listed = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            uris = [str(one.uri) for one in listed]
            uris += [one.uri_template.format(ref="PLAT-5", name="csv-import") for one in templates]
            read: list[Any] = [await client.read_resource(uri) for uri in uris]
            return listed, [part.text for one in read for part in one.contents]

        listed, texts = run(connect, story, "bob")
        assert len(listed) == 3 and len(texts) == 5
        for one in listed:
            assert broken(f"{one.name}\n{one.title}\n{one.description or ''}") == []
            assert "(draft, alice's agent)" in one.title
        for text in texts:
            assert FENCED.search(text) and broken(unfenced(text)) == [], text
            assert re.search(r"draft · .* · alice's agent|published by alice", text)


class TestEveryPrompt:
    def test_keeps_what_it_is_given_within_a_line(self, connect: Connect) -> None:
        async def story(client: Client) -> list[str]:
            prompts = (await client.list_prompts()).prompts
            assert {one.name for one in prompts} == {one.name for one in PROMPTS}
            made: list[Any] = [
                await client.get_prompt(one.name, {arg.name: text for arg in one.arguments or ()})
                for one in prompts
                for text in INJECTIONS[::7]
            ]
            return [message.content.text for one in made for message in one.messages]

        for text in run(connect, story, "bob"):
            assert broken(text) == [], text


class TestEveryErrorOfTheProtocol:
    def test_repeats_nothing_that_could_speak(self, connect: Connect) -> None:
        async def story(client: Client) -> list[str]:
            said = []
            for text in INJECTIONS[::9]:
                for asked in (
                    client.call_tool(text, {}),
                    client.get_prompt(text, {}),
                    client.read_resource(f"insight://{text}"),
                ):
                    try:
                        await asked
                    except MCPError as error:
                        said += [error.error.message, *(error.error.data or {}).values()]
            return said

        said = run(connect, story, "bob")
        assert len(said) > 100
        assert [text for text in said if broken(text)] == []


# By REST, the fields called `text`: those that are for a model, as they are…
TEXTS = {
    "query": {"text", "conversations[].text"},
    "surface": {"text"},
    "sessions_start": {"orientation.text", "handoff.text", "more_handoffs[].text"},
    "sessions_get": {"handoff.text"},
    "sessions_list": {"results[].handoff.text"},
    "sessions_ack": {"text"},
    "sessions_checkpoint": {"handoff.text"},
    "sessions_end": {"handoff.text"},
    "sessions_recover": {"handoff.text"},
    "sessions_conversation": {"text"},
    "sessions_deposit_question": {"text"},
}
# …and those that are data, as a body or a title is: who puts them before a model fences them.
DATA = {
    "annotations_add": {"text"},
    "annotations_list": {"results[].text"},
    "query": {"conversations[].sentences[].text"},
    "sessions_conversation": {"passages[].text"},
    "evidence_search": {"evidences[].text", "nearest[].text"},
    "evidence_clusters_refresh": {"evidences[].text", "nearest[].text"},
    "evidence_clusters_deposit": {"ask.neighbours[].text", "near[].text"},
    "insights_deposit": {"ask.neighbours[].text", "near[].text"},
    "insights_relate": {"ask.neighbours[].text", "near[].text"},
    "insights_propose": {"comments[].text"},
    "insights_proposals_comment": {"text"},
    "insights_proposals_comments": {"results[].text"},
    "contradictions_comment": {"text"},
    "contradictions_comments": {"results[].text"},
    "insights_proposals": {"results[].comments[].text"},
    "insights_deposit_batch": {"results[].ask.neighbours[].text", "results[].near[].text"},
}
# Parts of a text, and words of the server's alone, have no fence.
NO_FENCE = {("query", "conversations[].text"), ("sessions_deposit_question", "text")}


class TestEveryText:
    """By REST."""

    def test_is_known(self) -> None:
        known = {name: TEXTS.get(name, set()) | DATA.get(name, set()) for name in {*TEXTS, *DATA}}
        assert texts_of_the_schema() == known

    def test_keeps_them_within(self, memory: str, bob: Member, bobs_agent: APIClient, alices_agent: APIClient) -> None:
        own = Fence.of(settings.SECRET_KEY, f"user:{bob.user_id}")
        answers = self.answers(memory, bobs_agent, alices_agent)
        assert set(answers) == set(TEXTS)
        told = 0
        for name, places in TEXTS.items():
            for place in places:
                texts = [text for answer in answers[name] for text in at(answer, place)]
                assert texts, (name, place)
                for text in texts:
                    assert broken(unfenced(text)) == [], (name, place, text)
                    told += "‹" in text
                    if (name, place) not in NO_FENCE:
                        fence = FENCED.search(text)
                        assert fence and fence[0] == own.around(fence[2]), (name, place, text)
        assert told >= 12

    def answers(self, talked: str, bobs: APIClient, alices: APIClient) -> dict[str, list[Any]]:
        """What Bob is answered by each of them, after Alice has left a handoff of hers, and he two of his."""
        here = {"repo": "acme/shop", "team": "platform"}

        def post(path: str, body: Any, by: APIClient = bobs) -> Any:
            answer = by.post(f"{API}{path}", body, format="json")
            assert answer.status_code < 300, answer.json()
            return answer.json()

        hers = post("sessions/", {**here, "branch": "main"}, alices)["session"]
        post(f"sessions/{hers}/end/", LEFT, alices)
        own = {**here, "checkout": "c" * 16, "branch": "fix"}
        beside = [post("sessions/", own)["session"] for _ in range(2)]
        turns = [
            {"role": "user", "text": ALL[:9_000]},
            {"role": "assistant", "text": f"We decided on CSV. {ALL[:9_000]}"},
        ]
        events = [{"kind": "edit", "path": SOME[2][:60]}, {"kind": "error", "error": SOME[3]}]
        killed = post("sessions/", {**here, "agent_session": "claude-code:one", "checkout": "d" * 16})
        post(f"sessions/{killed['session']}/events/", {"events": events})
        found = {
            "sessions_checkpoint": [post(f"sessions/{one}/checkpoint/", LEFT) for one in beside],
            "sessions_recover": [
                post("sessions/recover/", {**here, "agent_session": "claude-code:one", "transcript": turns})
            ],
        }
        asking = post("sessions/", here)["session"]
        post(f"sessions/{asking}/events/", {"events": events})
        found["sessions_deposit_question"] = [post(f"sessions/{asking}/deposit-question/", {"changed": True})]
        found["sessions_end"] = [post(f"sessions/{one}/end/", LEFT) for one in beside]
        found["sessions_start"] = [post("sessions/", {**own, "handoff_tokens": 400})]
        listed = bobs.get(f"{API}sessions/", here).json()
        ref = next(one["ref"] for one in listed["results"] if one["user"] == "alice" and one["handoff"])
        found["sessions_list"] = [listed, bobs.get(f"{API}sessions/", {"repo": "acme/shop", "open": "true"}).json()]
        found["sessions_get"] = [bobs.get(f"{API}sessions/{ref}/").json()]
        mine = found["sessions_start"][0]["session"]
        found["sessions_ack"] = [post(f"sessions/{mine}/ack/", {"handoff": ref})]
        found["query"] = [post("query/", {"query": "CSV importer memory", "max_tokens": 8_000})]
        found["surface"] = [post("surface/", {"prompt": "Rewrite the CSV importer with larger chunks of memory"})]
        found["sessions_conversation"] = [bobs.get(f"{API}sessions/{talked}/conversation/", {"limit": 200}).json()]
        return found
