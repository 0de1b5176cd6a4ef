"""The open handoff of a work item: how it is continued, closed and reopened, whose words it shows, its recovery."""

from datetime import timedelta

from django.utils import timezone
from rest_framework.test import APIClient

from accounts.rules.rights import Member
from sessions_app.actions.start import Opening
from sessions_app.handoffs.actions.recover_killed import Killed, recover_killed
from sessions_app.models import AgentSession, Handoff
from sessions_app.transcripts.rules.turn import Turn
from tests.sessions_app.killed import (
    ASK,
    FAILED,
    REPO,
    STEPS,
    TALK,
    TEAM,
    Agent,
    At,
    edit,
    reads,
)
from tests.sessions_app.test_api_sessions import API, post
from tests.together import together


class TestTheWorkItem:
    def test_has_one_open_handoff_which_the_next_session_continues(self, bob_at: At) -> None:
        first = bob_at()
        first.start()
        first.do(edit("a.py"))
        first.say(
            "end",
            pending=["write the test of a"],
            handoff_note="Finance freezes ledger.py.",
            blockers=["the VAT table"],
        )
        second = bob_at()
        second.start()
        second.do(edit("b.py"))
        second.say("end", pending=["write the test of b"])
        started = bob_at().start()
        assert [offer["ref"] for offer in started["handoffs"]] == [second.ref]
        text = reads(first.client, started)
        assert f"Left by {first.ref}, which this continues; perhaps done since: write the test of a" in text
        assert f"Know first, from {first.ref}: Finance freezes ledger.py." in text
        assert f"Blocked, said {first.ref}; perhaps no more: the VAT table" in text
        left = first.client.get(f"{API}sessions/{first.ref}/").json()["handoff"]
        assert (left["open"], left["closed_as"], left["acknowledged_in"]) == (False, "continued", second.ref)

    def test_can_be_opened_again_and_stays_so(self, bob_at: At, alice_at: At) -> None:
        first, second = bob_at(), bob_at()
        first.start()
        first.do(edit("a.py"))
        first.say("end")
        second.start()
        second.do(edit("b.py"))
        second.say("checkpoint")
        ack = f"sessions/{second.session}/ack/"
        assert post(first.client, ack, {"handoff": first.ref, "action": "reopen"})["open"]
        second.do(edit("c.py"))
        second.say("end")
        assert {offer["ref"] for offer in bob_at().start()["handoffs"]} == {first.ref, second.ref}
        closed = post(first.client, ack, {"handoff": first.ref, "action": "close"})
        assert (closed["closed_as"], closed["acknowledged_by"]) == ("closed", "bob")

    def test_is_open_again_when_who_took_it_over_is_killed(self, bob_at: At, alice_at: At) -> None:
        left = bob_at()
        left.start()
        left.do(edit("a.py"))
        left.say("end")
        taker = alice_at()
        taker.start()
        taken = post(taker.client, f"sessions/{taker.session}/ack/", {"handoff": left.ref})
        assert (taken["acknowledged_in"], taken["closed_as"]) == (taker.ref, "taken_over")
        assert taker.start(agent_session="y")["handoffs"] == []
        AgentSession.objects.filter(user__username="alice").update(last_seen_at=timezone.now() - timedelta(minutes=31))
        bob_at(checkout="c2").start()
        assert [offer["ref"] for offer in alice_at().start()["handoffs"]] == [left.ref]

    def test_is_open_again_when_who_took_it_over_ended_without_doing_anything(self, bob_at: At, alice_at: At) -> None:
        left, taker = bob_at(), alice_at()
        left.start()
        left.do(edit("a.py"))
        left.say("end", pending=["write the test of a"])
        taker.start()
        post(taker.client, f"sessions/{taker.session}/ack/", {"handoff": left.ref})
        taker.say("end")
        assert [offer["ref"] for offer in alice_at().start()["handoffs"]] == [left.ref]

    def test_keeps_a_command_failing_until_it_passes(self, bob_at: At) -> None:
        first, second, third = bob_at(), bob_at(), bob_at()
        first.start()
        first.do(edit("a.py"), FAILED)
        first.say("end")
        second.start()
        second.do(edit("README.md"))
        second.say("end")
        started = third.start()
        assert f"`{FAILED['command']}`" in reads(third.client, started)
        third.do({**FAILED, "outcome": "passed", "error": ""})
        third.do(edit("b.py"))
        third.say("end")
        assert FAILED["command"] not in str(bob_at().start()["handoffs"])

    def test_is_listed_as_a_start_is_offered_it(self, bob_at: At, alice_at: At, charlies_agent: APIClient) -> None:
        theirs, mine = alice_at(checkout="a1"), bob_at()
        for agent in (mine, theirs):
            agent.start()
            agent.do(edit(f"{agent.checkout}.py"))
            agent.say("end")
        query = {"repo": REPO, "open": "true", "checkout": "c1", "branch": "main"}
        rows = mine.client.get(f"{API}sessions/", query).json()["results"]
        assert [(row["ref"], row["why"], row["unfinished"]) for row in rows] == [
            (mine.ref, "yours, this checkout", ["1 uncommitted file"]),
            (theirs.ref, "alice's, this branch", ["1 uncommitted file"]),
        ]
        assert "c1.py" in rows[0]["handoff"]["text"]
        assert charlies_agent.get(f"{API}sessions/", query).json()["results"] == []
        assert mine.client.get(f"{API}sessions/", {"open": "true"}).status_code == 400


