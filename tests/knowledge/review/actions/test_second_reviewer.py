"""A second reviewer: where a team requires one, nobody changes a promoted insight alone, whichever way they come."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from accounts.actions.members import TooFewLeads, member_of, remove_member, set_level, set_second_reviewer
from accounts.models import LogEntry, Membership, Team, User
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import EditProposal, Insight, Pair
from knowledge.review.actions import bulk, combine, curate, settle, triage, vault_conflicts
from knowledge.review.actions.bulk_edit import BulkChange, bulk_edit
from knowledge.review.actions.forget import forget
from knowledge.review.actions.move import move
from knowledge.review.actions.revert import revert
from knowledge.review.actions.second_reviewer import NeedsReviewer
from knowledge.review.proposals.actions import decide
from knowledge.review.proposals.actions.propose import propose, propose_act, withdraw
from knowledge.review.proposals.actions.suggest import (
    combine_or_suggest,
    edit_or_suggest,
    resolve_or_suggest,
    take_or_suggest,
)
from tests.conftest import person
from tests.factories import as_agent, make_conflict, make_insights
from tests.together import together


def required(on: bool = True) -> None:
    Team.objects.filter(slug="platform").update(second_reviewer=on)


@pytest.fixture
def dora(platform: Team) -> Member:
    """Another lead of Alice's team."""
    return member_of(user=person("dora", platform, Level.LEAD))


@pytest.fixture
def rows(alice: Member, dora: Member, now: datetime) -> list[Insight]:
    """Two promoted insights of Alice's, and a draft, in a team that requires a second reviewer."""
    bodies = ("Run beat once.", "Start beat with a lock.", "Caches name their tenant.")
    made = make_insights(alice, now, *({"body": body, "title": body.rstrip(".")} for body in bodies))
    for row in made[:2]:
        curate.promote(ref=row.ref, by=alice, now=now)
    required()
    return [Insight.objects.whole().get(pk=row.pk) for row in made]


def as_it_is(row: Insight) -> dict[str, Any]:
    return Insight.objects.filter(pk=row.pk).values().get()


class TestTheSetting:
    def test_is_a_leads_and_logged_both_ways(
        self, alice: Member, bob: Member, charlie: Member, dora: Member, now: datetime
    ) -> None:
        for by, fault in ((bob, NotAllowed), (charlie, NotFound)):
            with pytest.raises(fault):
                set_second_reviewer(team_slug="platform", required=True, by=by, now=now)
        for on in (True, True, False):
            set_second_reviewer(team_slug="platform", required=on, by=alice, now=now)
        lines = LogEntry.objects.filter(verb="second reviewer set").order_by("pk").values_list("line", flat=True)
        assert list(lines) == [
            "Platform requires a second reviewer for changes to promoted insights",
            "Platform no longer requires a second reviewer for changes to promoted insights",
        ]

    def test_needs_two_leads_who_can_sign_in(self, alice: Member, dora: Member, now: datetime) -> None:
        User.objects.filter(username="dora").update(is_active=False)
        with pytest.raises(TooFewLeads):
            set_second_reviewer(team_slug="platform", required=True, by=alice, now=now)
        assert not Team.objects.get(slug="platform").second_reviewer


