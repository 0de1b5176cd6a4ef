"""Which files a session says it is working on."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import LogEntry
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member
from sessions_app.actions.claims import Claimed, claim
from sessions_app.actions.session_lookup import SessionEnded
from sessions_app.models import AgentSession, Claim
from tests.sessions_app.sitting import LONG, MINUTE, REPO, begin, pointed, sit, stop
from tests.together import together


def take(session: AgentSession, by: Member, now: datetime, *files: str, **over: Any) -> Claimed:
    return claim(**{"name": session.key, "files": files, "release": [], "by": by, "now": now, **over})


def paths(claims: list[Claim]) -> list[str]:
    return [one.path for one in claims]


class TestAClaim:
    def test_is_held_and_logged(self, bob: Member, now: datetime) -> None:
        done = take(begin(bob, now).session, bob, now, "./src//a.py", "src/b.py")
        assert (paths(done.mine), done.others) == (["src/a.py", "src/b.py"], [])
        assert LogEntry.objects.get(verb="files claimed").after["claimed"] == ["src/a.py", "src/b.py"]

    def test_of_another_live_session_stays_theirs_and_is_named(self, alice: Member, bob: Member, now: datetime) -> None:
        take(begin(bob, now).session, bob, now, "src/a.py")
        done = take(begin(alice, now).session, alice, now, "src/a.py", "src/b.py")
        assert (paths(done.mine), paths(done.others)) == (["src/b.py"], ["src/a.py"])
        assert done.others[0].session.user.username == "bob"

    def test_is_listed_to_who_asks_for_nothing(
        self, alice: Member, bob: Member, charlie: Member, now: datetime
    ) -> None:
        for path, repo in (("importer/**", REPO), ("docs/a.md", "acme/else")):
            take(begin(bob, now, repo=repo).session, bob, now, path)
        session = begin(alice, now).session
        take(session, alice, now, "src/a.py")
        listed = take(session, alice, now)
        assert (paths(listed.mine), paths(listed.others)) == (["src/a.py"], ["importer/**"])
        assert take(session, alice, now, release=["src/a.py"]).others == []
        stranger = begin(charlie, now, team="mobile").session
        assert take(stranger, charlie, now).others == []

    def test_is_free_again_when_it_runs_out_is_released_or_its_session_ends(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        for n, (free, later) in enumerate(
            [
                (lambda session: None, timedelta(minutes=11)),
                (lambda session: take(session, bob, now, release=["a.py"]), MINUTE),
                (lambda session: stop(session, bob, now), MINUTE),
                (lambda session: begin(bob, now + LONG), LONG),
            ]
        ):
            repo = f"acme/{n}"
            session = sit(bob, now, repo=repo)
            take(session, bob, now, "a.py", minutes=10)
            free(session)
            done = take(begin(alice, now + later, repo=repo).session, alice, now + later, "a.py")
            assert paths(done.mine) == ["a.py"], n

    def test_is_renewed_by_its_session(self, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        take(session, bob, now, "a.py")
        take(session, bob, now + 20 * MINUTE, "a.py")
        assert Claim.objects.get().expires_at == now + 50 * MINUTE

    def test_of_another_repo_or_team_is_another(self, bob: Member, charlie: Member, now: datetime) -> None:
        for by, over in ((bob, {}), (bob, {"repo": "acme/api"}), (charlie, {"team": "mobile"})):
            assert paths(take(begin(by, now, **over).session, by, now, "a.py").mine) == ["a.py"]

    def test_is_given_to_one_of_two_who_ask_at_once(
        self, transactional_db: None, alice: Member, bob: Member, now: datetime
    ) -> None:
        sessions = [(who, begin(who, now).session) for who in (alice, bob)]
        done = together(*[lambda who=who, one=one: take(one, who, now, "a.py") for who, one in sessions])
        assert sorted(len(claimed.mine) for claimed in done) == [0, 1]

    def test_is_told_to_the_next_that_starts(self, alice: Member, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        take(session, bob, now, "src/a.py", minutes=10)
        assert "claims src/a.py" in begin(alice, now + MINUTE).orientation.text
        later = begin(alice, now + 11 * MINUTE)
        assert pointed(later, "session") and "src/a.py" not in later.orientation.text

    def test_is_ones_own_to_make_while_the_session_lasts(self, alice: Member, bob: Member, now: datetime) -> None:
        session = begin(bob, now).session
        with pytest.raises(NotAllowed):
            take(session, alice, now, "a.py")
        stop(session, bob, now)
        with pytest.raises(SessionEnded):
            take(session, bob, now, "a.py")
