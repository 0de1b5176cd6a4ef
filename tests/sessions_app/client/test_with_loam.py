"""The hooks against Loam itself, over a way on which answers get lost: everything is told, and told once."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from accounts.actions.tokens import issue_token
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level, Member, Scope
from knowledge.models import Insight
from sessions_app.models import AgentSession, Handoff, SessionEvent
from tests.conftest import NOW
from tests.sessions_app.client.lossy import Way, lossy
from tests.sessions_app.client.machine import Machine, Ran
from tests.sessions_app.conversations.talk import talk
from tests.web import serving

LESSON = "The importer must read CSV in chunks of 5,000 rows, or the worker runs out of memory."


@pytest.fixture
def way(transactional_db: None) -> Iterator[Way]:
    with serving() as url, lossy(url) as found:
        yield found


@pytest.fixture
def bobs(way: Way, bob: Member, tmp_path: Path) -> Machine:
    secret = issue_token(name="bob's", scopes=list(Scope), by=bob, now=NOW).secret
    machine = Machine(tmp_path, way.url, secret, extra={"LOAM_TEAM": "platform"})
    machine.git("init")
    machine.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
    return machine


def edit(machine: Machine, name: str) -> None:
    given = {"file_path": str(machine.checkout / name)}
    machine.hook("PostToolUse", tool_name="Edit", tool_input=given, tool_response={})


class TestToldOnce:
    def test_a_start(self, bobs: Machine, way: Way) -> None:
        way.lose = 1
        assert bobs.hook("SessionStart", source="startup").json == {}
        edit(bobs, "src/a.py")
        assert AgentSession.objects.count() == 1
        assert [event.path for event in SessionEvent.objects.all()] == ["src/a.py"]

    def test_events(self, bobs: Machine, way: Way) -> None:
        bobs.hook("SessionStart", source="startup")
        for number in range(6):
            way.lose = number % 2
            edit(bobs, f"src/{number}.py")
        way.lose = 0
        bobs.hook("Stop", stop_hook_active=False)
        told = sorted(event.path for event in SessionEvent.objects.all())
        assert told == [f"src/{number}.py" for number in range(6)]
        assert bobs.spool == []

    def test_what_happened_while_the_server_was_away(self, bobs: Machine, way: Way) -> None:
        bobs.hook("SessionStart", source="startup")
        there, bobs.url = bobs.url, "http://127.0.0.1:9"
        for number in range(3):
            edit(bobs, f"src/{number}.py")
        for path in [*bobs.spool, *(bobs.own / "sessions").glob("*.json")]:
            path.write_text(path.read_text().replace("http://127.0.0.1:9", there))
        bobs.url = there
        way.lose = 1
        edit(bobs, "src/3.py")
        edit(bobs, "src/4.py")
        assert sorted(event.path for event in SessionEvent.objects.all()) == [f"src/{n}.py" for n in range(5)]

    @pytest.mark.parametrize("reset", [False, True])
    def test_a_deposit(self, bobs: Machine, way: Way, reset: bool) -> None:
        way.lose, way.reset = 1, reset
        assert "delivered later" in bobs.run("deposit", "--kind", "PITFALL", LESSON).out
        assert bobs.run("status", "--json").json["spool"] == 0
        assert [row.corroboration_count for row in Insight.objects.all()] == [1]

    def test_an_end(self, bobs: Machine, way: Way) -> None:
        bobs.hook("SessionStart", source="startup")
        edit(bobs, "src/a.py")
        way.lose = 1
        bobs.hook("SessionEnd", reason="logout", last_assistant_message="It streams.")
        # What is kept goes out again by the courier, which may be at it, or by the next command.
        assert way.lose == 0
        assert any(bobs.run("status", "--json").json["spool"] == 0 for _ in range(5))
        assert (Handoff.objects.count(), AgentSession.objects.get().state) == (1, "ended")
        assert not list((bobs.own / "refused").glob("*"))


class TestFilesOfCommands:
    """A shell command says that it ran, and git which files are in no commit since."""

    @pytest.fixture
    def works(self, bobs: Machine) -> Machine:
        """Bob has committed, changed a file himself, and begun a session."""
        for name, text in ((".gitignore", "*.log\n"), ("src/a.py", "a = 1\n"), ("src/b.py", "b = 1\n")):
            bobs.write(name, text)
        bobs.git("add", ".")
        bobs.git("commit", "-m", "Begin")
        bobs.write("notes.txt", "Bob's own\n")
        bobs.hook("SessionStart", source="startup", session_id="first")
        return bobs

    def ran(self, machine: Machine, command: str, session: str = "first") -> None:
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": ""}}
        machine.hook("PostToolUse", session_id=session, **given)

    def killed(self, machine: Machine) -> Handoff:
        """The handoff of the first session, after its agent's process is gone and another has begun."""
        machine.forget_process()
        machine.hook("SessionStart", source="startup", session_id="next")
        return Handoff.objects.get(session__agent_session="claude-code:first")

    @pytest.mark.parametrize("killed", ["later", "while it ran"])
    def test_are_in_the_handoff_of_a_killed_session(self, works: Machine, killed: str) -> None:
        works.write("src/a.py", "a = 2\n")
        edit_of(works, "src/a.py", "first")
        for name in ("billing/currencies.txt", "billing/rates of today.txt", "build.log", "src/b.py"):
            works.write(name, "EUR\n")
        if killed == "later":
            self.ran(works, "echo EUR > billing/currencies.txt")
        handoff = self.killed(works)
        made = {"billing/currencies.txt", "billing/rates of today.txt", "src/a.py", "src/b.py"}
        assert (set(handoff.uncommitted), handoff.uncommitted_known) == (made, True)

    def test_are_all_of_gits_where_the_session_said_its_end(self, works: Machine) -> None:
        works.write("billing/currencies.txt", "EUR\n")
        self.ran(works, "echo EUR > billing/currencies.txt")
        works.hook("SessionEnd", reason="exit", session_id="first")
        assert set(Handoff.objects.get().uncommitted) == {"billing/currencies.txt", "notes.txt"}

    def test_are_told_once_and_again_when_they_change(self, works: Machine) -> None:
        for text in ("EUR\n", "EUR\nUSD\n"):
            works.write("billing/currencies.txt", text)
            for command in ("make currencies", "ls"):
                self.ran(works, command)
        (works.checkout / "src/b.py").unlink()
        self.ran(works, "rm src/b.py")
        told = [event.path for event in SessionEvent.objects.order_by("pk") if event.kind == "edit"]
        assert told == ["billing/currencies.txt", "billing/currencies.txt", "src/b.py"]

    def test_are_not_those_that_another_session_or_its_user_changed(self, works: Machine) -> None:
        works.hook("SessionStart", source="startup", session_id="second")
        works.write("src/b.py", "b = 2\n")
        edit_of(works, "src/b.py", "second")
        works.write("docs/later.md", "after the command\n")
        later = time.time() + 100
        os.utime(works.checkout / "docs/later.md", (later, later))
        self.ran(works, "ls")
        first = AgentSession.objects.get(agent_session="claude-code:first")
        assert not SessionEvent.objects.filter(session=first).exists()


