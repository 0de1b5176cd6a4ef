"""Twelve ways in which a session stops, told through the API: what the next one reads holds the facts, and no others.

A fact is planted where a client finds it: in events, in a transcript, in what the agent or the client sends. What must
not be told is planted too: what was committed, what passed in the end, what was somebody else's.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from sessions_app.models import AgentSession
from tests.sessions_app.test_api_sessions import API, post

REPO = "acme/web"
TEAM = {"repo": REPO, "team": "platform"}
ASK = "Please make the tariff importer stream its input"
PLAN = "I'll replace the DOM parser in importer/tariffs.py by a streaming one, then cover it with tests."
STEPS = ["cover empty tariff files with a test", "document the 512 MB limit in docs/limits.md"]
DECISION = "Decision: we parse with iterparse because the worker has only 512 MB of memory."
LAST = "The parser streams now; the header test is still red, so I'll look at the namespace handling."
ERROR = "AssertionError: expected 3 tariffs, got 2"
FAILED = {
    "kind": "test",
    "command": "pytest importer -q",
    "outcome": "failed",
    "error": f"importer/tests/test_tariffs.py:41: in test_header\nE   {ERROR}",
}
PASSED = {"kind": "test", "command": "pytest docs -q", "outcome": "passed"}


def edit(path: str) -> dict[str, str]:
    return {"kind": "edit", "path": path, "outcome": "ok"}


def turn(role: str, text: str) -> dict[str, str]:
    return {"role": role, "text": text}


# A conversation that was cut off: one file is committed, two are not, and a test is red.
TALK = [
    turn("user", ASK),
    turn("assistant", PLAN),
    turn("tool", "Edit importer/settings.py"),
    turn("tool", "Bash: git commit -am 'Raise the limit'\n[main 1a2b3c] Raise the limit"),
    turn("tool", "Edit importer/tariffs.py"),
    turn("tool", "Edit importer/tests/test_tariffs.py"),
    turn("assistant", DECISION),
    turn("tool", f"Bash: pytest importer -q\nE   {ERROR}\n1 failed, 12 passed"),
    turn("assistant", f"{LAST}\n\nNext steps:\n- {STEPS[0]}\n- {STEPS[1]}"),
]
FILES = ["importer/tariffs.py", "importer/tests/test_tariffs.py"]
FACTS = [*FILES, *STEPS, "iterparse", "512 MB of memory", LAST, ERROR, "pytest importer -q"]


@dataclass
class Agent:
    """One agent of a user on a checkout, as its client calls the API."""

    client: APIClient
    checkout: str = "c1"
    branch: str = "main"
    agent_session: str = ""
    session: str = ""
    ref: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def start(self, **over: Any) -> dict[str, Any]:
        place = {"checkout": self.checkout, "branch": self.branch, "agent_session": self.agent_session}
        said = {name: value for name, value in place.items() if value}
        done: dict[str, Any] = post(self.client, "sessions/", {**TEAM, **said, "handoff_tokens": 400, **over}, 201)
        self.session, self.ref = done["session"], done["ref"]
        return done

    def do(self, *events: dict[str, str]) -> None:
        post(self.client, f"sessions/{self.session}/events/", {"events": list(events)})

    def say(self, verb: str, **words: Any) -> dict[str, Any]:
        done: dict[str, Any] = post(self.client, f"sessions/{self.session}/{verb}/", words)
        return done

    def recover(self, killed: "Agent", transcript: list[dict[str, str]], **over: Any) -> dict[str, Any]:
        """What the client does at its start with the transcript of an agent that is gone."""
        place = {"checkout": killed.checkout, "branch": killed.branch, "agent_session": killed.agent_session}
        known = {"session": killed.session} if killed.session else {}
        body = {**TEAM, **place, **known, "transcript": transcript, **over}
        done: dict[str, Any] = post(self.client, "sessions/recover/", body)
        return done

    def is_silent(self) -> None:
        """It was killed, half an hour ago, and nobody told."""
        then = timezone.now() - timedelta(minutes=31)
        AgentSession.objects.filter(key=self.session).update(last_seen_at=then, started_at=then - timedelta(minutes=9))


def reads(who: APIClient, started: dict[str, Any]) -> str:
    """All that the successor reads: the orientation, the first handoff's text, and those of the others by a call."""
    texts = [started["orientation"]["text"], (started["handoff"] or {"text": ""})["text"]]
    assert started["orientation"]["tokens"] <= 200
    for offer in started["handoffs"][1:]:
        texts.append(who.get(f"{API}sessions/{offer['ref']}/").json()["handoff"]["text"])
    return "\n".join(texts)


def holds(text: str, facts: list[str]) -> None:
    """At least 95 % of the facts, which with fewer than twenty are all of them."""
    missing = [fact for fact in facts if fact not in text]
    assert len(missing) <= 0.05 * len(facts), missing


@pytest.fixture
def bob_at(bobs_agent: APIClient) -> Callable[..., Agent]:
    return lambda **over: Agent(bobs_agent, **over)


