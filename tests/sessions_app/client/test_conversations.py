"""`loam share`, `loam import-sessions`, `loam config`, and what `install` asks, against Loam itself."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.actions.tokens import issue_token
from accounts.models import User
from accounts.rules.rights import Member, Scope
from sessions_app.models import AgentSession, Handoff, Passage, SessionSharing
from sessions_app.transcripts.actions import import_past
from tests.conftest import NOW
from tests.sessions_app.client.machine import Machine
from tests.sessions_app.client.past import CODEX, ORDERS, claude, codex, cursor, gemini, gemini_object, moment
from tests.web import serving


@pytest.fixture
def bobs(transactional_db: None, bob: Member, tmp_path: Path) -> Iterator[Machine]:
    secret = issue_token(name="bob's", scopes=list(Scope), by=bob, now=NOW).secret
    with serving() as url:
        machine = Machine(tmp_path, url, secret, extra={"LOAM_TEAM": "platform"})
        machine.git("init")
        machine.git("remote", "add", "origin", "git@git.example.com:acme/shop.git")
        yield machine


def teams() -> set[tuple[str, str]]:
    """Who speaks, and in which kind of team the words are."""
    return {(row.speaker, row.team.kind) for row in Passage.objects.select_related("team")}


class TestImport:
    def test_brings_the_logs_of_three_agents_once(self, bobs: Machine) -> None:
        claude(bobs, "c-1")
        codex(bobs)
        gemini(bobs, days=39)
        first = bobs.run("import-sessions", "--yes")
        assert first.status == 0, first.err
        assert "acme/api: 1 session" in first.out
        assert "acme/shop: 2 sessions" in first.out
        assert "yours alone" in first.out
        known = sorted(AgentSession.objects.values_list("agent_session", "repo"))
        assert known == [
            ("claude-code:c-1", "acme/shop"),
            (f"codex:{CODEX}", "acme/api"),
            ("gemini:gem-1", "acme/shop"),
        ]
        assert teams() == {("user", "personal"), ("agent", "personal")}
        assert Handoff.objects.count() == 0
        (bobs.own / "imports.json").unlink()
        again = bobs.run("import-sessions", "--yes")
        assert "3 sessions known already" in again.out
        assert AgentSession.objects.count() == 3

    @pytest.mark.parametrize("named_by", ["root", "hash", "registry"])
    def test_brings_a_log_of_gemini_that_is_one_object(self, bobs: Machine, named_by: str) -> None:
        folder = str(bobs.checkout.resolve())
        place = "shop" if named_by == "root" else hashlib.sha256(folder.encode()).hexdigest()
        gemini_object(bobs, place=place, root=folder if named_by == "root" else "")
        if named_by == "registry":
            (bobs.home / ".gemini" / "projects.json").write_text(json.dumps({"projects": {folder: "shop"}}))
        done = bobs.run("import-sessions", "--yes", cwd=bobs.home if named_by == "registry" else None)
        assert "acme/shop: 1 session" in done.out, done.out + done.err
        assert AgentSession.objects.get().agent_session == "gemini:gem-2"
        said = Passage.objects.order_by("position")
        assert said[0].text == "Why are orders lost?"
        told = "[edited src/orders.py; ran pytest -q: 16 passed in 0.3s]"
        assert (said[1].text, said[1].files) == (f"{ORDERS[1][1]}\n\n{told}", ["src/orders.py"])

    def test_says_of_which_logs_it_does_not_know_the_folder(self, bobs: Machine) -> None:
        gemini_object(bobs, place="ab" * 32)
        done = bobs.run("import-sessions", "--yes")
        assert "1 log of Gemini CLI or Cursor left: nothing in them names the folder" in done.out

    @pytest.mark.parametrize("named_by", ["trusted", "here", "log"])
    def test_brings_a_log_of_cursor(self, bobs: Machine, named_by: str) -> None:
        """Its folder is told by a file beside it, or known by its name: the one the command runs in, one in the log."""
        trusted = str(bobs.checkout.resolve()) if named_by == "trusted" else ""
        cursor(bobs, place="elsewhere" if trusted else "", trusted=trusted)
        cwd = bobs.home if named_by == "log" else None
        assert f"{moment(40)[:10]}  cursor       acme/shop" in bobs.run("import-sessions", "--dry-run", cwd=cwd).out
        done = bobs.run("import-sessions", "--yes", cwd=cwd)
        assert "acme/shop: 1 session" in done.out, done.out + done.err
        assert AgentSession.objects.get().agent_session == "cursor:cur-1"
        said = Passage.objects.order_by("position")
        assert [row.text for row in said] == [ORDERS[0][1], f"{ORDERS[1][1]}\n\n[edited src/orders.py]"]
        assert {f"{row.said_at:%Y-%m-%d}" for row in said} == {moment(40)[:10]}

    def test_dates_a_log_without_moments_by_its_file(self, bobs: Machine) -> None:
        cursor(bobs, stamped=False, days=30)
        assert bobs.run("import-sessions", "--yes").status == 0
        assert {f"{row.said_at:%Y-%m-%d}" for row in Passage.objects.all()} == {moment(30)[:10]}

    def test_says_of_which_logs_of_cursor_it_does_not_know_the_folder(self, bobs: Machine) -> None:
        cursor(bobs, place="home-somebody-else")
        done = bobs.run("import-sessions", "--yes")
        assert "1 log of Gemini CLI or Cursor left" in done.out
        assert AgentSession.objects.count() == 0

    def test_goes_by_when_something_was_said_not_by_the_file(self, bobs: Machine) -> None:
        """A log that was copied has a new date; one in which somebody speaks is left, and it says so."""
        os.utime(claude(bobs, "copied", days=40))
        claude(bobs, "running", days=0.001)
        shown = bobs.run("import-sessions", "--dry-run").out
        assert f"{moment(40)[:10]}  claude-code  acme/shop" in shown
        assert "1 session of 1 repository would be imported." in shown
        assert "1 session left for later: something was said there within half an hour" in shown
        assert bobs.run("import-sessions", "--yes").status == 0
        assert [row.agent_session for row in AgentSession.objects.all()] == ["claude-code:copied"]

    def test_stops_at_no_poisonous_log_and_names_it(self, bobs: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        """One that the server fails on, one that says NUL, one nested too deep, one of a folder that cannot be."""
        claude(bobs, "fails", [("user", "poison"), ("assistant", "It is.")], days=50)
        claude(bobs, "nul", [("user", "a\0b"), ("assistant", "Lone \ud800 halves.")], days=49)
        deep = claude(bobs, "deep", days=48)
        deep.write_text("[" * 200_000 + "\n" + deep.read_text())
        os.utime(deep, (time.time() - 48 * 86_400,) * 2)
        claude(bobs, "nowhere", days=47, folder="/no\0where")
        claude(bobs, "good", days=46)
        usual = import_past.harvest_transcript

        def fails(**given: Any) -> Any:
            if any("poison" in turn.text for turn in given["turns"]):
                raise ZeroDivisionError
            return usual(**given)

        monkeypatch.setattr(import_past, "harvest_transcript", fails)
        done = bobs.run("import-sessions", "--yes")
        assert "refused: claude-code:fails: the server fails on it" in done.out
        kept = set(AgentSession.objects.filter(passages__isnull=False).values_list("agent_session", flat=True))
        assert kept == {"claude-code:nul", "claude-code:deep", "claude-code:good"}
        assert "refused: claude-code:nowhere: " in done.out
        assert (done.status, "Traceback" in done.err) == (1, False)

    def test_lists_without_sending(self, bobs: Machine) -> None:
        claude(bobs, "c-1")
        shown = bobs.run("import-sessions", "--dry-run").out
        assert "claude-code  acme/shop" in shown
        assert "1 session of 1 repository would be imported." in shown
        assert AgentSession.objects.count() == 0

    def test_asks_first(self, bobs: Machine) -> None:
        claude(bobs, "c-1")
        done = bobs.run("import-sessions")
        assert (done.status, "Nothing was sent" in done.err) == (1, True)

    def test_masks_secrets_before_they_leave_the_machine(self, bobs: Machine) -> None:
        key = "AKIA" + "Q7LMN3XW5TRZ4PBD"
        claude(bobs, "c-1", [("user", f"Use the key {key} of alice@corp-mail.io for it.")])
        assert bobs.run("import-sessions", "--yes").status == 0
        (row,) = Passage.objects.all()
        assert key not in row.text
        assert "corp-mail" not in row.text
        assert "Use the key" in row.text

    def test_takes_what_is_since_a_day_of_one_client(self, bobs: Machine) -> None:
        claude(bobs, "new", days=20)
        claude(bobs, "old", days=400)
        codex(bobs)
        assert bobs.run("import-sessions", "--client", "claude-code", "--yes").status == 0
        assert [row.agent_session for row in AgentSession.objects.all()] == ["claude-code:new"]
        refused = bobs.run("import-sessions", "--client", "copilot")
        assert (refused.status, "--client takes one of claude-code, codex, cursor" in refused.err) == (2, True)

    def test_brings_a_long_session_whole_and_goes_on_where_it_stopped(self, bobs: Machine) -> None:
        talk = [
            turn
            for number in range(300)
            for turn in [("user", f"Question {number} on orders?"), ("assistant", f"Answer {number}. " * 20)]
        ]
        claude(bobs, "long", talk)
        there, bobs.extra = bobs.extra, {**bobs.extra, "LOAM_TOKEN": "loam_00000000_" + "ab3" * 12}
        assert bobs.run("import-sessions", "--yes").status == 1
        bobs.extra = there
        assert bobs.run("import-sessions", "--yes").status == 0
        texts = list(Passage.objects.order_by("position").values_list("text", flat=True))
        assert AgentSession.objects.count() == 1
        assert len(texts) == 600
        assert (texts[0], texts[-1].startswith("Answer 299.")) == ("Question 0 on orders?", True)

    def test_leaves_a_session_that_its_hooks_told_of(self, bobs: Machine) -> None:
        path = claude(bobs, "c-1")
        bobs.hook("SessionStart", source="startup", session_id="c-1", transcript_path=str(path))
        assert "1 session known already" in bobs.run("import-sessions", "--yes").out
        assert Passage.objects.count() == 0


class TestShare:
    @pytest.fixture
    def talked(self, bobs: Machine) -> Machine:
        claude(bobs, "c-1", [*ORDERS, ("user", "Then keep 512.")])
        assert bobs.run("import-sessions", "--yes").status == 0
        return bobs

    def test_shows_first_what_a_team_would_find(self, talked: Machine) -> None:
        shown = talked.run("share", "acme/shop", "--team", "platform", "--turns", "agent", "--preview").out
        assert "1 passage of 1 session" in shown
        assert "The broker drops them" in shown
        assert "Why are orders lost" not in shown
        assert "3 passages of 1 session" in talked.run("share", "--turns", "all", "--preview").out
        assert SessionSharing.objects.count() == 0

    def test_shares_lists_and_removes(self, talked: Machine) -> None:
        assert "Nothing is shared" in talked.run("share").out
        assert talked.run("share", "acme/shop", "--yes").status == 0
        assert teams() == {("user", "personal"), ("agent", "shared")}
        assert "acme/shop: what your agents said and did, with platform" in talked.run("share").out
        assert talked.run("share", "--turns", "all", "--yes").status == 0
        assert teams() == {("user", "shared"), ("agent", "shared")}
        assert "yours alone again" in talked.run("share", "--remove").out
        assert teams() == {("user", "personal"), ("agent", "personal")}

    def test_asks_before_it_shares(self, talked: Machine) -> None:
        done = talked.run("share", "acme/shop", "--team", "platform")
        assert (done.status, SessionSharing.objects.count()) == (1, 0)
        assert "platform would find" in done.out

    def test_names_what_is_no_team(self, talked: Machine) -> None:
        done = talked.run("share", "--team", "nowhere", "--yes")
        assert (done.status, "nowhere" in done.err) == (1, True)


class TestInstall:
    def test_shares_nothing_where_nobody_can_answer_and_says_so(self, bobs: Machine) -> None:
        shown = bobs.run("install", "claude-code", "--yes").out
        assert "yours alone" in shown
        assert SessionSharing.objects.count() == 0

    def test_says_with_whom_they_are_shared_already(self, bobs: Machine) -> None:
        assert bobs.run("share", "--all", "--turns", "all", "--team", "platform", "--yes").status == 0
        shown = bobs.run("install", "claude-code", "--yes").out
        assert "Conversations on all repositories: the whole conversation, with platform" in shown
        assert "yours alone" not in shown

    def test_takes_the_answer_beforehand_and_asks_no_more(self, bobs: Machine) -> None:
        shown = bobs.run("install", "claude-code", "--yes", "--share-sessions", "agent").out
        assert "is shared with platform" in shown
        (row,) = SessionSharing.objects.all()
        assert (row.repo, row.turns, row.team.slug) == ("acme/shop", "agent", "platform")
        assert "yours alone" not in bobs.run("install", "codex", "--yes").out


class TestConfig:
    def test_shows_and_sets_ones_own_settings(self, bobs: Machine) -> None:
        assert bobs.run("config").out.splitlines() == ["share-prompts: off", "ask-to-deposit: on"]
        assert bobs.run("config", "ask-to-deposit", "off").out.strip() == "ask-to-deposit: off"
        assert bobs.run("config", "share-prompts", "on").status == 0
        bob = User.objects.get(username="bob")
        assert (bob.ask_to_deposit, bob.share_prompts) == ("off", "on")

    def test_says_that_a_token_of_some_teams_sets_and_shares_nothing(self, bobs: Machine, bob: Member) -> None:
        bobs.token = issue_token(name="n", scopes=list(Scope), by=bob, now=NOW, team_slugs=["platform"]).secret
        told = bobs.run("install", "claude-code", "--yes", "--share-prompts", "--share-sessions", "all").out
        assert "Whether colleagues are shown your prompts was not changed. " in told
        assert "Nothing was shared: " in told and told.count("a token of all your teams") == 2
        refused = bobs.run("config", "ask-to-deposit", "off")
        assert (refused.status, "a token of all your teams" in refused.err) == (1, True)
