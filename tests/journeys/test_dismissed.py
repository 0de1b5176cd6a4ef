"""Somebody who was dismissed is out by every way in, and a start lets them in by none."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions import webhooks
from accounts.actions.invitations import invite
from accounts.actions.members import remove_member, set_level
from accounts.actions.webhooks import add_webhook, deliver
from accounts.models import User
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from knowledge.review.actions.curate import promote
from sessions_app.lab.demo.demo import NotEmpty, make_demo
from tests.factories import make_insight
from tests.pages import signed_in
from tests.sessions_app.mcp.conftest import Connect, connect, secrets, url  # noqa: F401
from tests.sessions_app.mcp.test_tools import run

KESTREL = "The kestrel of the night build starts at 02:00 in two steps."
PASSWORD = "alices-own-password"


class Receiver:
    """Instead of the world outside."""

    heard: list[bytes] = []

    def post(self, address: str, body: bytes, headers: dict[str, str]) -> int:
        self.heard.append(body)
        return 200


@pytest.fixture(autouse=True)
def outside(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    Receiver.heard = []
    monkeypatch.setattr(webhooks, "webhook_transport", Receiver)


def close(alice: Member, root: Member) -> None:
    User.objects.filter(pk=alice.user_id).update(is_active=False)


def remove(alice: Member, root: Member) -> None:
    remove_member(team_slug="platform", username="alice", by=root, now=timezone.now())


def start(folder: Path) -> None:
    """What a start with `--prepare` does to accounts: none of it may touch one."""
    call_command("migrate", verbosity=0)
    with pytest.raises(NotEmpty):
        make_demo(file=folder / "demo.json", url="http://127.0.0.1", now=timezone.now())


ALL = {"token", "MCP", "browser session", "password", "invitation", "invitation that was opened"}


def ways_in(row: Insight, agent: APIClient, browser: Client, link: str, opened: Client, connected: Connect) -> set[str]:
    """By which of them the insight is read, or somebody is let into the team."""
    found = set()

    def way(name: str, is_open: bool) -> None:
        found.update([name] * is_open)

    def page(client: Client) -> bool:
        return KESTREL in client.get(f"/insights/{row.ref}/").content.decode()

    async def read(client: Any) -> str:
        answer = await client.call_tool("get_insight", {"ref": row.ref})
        return str(answer.content[0].text)

    try:
        way("MCP", KESTREL in run(connected, read, "alice"))
    except Exception as refused:  # the client's own, of a group of tasks
        assert "401" in repr(refused) or "Unauthorized" in repr(refused) or isinstance(refused, BaseExceptionGroup)
    way("token", KESTREL in agent.get(f"/api/v1/insights/{row.ref}/").content.decode())
    way("browser session", page(browser))
    fresh = Client()
    fresh.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    way("password", page(fresh))
    way("invitation", Client().get("/join/", {"invitation": link}, follow=True).status_code == 200)
    way("invitation that was opened", opened.get("/join/").status_code == 200)
    return found


@pytest.mark.parametrize("dismissal", [close, remove])
def test_a_dismissed_lead_is_out_of_everything_and_stays_out(
    dismissal: Callable[[Member, Member], None],
    connect: Connect,  # noqa: F811
    alice: Member,
    root: Member,
    alice_user: User,
    alices_agent: APIClient,
    tmp_path: Path,
) -> None:
    now = timezone.now()
    alice_user.set_password(PASSWORD)
    alice_user.save()
    # A team keeps a lead.
    set_level(team_slug="platform", username="root", level=Level.LEAD, by=root, now=now)
    row = make_insight(alice, body=KESTREL)
    link = invite(team_slug="platform", level=Level.READER, uses=9, days=7, by=alice, now=now).secret
    browser, opened = signed_in(alice_user), Client()
    opened.get("/join/", {"invitation": link})
    add_webhook(team="platform", url="https://203.0.114.7/", events=["insight.promoted"], by=alice, now=now)
    ways = (row, alices_agent, browser, link, opened, connect)
    assert ways_in(*ways) == ALL

    dismissal(alice, root)
    promote(ref=row.ref, by=root, now=now + timedelta(seconds=1))
    for _ in range(2):
        assert ways_in(*ways) == set()
        deliver(clock=lambda: now + timedelta(seconds=2))
        assert Receiver.heard == []
        start(tmp_path)