class TestWhatALeadDoesAlone:
    @pytest.mark.parametrize(
        "act",
        [
            lambda one, other, by, now: curate.edit(
                ref=one.ref, changes={"title": "x"}, revision=one.revision, by=by, now=now
            ),
            lambda one, other, by, now: curate.edit(
                ref=one.ref, changes={"repo": "acme/x"}, revision=one.revision, by=by, now=now
            ),
            lambda one, other, by, now: curate.deprecate(ref=one.ref, by=by, now=now),
            lambda one, other, by, now: combine.supersede(ref=one.ref, by_ref=other.ref, by=by, now=now),
            lambda one, other, by, now: combine.merge(ref=one.ref, into=other.ref, by=by, now=now),
            lambda one, other, by, now: combine.merge(ref=other.ref, into=one.ref, by=by, now=now),
            lambda one, other, by, now: move(ref=one.ref, team="personal", by=by, now=now),
        ],
    )
    def test_is_refused_to_people_agents_and_superusers(
        self, act: Callable[..., Any], alice: Member, root: Member, rows: list[Insight], now: datetime
    ) -> None:
        before = [as_it_is(row) for row in rows]
        for by in (alice, as_agent(alice)):
            with pytest.raises(NeedsReviewer):
                act(rows[0], rows[2], by, now)
        assert [as_it_is(row) for row in rows] == before

    def test_of_a_draft_is_done_at_once_and_so_is_everything_with_the_setting_off(
        self, alice: Member, rows: list[Insight], now: datetime
    ) -> None:
        draft = rows[2]
        curate.edit(ref=draft.ref, changes={"title": "x"}, revision=draft.revision, by=alice, now=now)
        required(False)
        curate.deprecate(ref=rows[0].ref, by=alice, now=now)
        assert Insight.objects.get(pk=rows[0].pk).status == "deprecated"

    def test_becomes_a_suggestion_that_another_lead_approves(
        self, alice: Member, dora: Member, rows: list[Insight], now: datetime
    ) -> None:
        row = rows[0]
        sent: dict[str, Any] = {"ref": row.ref, "revision": row.revision, "by": alice, "now": now}
        made = edit_or_suggest(**sent, changes={"title": "Beat, once", "files": ["beat.py"]}, why="Clearer.")
        assert isinstance(made, EditProposal)
        assert (made.changes, made.note) == ({"title": "Beat, once", "files": ["beat.py"]}, "Clearer.")
        assert [one.pk for one in triage.waiting_proposals(by=alice, now=now)] == []
        assert [one.pk for one in triage.waiting_proposals(by=dora, now=now)] == [made.pk]
        for by in (alice, as_agent(alice)):
            with pytest.raises(NeedsReviewer):
                decide.approve(proposal_id=made.pk, by=by, now=now)
        decide.approve(proposal_id=made.pk, by=dora, now=now)
        now_is = Insight.objects.whole().get(pk=row.pk)
        assert (now_is.title, now_is.files) == ("Beat, once", ["beat.py"])

    def test_of_many_at_once_is_suggested_row_by_row_and_withdrawn_as_one(
        self, alice: Member, rows: list[Insight], now: datetime
    ) -> None:
        done = bulk.act(verb="deprecate", refs=[row.ref for row in rows], by=alice, now=now)
        assert [row.ref for row in done.rows] == [rows[2].ref]
        assert [(one.act, one.insight.ref) for one in done.suggested] == [("deprecate", row.ref) for row in rows[:2]]
        bulk.undo(steps=[["withdraw", one.pk] for one in done.suggested], by=alice, now=now)
        assert set(EditProposal.objects.values_list("state", flat=True)) == {"withdrawn"}
        edited = bulk_edit(refs=[rows[0].ref], change=BulkChange(add_tags=["beat"]), by=alice, now=now)
        assert ([one.changes for one in edited.suggested], edited.rows) == ([{"tags": ["beat"]}], [])


