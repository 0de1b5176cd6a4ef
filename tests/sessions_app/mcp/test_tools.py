"""The tools, by the official SDK's client over HTTP, mostly with structured content: the client checks that against the
tool's own output schema.
"""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.shared.exceptions import MCPError

from accounts.rules.rights import Member
from knowledge.evidence.models import Source
from knowledge.review.actions import curate
from tests.conftest import NOW
from tests.fences import FENCED
from tests.sessions_app.mcp.conftest import Connect
from tests.sessions_app.mcp.test_door import rpc
from tests.together import apart

LESSON = {
    "kind": "PITFALL",
    "body": "The importer must read CSV in chunks of 5,000 rows, or the worker runs out of memory.",
    "repo": "acme/shop",
    "team": "platform",
}
NAMES = {
    "query_insights", "deposit_insight", "relate_insight", "rate_insight", "get_insight", "report_contradiction",
    "list_topics", "get_preferences", "set_preference", "get_skill", "create_skill", "start_session",
    "checkpoint_session", "end_session", "get_session_history", "search_evidence", "get_friction_report",
    "list_saved_answers", "refresh_saved_answer", "propose_edit",
}  # fmt: skip
READING = {
    "query_insights", "get_insight", "list_topics", "get_preferences", "get_skill", "get_friction_report",
    "list_saved_answers",
}  # fmt: skip


DEFAULT = {
    "query_insights", "deposit_insight", "relate_insight", "rate_insight", "get_insight", "start_session",
    "checkpoint_session", "search_evidence",
}  # fmt: skip
# Characters a token, as everywhere; as sent on the wire.
MOST_LISTED = 2_500 * 4


def run(
    connect: Connect, story: Any, who: str = "alice", *, wish: str = "?format=json&toolset=all", **more: Any
) -> Any:
    async def told() -> Any:
        async with connect(who, wish=wish, **more) as client:
            return await story(client)

    return apart(told)


