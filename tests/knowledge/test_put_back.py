"""The author of a draft that a colleague's agent has replaced: on pages, and by a token that reads and writes."""

from typing import Any

import pytest
from django.test import Client

from accounts.actions.members import member_of
from accounts.models import Team, User
from accounts.rules.rights import Member, Scope
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from knowledge.rules.vocabulary import Kind
from tests.conftest import NOW, agent, person
from tests.factories import as_agent, make_insight
from tests.pages import signed_in

RIGHTS = [Scope.READ, Scope.WRITE]


@pytest.fixture
def erin(platform: Team) -> Member:
    return member_of(user=person("erin", platform))


@pytest.fixture
def replaced(erin: Member, bob: Member) -> tuple[str, str]:
    old = make_insight(erin, body="Requests to the gateway time out after 10 seconds.", kind=Kind.CONTEXT)
    new = make_insight(bob, body="Requests to the gateway time out after 30 seconds.", kind=Kind.CONTEXT)
    relate(ref=new.ref, statements=[Statement(old.ref, Relation.SUPERSEDES)], by=as_agent(bob), now=NOW)
    return old.ref, new.ref


def page(client: Client, address: str, **sent: Any) -> str:
    response = client.post(address, sent, follow=True) if sent else client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


class TestOnPages:
    def test_they_read_who_replaced_it_and_restore_it(self, replaced: tuple[str, str], erin: Member) -> None:
        old, new = replaced
        client = signed_in(User.objects.get(pk=erin.user_id))
        shown = page(client, "/?tab=mentions")
        assert f"{new} was reported to supersede {old}." in shown
        assert f"{new} in place of {old}" in shown
        assert f"Restore {old}" in shown
        assert "Reported by bob (agent)" in page(client, f"/insights/{old}/")
        done = page(client, f"/insights/{old}/reinstate/", back="/?tab=mentions")
        assert f"{old} restored." in done
        assert f"Restore {old}" not in done
        assert Insight.objects.get(ref=old).superseded_by is None
        assert "bob (agent) proposes to supersede this with" in page(client, f"/insights/{old}/")

    def test_it_is_offered_to_nobody_else(self, replaced: tuple[str, str], bob: Member) -> None:
        old, _ = replaced
        client = signed_in(User.objects.get(pk=bob.user_id))
        assert "Restore" not in page(client, f"/insights/{old}/")
        assert client.post(f"/insights/{old}/reinstate/").status_code == 403


class TestByAToken:
    def test_it_stands_again_for_its_author_alone(self, replaced: tuple[str, str], erin: Member, bob: Member) -> None:
        address = f"/api/v1/insights/{replaced[0]}/reinstate/"
        assert agent(bob, scopes=RIGHTS).post(address, {}).status_code == 403
        assert agent(erin, scopes=[Scope.READ]).post(address, {}).status_code == 403
        answer = agent(erin, scopes=RIGHTS).post(address, {"reason": "Both gateways."})
        assert (answer.status_code, answer.json()["superseded_by"]) == (200, None)
