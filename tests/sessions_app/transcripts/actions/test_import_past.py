"""Sessions of the time before Loam: their conversations are kept, and nobody is offered what they left."""

from dataclasses import replace
from datetime import timedelta

import pytest

from accounts.rules.rights import Member
from knowledge.models import Insight
from sessions_app.actions.begin import Opening
from sessions_app.actions.start import start
from sessions_app.conversations.actions.share import share
from sessions_app.handoffs.actions.recover_killed import Killed, recover_killed
from sessions_app.models import AgentSession, Handoff, Passage
from sessions_app.transcripts.actions.import_past import ImportedSession, NoTimes, import_past
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.sessions_app.conversations.talk import passages, talk

pytestmark = pytest.mark.django_db

MARCH = "2026-03-02T10:00:{:02d}Z"
SAID = [
    Turn("user", "The importer falls over on 2 GB files.", MARCH.format(0)),
    Turn("tool", "Edit importer/tariffs.py", MARCH.format(1)),
    Turn("assistant", "We decided to parse with iterparse, because the worker has only 512 MB.", MARCH.format(2)),
    Turn("assistant", "Next steps:\n- cover empty tariff files with a test", MARCH.format(3)),
]
PAST = Opening(repo="shop", team="platform", agent="claude-code", agent_session="claude-code:old", transcript=SAID)


def bring(by: Member, opening: Opening = PAST) -> ImportedSession:
    return import_past(opening=opening, by=by, now=NOW)


class TestImport:
    def test_keeps_the_conversation_at_its_own_time(self, bob: Member) -> None:
        done = bring(bob)
        assert done.session.state == "ended"
        assert f"{done.session.started_at:%Y-%m-%d}" == "2026-03-02"
        assert [f"{row.said_at:%Y-%m}" for row in passages(bob)] == ["2026-03"] * done.passages
        assert done.passages >= 2

    def test_offers_nobody_what_was_open_then(self, bob: Member) -> None:
        bring(bob)
        started = start(opening=Opening(repo="shop", team="platform"), by=bob, now=NOW)
        assert (started.offers, Handoff.objects.count()) == ((), 0)
        assert "iterparse" not in started.orientation.text

    def test_changes_nothing_the_second_time(self, bob: Member) -> None:
        first = bring(bob)
        again = bring(bob, replace(PAST, team="personal", repo="other"))
        assert (again.session.pk, again.passages) == (first.session.pk, 0)
        assert AgentSession.objects.count() == 1
        assert Insight.objects.count() == 1

    def test_takes_a_long_one_in_slices(self, bob: Member) -> None:
        later = [
            Turn("user", "And the header?", "2026-03-02T18:00:00Z"),
            Turn("assistant", "It is read first.", "2026-03-02T18:00:05Z"),
        ]
        first = bring(bob)
        second = bring(bob, replace(PAST, transcript=later))
        assert second.session.pk == first.session.pk
        assert [row.position for row in passages(bob)] == list(range(first.passages + second.passages))
        session = AgentSession.objects.get()
        assert f"{session.ended_at:%H:%M}" == "18:00"
        assert session.digest["asked"].startswith("The importer falls over")

    def test_says_that_it_needs_times(self, bob: Member) -> None:
        with pytest.raises(NoTimes):
            bring(bob, replace(PAST, transcript=[Turn("user", "When was that?")]))

    def test_adds_the_words_of_a_session_that_was_told_while_it_ran(self, bob: Member) -> None:
        known = talk(bob, turns=[Turn("user", "Only this came.", MARCH.format(0))])
        known.set_agent_session("claude-code:old")
        before = known.digest
        done = bring(bob)
        assert done.session.pk == known.pk
        assert AgentSession.objects.get().digest == before
        assert any("iterparse" in row.text for row in passages(bob))


class TestDecisionsOfThePast:
    def test_are_drafts_of_their_own_day_where_the_conversation_is(self, bob: Member) -> None:
        bring(bob)
        (draft,) = Insight.objects.all()
        assert (draft.team_id, f"{draft.source_date:%Y-%m-%d}") == (bob.home_id, "2026-03-02")

    def test_are_the_teams_where_the_repository_is_shared(self, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        bring(bob)
        (draft,) = Insight.objects.all()
        assert draft.team.slug == "platform"
        assert {row.speaker for row in Passage.objects.filter(team__slug="platform")} == {"agent"}


class TestAKilledSessionFoundLate:
    @pytest.mark.parametrize(("days", "handoffs"), [(2, 1), (40, 0)])
    def test_leaves_a_handoff_only_while_it_is_somebodys_next_work(self, bob: Member, days: int, handoffs: int) -> None:
        at = (NOW - timedelta(days=days)).isoformat().replace("+00:00", "Z")
        told = replace(PAST, transcript=[replace(turn, at=at) for turn in SAID])
        recover_killed(killed=Killed(told), by=bob, now=NOW)
        assert Handoff.objects.count() == handoffs
