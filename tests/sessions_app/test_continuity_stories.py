"""Twelve ways in which a session stops, told through the API: what the next one reads holds the facts, and no others.

A fact is planted where a client finds it: in events, in a transcript, in what the agent or the client sends. What must
not be told is planted too: what was committed, what passed in the end, what was somebody else's.
"""

from sessions_app.models import AgentSession
from tests.sessions_app.killed import (
    ASK,
    DECISION,
    ERROR,
    FACTS,
    FAILED,
    FILES,
    LAST,
    PASSED,
    PLAN,
    STEPS,
    TALK,
    At,
    edit,
    holds,
    reads,
    turn,
)
from tests.sessions_app.test_api_sessions import API, post


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