def edit_of(machine: Machine, name: str, session: str) -> None:
    given = {"file_path": str(machine.checkout / name)}
    machine.hook("PostToolUse", tool_name="Edit", tool_input=given, tool_response={}, session_id=session)


class TestWithLoam:
    def test_a_prompt_is_told_what_the_team_knows_once(self, bobs: Machine) -> None:
        bobs.hook("SessionStart", source="startup")
        assert bobs.run("deposit", "--kind", "PITFALL", LESSON).status == 0
        prompt = "How should I think about memory when the importer reads a large CSV file?"
        first = bobs.hook("UserPromptSubmit", prompt=prompt).json
        assert "5,000 rows" in first["hookSpecificOutput"]["additionalContext"]
        assert bobs.hook("UserPromptSubmit", prompt=prompt).json == {}
        assert bobs.hook("UserPromptSubmit", prompt="ok thanks").json == {}

    def test_a_start_of_somebody_in_two_teams_goes_to_the_one_that_the_project_names(self, bobs: Machine) -> None:
        bob = User.objects.get(username="bob")
        team = Team.objects.create(slug="mobile", name="Mobile")
        Membership.objects.create(user=bob, team=team, level=Level.CONTRIBUTOR)
        bobs.extra = {}
        bobs.hook("SessionStart", source="startup")
        assert not AgentSession.objects.exists()
        bobs.extra = {"LOAM_TEAM": "mobile"}
        assert bobs.run("install", "claude-code", "--project", "--yes").status == 0
        bobs.extra = {}
        bobs.hook("SessionStart", source="startup")
        assert AgentSession.objects.get().team.slug == "mobile"

    def test_every_kind_of_event_is_taken(self, bobs: Machine) -> None:
        bobs.hook("SessionStart", source="startup")
        for command in ("pytest", "npm run build", "git commit -m x", "alembic upgrade head"):
            bobs.hook("PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_response={"stdout": ""})
        bobs.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "ls nowhere"}, error="No such file")
        kinds = sorted(event.kind for event in SessionEvent.objects.all())
        assert kinds == ["build", "commit", "error", "migration", "test"]
        assert not list((bobs.own / "refused").glob("*"))

    def test_a_session_of_another_account_is_not_carried_over(self, bobs: Machine, alice: Member) -> None:
        bobs.hook("SessionStart", source="startup", session_id="first")
        bobs.forget_process()
        bobs.token = issue_token(name="alice's", scopes=list(Scope), by=alice, now=NOW).secret
        done = bobs.hook("SessionStart", source="startup", session_id="second")
        assert "Loam session: " in done.json["hookSpecificOutput"]["additionalContext"]

    def test_the_import_graph_is_taken(self, bobs: Machine) -> None:
        bobs.write("a.py", "import b\n")
        bobs.write("b.py", "")
        bobs.git("add", ".")
        bobs.git("commit", "-m", "first")
        done = bobs.run("index")
        assert (done.status, done.out) == (0, "2 files and 1 imports of acme/shop are indexed.\n")

    def test_a_session_by_hand(self, bobs: Machine) -> None:
        assert bobs.run("start").status == 0
        assert bobs.run("end", "--checkpoint", "--summary", "Half way.").status == 0
        done = bobs.run("end", "--summary", "It streams.", "--note", "Cover empty files.", "--pending", "a test")
        assert (done.status, done.err) == (0, "")
        told = bobs.run("history").out
        assert all(said in told for said in ("S-", "bob", "It streams.", "Cover empty files.", "- a test"))
        assert bobs.run("end").status == 1

    def test_a_handoff_is_taken_over(self, bobs: Machine) -> None:
        for words in (("start",), ("end", "--note", "Cover empty files."), ("start",)):
            assert bobs.run(*words).status == 0
        done = bobs.run("ack")
        assert (done.status, "is yours" in done.out) == (0, True)
        assert Handoff.objects.get().acknowledged_at

    def test_what_was_said_is_read_by_the_call_that_a_text_names(self, bobs: Machine, bob: Member) -> None:
        ref = talk(bob).ref
        shown = bobs.run("conversation", ref).out
        assert "Keep the limit at 5,000 rows a batch." in shown
        assert shown.startswith("<team-memory-")

    def test_a_handoff_is_listed_shown_and_taken_over_by_the_agents_session(self, bobs: Machine) -> None:
        for words in (("start",), ("end", "--note", "Cover empty files.", "--pending", "a test for them")):
            assert bobs.run(*words).status == 0
        ref = AgentSession.objects.get().ref
        bobs.hook("SessionStart", source="startup")
        listed = bobs.run("handoff").out
        assert (ref in listed, "Cover empty files." in listed) == (True, True)
        assert "a test for them" in bobs.run("handoff", "show", ref).out
        done = bobs.run("handoff", "take", ref)
        assert (done.status, "is yours" in done.out) == (0, True)
        assert Handoff.objects.get().acknowledged_at
        assert bobs.run("handoff").out == "No open handoff here.\n"
        assert bobs.run("handoff", "take").status == 2

    @pytest.mark.parametrize("action", ["take", "close"])
    def test_a_handoff_of_ones_own_is_meant_by_its_name_where_no_session_is_open(
        self, bobs: Machine, action: str
    ) -> None:
        """The session that left it was offered another one's, which is not meant."""
        for note in ("Cover empty files.", "Name the currencies."):
            for words in (("start",), ("end", "--note", note)):
                assert bobs.run(*words).status == 0
        ref = AgentSession.objects.latest("pk").ref
        assert ref in bobs.run("handoff").out
        done = bobs.run("handoff", action, ref, "--json").json
        assert (done["session"], done["acknowledged_in"]) == (ref, None)
        assert bobs.run("handoff").out == "No open handoff here.\n"
        assert bobs.run("handoff", "reopen", ref).status == 0
        assert ref in bobs.run("handoff").out

    def test_a_claim_of_another_is_told_to_whoever_edits_the_file(self, bobs: Machine, alice: Member) -> None:
        secret = issue_token(name="alice's", scopes=list(Scope), by=alice, now=NOW).secret
        hers = Machine(bobs.home / "alice", bobs.url, secret, extra={"LOAM_TEAM": "platform"})
        hers.git("init")
        hers.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
        assert hers.run("start").status == 0
        assert "yours: src/a.py" in hers.run("claim", "src/a.py").out
        bobs.hook("SessionStart", source="startup")
        listed = bobs.run("claim").out
        assert ("- src/a.py: alice (S-" in listed, "Others work on this repository" in listed) == (True, True)
        edit(bobs, "src/a.py")
        told = [edited.json for edited in (self.edited(bobs, "src/b.py"), self.edited(bobs, "src/c.py"))]
        assert "src/a.py: alice (S-" in told[0]["hookSpecificOutput"]["additionalContext"]
        assert told[1] == {}
        others = hers.run("claim", "src/b.py").out
        assert "- src/b.py: bob (S-" in others and "Others work there" in others
        assert bobs.run("claim", "--release", "src/b.py").status == 0
        assert "yours: src/b.py" in hers.run("claim", "src/b.py").out

    def edited(self, machine: Machine, name: str) -> Ran:
        given = {"file_path": str(machine.checkout / name)}
        return machine.hook("PostToolUse", tool_name="Edit", tool_input=given, tool_response={})

    def test_a_client_that_is_not_the_served_one_is_told_of(self, bobs: Machine) -> None:
        assert "another client" not in bobs.run("status").out
        bobs.run("install", "cursor", "--yes")
        own = bobs.own / "loam-client" / "loam.py"
        own.write_text(own.read_text() + "# an older one\n")
        assert "another client" in bobs.run("status").out