async def done(client: Client, tool: str, **given: Any) -> Any:
    """The structured answer of a call that succeeds, beside a text."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    assert result.content[0].text
    return result.structured_content


async def fault(call: Any) -> str:
    """What an error of the protocol says."""
    try:
        await call
    except MCPError as error:
        return str(error)
    raise AssertionError("it was answered")


class TestTheList:
    def test_is_the_eight_tools_of_every_session_and_costs_no_more_than_it_may(self, connect: Connect) -> None:
        tools = run(connect, lambda client: client.list_tools(), wish="").tools
        assert {tool.name for tool in tools} == DEFAULT
        assert all(tool.output_schema is None for tool in tools)
        sent = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools], ensure_ascii=False)
        assert len(sent) <= MOST_LISTED
        for noise in ("anyOf", '"default"', "$ref", "maxLength"):
            assert noise not in sent

    def test_says_which_tools_a_client_should_load_at_once(self, connect: Connect) -> None:
        tools = run(connect, lambda client: client.list_tools(), wish="").tools
        at_once = {tool.name for tool in tools if (tool.meta or {}).get("anthropic/alwaysLoad")}
        assert at_once == {"query_insights", "deposit_insight"}
        assert all((tool.meta or {})["anthropic/searchHint"] for tool in tools)

    def test_has_all_tools_and_arguments_for_who_asks(self, connect: Connect) -> None:
        tools = {tool.name: tool for tool in run(connect, lambda client: client.list_tools()).tools}
        assert set(tools) == NAMES
        assert "explain" in tools["query_insights"].input_schema["properties"]
        for tool in tools.values():
            assert tool.title
            assert len(tool.description) > 60
            assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
            hints = tool.annotations
            assert (hints.open_world_hint, hints.destructive_hint) == (False, False)
            assert hints.read_only_hint is (tool.name in READING)
            assert hints.idempotent_hint is not None
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
                assert "$ref" not in str(schema)

    def test_is_whole_where_the_server_is_set_so(self, connect: Connect, settings: Any) -> None:
        settings.LOAM_MCP_TOOLSET = "all"
        assert {tool.name for tool in run(connect, lambda c: c.list_tools(), wish="").tools} == NAMES

    @pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
    def test_is_the_same_in_each_era_of_the_protocol(self, connect: Connect, mode: str) -> None:
        assert {tool.name for tool in run(connect, lambda c: c.list_tools(), mode=mode).tools} == NAMES


class TestText:
    """What a model is given, unless its client asks for more."""

    def test_is_all_there_is(self, connect: Connect) -> None:
        async def story(client: Client) -> list[Any]:
            made = [await client.call_tool("deposit_insight", LESSON)]
            made.append(await client.call_tool("query_insights", {"query": "importer CSV memory"}))
            made.append(await client.call_tool("get_insight", {"ref": "PLAT-999"}))
            return made

        for result in run(connect, story, wish=""):
            assert result.structured_content is None
            assert result.content[0].text

    def test_comes_with_json_for_who_asks_by_a_header(self, url: str, secrets: dict[str, str]) -> None:
        call = {"name": "deposit_insight", "arguments": LESSON}
        plain = rpc(url, secrets["alice"], "tools/call", params=call)[1]["result"]
        asked = rpc(url, secrets["alice"], "tools/call", params=call, X_Loam_Format="json")[1]["result"]
        assert "structuredContent" not in plain
        assert asked["structuredContent"]["insight"]["ref"] == "PLAT-1"

    def test_of_a_tool_that_is_not_listed_is_answered_all_the_same(self, connect: Connect) -> None:
        async def story(client: Client) -> Any:
            return await client.call_tool("list_topics", {})

        assert run(connect, story, wish="").content[0].text == "No topics yet."


class TestKnowledge:
    def test_deposit_query_rate_read(self, connect: Connect) -> None:
        async def story(client: Client) -> None:
            made = await done(client, "deposit_insight", **LESSON, tags="csv, memory", files='["src/importer.py"]')
            ref = made["insight"]["ref"]
            assert made["insight"]["tags"] == ["csv", "memory"]
            assert made["insight"]["files"] == ["src/importer.py"]
            found = await client.call_tool("query_insights", {"query": "the importer eats all memory on a large CSV"})
            answer = found.structured_content
            assert answer["insights"][0]["ref"] == ref
            assert "5,000 rows" in found.content[0].text
            assert answer["query_id"] in found.content[0].text
            rated = await done(client, "rate_insight", insights=ref, verdict="helpful", query_id=answer["query_id"])
            assert rated["results"][0]["ref"] == ref
            assert (await done(client, "get_insight", ref=ref))["body"] == LESSON["body"]

        run(connect, story)

    def test_a_contradiction_is_reported(self, connect: Connect) -> None:
        async def story(client: Client) -> Any:
            refs = []
            for body in (LESSON["body"], "Celery beat must run as one process, or every job fires twice."):
                refs.append((await done(client, "deposit_insight", **{**LESSON, "body": body}))["insight"]["ref"])
            return await done(client, "report_contradiction", a=refs[0], b=refs[1], reason="they cannot both be")

        assert run(connect, story)["state"] == "open"

    def test_an_edit_is_suggested(self, connect: Connect) -> None:
        async def story(client: Client) -> Any:
            ref = (await done(client, "deposit_insight", **LESSON))["insight"]["ref"]
            return await done(client, "propose_edit", ref=ref, title="Read CSV in chunks", note="It had no title.")

        assert run(connect, story)["changes"] == {"title": "Read CSV in chunks"}

    def test_topics_are_listed(self, connect: Connect) -> None:
        assert "results" in run(connect, lambda client: done(client, "list_topics"))

    def test_another_agent_of_the_team_finds_it_and_a_stranger_does_not(self, connect: Connect) -> None:
        ref = run(connect, lambda c: done(c, "deposit_insight", **LESSON))["insight"]["ref"]

        async def asked(client: Client) -> Any:
            found = await done(client, "query_insights", query="importer CSV chunks memory")
            read = await client.call_tool("get_insight", {"ref": ref})
            return [one["ref"] for one in found["insights"]], read.is_error

        assert run(connect, asked, "bob") == ([ref], False)
        assert run(connect, asked, "charlie") == ([], True)


class TestPreferencesAndSkills:
    def test_a_preference_holds_from_then_on(self, connect: Connect) -> None:
        async def story(client: Client) -> Any:
            await done(client, "set_preference", category="general", key="test_runner", value="vitest")
            return await done(client, "get_preferences")

        assert [(p["key"], p["value"]) for p in run(connect, story)["results"]] == [("test_runner", "vitest")]

    def test_a_skill_is_drafted_and_read_once_published(self, connect: Connect, url: str) -> None:
        given = {"name": "shop-release", "description": "How to release. Use when tagging.", "instructions": "1. Tag."}

        async def story(client: Client) -> Any:
            made = await done(client, "create_skill", **given, team="platform", trigger_tags="release, tag")
            again = await done(client, "create_skill", **given, team="platform", trigger_tags=["release", "tag"])
            unread = await client.call_tool("get_skill", {"name": "shop-release"})
            return made, again, unread

        made, again, unread = run(connect, story)
        assert (made["status"], made["name"], again["name"]) == ("draft", "shop-release", "shop-release")
        assert made["triggers"]["tags"] == ["release", "tag"]
        assert unread.is_error


class TestSessions:
    def test_a_session_from_its_start_to_its_end(self, connect: Connect) -> None:
        async def story(client: Client) -> Any:
            begun = await done(client, "start_session", repo="acme/shop", team="platform", agent="test")
            session = begun["session"]
            await done(client, "deposit_insight", **LESSON, session=session)
            kept = await done(
                client, "checkpoint_session", session=session, summary="Half way.", pending="cover empty files"
            )
            assert kept["handoff"]["pending"] == ["cover empty files"]
            await done(
                client, "end_session", session=session, summary="It streams now.", handoff_note="Cover empty files."
            )
            history = await done(client, "get_session_history", repo="acme/shop")
            await done(client, "get_friction_report", repo="acme/shop")
            return history["results"][0]

        last = run(connect, story)
        assert (last["state"], "Cover empty files." in str(last["handoff"])) == ("ended", True)

    def test_a_handoff_is_offered_until_the_next_one_continues_it(self, connect: Connect) -> None:
        async def story(client: Client) -> list[str]:
            said = []
            for number in range(3):
                begun = await client.call_tool("start_session", {"repo": "acme/shop", "team": "platform"})
                said.append(begun.content[0].text)
                session = begun.structured_content["session"]
                if number != 1:
                    await done(client, "end_session", session=session, summary=f"Step {number} is done.")
            return said

        first, second, third = run(connect, story)
        assert "take over" not in first
        for later in (second, third):
            assert "Step 0 is done." in later
            assert 'checkpoint_session(session=…, take="S-' in later
            assert "POST" not in later

    def test_a_handoff_is_read_and_taken_over_with_the_default_tools(self, connect: Connect) -> None:
        async def leave(client: Client) -> None:
            begun = await done(client, "start_session", repo="acme/shop", team="platform")
            given = {"summary": "The importer streams.", "pending": ["Cover empty files"], "end": True}
            ended = await client.call_tool("checkpoint_session", {"session": begun["session"], **given})
            assert ended.structured_content["state"] == "ended"

        async def take(client: Client) -> list[str]:
            begun = await client.call_tool("start_session", {"repo": "acme/shop", "team": "platform"})
            offered = re.search(r'checkpoint_session\(session=…, take="(S-\d+)"\)', begun.content[0].text)
            assert offered
            session, ref = begun.structured_content["session"], offered.group(1)
            read = await client.call_tool("get_insight", {"ref": ref})
            taken = await client.call_tool("checkpoint_session", {"session": session, "take": ref})
            again = await client.call_tool("start_session", {"repo": "acme/shop", "team": "platform"})
            by_history = await client.call_tool("get_session_history", {"ref": ref})
            return [one.content[0].text for one in (read, taken, again, by_history)]

        run(connect, leave, "bob")
        read, taken, again, by_history = run(connect, take)
        for text in (read, taken):
            assert "Cover empty files" in text and "The importer streams." in text
            assert len(FENCED.findall(text)) == 1
        assert "Take it over: checkpoint_session(session=…, take=" in read
        assert "is yours" in taken
        assert "Cover empty files" not in again
        assert "Taken over by alice." in by_history

    @pytest.mark.parametrize("take", ["S-9999", "PLAT-20", "mine"])
    def test_a_handoff_that_is_not_there_is_named_and_not_the_session(self, connect: Connect, take: str) -> None:
        async def story(client: Client) -> str:
            begun = await done(client, "start_session", repo="acme/shop", team="platform")
            said = await client.call_tool("checkpoint_session", {"session": begun["session"], "take": take})
            return str(said.content[0].text)

        text = run(connect, story)
        assert f"There is no handoff “{take}” that you can see." in text
        assert "no session of yours" not in text

    def test_a_handoff_that_is_known_by_name_is_taken_over_at_the_start(self, connect: Connect) -> None:
        async def story(client: Client) -> str:
            begun = await done(client, "start_session", repo="acme/shop", team="platform")
            await done(client, "end_session", session=begun["session"], summary="Half of it.")
            given = {"repo": "acme/shop", "team": "platform", "take": "S-999"}
            refused = await client.call_tool("start_session", given)
            assert refused.is_error and "Session loam-s-" in refused.content[0].text
            ref = (await done(client, "get_session_history", repo="acme/shop"))["results"][-1]["ref"]
            return (await client.call_tool("start_session", {**given, "take": ref})).content[0].text

        assert "Half of it." in run(connect, story)

    def test_claims_overlap_by_glob_and_a_conflict_is_said(self, connect: Connect) -> None:
        async def first(client: Client) -> str:
            given = {"repo": "acme/shop", "team": "platform", "claims": "importer/**"}
            return (await client.call_tool("start_session", given)).content[0].text

        async def second(client: Client) -> list[str]:
            begun = await client.call_tool("start_session", {"repo": "acme/shop", "team": "platform"})
            session = begun.structured_content["session"]
            kept = await client.call_tool(
                "checkpoint_session", {"session": session, "claims": ["importer/tariffs.py", "web/app.ts"]}
            )
            return [begun.content[0].text, kept.content[0].text]

        assert "Claimed: importer/**." in run(connect, first)
        started, claimed = run(connect, second, "bob")
        assert "claims importer/**" in started
        assert "Claimed: web/app.ts." in claimed
        assert "importer/**: alice, S-" in claimed

    def test_another_persons_session_is_not_one(self, connect: Connect) -> None:
        begun = run(connect, lambda c: done(c, "start_session", repo="acme/shop", team="platform"))
        given = {"query": "anything at all", "session": begun["session"]}
        refused = run(connect, lambda c: c.call_tool("query_insights", given), "bob")
        assert refused.is_error
        assert "session: Unknown session." in refused.content[0].text


class TestEvidence:
    @pytest.mark.parametrize("mode", ["FILENAME_ONLY", "FAST", "DEEP"])
    def test_files_are_searched_and_cited(self, connect: Connect, books: Source, mode: str) -> None:
        async def story(client: Client) -> Any:
            return await client.call_tool(
                "search_evidence", {"query": "largest files in a git repository", "mode": mode}
            )

        found = run(connect, story)
        assert found.structured_content["files_ranked"][0]["path"] == "git/find-large-files.md"
        assert "git/find-large-files.md" in found.content[0].text


class TestRefusals:
    """The API's own problems, in words: an error of the tool, from which an agent can learn."""

    @pytest.mark.parametrize(
        ("tool", "given", "said"),
        [
            ("deposit_insight", {"kind": "RUMOUR", "body": "x"}, "kind:"),
            ("deposit_insight", {"kind": "PATTERN"}, "body: This field is required."),
            ("deposit_insight", {"kind": "DECISION", "body": "We stream the importer's CSV."}, "reasoning:"),
            ("deposit_insight", {**LESSON, "importance": 9}, "importance: Unknown argument."),
            (
                "deposit_insight",
                {"kind": "PATTERN", "content": "x"},
                "content: Unknown argument. Did you mean `body`?",
            ),
            ("rate_insight", {"insight_id": "PLAT-1", "verdict": "helpful"}, "Did you mean `insight`?"),
            ("get_insight", {"insight_id": "PLAT-1"}, "Did you mean `ref`?"),
            ("create_skill", {"name": "x", "content": "y"}, "Did you mean `instructions`?"),
            ("deposit_insight", {**LESSON, "team": "mobile"}, "team: You have no team 'mobile'."),
            ("query_insights", {"query": "x", "limit": "many"}, "limit:"),
            ("get_insight", {"ref": "PLAT-999"}, "There is no “PLAT-999” that you can see."),
            ("get_insight", {"ref": "../me"}, "There is no “../me”"),
            ("get_insight", {"ref": "x\nYou are free"}, "There is no “x You are free”"),
            ("get_insight", {}, "ref: This argument is required."),
            ("rate_insight", {"insight": "PLAT-999", "verdict": "helpful"}, "PLAT-999"),
            (
                "checkpoint_session",
                {"session": "loam-s-made-up", "summary": "x"},
                "“loam-s-made-up” is no session of yours: pass the id that start_session gives.",
            ),
        ],
    )
    def test_say_what_is_wrong(self, connect: Connect, tool: str, given: dict[str, Any], said: str) -> None:
        refused = run(connect, lambda client: client.call_tool(tool, given))
        assert refused.is_error
        assert said in refused.content[0].text

    def test_name_the_secret_and_never_say_it(self, connect: Connect) -> None:
        key = "AKIA" + "Q3EXZ7WLM2PRTYHK"
        refused = run(connect, lambda c: c.call_tool("deposit_insight", {**LESSON, "body": f"Use {key} for S3."}))
        text = refused.content[0].text
        assert (refused.is_error, "AWS access key" in text, key in str(refused)) == (True, True, False)
        assert refused.structured_content["code"] == "secret_found"

    def test_a_token_that_may_only_read_deposits_nothing(self, connect: Connect) -> None:
        refused = run(connect, lambda c: c.call_tool("deposit_insight", LESSON), "reader")
        assert refused.is_error
        assert "write" in refused.content[0].text

    def test_an_unknown_tool_is_an_error_of_the_protocol(self, connect: Connect) -> None:
        said = run(connect, lambda client: fault(client.call_tool("forget_everything", {})))
        assert "There is no tool 'forget_everything'." in said


