"""What the next session's model is told, by the client against Loam itself: sessions that were killed, two at once,
resumed, compacted, or worked while the server was away. Transcripts are written as Claude Code writes them.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.actions.tokens import issue_token
from accounts.rules.rights import Member, Scope
from sessions_app.answers.rules.packing import tokens
from sessions_app.client.src.delivery.outbox import post
from sessions_app.client.src.hooks import answered
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.vocabulary import SessionState
from tests.conftest import NOW
from tests.sessions_app.client.lossy import Way, lossy
from tests.sessions_app.client.machine import Machine, Ran
from tests.web import serving

ASK = "The nightly export of customer 4711 stops at midnight: find out why."
DECISION = "We decided to stream the rows with a server-side cursor, because a list of them does not fit into memory."
LAST = "The cursor is in place, the header is still written twice."
STEPS = ["write the header before the first row", "close the cursor when the client hangs up"]


@pytest.fixture
def bobs(transactional_db: None, bob: Member, tmp_path: Path) -> Iterator[Machine]:
    secret = issue_token(name="bob's", scopes=list(Scope), by=bob, now=NOW).secret
    with serving() as url:
        machine = Machine(tmp_path, url, secret, extra={"LOAM_TEAM": "platform"})
        machine.git("init")
        machine.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
        machine.write("README.md", "Shop\n")
        machine.git("add", ".")
        machine.git("commit", "-m", "Import")
        yield machine


class Agent:
    """A session of an agent on a machine: its transcript, its hooks, its death."""

    def __init__(self, machine: Machine, name: str = "a1") -> None:
        self.machine, self.name = machine, name
        self.path = machine.home / ".claude" / "projects" / "shop" / f"{name}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        self.calls = 0

    def hook(self, event: str, **given: Any) -> Ran:
        return self.machine.hook(event, session_id=self.name, transcript_path=str(self.path), **given)

    def start(self, source: str = "startup") -> str:
        """What its model is told as it starts."""
        said = self.hook("SessionStart", source=source).json
        return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def row(self, role: str, content: Any) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": role, "message": {"role": role, "content": content}}) + "\n")

    def asked(self, text: str) -> None:
        self.row("user", text)

    def says(self, text: str) -> None:
        self.row("assistant", [{"type": "text", "text": text}])

    def uses(self, tool: str, given: dict[str, Any], output: str | None = "") -> None:
        """A tool is called; without an output it still runs."""
        self.calls += 1
        call = f"toolu_{self.name}_{self.calls}"
        self.row("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}])
        if output is not None:
            self.row("user", [{"type": "tool_result", "tool_use_id": call, "content": output}])

    def edits(self, name: str) -> None:
        path = self.machine.write(name, "changed\n")
        self.uses("Edit", {"file_path": str(path), "old_string": "a", "new_string": "b"})
        self.hook("PostToolUse", tool_name="Edit", tool_input={"file_path": str(path)}, tool_response={})

    def is_killed(self) -> None:
        """Its process is gone without a word."""
        self.machine.forget_process(self.name)

    def works(self) -> None:
        """In the middle of a turn it says what is left, and a command runs."""
        self.asked(ASK)
        self.says(DECISION)
        self.edits("export/rows.py")
        listed = "\n".join(f"{number}. {step}" for number, step in enumerate(STEPS, 1))
        self.says(f"{LAST}\n\nNext steps:\n{listed}")
        self.uses("Bash", {"command": "sleep 600"}, None)


FACTS = ["export/rows.py", "stream the rows with a server-side cursor", LAST, *STEPS]


def holds(text: str, facts: list[str]) -> None:
    assert [fact for fact in facts if fact not in text] == [], text or "nothing was told"


class TestTheSuccessorIsTold:
    def test_of_one_that_was_killed_in_the_middle_of_a_turn(self, bobs: Machine) -> None:
        killed = Agent(bobs)
        killed.start()
        killed.works()
        killed.is_killed()
        holds(Agent(bobs, "b2").start(), FACTS)

    def test_of_two_that_were_killed_in_one_checkout(self, bobs: Machine) -> None:
        one, other = Agent(bobs, "a1"), Agent(bobs, "a2")
        one.start()
        other.start()
        one.works()
        other.asked("The menu jumps: mend it.")
        other.says("I'll go with a fixed height instead of measuring, because fonts load late.")
        other.edits("web/menu.css")
        other.says("The menu stands still.\n\nStill to do:\n- the same for the footer\n- look at it on a phone")
        other.uses("Bash", {"command": "sleep 600"}, None)
        one.is_killed()
        other.is_killed()
        text = Agent(bobs, "b2").start()
        holds(
            text, [*FACTS, "web/menu.css", "The menu stands still", "the same for the footer", "look at it on a phone"]
        )
        assert tokens(text) <= 200 + 2 * 400 + 30

    def test_of_what_its_client_had_not_yet_written_at_the_end_of_a_turn(self, bobs: Machine) -> None:
        """The hook's input has the last message, the transcript does not have it for another moment."""
        agent = Agent(bobs)
        agent.start()
        agent.asked(ASK)
        agent.says(DECISION)
        agent.edits("export/rows.py")
        listed = "\n".join(f"- {step}" for step in STEPS)
        agent.hook("Stop", last_assistant_message=f"{LAST}\n\nNext steps:\n{listed}")
        handoff = Handoff.objects.get()
        assert (handoff.next_steps, handoff.last_message.startswith(LAST)) == (STEPS, True)

    def test_of_one_that_worked_while_the_server_was_away(self, bobs: Machine) -> None:
        there, bobs.url = bobs.url, "http://127.0.0.1:9"
        killed = Agent(bobs)
        assert killed.start() == ""
        killed.works()
        killed.is_killed()
        for path in [*bobs.spool, *bobs.moments, *(bobs.own / "sessions").glob("*.json")]:
            path.write_text(path.read_text().replace("http://127.0.0.1:9", there))
        bobs.url = there
        holds(Agent(bobs, "b2").start(), FACTS)


