"""What a deposit asks its agent by the tools, and the tool that answers it."""

from typing import Any

from mcp import Client

from sessions_app.mcp import deposit_texts
from tests.fences import fenced
from tests.sessions_app.mcp.conftest import Connect
from tests.sessions_app.mcp.test_tools import done, run

TEN = "Requests to the payment gateway time out after 10 seconds."
THIRTY = "Requests to the payment gateway time out after 30 seconds."
# Four characters a token, as everywhere.
MOST = 250 * 4
LONG = f"{TEN} " + "The limit is set in the settings of the shop and is read once when a worker starts. " * 12


def note(body: str) -> dict[str, str]:
    return {"kind": "CONTEXT", "body": body, "team": "platform"}


async def said(client: Client, tool: str, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    return str(result.content[0].text)


def question(text: str) -> str:
    """What asks, without what became of the deposit."""
    return text[text.index("<team-memory-") :].strip()


class TestTheQuestion:
    def test_is_in_the_text_of_a_deposit_with_the_call_that_answers_it(self, connect: Connect) -> None:
        async def story(client: Client) -> tuple[str, str]:
            old = (await done(client, "deposit_insight", **note(TEN)))["insight"]["ref"]
            return old, await said(client, "deposit_insight", **note(THIRTY))

        old, text = run(connect, story)
        asked = question(text)
        assert TEN in fenced(asked)
        assert f'relate_insight(ref="PLAT-2", relations=[{{"ref": "{old}", "relation": "…"}}])' in asked
        for relation in ("duplicates", "supersedes", "contradicts", "complements", "unrelated"):
            assert relation in asked
        assert len(asked) <= MOST

    def test_costs_no_more_for_three_long_ones(self, connect: Connect) -> None:
        async def story(client: Client) -> tuple[Any, str]:
            for shop in range(5):
                given = note(f"{LONG} So it is in shop {shop}.")
                result = await client.call_tool("deposit_insight", given)
            return result.structured_content, result.content[0].text

        data, text = run(connect, story)
        assert len(data["ask"]["neighbours"]) == 3
        assert len(question(text)) <= MOST

    def test_names_the_nearest_notes_where_nothing_is_asked(self, connect: Connect) -> None:
        """They stand within the fence, and the call beside them replaces one."""

        async def story(client: Client) -> str:
            await done(client, "deposit_insight", **note("KG-3 gateways send one frame every 10 minutes over LTE-M."))
            return await said(
                client, "deposit_insight", **note("Uplink cadence of a gateway is 6 min since firmware 4.12.")
            )

        text = run(connect, story)
        assert "[PLAT-1] 0 days old: KG-3 gateways send one frame every 10 minutes over LTE-M" in fenced(question(text))
        call = 'relate_insight(ref="PLAT-2", relations=[{"ref": "…", "relation": "supersedes"}])'
        assert call in text.rpartition("</team-memory-")[2]
        assert len(question(text)) <= MOST

    def test_is_not_there_where_nothing_is_asked(self, connect: Connect) -> None:
        text = run(connect, lambda client: said(client, "deposit_insight", **note(TEN)))
        assert text == f"Saved as a new insight: PLAT-1 “{TEN.rstrip('.')}”."


class TestRelateInsight:
    def test_answers_the_question(self, connect: Connect) -> None:
        async def story(client: Client) -> tuple[Any, str, Any]:
            old = (await done(client, "deposit_insight", **note(TEN)))["insight"]["ref"]
            new = (await done(client, "deposit_insight", **note(THIRTY)))["insight"]["ref"]
            result = await client.call_tool(
                "relate_insight", {"ref": new, "relations": [{"ref": old, "relation": "supersedes"}]}
            )
            read = await done(client, "get_insight", ref=old)
            return result.structured_content, result.content[0].text, read

        data, text, read = run(connect, story)
        assert (data["outcome"], data["superseded"]) == ("superseding", "PLAT-1")
        assert text == "supersedes PLAT-1: done."
        assert read["superseded_by"] == "PLAT-2"

    def test_says_why_not_and_asks_again(self, connect: Connect) -> None:
        async def story(client: Client) -> str:
            for body in (TEN, THIRTY):
                await done(client, "deposit_insight", **note(body))
            return await said(
                client, "relate_insight", ref="PLAT-2", relations=[{"ref": "PLAT-1", "relation": "duplicates"}]
            )

        text = run(connect, story)
        assert text.startswith("duplicates PLAT-1: refused (the two differ in number (10 seconds / 30 seconds)")
        assert TEN in question(text)

    def test_takes_the_relations_as_a_text(self, connect: Connect) -> None:
        async def story(client: Client) -> Any:
            for body in (TEN, THIRTY):
                await done(client, "deposit_insight", **note(body))
            relations = '[{"ref": "PLAT-1", "relation": "contradicts"}]'
            return await done(client, "relate_insight", ref="PLAT-2", relations=relations)

        assert run(connect, story)["related"][0]["state"] == "open"

    def test_may_stand_in_the_deposit(self, connect: Connect) -> None:
        async def story(client: Client) -> str:
            await done(client, "deposit_insight", **note(TEN))
            relations = [{"ref": "PLAT-1", "relation": "supersedes"}]
            return await said(client, "deposit_insight", **note(THIRTY), relations=relations)

        text = run(connect, story)
        assert text.startswith("Saved, in place of what it replaces: PLAT-2")
        assert "It supersedes PLAT-1.\nsupersedes PLAT-1: done." in text

    def test_names_what_is_wrong(self, connect: Connect) -> None:
        async def story(client: Client) -> list[tuple[bool, str]]:
            await done(client, "deposit_insight", **note(TEN))
            given = [
                {"ref": "PLAT-1", "relations": [{"ref": "PLAT-9", "relation": "unrelated"}]},
                {"ref": "PLAT-1", "relations": [{"ref": "PLAT-1", "relation": "replaces"}]},
                {"ref": "PLAT-9", "relations": [{"ref": "PLAT-1", "relation": "unrelated"}]},
            ]
            results = [await client.call_tool("relate_insight", one) for one in given]
            return [(bool(one.is_error), str(one.content[0].text)) for one in results]

        unknown, word, nowhere = run(connect, story)
        assert unknown[0] and "relations.0.ref: There is no insight PLAT-9" in unknown[1]
        assert word[0] and "relation: “replaces” is not one of duplicates, supersedes" in word[1]
        assert nowhere[0] and "not_found" in nowhere[1]

    def test_of_a_stranger_finds_nothing(self, connect: Connect) -> None:
        run(connect, lambda client: done(client, "deposit_insight", **note(TEN)))
        given = {"ref": "PLAT-1", "relations": [{"ref": "PLAT-1", "relation": "unrelated"}]}

        async def story(client: Client) -> Any:
            return await client.call_tool("relate_insight", given)

        assert run(connect, story, "charlie").is_error


class TestSays:
    def test_one_line_for_each_relation(self) -> None:
        data = {
            "outcome": "merged",
            "insight": {"ref": "PLAT-1", "title": "A"},
            "ask": None,
            "related": [
                {"ref": "PLAT-1", "relation": "duplicates", "state": "done", "reason": "stated", "cues": []},
                {"ref": "PLAT-3", "relation": "supersedes", "state": "proposed", "reason": "protected", "cues": []},
            ],
        }
        assert deposit_texts.related(data, {}).own.splitlines() == [
            "duplicates PLAT-1: done.",
            "supersedes PLAT-3: proposed (the team has confirmed it, so a lead decides).",
            "It is part of PLAT-1 now.",
        ]
