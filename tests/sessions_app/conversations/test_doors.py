"""Conversations by REST and in the browser: read, share with a preview, stop, forget."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import LogEntry, Team, User
from accounts.rules.rights import Member, Scope
from knowledge.models import Query
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import HandedOver, SessionWords, checkpoint, end
from sessions_app.answers.actions.surface import surface
from sessions_app.conversations.actions.share import share
from sessions_app.models import AgentSession, Handoff, Passage, ServedPassage, SessionSharing
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW, agent
from tests.pages import signed_in
from tests.sessions_app.conversations.talk import TALK, begin, passages, talk

pytestmark = pytest.mark.django_db
AT = "/api/v1/sessions/sharing/"


class TestConversation:
    def test_is_read_in_order_and_in_parts(self, bob: Member, bobs_agent: APIClient) -> None:
        at = f"/api/v1/sessions/{talk(bob).ref}/conversation/"
        whole = bobs_agent.get(at).json()
        assert [row["position"] for row in whole["passages"]] == [0, 1, 2, 3]
        part = bobs_agent.get(at, {"after": 0, "limit": 2}).json()
        assert ([row["position"] for row in part["passages"]], part["total"], part["left"]) == ([1, 2], 4, 1)
        found = bobs_agent.get(at, {"q": "limit batch"}).json()
        assert [row["text"] for row in found["passages"]] == ["Keep the limit at 5,000 rows a batch."]

    def test_is_read_by_others_as_far_as_it_is_shared(
        self, bob: Member, alices_agent: APIClient, charlies_agent: APIClient
    ) -> None:
        at = f"/api/v1/sessions/{talk(bob).ref}/conversation/"
        assert (alices_agent.get(at).json()["total"], charlies_agent.get(at).status_code) == (0, 404)
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        assert {row["speaker"] for row in alices_agent.get(at).json()["passages"]} == {"agent"}
        assert charlies_agent.get(at).status_code == 404

    def test_is_read_by_whom_it_is_shared_with_where_the_session_is_not_theirs(
        self, bob: Member, charlies_agent: APIClient, charlie: Member
    ) -> None:
        session = talk(bob)
        Passage.objects.update(team=Team.objects.get(slug="mobile"))
        assert charlies_agent.get(f"/api/v1/sessions/{session.ref}/conversation/").json()["total"] == 4
        assert charlies_agent.get(f"/api/v1/sessions/{session.ref}/").status_code == 404


class TestSharing:
    def test_is_previewed_set_listed_and_removed(self, bob: Member, bobs_agent: APIClient, alice: Member) -> None:
        talk(bob)
        asked = {"repo": "shop", "team": "platform", "turns": "all"}
        seen = bobs_agent.put(AT, {**asked, "preview": True}, format="json").json()
        assert (seen["preview"]["passages"], seen["results"], passages(alice)) == (4, [], [])
        assert bobs_agent.get(AT, {"preview": "1", "repo": "shop"}).json()["preview"]["passages"] == 2
        done = bobs_agent.put(AT, asked, format="json").json()
        assert done["results"] == [{**asked, "sessions": 1, "passages": 4, "waiting": False}]
        assert len(passages(alice)) == 4
        assert bobs_agent.delete(f"{AT}?repo=shop").json() == {"passages": 4}
        assert (bobs_agent.get(AT).json()["results"], passages(alice)) == ([], [])

    def test_is_each_members_own(self, bob: Member, alices_agent: APIClient) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        assert alices_agent.get(AT).json()["results"] == []
        alices_agent.delete(f"{AT}?repo=shop")
        assert SessionSharing.objects.count() == 1

    @pytest.mark.parametrize("team", ["mobile", "nonsense"])
    def test_is_refused_for_a_team_that_is_not_ones_own(
        self, bobs_agent: APIClient, charlie: Member, team: str
    ) -> None:
        answer = bobs_agent.put(AT, {"repo": "", "team": team, "turns": "all"}, format="json")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["team"])

    def test_takes_a_token_that_writes(self, bob: Member) -> None:
        reader = agent(bob, scopes=[Scope.READ])
        assert reader.put(AT, {"repo": "", "team": "platform"}, format="json").status_code == 403
        assert reader.delete(AT).status_code == 403

    def test_is_on_the_settings_page_with_a_preview(self, bob: Member, bob_user: User, alice: Member) -> None:
        talk(bob)
        page = signed_in(bob_user)
        assert "Not shared." in page.get("/settings/").content.decode()
        asked = {"repo": "shop", "team": "platform", "turns": "agent"}
        seen = page.get("/settings/sharing/", asked).content.decode()
        assert "2 passages of 1 session" in seen
        assert "Strip the BOM" in seen
        page.post("/settings/sharing/", asked)
        assert len(passages(alice)) == 2
        assert "1 session, 4 passages, 2 of them shared." in page.get("/settings/").content.decode()
        page.post("/settings/sharing/stop/", {"repo": "shop"})
        assert passages(alice) == []


class TestForgetting:
    def test_by_its_user_is_for_good(self, bob: Member, bobs_agent: APIClient, alice: Member) -> None:
        me = begin(bob)
        session = end(name=me.session, words=SessionWords(transcript=TALK), by=me, now=NOW).session
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        answer = bobs_agent.post(f"/api/v1/sessions/{session.ref}/forget/", {"reason": "a customer's name"})
        assert answer.json() == {"passages": 4}
        end(name=me.session, words=SessionWords(transcript=TALK), by=me, now=NOW)
        assert not Passage.objects.exists()
        kept = AgentSession.objects.get(pk=session.pk)
        assert (kept.digest, kept.handoff.asked, kept.handoff.last_message) == ({}, "", "")
        line = LogEntry.objects.get(verb="conversation forgotten")
        assert (line.line, line.why) == (f"{session.ref}: conversation forgotten", "a customer's name")

    def test_counts_passages_alone(self, bob: Member, bobs_agent: APIClient) -> None:
        session = talk(bob)
        for row in Passage.objects.all():
            asked = Query.objects.create(team_id=bob.home_id, user_id=bob.user_id, at=NOW, text="how many")
            ServedPassage.objects.create(query=asked, passage=row)
        assert bobs_agent.post(f"/api/v1/sessions/{session.ref}/forget/").json() == {"passages": 4}

    @pytest.mark.parametrize("send", [checkpoint, end])
    def test_keeps_what_is_sent_again_out(
        self, bob: Member, bobs_agent: APIClient, send: Callable[..., HandedOver]
    ) -> None:
        me = begin(bob, prompt="Why does the quagga importer stall?")
        said = [*TALK, Turn("assistant", "Next steps:\n- rename the quagga table\n\nBlocked by the quagga team.")]
        words = SessionWords(
            transcript=said, asked="Why does the quagga importer stall?", last_message="The quagga waits."
        )
        capture(name=me.session, reports=[Report("edit", path="src/batch.py")], by=me, now=NOW)
        session = checkpoint(name=me.session, words=words, by=me, now=NOW).session
        surface(prompt="And where does the quagga importer log its rows?", by=me, now=NOW)
        end(name=me.session, words=words, by=me, now=NOW) if send is end else None
        assert "quagga" in str(Handoff.objects.values())
        later = begin(bob)
        capture(name=later.session, reports=[Report("edit", path="src/rows.py")], by=later, now=NOW)
        end(name=later.session, words=SessionWords(summary="Went on."), by=later, now=NOW)
        bobs_agent.post(f"/api/v1/sessions/{session.ref}/forget/")
        assert "quagga" not in str([*Handoff.objects.values(), *AgentSession.objects.values()])
        send(name=me.session, words=words, by=me, now=NOW)
        assert "quagga" not in str([*Handoff.objects.values(), *AgentSession.objects.values()])
        surface(prompt="And where does the quagga importer log its rows?", by=me, now=NOW)
        told = bobs_agent.get(f"/api/v1/sessions/{session.ref}/").content.decode()
        assert "quagga" not in told and "src/batch.py" in told

    def test_by_a_lead_is_of_what_the_team_reads(self, bob: Member, alices_agent: APIClient) -> None:
        session = talk(bob)
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        assert alices_agent.post(f"/api/v1/sessions/{session.ref}/forget/").json() == {"passages": 2}
        assert {row.speaker for row in passages(bob)} == {"user"}

    def test_is_refused_to_a_teammate(self, alice: Member, bobs_agent: APIClient) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        session = talk(alice)
        assert bobs_agent.post(f"/api/v1/sessions/{session.ref}/forget/").status_code == 403
        assert Passage.objects.count() == 4

    def test_is_on_the_sessions_page(self, bob: Member, bob_user: User, alice_user: User) -> None:
        session = talk(bob)
        page = signed_in(bob_user)
        assert "Keep the limit" in page.get(f"/sessions/{session.ref}/").content.decode()
        searched = page.get(f"/sessions/{session.ref}/conversation/", {"q": "importer"}).content.decode()
        assert "Keep the limit" not in searched
        assert "Keep the limit" not in signed_in(alice_user).get(f"/sessions/{session.ref}/").content.decode()
        page.post(f"/sessions/{session.ref}/conversation/forget/")
        assert not Passage.objects.exists()


class TestRetention:
    def test_is_set_by_a_lead_on_the_teams_page(self, alice_user: User, bob_user: User) -> None:
        page = signed_in(alice_user)
        page.post("/teams/platform/retention/", {"days": "30"})
        assert Team.objects.get(slug="platform").conversation_days == 30
        assert "Platform keeps conversations for 30 days" in page.get("/activity/?team=platform").content.decode()
        assert signed_in(bob_user).post("/teams/platform/retention/", {"days": "9"}).status_code == 403
        page.post("/teams/platform/retention/", {"days": "0"})
        assert Team.objects.get(slug="platform").conversation_days == 30
