"""A suggested edit: nothing changes until it is approved; then what both changed is kept, and it can be undone."""

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import LogEntry, Membership, User
from accounts.rules.refused import NotAllowed, NotFound, Stale
from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, Insight
from knowledge.review.actions import bulk, curate, triage
from knowledge.review.actions.curate import BadEdit, SecretInEdit, WrongStatus
from knowledge.review.actions.forget import KEPT_FOR, erase_forgotten, forget
from knowledge.review.actions.move import move
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions.propose import NothingProposed, propose, withdraw
from knowledge.review.rules.triage import MOST_OF_ONE, Tab
from tests.factories import as_agent, make_insight, make_proposal

BODY = "Celery beat runs once.\n\nStart it with --beat.\n\nNever scale it."


@pytest.fixture
def row(alice: Member) -> Insight:
    return make_insight(alice, title="Run beat once", body=BODY, tags=["celery"])


def waiting(by: Member) -> list[int]:
    return [one.pk for one in triage.shown_rows(triage.waiting_proposals(by=by, now=timezone.now()))]


def edited(row: Insight, by: Member, now: datetime, **changes: Any) -> Insight:
    row.refresh_from_db()
    return curate.edit(ref=row.ref, changes=changes, revision=row.revision, by=by, now=now)


class TestPropose:
    def test_changes_nothing_and_waits_for_the_lead(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        before = Insight.objects.filter(pk=row.pk).values().get()
        made = make_proposal(row, as_agent(bob), now, title="Run beat exactly once", note="People ran two.")
        assert Insight.objects.filter(pk=row.pk).values().get() == before
        assert (made.state, made.base, made.proposed_by_name) == ("open", {"title": "Run beat once"}, "bob (agent)")
        assert (waiting(alice), waiting(bob)) == ([made.pk], [])
        assert triage.counts(by=alice, now=now)[Tab.EDITS] == 1
        line = LogEntry.objects.get(subject=row.ref, verb="suggested")
        assert (line.line, line.why) == (f"Edit of {row.ref} suggested: title", "People ran two.")

    def test_again_revises_the_open_one(self, bob: Member, row: Insight, now: datetime) -> None:
        first = make_proposal(row, bob, now, title="One")
        second = make_proposal(row, as_agent(bob), now, body="Two.")
        assert (second.pk, second.version, second.changes) == (first.pk, 2, {"body": "Two."})

    def test_keeps_no_secret_and_no_invisible_character(self, bob: Member, row: Insight, now: datetime) -> None:
        secret = "ghp_" + "a1B2" * 9
        with pytest.raises(SecretInEdit) as refused:
            make_proposal(row, bob, now, body=f"Use {secret}.")
        assert list(refused.value.errors) == ["body"]
        made = make_proposal(row, bob, now, title="Be\u202eat", note=f"see {secret}")
        assert made.changes == {"title": "Beat"}
        assert secret not in made.note

    @pytest.mark.parametrize(
        ("changes", "fault"),
        [
            ({"title": "Run beat once"}, NothingProposed),
            ({}, NothingProposed),
            ({"title": " "}, BadEdit),
            ({"kind": "DECISION"}, BadEdit),
            ({"status": "promoted"}, BadEdit),
        ],
    )
    def test_names_what_is_at_fault(
        self, changes: dict[str, Any], fault: type[Exception], bob: Member, row: Insight, now: datetime
    ) -> None:
        with pytest.raises(fault):
            propose(ref=row.ref, changes=changes, by=bob, now=now)
        assert not EditProposal.objects.exists()

    def test_needs_a_contributor_of_the_team_and_what_is_current(
        self, alice: Member, bob: Member, bob_user: User, charlie: Member, row: Insight, now: datetime
    ) -> None:
        with pytest.raises(NotFound):
            make_proposal(row, charlie, now)
        with pytest.raises(Stale):
            propose(ref=row.ref, changes={"title": "x"}, revision=row.revision + 1, by=bob, now=now)
        Membership.objects.filter(user=bob_user, team__slug="platform").update(level=Level.READER)
        from_reader = Member(**{**bob.__dict__, "teams": tuple(_reading(team) for team in bob.teams)})
        with pytest.raises(NotAllowed):
            make_proposal(row, from_reader, now)
        other = make_insight(alice, body="Another thing.")
        Insight.objects.filter(pk=row.pk).update(superseded_by=other)
        with pytest.raises(WrongStatus):
            make_proposal(row, alice, now)


def _reading(team: Any) -> Any:
    return type(team)(**{**team.__dict__, "level": Level.READER})


class TestApprove:
    def test_writes_it_in_the_reviewers_name_and_says_who_suggested_it(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now, title="Run beat exactly once", tags=["beat", "celery"], note="Clearer.")
        decide.approve(proposal_id=made.pk, by=alice, now=now)
        now_is = Insight.objects.whole().get(pk=row.pk)
        assert (now_is.title, now_is.tags, now_is.body) == ("Run beat exactly once", ["beat", "celery"], BODY)
        line = LogEntry.objects.get(subject=row.ref, verb="edited")
        assert (line.actor, line.why) == ("alice", "suggested by bob: Clearer.")
        assert LogEntry.objects.filter(subject=row.ref, verb="approved", actor="alice").exists()
        assert (waiting(alice), EditProposal.objects.get().state) == ([], "approved")

    def test_keeps_what_was_changed_since(self, alice: Member, bob: Member, row: Insight, now: datetime) -> None:
        made = make_proposal(row, bob, now, body=BODY.replace("Never", "Do not"), tags=["celery", "beat"])
        edited(row, alice, now, body=BODY.replace("once", "exactly once"), tags=["celery", "ops"])
        decide.approve(proposal_id=made.pk, by=alice, now=now)
        now_is = Insight.objects.whole().get(pk=row.pk)
        assert now_is.body == BODY.replace("Never", "Do not").replace("once", "exactly once")
        assert now_is.tags == ["beat", "celery", "ops"]

    def test_of_what_both_changed_is_the_reviewers_to_settle(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now, title="Theirs")
        edited(row, alice, now, title="Mine")
        with pytest.raises(decide.OverlappingEdits):
            decide.approve(proposal_id=made.pk, by=alice, now=now)
        decide.approve(proposal_id=made.pk, changes={"title": "Both"}, by=alice, now=now)
        assert Insight.objects.get(pk=row.pk).title == "Both"

    def test_is_refused_when_it_is_not_as_it_was_seen(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now, title="First")
        seen = decide.mark_of(made)
        make_proposal(row, bob, now, title="Something else")
        for act in (decide.approve, decide.reject):
            with pytest.raises(Stale):
                act(proposal_id=made.pk, seen=seen, by=alice, now=now)
        assert Insight.objects.get(pk=row.pk).title == "Run beat once"

    def test_is_a_leads_or_the_authors_of_a_draft(
        self, alice: Member, bob: Member, charlie: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now)
        with pytest.raises(NotAllowed):
            decide.approve(proposal_id=made.pk, by=bob, now=now)
        for act in (decide.approve, decide.reject, decide.reopen, withdraw):
            with pytest.raises(NotFound):
                act(proposal_id=made.pk, by=charlie, now=now)
        own = make_insight(bob, body="Caches name their tenant.")
        theirs = make_proposal(own, alice, now, title="Tenant in the key")
        assert waiting(bob) == [theirs.pk]
        decide.approve(proposal_id=theirs.pk, by=bob, now=now)
        assert Insight.objects.get(pk=own.pk).title == "Tenant in the key"

    def test_is_undone_until_somebody_changes_the_insight(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now, title="New", tags=["beat"])
        decide.approve(proposal_id=made.pk, by=alice, now=now)
        bulk.undo(steps=[["proposal", made.pk]], by=alice, now=now)
        now_is = Insight.objects.whole().get(pk=row.pk)
        assert (now_is.title, now_is.tags, waiting(alice)) == ("Run beat once", ["celery"], [made.pk])
        decide.approve(proposal_id=made.pk, by=alice, now=now)
        edited(row, alice, now, title="Changed again")
        with pytest.raises(Stale):
            bulk.undo(steps=[["proposal", made.pk]], by=alice, now=now)
        with pytest.raises(NotAllowed):
            decide.reopen(proposal_id=made.pk, by=bob, now=now)


class TestTheOtherDecisions:
    def test_request_changes_sends_it_back_to_who_suggested_it(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now)
        with pytest.raises(decide.CommentMissing):
            decide.request_changes(proposal_id=made.pk, by=alice, now=now)
        decide.request_changes(proposal_id=made.pk, why="Name the setting.", by=alice, now=now)
        assert (waiting(alice), waiting(bob)) == ([], [made.pk])
        assert [one.text for one in made.comments.all()] == ["Name the setting."]
        make_proposal(row, bob, now, title="Set beat_max_loop_interval")
        assert (waiting(alice), waiting(bob)) == ([made.pk], [])

    def test_reject_and_withdraw_leave_the_insight_and_are_undone(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now)
        decide.reject(proposal_id=made.pk, why="It was right.", by=alice, now=now)
        with pytest.raises(WrongStatus):
            decide.approve(proposal_id=made.pk, by=alice, now=now)
        bulk.undo(steps=[["proposal", made.pk]], by=alice, now=now)
        with pytest.raises(NotAllowed):
            withdraw(proposal_id=made.pk, by=alice, now=now)
        withdraw(proposal_id=made.pk, by=bob, now=now)
        bulk.undo(steps=[["proposal", made.pk]], by=bob, now=now)
        assert waiting(alice) == [made.pk]
        assert Insight.objects.get(pk=row.pk).title == "Run beat once"

    def test_undo_stands_back_behind_a_newer_suggestion(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        made = make_proposal(row, bob, now)
        decide.reject(proposal_id=made.pk, by=alice, now=now)
        make_proposal(row, bob, now, title="A second try")
        with pytest.raises(decide.ProposalOpen):
            decide.reopen(proposal_id=made.pk, by=alice, now=now)


class TestWhatIsGone:
    def test_is_seen_by_nobody_and_erased_with_its_insight(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        make_proposal(row, bob, now)
        forget(ref=row.ref, why="so", by=alice, now=now)
        assert waiting(alice) == []
        erase_forgotten(now=now + KEPT_FOR)
        assert not EditProposal.objects.exists()

    def test_stays_with_the_team_it_was_suggested_in(
        self, alice: Member, bob: Member, row: Insight, now: datetime
    ) -> None:
        """Where the insight is moved to, nobody reads what others suggested before."""
        made = make_proposal(row, bob, now)
        move(ref=row.ref, team="personal", by=alice, now=now)
        assert waiting(alice) == []
        assert not EditProposal.objects.visible_to(alice).filter(pk=made.pk).exists()


def test_one_contributor_leaves_room_for_others(alice: Member, bob: Member, now: datetime) -> None:
    rows = [make_insight(alice, body=f"Lesson number {n} is of its own kind.") for n in range(14)]
    for one in rows[:13]:
        make_proposal(one, bob, now)
    last = make_proposal(rows[13], alice, now)
    assert len(waiting(alice)) == MOST_OF_ONE + 1
    assert last.pk in waiting(alice)