class TestTheSecondPerson:
    def test_lets_each_act_happen_and_undoes_it(
        self, alice: Member, dora: Member, rows: list[Insight], now: datetime
    ) -> None:
        one, other, _ = rows
        for act, more in (("deprecate", ""), ("supersede", other.ref), ("merge", other.ref)):
            before = as_it_is(one)
            made, new = propose_act(ref=one.ref, act=act, other=more, by=alice, now=now)
            assert new
            done = decide.approve(proposal_id=made.pk, by=dora, now=now)
            assert (done.insight.standing != "promoted", done.state) == (True, "approved")
            line = LogEntry.objects.filter(subject=one.ref, actor="dora", verb__in=("deprecated", "superseded")).last()
            assert line is not None
            bulk.undo(steps=[["proposal", made.pk]], by=dora, now=now)
            after = as_it_is(one)
            names = ("status", "superseded_by_id", "title", "strength")
            assert [after[name] for name in names] == [before[name] for name in names]
            withdraw(proposal_id=made.pk, by=alice, now=now)

    def test_may_not_write_something_else_into_it(
        self, alice: Member, dora: Member, rows: list[Insight], now: datetime
    ) -> None:
        made, _ = propose(ref=rows[0].ref, changes={"title": "Theirs"}, by=alice, now=now)
        with pytest.raises(NeedsReviewer):
            decide.approve(proposal_id=made.pk, changes={"title": "Mine"}, by=dora, now=now)
        assert Insight.objects.get(pk=rows[0].pk).title == "Run beat once"

    def test_may_be_the_lead_who_settles_what_a_members_agent_proposed(
        self, alice: Member, bob: Member, dora: Member, rows: list[Insight], now: datetime
    ) -> None:
        newer = make_insights(bob, now, {"body": "Run beat once, with --beat, since 5.4."})[0]
        relate(ref=newer.ref, statements=[Statement(rows[0].ref, Relation.SUPERSEDES)], by=as_agent(bob), now=now)
        pair = Pair.objects.get(question="supersession")
        ((_, a, b),) = triage.sides([pair], by=alice)
        assert {side.insight.ref: side.keep_suggested for side in (a, b)}[newer.ref] is False
        settle.resolve(pair_id=pair.pk, keep=newer.ref, by=alice, now=now)
        assert Insight.objects.get(pk=rows[0].pk).superseded_by_id == newer.pk

    def test_settles_a_pair_by_approving_what_the_first_suggested(
        self, alice: Member, dora: Member, rows: list[Insight], now: datetime
    ) -> None:
        pair = settle.report(a=rows[0].ref, b=rows[1].ref, reason="One is wrong.", by=alice, now=now)
        made = resolve_or_suggest(pair_id=pair.pk, keep=rows[1].ref, merging=False, by=alice, now=now)
        assert isinstance(made, EditProposal)
        assert (made.act, made.insight.ref, made.other and made.other.ref) == ("supersede", rows[0].ref, rows[1].ref)
        pair.refresh_from_db()
        assert pair.is_open
        decide.approve(proposal_id=made.pk, by=dora, now=now)
        pair.refresh_from_db()
        assert pair.state == "resolved"

    def test_takes_what_another_wrote_in_the_vault(
        self, alice: Member, dora: Member, rows: list[Insight], now: datetime
    ) -> None:
        mine, theirs = make_conflict(rows[0], alice, title="Of the file"), make_conflict(rows[1], alice, title="Too")
        row = Insight.objects.get(pk=rows[1].pk)
        vault_conflicts.take(conflict_id=theirs.pk, revision=row.revision, by=dora, now=now)
        made = take_or_suggest(conflict_id=mine.pk, revision=rows[0].revision, by=alice, now=now)
        assert isinstance(made, EditProposal)
        assert made.changes == {"title": "Of the file"}
        mine.refresh_from_db()
        assert mine.state == "taken"


class TestWhatStaysPossible:
    def test_forgetting_and_undo_take_one(self, alice: Member, rows: list[Insight], now: datetime) -> None:
        required(False)
        done = bulk_edit(refs=[rows[0].ref], change=BulkChange(add_tags=["beat"]), by=alice, now=now)
        combine.supersede(ref=rows[1].ref, by_ref=rows[2].ref, by=alice, now=now)
        required()
        bulk.undo(steps=done.steps, by=alice, now=now)
        assert Insight.objects.whole().get(pk=rows[0].pk).tags == []
        bulk.undo(steps=[["reinstate", rows[1].ref]], by=alice, now=now)
        forget(ref=rows[0].ref, why="A password.", by=alice, now=now)
        verbs = LogEntry.objects.filter(subject__in=[rows[0].ref, rows[1].ref]).values_list("verb", flat=True)
        assert {"edited", "reinstated", "forgotten"} <= set(verbs)

    def test_a_promotion_is_one_leads_and_is_taken_back_by_one(
        self, alice: Member, rows: list[Insight], now: datetime
    ) -> None:
        done = curate.promote(ref=rows[2].ref, by=alice, now=now)
        assert revert(ref=rows[2].ref, revision=done.revision, by=alice, now=now).status == "draft"