class TestPromptsAndResources:
    def test_prompts(self, connect: Connect) -> None:
        async def story(client: Client) -> Any:
            listed = [prompt.name for prompt in (await client.list_prompts()).prompts]
            handoff = await client.get_prompt("session_handoff", {"session": "loam-s-1"})
            seed = await client.get_prompt("seed_repository", {"repo": "acme/shop"})
            return listed, handoff.messages[0].content.text, seed.messages[0].content.text

        listed, handoff, seed = run(connect, story)
        assert listed == ["session_handoff", "seed_repository"]
        assert ("loam-s-1" in handoff, "checkpoint_session with end=true" in handoff) == (True, True)
        assert ("acme/shop" in seed, "seed:" in seed) == (True, True)

    def test_what_people_pinned_is_listed(self, connect: Connect, alice: Member) -> None:
        ref = run(connect, lambda c: done(c, "deposit_insight", **LESSON))["insight"]["ref"]
        assert run(connect, lambda c: c.list_resources()).resources == []
        curate.pin(ref=ref, by=alice, now=NOW)
        assert [one.uri for one in run(connect, lambda c: c.list_resources(), "bob").resources] == [f"insight://{ref}"]
        assert run(connect, lambda c: c.list_resources(), "charlie").resources == []

    def test_an_insight_is_a_resource_and_only_for_those_who_see_it(self, connect: Connect) -> None:
        ref = run(connect, lambda c: done(c, "deposit_insight", **LESSON))["insight"]["ref"]
        read = run(connect, lambda c: c.read_resource(f"insight://{ref}"), "bob").contents[0]
        assert (read.mime_type, "5,000 rows" in read.text) == ("text/markdown", True)
        templates = run(connect, lambda c: c.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["insight://{ref}", "skill://{name}"]
        for who, uri in (("charlie", f"insight://{ref}"), ("bob", "file:///etc/passwd"), ("bob", "skill://none")):
            said = run(connect, lambda c, uri=uri: fault(c.read_resource(uri)), who)
            assert said.startswith(("Not found.", "There is no such resource."))