class TestAnOutage:
    """The server was away for some of a session, or all of it; then the next one starts."""

    @pytest.fixture
    def way(self, bobs: Machine) -> Iterator[Way]:
        with lossy(bobs.url) as way:
            bobs.url = way.url
            yield way

    @pytest.mark.parametrize("gone", [True, False])
    def test_loses_no_end(self, bobs: Machine, way: Way, gone: bool) -> None:
        """Whether or not the client that ran both sessions is still there."""
        agent = Agent(bobs)
        agent.start()
        way.away = True
        agent.works()
        agent.hook("SessionEnd", reason="exit")
        if gone:
            agent.is_killed()
        way.away = False
        text = Agent(bobs, "b2").start()
        holds(text, FACTS)
        assert "still runs" not in text and "Live S-" not in text
        assert AgentSession.objects.get(agent_session="claude-code:a1").state == SessionState.ENDED

    def test_lets_nobody_be_recovered_and_then_come_back_to_life(self, bobs: Machine, way: Way) -> None:
        """The start finds the session dead before what its hooks wrote down was turned into requests."""
        agent = Agent(bobs)
        agent.start()
        way.away, bobs.waits = True, False
        with bobs.without_courier():
            agent.works()
            agent.hook("SessionEnd", reason="exit")
            agent.is_killed()
            way.away = False
            holds(Agent(bobs, "b2").start(), [*STEPS, LAST])
        bobs.waits = True
        agent_b = Agent(bobs, "b3")
        text = agent_b.start()
        session = AgentSession.objects.get(agent_session="claude-code:a1")
        assert session.state == SessionState.ENDED
        assert session.events.filter(path="export/rows.py").exists()
        holds(text, FACTS)

    def test_waits_for_nothing_of_another_server(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LOAM_HOME", str(tmp_path))
        started: list[bool] = []
        monkeypatch.setattr(answered, "start_courier", lambda: started.append(True))
        post("sessions/x/end/", {}, url="http://elsewhere.example")
        began = time.monotonic()
        answered._deliver_what_waits("http://here.example", began + 60)
        assert started == []
        post("sessions/x/end/", {}, url="http://here.example")  # refused with this token: nothing moves
        answered._deliver_what_waits("http://here.example", began + 60)
        assert started == [True]
        assert time.monotonic() - began < 30

    def test_keeps_the_times_of_the_hooks(self, bobs: Machine, way: Way) -> None:
        """What began and ended before the next session is not what comes after it."""
        way.away = True
        agent = Agent(bobs)
        assert agent.start() == ""
        agent.works()
        agent.hook("SessionEnd", reason="exit")
        way.away = False
        back = timezone.now()
        time.sleep(0.05)
        text = Agent(bobs, "b2").start()
        holds(text, FACTS)
        first, second = AgentSession.objects.order_by("started_at")
        assert (first.agent_session, first.state) == ("claude-code:a1", SessionState.ENDED)
        assert first.started_at < first.ended_at < back < second.started_at


class TestOneThatGoesOnIsTold:
    def test_how_it_stands_when_it_is_resumed_after_a_kill(self, bobs: Machine) -> None:
        agent = Agent(bobs)
        agent.start()
        agent.works()
        agent.is_killed()
        text = agent.start("resume")
        holds(text, [*FACTS, "This session so far (S-"])
        assert "Take it over" not in text
        assert tokens(text) <= 400 + 30

    def test_how_it_stands_when_another_was_told_in_between(self, bobs: Machine) -> None:
        agent = Agent(bobs)
        agent.start()
        agent.works()
        agent.is_killed()
        Agent(bobs, "b2").start()
        holds(agent.start("resume"), [*FACTS, "This session so far (S-"])

    def test_how_it_stands_after_a_compaction(self, bobs: Machine) -> None:
        agent = Agent(bobs)
        agent.start()
        agent.works()
        agent.hook("PreCompact", trigger="auto")
        agent.row("user", "This session is continued from one that ran out of context: they spoke.")
        text = agent.start("compact")
        holds(text, [*FACTS, ASK, "This session so far (S-", "query_insights"])
        assert tokens(text) <= 200 + 400 + 30

    def test_at_its_next_prompt_where_the_server_did_not_answer_in_time(self, bobs: Machine) -> None:
        with lossy(bobs.url) as way:
            bobs.url = way.url
            agent = Agent(bobs)
            agent.start()
            agent.works()
            way.lose = 1_000
            assert LAST not in agent.start("compact")
            way.lose = 0
            agent.hook("Stop")  # whatever comes next finds the server back
            said = agent.hook("UserPromptSubmit", prompt="Go on").json
        holds(json.dumps(said), ["This session so far (S-", LAST])

    @pytest.mark.parametrize("agent", ["copilot", "opencode"])
    def test_with_the_next_prompt_where_no_start_follows_a_compaction(self, bobs: Machine, agent: str) -> None:
        own = Agent(bobs)
        own.works()
        given = {"session_id": own.name, "transcript_path": str(own.path)}
        bobs.hook("SessionStart", agent, source="startup", **given)
        bobs.hook("PreCompact", agent, **given)
        said = [bobs.hook("UserPromptSubmit", agent, prompt="Go on", **given).out for _ in range(2)]
        assert [LAST in one for one in said] == [True, False]

    def test_nothing_where_there_is_nothing_to_go_on_with(self, bobs: Machine) -> None:
        agent = Agent(bobs)
        agent.start()
        agent.asked("Which port is it?")
        agent.says("8712.")
        text = agent.start("resume")
        assert text.startswith("Loam session: ")