class TestAnAgent:
    def test_merges_no_promoted_note_of_its_own_away(self, alice: Member, rows: list[Insight], now: datetime) -> None:
        statements = [Statement(rows[1].ref, Relation.DUPLICATES)]
        done = relate(ref=rows[0].ref, statements=statements, by=as_agent(alice), now=now)
        assert [(one["state"], one["reason"]) for one in done.related] == [("refused", "reviewed")]

    def test_only_proposes_to_supersede_a_promoted_note_of_its_own(
        self, alice: Member, rows: list[Insight], now: datetime
    ) -> None:
        newer = make_insights(alice, now, {"body": "Run beat once, with --beat, since 5.4."})[0]
        statements = [Statement(rows[0].ref, Relation.SUPERSEDES)]
        done = relate(ref=newer.ref, statements=statements, by=as_agent(alice), now=now)
        assert [(one["state"], one["reason"]) for one in done.related] == [("proposed", "protected")]
        pair = Pair.objects.get(question="supersession")
        with pytest.raises(NeedsReviewer):
            settle.resolve(pair_id=pair.pk, keep=newer.ref, by=alice, now=now)


class TestWhenNobodyElseLeads:
    def test_a_superuser_decides(
        self, alice: Member, dora: Member, root: Member, rows: list[Insight], now: datetime
    ) -> None:
        made, _ = propose(ref=rows[0].ref, changes={"title": "New"}, by=alice, now=now)
        assert decide.other_reviewers(made)
        remove_member(team_slug="platform", username="dora", by=alice, now=now)
        assert not decide.other_reviewers(made)
        root = member_of(user=User.objects.get(username="root"))
        decide.approve(proposal_id=made.pk, by=root, now=now)
        assert Insight.objects.get(pk=rows[0].pk).title == "New"

    def test_it_can_be_turned_off(self, alice: Member, dora: Member, rows: list[Insight], now: datetime) -> None:
        set_level(team_slug="platform", username="dora", level=Level.CONTRIBUTOR, by=alice, now=now)
        set_second_reviewer(team_slug="platform", required=False, by=alice, now=now)
        curate.deprecate(ref=rows[0].ref, by=alice, now=now)


def test_one_suggestion_a_person_for_each_act(alice: Member, rows: list[Insight], now: datetime) -> None:
    first = combine_or_suggest(act="merge", ref=rows[0].ref, other=rows[1].ref, by=alice, now=now)
    again = combine_or_suggest(act="merge", ref=rows[0].ref, other=rows[2].ref, by=alice, now=now)
    edit, _ = propose(ref=rows[0].ref, changes={"title": "x"}, by=alice, now=now)
    assert isinstance(again, EditProposal)
    assert again.other is not None
    assert (again.pk, again.other.ref, again.version) == (first.pk, rows[2].ref, 2)
    assert edit.pk != first.pk


@pytest.mark.django_db(transaction=True)
def test_an_approval_and_an_edit_at_the_same_moment_lose_neither(
    transactional_db: None, alice: Member, dora: Member, rows: list[Insight], now: datetime
) -> None:
    """The suggestion is approved and another one made; what both changed is not overwritten."""
    made, _ = propose(ref=rows[0].ref, changes={"title": "Approved"}, by=alice, now=now)
    done = together(
        lambda: decide.approve(proposal_id=made.pk, by=dora, now=now),
        lambda: decide.approve(proposal_id=made.pk, by=dora, now=now),
        lambda: edit_or_suggest(
            ref=rows[0].ref, changes={"body": "Other."}, revision=rows[0].revision, by=dora, now=now
        ),
    )
    assert Insight.objects.get(pk=rows[0].pk).title == "Approved"
    assert sum(isinstance(one, EditProposal) and one.state == "approved" for one in done[:2]) == 1
    assert Membership.objects.filter(team__slug="platform", level=Level.LEAD).count() == 2