@pytest.fixture
def alice_at(alices_agent: APIClient) -> Callable[..., Agent]:
    return lambda **over: Agent(alices_agent, **over)


At = Callable[..., Agent]


class TestTheSuccessor:
    def test_of_one_killed_mid_edit(self, bob_at: At) -> None:
        killed = bob_at(agent_session="claude-code:1")
        killed.start()
        killed.do(edit("importer/tariffs.py"))
        after = bob_at(agent_session="claude-code:2")
        done = after.recover(killed, TALK, uncommitted=[*FILES, "notes/private.txt"])
        assert (done["ref"], done["recovered"], done["handoff"]["state"]) == (killed.ref, True, "recovered")
        text = reads(after.client, after.start(uncommitted=[*FILES, "notes/private.txt"]))
        holds(text, [*FACTS, ASK, "Uncommitted files (recorded)", "yours, this checkout"])
        assert "notes/private.txt" not in text  # another's, or the user's own
        assert "Uncommitted files (recorded): importer/settings.py" not in text

    def test_of_one_killed_after_a_failing_test(self, bob_at: At) -> None:
        killed = bob_at()
        killed.start()
        killed.do(edit("docs/limits.md"), PASSED, edit("importer/tariffs.py"), FAILED)
        killed.is_silent()
        text = reads(killed.client, bob_at().start())
        holds(text, ["pytest importer -q", ERROR, "importer/tariffs.py", "docs/limits.md", "recovered"])
        assert "pytest docs" not in text
        assert "not run again" not in text

    def test_of_two_killed_in_one_checkout(self, bob_at: At) -> None:
        one, two = bob_at(agent_session="claude-code:1"), bob_at(agent_session="claude-code:2")
        one.start()
        two.start()
        one.do(edit("importer/tariffs.py"))
        two.do(edit("web/menu.py"))
        other = [turn("user", "Fix the menu"), turn("assistant", "I'll look."), turn("tool", "Edit web/menu.py")]
        other += [turn("assistant", "Half of it stands.\n\nNext steps:\n- style the second level of the menu")]
        after = bob_at(agent_session="claude-code:3")
        for killed, talk in ((two, other), (one, TALK)):
            assert after.recover(killed, talk)["ref"] == killed.ref
        started = after.start()
        assert {offer["ref"] for offer in started["handoffs"]} == {one.ref, two.ref}
        assert one.ref in started["orientation"]["text"] and two.ref in started["orientation"]["text"]
        holds(reads(after.client, started), [*FACTS, "web/menu.py", "style the second level of the menu"])

    def test_of_one_with_trivial_sessions_between(self, bob_at: At, alice_at: At) -> None:
        killed = bob_at(agent_session="claude-code:1")
        killed.start()
        killed.do(edit("importer/tariffs.py"))
        asked = alice_at(checkout="a1")
        asked.start()
        assert asked.say("end", summary="Asked: what is a tariff?\nLast said: ok", last_message="ok")["handoff"] is None
        own = bob_at(agent_session="claude-code:2")
        own.start()
        assert own.say("end", asked="which branch is this?", last_message="main")["handoff"] is None
        after = bob_at(agent_session="claude-code:3")
        after.recover(killed, TALK)
        started = after.start()
        assert [offer["ref"] for offer in started["handoffs"]] == [killed.ref]
        text = reads(after.client, started)
        holds(text, FACTS)
        assert "what is a tariff" not in text and ": ok" not in text

    def test_on_another_machine(self, bob_at: At) -> None:
        there = bob_at(checkout="desk")
        there.start()
        there.do(edit(FILES[0]), edit(FILES[1]), FAILED)
        there.say("checkpoint", transcript=TALK, uncommitted=FILES, asked=ASK, last_message=LAST)
        there.is_silent()
        here = bob_at(checkout="laptop")
        started = here.start()
        assert started["handoffs"][0]["why"] == "yours, branch main, another checkout"
        holds(reads(here.client, started), [*FACTS, ASK, "Uncommitted files (recorded)"])

    def test_of_another_user_on_another_branch(self, bob_at: At, alice_at: At) -> None:
        killed = bob_at(branch="tariffs", agent_session="claude-code:1")
        killed.start(prompt=ASK)
        alice_at(branch="menu").start()
        bob_at(agent_session="x").recover(killed, TALK, uncommitted=FILES)
        reader = alice_at(branch="menu", agent_session="claude-code:7")
        started = reader.start()
        assert [offer["why"] for offer in started["handoffs"]] == ["bob's, branch tariffs"]
        text = reads(reader.client, started)
        holds(text, [*FACTS, "I'll replace the DOM parser"])
        assert ASK not in text  # what a person typed is theirs
        assert ASK not in str(reader.client.get(f"{API}sessions/{killed.ref}/").json())

    def test_of_one_without_a_terminal(self, bob_at: At) -> None:
        """`claude -p`: the failing command left no event, and the end never came."""
        killed = bob_at(agent_session="claude-code:1")
        killed.start()
        killed.do(edit(FILES[0]), edit(FILES[1]))
        after = bob_at(agent_session="claude-code:2")
        after.recover(killed, TALK)
        holds(reads(after.client, after.start()), [*FACTS, ASK])

    def test_that_is_the_same_one_resumed(self, bob_at: At) -> None:
        agent = bob_at(agent_session="claude-code:1")
        agent.start()
        agent.do(edit(FILES[0]), edit(FILES[1]), FAILED)
        agent.say("checkpoint", transcript=TALK, uncommitted=FILES)
        first = agent.session
        agent.is_silent()
        bob_at(checkout="c9", agent_session="other").start()  # finds it silent, and gives it up
        agent.start()
        assert (agent.session, AgentSession.objects.get(key=first).state) == (first, "live")
        mine = agent.client.get(f"{API}sessions/{agent.ref}/").json()["handoff"]
        assert mine["state"] == "provisional"
        holds(mine["text"], FACTS)

    def test_of_one_that_was_compacted(self, bob_at: At) -> None:
        agent = bob_at(agent_session="claude-code:1")
        agent.start()
        agent.do(edit(FILES[0]), edit(FILES[1]), FAILED)
        agent.say("checkpoint", transcript=TALK, uncommitted=FILES, asked=ASK)
        later = [turn("user", "go on"), turn("assistant", "Done with the header.\n\nNext steps:\n- tag the release")]
        agent.say("checkpoint", transcript=later, uncommitted=FILES, last_message="Done with the header.")
        agent.is_silent()
        text = reads(agent.client, bob_at(agent_session="claude-code:2").start())
        holds(text, [*FILES, "tag the release", "iterparse", "Done with the header.", ASK])
        assert STEPS[0] not in text  # what is done by then is not to be done

    def test_of_one_that_never_reached_the_server(self, bob_at: At) -> None:
        killed, after = bob_at(agent_session="codex:1"), bob_at(agent_session="codex:2")
        done = after.recover(killed, TALK, uncommitted=FILES)
        again = after.recover(killed, TALK, uncommitted=FILES)
        assert (done["ref"], done["handoff"]) == (again["ref"], again["handoff"])
        assert AgentSession.objects.count() == 1
        holds(reads(after.client, after.start(uncommitted=FILES)), [*FACTS, ASK])

    def test_of_an_agent_that_has_tools_alone(self, bob_at: At) -> None:
        first = bob_at(checkout="", branch="main")
        first.start(agent="chat")
        said = {"summary": "The parser streams.", "handoff_note": "The header test is red.", "pending": STEPS}
        first.say("checkpoint", **said, blockers=["no sample with a namespace"])
        decided = {"kind": "DECISION", "body": "We parse with iterparse.", "reasoning": "The worker has 512 MB."}
        post(first.client, "insights/", {**decided, "team": "platform", "session": first.session}, 201)
        first.say("end")
        after = bob_at(checkout="", branch="main")
        started = after.start()
        assert started["handoffs"][0]["why"] == "yours, branch main"
        facts = [said["summary"], said["handoff_note"], *STEPS, "no sample with a namespace", "iterparse"]
        holds(reads(after.client, started), facts)

    def test_of_codex(self, bob_at: At) -> None:
        """Its transcript has patches, and no session of it ever said its end."""
        killed = bob_at(agent_session="codex:1")
        killed.start(agent="codex")
        changes = "*** Update File: importer/tariffs.py\n@@\n-a\n+b\n*** Add File: importer/limits.py"
        patch = f"*** Begin Patch\n{changes}\n*** End Patch"
        talk = [
            turn("user", ASK),
            turn("assistant", PLAN),
            turn("tool", f"apply_patch\n{patch}"),
            turn("tool", f"shell: pytest importer -q\nE   {ERROR}"),
            turn("assistant", f"{DECISION} {LAST}"),
            turn("tool", f"update_plan\n[completed] read the parser\n[pending] {STEPS[0]}\n[in_progress] {STEPS[1]}"),
        ]
        after = bob_at(agent_session="codex:2")
        after.recover(killed, talk)
        text = reads(after.client, after.start(agent="codex"))
        holds(text, ["importer/tariffs.py", "importer/limits.py", *STEPS, "iterparse", LAST, ERROR, ASK])
        assert "read the parser" not in text


class TestTheWorkItem:
    def test_has_one_open_handoff_which_the_next_session_continues(self, bob_at: At) -> None:
        first = bob_at()
        first.start()
        first.do(edit("a.py"))
        first.say("end", pending=["write the test of a"])
        second = bob_at()
        second.start()
        second.do(edit("b.py"))
        second.say("end", pending=["write the test of b"])
        started = bob_at().start()
        assert [offer["ref"] for offer in started["handoffs"]] == [second.ref]
        assert f"Left by {first.ref}, which this continues; perhaps done since: write the test of a" in reads(
            first.client, started
        )
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
        for interface, call in (("mcp", f'checkpoint_session(take="{agent.ref}")'), ("cli", "loam handoff take")):
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