class TestTheTextOfAHandoff:
    def test_names_the_calls_of_the_interface_it_is_read_through(self, bob_at: At) -> None:
        agent = bob_at()
        agent.start()
        agent.do(edit("a.py"))
        agent.say("end")
        path = f"{API}sessions/{agent.ref}/"
        assert "POST sessions/{yours}/ack/" in agent.client.get(path).json()["handoff"]["text"]
        for interface, call in (
            ("mcp", f'checkpoint_session(session=…, take="{agent.ref}")'),
            ("cli", "loam handoff take"),
        ):
            assert call in agent.client.get(path, HTTP_X_LOAM_INTERFACE=interface).json()["handoff"]["text"]
        assert agent.client.get(path, {"max_tokens": 99}).status_code == 400

    def test_is_the_same_byte_for_byte(self, bob_at: At) -> None:
        agent = bob_at()
        agent.start()
        agent.do(edit("a.py"), FAILED)
        agent.say("end", pending=STEPS)
        first, second = (bob_at(agent_session=name).start() for name in ("x:1", "x:1"))
        assert first["orientation"]["text"] == second["orientation"]["text"]
        assert first["handoff"] == second["handoff"]


class TestWhatAPersonTyped:
    def test_is_shown_to_others_once_they_share_it(self, bob_at: At, alices_agent: APIClient) -> None:
        agent = bob_at()
        agent.start(prompt=ASK)
        agent.do(edit("a.py"))
        agent.say("end", summary="Streams.")
        path = f"{API}sessions/{agent.ref}/"
        own, other = agent.client.get(path).json(), alices_agent.get(path).json()
        assert (own["topic"], own["handoff"]["asked"]) == (ASK, ASK)
        assert ASK in own["handoff"]["text"] and ASK not in str(other)
        assert (other["topic"], other["handoff"]["asked"], other["handoff"]["topics"]) == ("", "", [])
        assert agent.client.get(f"{API}me/").json()["share_prompts"] is False
        assert agent.client.patch(f"{API}me/", {"share_prompts": True}, format="json").json()["share_prompts"] is True
        assert alices_agent.get(path).json()["handoff"]["asked"] == ASK
        agent.start(share_prompts=False)
        assert ASK not in str(alices_agent.get(path).json())

    def test_is_not_among_the_facts_when_somebody_asked_about_it(self, bob_at: At, alices_agent: APIClient) -> None:
        """Neither what a hook asked nor what the agent did: it asks in its user's words, and they are told that only
        they see them.
        """
        agent = bob_at()
        agent.start()
        agent.do(edit("a.py"))
        prompt = "Why does celery beat fire our nightly jobs twice after a deploy?"
        post(
            agent.client,
            "insights/",
            {"kind": "PITFALL", "body": "Celery beat must run once.", "team": "platform"},
            201,
        )
        post(agent.client, "surface/", {"prompt": prompt, "session": agent.session})
        post(agent.client, "query/", {"query": "how do we deploy beat", "session": agent.session})
        agent.say("end")
        other = alices_agent.get(f"{API}sessions/{agent.ref}/").json()
        assert "Edited a.py" in other["handoff"]["facts"]
        assert prompt not in str(other)
        assert "how do we deploy beat" not in str(other)


class TestATranscript:
    def test_is_taken_in_once_by_two_clients_at_once(self, transactional_db: None, bob: Member) -> None:
        turns = [Turn(one["role"], one["text"]) for one in TALK]
        opening = Opening(**TEAM, agent_session="claude-code:1", checkout="c1", transcript=turns)
        now = timezone.now()
        together(*[lambda: recover_killed(killed=Killed(opening), by=bob, now=now) for _ in range(2)])
        assert (AgentSession.objects.count(), Handoff.objects.count()) == (1, 1)

    def test_of_a_session_that_ended_is_left_alone_unless_it_went_on(self, bob_at: At) -> None:
        ended = bob_at(agent_session="claude-code:1")
        ended.start()
        ended.do(edit("a.py"))
        ended.say("end")
        assert ended.recover(ended, TALK)["recovered"] is False
        AgentSession.objects.update(
            started_at=timezone.now() - timedelta(hours=3), ended_at=timezone.now() - timedelta(hours=2)
        )
        late = [{**one, "at": (timezone.now() - timedelta(minutes=9)).isoformat()} for one in TALK]
        done = ended.recover(ended, late)
        assert (done["recovered"], done["ref"] != ended.ref) == (True, True)
        assert ended.recover(Agent(ended.client, agent_session="claude-code:1"), late)["ref"] == done["ref"]

    def test_is_brought_by_its_own_user_alone(self, bob_at: At, alices_agent: APIClient) -> None:
        killed = bob_at(agent_session="claude-code:1")
        killed.start()
        body = {**TEAM, "agent_session": "claude-code:1", "transcript": TALK, "session": killed.session}
        answer = alices_agent.post(f"{API}sessions/recover/", body)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["session"])
        without = {name: value for name, value in body.items() if name != "session"}
        assert post(alices_agent, "sessions/recover/", without)["ref"] != killed.ref
        assert AgentSession.objects.get(key=killed.session).state == "live"
