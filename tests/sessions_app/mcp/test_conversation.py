"""What was said in a session, read by the call that a text names."""

from typing import Any

from mcp import Client

from accounts.rules.rights import Member
from sessions_app.conversations.actions.share import share
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.sessions_app.conversations.talk import talk
from tests.sessions_app.mcp.conftest import Connect
from tests.sessions_app.mcp.test_tools import run


async def read(client: Client, ref: str) -> tuple[bool, str]:
    result: Any = await client.call_tool("get_insight", {"ref": ref})
    return result.is_error, result.content[0].text


class TestAConversation:
    def test_is_read_by_who_may(self, connect: Connect, bob: Member) -> None:
        ref = talk(bob).ref
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)

        async def story(client: Client) -> Any:
            return await read(client, f"{ref}/conversation")

        failed, text = run(connect, story, wish="")
        assert not failed
        assert text.startswith("<team-memory-")
        assert "user (2026-11-20 09:04): Keep the limit at 5,000 rows a batch." in text
        failed, text = run(connect, story, "charlie", wish="")
        assert failed and "Keep the limit" not in text

    def test_is_named_where_a_session_left_no_handoff(self, connect: Connect, bob: Member) -> None:
        ref = talk(bob, [Turn("user", "Good morning."), Turn("assistant", "Good morning to you.")]).ref

        async def story(client: Client) -> Any:
            return await read(client, ref)

        _, text = run(connect, story, "bob", wish="")
        assert f'get_insight(ref="{ref}/conversation")' in text
