"""A session begins, and is told where things stand."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.actions.members import member_of
from accounts.actions.session_ids import belongs, issue
from accounts.actions.settings import choose
from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.claims import claim
from sessions_app.actions.start import NoRepo, NoSuchPrevious
from sessions_app.handoffs.actions.acknowledge import acknowledge
from sessions_app.models import AgentSession, Handoff
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import person
from tests.factories import make_insight
from tests.sessions_app.sitting import EDIT, LONG, MINUTE, REPO, begin, do, pause, pointed, sit, stop
from tests.together import together

# What a start may cost in round trips, its savepoints and log line included, whatever there is to point to; and what
# coaching may cost beside it, once it has faded.
MOST_STATEMENTS = 9
MOST_OF_COACHING = 1
SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


class TestASessionThatBegins:
    def test_has_an_id_bound_to_its_user(self, bob: Member, now: datetime) -> None:
        session = begin(
            bob, now, branch="main", agent="claude-code", machine="laptop", prompt="Fix  the\nimporter"
        ).session
        assert belongs(session.key, user_id=bob.user_id)
        row = AgentSession.objects.get()
        assert (row.state, row.repo, row.branch, row.agent, row.machine) == (
            "live",
            REPO,
            "main",
            "claude-code",
            "laptop",
        )
        assert (row.topic, row.started_at, row.last_seen_at) == ("Fix the importer", now, now)
        assert LogEntry.objects.get(verb="session started").subject == row.ref

    def test_keeps_no_secret_of_its_prompt(self, bob: Member, now: datetime) -> None:
        begin(bob, now, prompt=f"use {SECRET} of jane.doe@acme-corp.io", branch=SECRET)
        row = AgentSession.objects.get()
        assert (row.prompt, row.branch) == ("use [SECRET] of [EMAIL]", "[SECRET]")

    def test_is_the_same_one_when_the_start_is_repeated(self, bob: Member, now: datetime) -> None:
        first = begin(bob, now, idempotency_key="k1").session
        again = begin(bob, now + MINUTE, idempotency_key="k1")
        assert (again.session.key, AgentSession.objects.count()) == (first.key, 1)
        assert begin(bob, now, idempotency_key="k2").session.key != first.key

    def test_is_one_when_two_starts_with_one_key_race(self, transactional_db: None, bob: Member, now: datetime) -> None:
        done = together(*[lambda: begin(bob, now, idempotency_key="k1").session.key for _ in range(3)])
        assert len(set(done)) == AgentSession.objects.count() == 1

    def test_needs_a_repo_and_the_right_to_write(self, bob: Member, platform: Team, now: datetime) -> None:
        with pytest.raises(NoRepo):
            begin(bob, now, repo=" \u200b ")
        with pytest.raises(NotAllowed):
            begin(member_of(user=person("rita", platform, Level.READER)), now)
        assert not AgentSession.objects.exists()


class TestTheOrientation:
    def test_points_to_pinned_recent_and_stale_insights_of_the_repo(self, alice: Member, now: datetime) -> None:
        pinned = make_insight(alice, body="Beat runs once.", repo=REPO)
        curate.pin(ref=pinned.ref, by=alice, now=now)
        decided = {"kind": Kind.DECISION, "reasoning": "the team agreed"}
        recent = make_insight(alice, body="We use Vitest for all front-end tests.", repo=REPO, **decided)
        confirmed = make_insight(alice, body="We name branches after tickets.", **decided)
        curate.promote(ref=confirmed.ref, by=alice, now=now)
        # Of no repository and unreviewed: anybody's, and it would be before every session.
        make_insight(alice, body="We switched the checks of certificates off everywhere.", **decided)
        old = make_insight(alice, body="We use Terraform for the buckets.", now=now - timedelta(days=8), **decided)
        stale = make_insight(alice, body="The cache key has no tenant in it.", repo=REPO)
        Insight.objects.filter(pk=stale.pk).update(trust="stale")
        other = make_insight(alice, body="Another repo's gradle build is slow.", repo="acme/mobile")
        curate.pin(ref=other.ref, by=alice, now=now)
        started = begin(alice, now)
        assert pointed(started, "pinned") == [pinned.ref]
        assert sorted(pointed(started, "decision")) == [recent.ref, confirmed.ref]
        assert pointed(started, "stale") == [stale.ref]
        assert not any(ref in started.orientation.text for ref in (old.ref, other.ref))

    def test_names_who_else_is_at_work_and_on_what(self, alice: Member, bob: Member, now: datetime) -> None:
        theirs = sit(bob, now, agent="codex", prompt="Fix the importer")
        claim(name=theirs.key, files=["src/a.py"], release=[], by=bob, now=now)
        sit(bob, now, repo="acme/other")
        done = sit(bob, now, EDIT)
        stop(done, bob, now)
        started = begin(alice, now + MINUTE)
        assert pointed(started, "session") == [theirs.ref]
        assert "bob (codex); claims src/a.py" in started.orientation.text
        choose(choices={"share_prompts": "on"}, by=bob)
        assert "bob (codex): Fix the importer; claims src/a.py" in begin(alice, now + MINUTE).orientation.text

    def test_is_of_the_teams_own_sessions_alone(
        self, alice: Member, bob: Member, charlie: Member, now: datetime
    ) -> None:
        stop(sit(charlie, now, team="mobile"), charlie, now)
        stop(sit(bob, now, team="personal"), bob, now)
        started = begin(alice, now + MINUTE)
        assert pointed(started, "handoff") == []
        assert pointed(started, "handoff_missing") == [""]

    def test_costs_the_same_few_statements_whatever_there_is(self, alice: Member, bob: Member, now: datetime) -> None:
        for n in range(4):
            row = make_insight(alice, body=f"Celery beat, lesson number {n}, is to be run as {n} processes.", repo=REPO)
            curate.pin(ref=row.ref, by=alice, now=now)
            claim(name=sit(bob, now).key, files=[f"src/{n}.py"], release=[], by=bob, now=now)
            stop(sit(bob, now), bob, now)
        for _ in range(10):  # by then nothing is explained any more
            stop(begin(alice, now).session, alice, now, summary="")
        with CaptureQueriesContext(connection) as caught:
            started = begin(alice, now + MINUTE)
        assert {"handoff", "session", "pinned"} <= {pointer.kind for pointer in started.orientation.pointers}
        assert len(caught) <= MOST_STATEMENTS + MOST_OF_COACHING, "\n".join(query["sql"][:200] for query in caught)


class TestAnOpenHandoff:
    """It is offered until it is taken over; which come first is told in test_work_items.py."""

    def test_is_offered_to_every_start_until_one_acknowledges_it(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        left = sit(bob, now)
        stop(left, bob, now)
        for minute in range(1, 4):  # retries, and receivers that crash
            receiver = begin(alice, now + minute * MINUTE)
            assert pointed(receiver, "handoff") == [left.ref]
        acknowledge(name=receiver.session.key, by=alice, now=now + 4 * MINUTE)
        for who in (alice, bob):
            assert pointed(begin(who, now + 5 * MINUTE), "handoff") == []

    def test_outlives_a_receiver_that_died_before_it_did_anything(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        left = sit(bob, now)
        stop(left, bob, now)
        silent = begin(alice, now + MINUTE).session
        started = begin(alice, now + MINUTE + LONG)
        assert AgentSession.objects.get(pk=silent.pk).state == "abandoned"
        assert pointed(started, "handoff") == [left.ref]

    def test_acknowledged_as_a_checkpoint_is_not_offered_again_when_recovered(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        left = sit(bob, now)
        pause(left, bob, now, summary="Half done.")
        receiver = begin(alice, now + MINUTE)
        acknowledge(name=receiver.session.key, by=alice, now=now + 2 * MINUTE)
        stop(receiver.session, alice, now + 2 * MINUTE, summary="The other half is done.")
        started = begin(alice, now + LONG + MINUTE)
        assert AgentSession.objects.get(pk=left.pk).handoff.state == "recovered"
        assert left.ref not in pointed(started, "handoff")

    def test_that_says_something_new_is_offered_again(self, alice: Member, bob: Member, now: datetime) -> None:
        left = sit(bob, now)
        pause(left, bob, now, summary="Half done.")
        receiver = begin(alice, now + MINUTE)
        acknowledge(name=receiver.session.key, by=alice, now=now + 2 * MINUTE)
        stop(left, bob, now + 3 * MINUTE, summary="All done.")
        assert pointed(begin(alice, now + 4 * MINUTE), "handoff") == [left.ref]

    def test_of_the_conversation_that_is_resumed_is_a_line_and_no_text(self, bob: Member, now: datetime) -> None:
        left = begin(bob, now, agent_session="c-1", checkout="k").session
        do(left, bob, now, EDIT)
        stop(left, bob, now + MINUTE, summary="Half done.", pending=["Write the test."])
        told = {
            of: begin(bob, now + MINUTE, agent_session=of, checkout="k", handoff_tokens=400) for of in ("c-1", "c-2")
        }
        assert [pointed(one, "handoff") for one in told.values()] == [[left.ref], [left.ref]]
        assert told["c-1"].handoff is None
        assert "Write the test." in getattr(told["c-2"].handoff, "text", "")


TALK = (
    Turn("user", "Stream the importer.", "2026-11-21T11:00:00Z"),
    Turn("assistant", "Decision: we stream because memory is capped.", "2026-11-21T11:20:00Z"),
)


class TestTheOneBefore:
    def test_is_given_up_at_once_when_it_is_named(self, bob: Member, now: datetime) -> None:
        before = sit(bob, now)
        started = begin(bob, now + MINUTE, previous=before.key)
        assert (started.recovered, pointed(started, "handoff")) == (True, [before.ref])
        assert AgentSession.objects.get(pk=started.session.pk).previous == before
        assert LogEntry.objects.get(verb="session abandoned").why == "its user started another session instead"

    def test_is_the_last_on_the_machine_when_only_its_transcript_is_sent(self, bob: Member, now: datetime) -> None:
        here, there = sit(bob, now, machine="laptop"), sit(bob, now + MINUTE, machine="desktop")
        begin(bob, now + 2 * MINUTE, machine="laptop", transcript=TALK)
        states = dict(AgentSession.objects.values_list("pk", "state"))
        assert (states[here.pk], states[there.pk]) == ("abandoned", "live")
        assert "memory is capped" in str(Handoff.objects.get().decisions)

    def test_that_nobody_had_announced_is_recovered_from_its_transcript_alone(self, bob: Member, now: datetime) -> None:
        started = begin(bob, now, transcript=TALK)
        row = Handoff.objects.get()
        assert pointed(started, "handoff") == [row.session.ref]
        assert (row.state, row.as_of.isoformat()) == ("recovered", "2026-11-21T11:20:00+00:00")
        assert row.completeness == pytest.approx(0.86)  # the transcript, and the decision deposited from it
        [decision] = Insight.objects.all()
        assert (decision.kind, decision.source_type) == ("DECISION", "transcript")
        assert (row.decisions[0]["ref"], decision.session_key) == (decision.ref, row.session.key)

    def test_that_ended_is_not_taken_for_the_one_of_a_later_transcript(self, bob: Member, now: datetime) -> None:
        ended = sit(bob, now - timedelta(hours=5), machine="laptop")
        stop(ended, bob, now - timedelta(hours=5))
        started = begin(bob, now, machine="laptop", transcript=TALK)
        assert pointed(started, "handoff") != [ended.ref]
        assert AgentSession.objects.count() == 3

    def test_that_ended_stays_as_it_ended(self, bob: Member, now: datetime) -> None:
        ended = sit(bob, now)
        stop(ended, bob, now + MINUTE)
        begin(bob, now + 2 * MINUTE, previous=ended.key, transcript=TALK)
        assert (Handoff.objects.get().state, AgentSession.objects.count()) == ("clean", 2)

    def test_is_ones_own(self, alice: Member, bob: Member, now: datetime) -> None:
        theirs = sit(bob, now)
        for name in (theirs.key, issue(user_id=alice.user_id), theirs.ref):
            with pytest.raises(NoSuchPrevious):
                begin(alice, now, previous=name)
        assert AgentSession.objects.get(pk=theirs.pk).state == "live"


class TestSilence:
    @pytest.mark.parametrize(("silent", "state"), [(timedelta(minutes=30), "live"), (LONG, "abandoned")])
    def test_of_more_than_half_an_hour_is_the_end(
        self, bob: Member, now: datetime, silent: timedelta, state: str
    ) -> None:
        session = sit(bob, now)
        begin(bob, now + silent)
        assert AgentSession.objects.get(pk=session.pk).state == state

    def test_is_recovered_once_by_two_starts_at_once(
        self, transactional_db: None, alice: Member, bob: Member, now: datetime
    ) -> None:
        session = sit(bob, now)
        done = together(*[lambda who=who: begin(who, now + LONG) for who in (alice, bob)])
        assert [pointed(started, "handoff") for started in done] == [[session.ref]] * 2
        assert LogEntry.objects.filter(verb="session abandoned").count() == 1
        assert LogEntry.objects.filter(verb="handoff written").count() == 1

    def test_ends_with_the_next_call(self, bob: Member, now: datetime) -> None:
        session = sit(bob, now)
        begin(bob, now + LONG)
        do(session, bob, now + LONG + MINUTE, EDIT)
        row = AgentSession.objects.get(pk=session.pk)
        assert (row.state, row.ended_at, row.handoff.state) == ("live", None, "provisional")
        assert LogEntry.objects.filter(verb="session revived").count() == 1

    def test_of_somebody_who_left_the_team_deposits_nothing_for_them(
        self, alice: Member, bob: Member, bob_user: object, now: datetime
    ) -> None:
        session = sit(bob, now)
        bob_user.memberships.filter(team__slug="platform").delete()  # type: ignore[attr-defined]
        assert pointed(begin(alice, now + LONG), "handoff") == [session.ref]
        assert not Insight.objects.exists()

    def test_is_kept_apart_from_the_member_who_finds_it(self, alice: Member, bob: Member, now: datetime) -> None:
        """What a recovery deposits is the crashed session's, not the finder's."""
        session = sit(bob, now)
        begin(replace(bob, session=""), now + MINUTE, previous=session.key, transcript=TALK)
        assert Insight.objects.get().author_id == bob.user_id
        assert Insight.objects.get().session_key == session.key
