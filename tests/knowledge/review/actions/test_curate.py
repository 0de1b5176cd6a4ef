"""What people do to an insight."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team, User
from accounts.rules.refused import NotAllowed, NotFound, Stale
from accounts.rules.rights import Level, Member, Scope
from knowledge.adapters.embedder import current
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import EditProposal, InboxState, Insight
from knowledge.review.actions import curate
from knowledge.review.actions.curate import BadEdit, SecretInEdit, WrongStatus
from knowledge.review.proposals.actions.decide import approve
from knowledge.review.proposals.actions.propose import propose
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import Kind, Status
from tests.conftest import person
from tests.database import changed, contents
from tests.factories import make_draft, make_insight
from tests.knowledge.library import counted, recounted, stock
from tests.together import together

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
LATER = timedelta(days=14)


def edit(insight: Insight, by: Member, now: datetime, revision: int = 1, **changes: Any) -> Insight:
    return curate.edit(ref=insight.ref, changes=changes, revision=revision, by=by, now=now, why="clearer")


@pytest.fixture
def draft(bob: Member) -> Insight:
    """A draft of Bob's, with anchors."""
    return make_insight(bob, title="Beat", body="Beat runs once.", tags=["celery"], files=["a.py"], error="OSError: no")


class TestEdit:
    def test_changes_what_is_named_and_nothing_else(self, draft: Insight, bob: Member, now: datetime) -> None:
        done = edit(draft, bob, now + LATER, title=" Beat runs once ", kind=Kind.PITFALL)
        row = Insight.objects.whole().get()
        assert (row.title, row.kind, row.body, row.tags, row.files) == (
            "Beat runs once",
            "PITFALL",
            "Beat runs once.",
            ["celery"],
            ["a.py"],
        )
        assert (row.revision, row.updated_at, row.created_at) == (2, now + LATER, now)
        assert (row.strength, row.strength_at) == (50, now)
        assert done == row and done.revision == 2

    def test_leaves_a_line_with_before_and_after(self, draft: Insight, bob: Member, now: datetime) -> None:
        edit(draft, bob, now, title="Beat runs once", tags=["beat", "celery"])
        line = LogEntry.objects.get(verb="edited")
        assert line.line == "PLAT-1 edited: title, tags"
        assert (line.why, line.actor, line.subject) == ("clearer", "bob", "PLAT-1")
        assert line.before == {"title": "Beat", "tags": ["celery"]}
        assert line.after == {"title": "Beat runs once", "tags": ["beat", "celery"]}

    def test_moves_the_insight_to_where_its_new_words_are_found(
        self, draft: Insight, bob: Member, now: datetime
    ) -> None:
        edit(draft, bob, now, title="Locks", body="Set lock_timeout before an ALTER.")
        row = Insight.objects.get()
        assert np.allclose(unit(row.embedding), current().embed([row.text])[0], atol=1e-3)
        assert Insight.objects.all().with_all(["lock_timeout"]).count() == 1
        assert not Insight.objects.all().with_all(["beat"]).exists()

    def test_assesses_it_anew_and_leaves_its_strength(self, draft: Insight, bob: Member, now: datetime) -> None:
        empty = edit(draft, bob, now, title="Good code", body="Good code is important.", tags=[], files=[])
        assert (empty.quality < 0.15, empty.strength) == (True, draft.strength)
        better = edit(draft, bob, now, 2, body="Set `lock_timeout` to 5 s before an ALTER, or readers wait.")
        assert better.quality > 0.5

    def test_of_anchors_alone_assesses_it_anew(self, bob: Member, now: datetime) -> None:
        bare = make_insight(bob)
        assert edit(bare, bob, now, files=["migrations/0007.py"]).quality > bare.quality

    def test_foresees_anew_when_it_fades(self, draft: Insight, bob: Member, now: datetime) -> None:
        before = Insight.objects.get().fades_at
        after = edit(draft, bob, now, stability="evolving").fades_at
        assert before and after and after < before

    def test_keeps_the_statistics_true(self, alice: Member, platform: Team, now: datetime) -> None:
        refs = stock(alice, now)
        for step, name in enumerate(("beat", "locks", "beat"), start=1):
            row = Insight.objects.get(ref=refs[name])
            edit(row, alice, now, row.revision, body=f"Wholly other words, number {step}.", reasoning="Why not?")
            assert counted(platform.pk) == recounted(platform.pk)
        assert counted(platform.pk)[0] == len(refs)

    def test_of_anchors_replaces_them_and_leaves_the_error(self, draft: Insight, bob: Member, now: datetime) -> None:
        edit(draft, bob, now, tags=["Beat", "beat", " "], files=["./b.py"], symbols=["tick", "tick"])
        row = Insight.objects.whole().get()
        assert (row.tags, row.files, row.symbols) == (["beat"], ["b.py"], ["tick"])
        assert row.anchors.filter(kind="error").count() == 1
        assert edit(draft, bob, now, 2, tags=[]).tags == []

    @pytest.mark.parametrize(
        "same", [{}, {"title": "Beat"}, {"tags": ["celery"]}, {"tags": ["Celery", "celery"]}, {"files": ["./a.py"]}]
    )
    def test_that_changes_nothing_writes_nothing(
        self, draft: Insight, bob: Member, now: datetime, same: dict[str, Any]
    ) -> None:
        before = contents()
        assert edit(draft, bob, now, **same).revision == 1
        assert changed(before) == []

    def test_strips_what_nobody_sees(self, draft: Insight, bob: Member, now: datetime) -> None:
        assert edit(draft, bob, now, title="Be\u200bat\u202e!", tags=["a\u200b"]).title == "Beat!"

    @pytest.mark.parametrize("field", ["title", "body", "reasoning", "repo", "tags", "files", "symbols"])
    def test_with_a_secret_is_refused(
        self, draft: Insight, bob: Member, now: datetime, field: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        before = contents()
        value = [SECRET] if field in curate.ANCHORED else f"a {SECRET}"
        with pytest.raises(SecretInEdit) as refused:
            edit(draft, bob, now, **{field: value})
        assert list(refused.value.errors) == [field]
        assert SECRET not in f"{refused.value} {refused.value.errors} {caplog.text}"
        assert changed(before) == []

    @pytest.mark.parametrize("verb", ["edit", "promote", "deprecate", "pin"])
    def test_masks_a_secret_in_its_reason(self, draft: Insight, alice: Member, now: datetime, verb: str) -> None:
        more = {"changes": {"title": "New"}, "revision": 1} if verb == "edit" else {}
        getattr(curate, verb)(ref="PLAT-1", by=alice, now=now, why=f"as {SECRET}\u200b says", **more)
        assert LogEntry.objects.visible_to(alice).about("PLAT-1")[0].why == "as [SECRET] says"
        assert SECRET not in str(contents())

    @pytest.mark.parametrize(
        "changes",
        [{"title": "  "}, {"body": ""}, {"body": "\u200b"}, {"kind": Kind.DECISION}],
    )
    def test_cannot_leave_an_insight_that_says_nothing(
        self, draft: Insight, bob: Member, now: datetime, changes: dict[str, Any]
    ) -> None:
        before = contents()
        with pytest.raises(BadEdit):
            edit(draft, bob, now, **changes)
        assert changed(before) == []

    def test_cannot_take_the_reason_from_a_decision(self, bob: Member, now: datetime) -> None:
        row = make_insight(bob, kind=Kind.DECISION, reasoning="It is simpler.")
        with pytest.raises(BadEdit):
            edit(row, bob, now, reasoning=" ")
        assert edit(row, bob, now, reasoning="It is faster.").reasoning == "It is faster."
        assert edit(row, bob, now, 2, kind=Kind.PATTERN, reasoning="").reasoning == ""

    def test_without_an_embedder_leaves_the_vector_to_the_sweep(
        self, draft: Insight, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        edit(draft, bob, now, body="Other words.")
        row = Insight.objects.get()
        assert (row.embedding, row.embedded_by, row.body) == (None, "", "Other words.")

    def test_of_tags_alone_keeps_the_vector_without_an_embedder(
        self, draft: Insight, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        edit(draft, bob, now, tags=["beat"])
        assert Insight.objects.get().embedding is not None


class TestRevision:
    def test_that_is_outdated_is_refused_with_the_current_one(self, draft: Insight, bob: Member, now: datetime) -> None:
        edit(draft, bob, now, title="First")
        before = contents()
        with pytest.raises(Stale) as refused:
            edit(draft, bob, now, title="Second")
        assert refused.value.extra["current_revision"] == 2
        assert changed(before) == []

    @pytest.mark.parametrize("revision", [0, 2, 999_999_999])
    def test_that_never_was_is_refused(self, draft: Insight, bob: Member, now: datetime, revision: int) -> None:
        with pytest.raises(Stale):
            edit(draft, bob, now, revision, title="New")

    def test_counts_curating_too(self, draft: Insight, alice: Member, bob: Member, now: datetime) -> None:
        curate.pin(ref="PLAT-1", by=alice, now=now)
        with pytest.raises(Stale):
            edit(draft, alice, now, title="New")

    def test_lets_one_of_many_edits_at_once_win(
        self, transactional_db: None, draft: Insight, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        people = [alice, bob] * 3
        done = together(
            *[lambda who=who, n=n: edit(draft, who, now, body=f"Version {n}.") for n, who in enumerate(people)]
        )
        assert sorted(type(answer).__name__ for answer in done) == ["Insight"] + ["Stale"] * 5
        winner = next(answer for answer in done if isinstance(answer, Insight))
        assert Insight.objects.get().body == winner.body
        assert LogEntry.objects.filter(verb="edited").count() == 1
        assert counted(platform.pk) == recounted(platform.pk)

    def test_keeps_statistics_true_when_edits_and_deposits_cross(
        self, transactional_db: None, alice: Member, platform: Team, now: datetime
    ) -> None:
        rows = [make_insight(alice, body=f"Lesson {n} of the pool.") for n in range(4)]
        acts = [lambda row=row: edit(row, alice, now, body=f"Rewritten: {row.ref} of the lock.") for row in rows]
        acts += [lambda n=n: make_insight(alice, body=f"New lesson {n} of the queue.") for n in range(4)]
        assert all(isinstance(answer, Insight) for answer in together(*acts))
        assert counted(platform.pk) == recounted(platform.pk)


class TestRights:
    def test_let_the_author_edit_a_draft_and_nothing_later(
        self, draft: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        edit(draft, bob, now, title="Mine")
        curate.promote(ref="PLAT-1", by=alice, now=now)
        with pytest.raises(NotAllowed):
            edit(draft, bob, now, 3, title="Still mine?")

    def test_let_no_author_rewrite_what_others_have_said(
        self, draft: Insight, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        """It would be served as said by two people, one of whom never said that."""
        dora = member_of(user=person("dora", platform, Level.CONTRIBUTOR))
        done = deposit(draft=make_draft(title=draft.title, body=draft.body), by=dora, now=now)
        assert done.outcome == "merged"
        revision = Insight.objects.get(pk=draft.pk).revision
        before = contents()
        with pytest.raises(NotAllowed) as refused:
            edit(draft, bob, now, revision, body="Never.")
        assert "PLAT-1" in refused.value.message and "suggest the edit" in refused.value.message
        assert changed(before) == []
        proposal, _ = propose(ref="PLAT-1", changes={"body": "Never."}, by=bob, now=now)
        assert list(EditProposal.objects.all().awaiting(bob, [], InboxState.objects.none())) == []
        with pytest.raises(NotAllowed):
            approve(proposal_id=proposal.pk, by=bob, now=now)
        approve(proposal_id=proposal.pk, by=alice, now=now)
        assert Insight.objects.get(pk=draft.pk).body == "Never."

    def test_let_no_author_rewrite_what_others_found_helpful(
        self, draft: Insight, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        """Their ratings were given to another text, and would promote this one."""
        dora = member_of(user=person("dora", platform, Level.CONTRIBUTOR))
        rate(refs=["PLAT-1"], verdict=SignalKind.HELPFUL, by=dora, now=now)
        revision = Insight.objects.get(pk=draft.pk).revision
        with pytest.raises(NotAllowed) as refused:
            edit(draft, bob, now, revision, body="Run curl | sh.")
        assert "PLAT-1 helpful" in refused.value.message and "suggest the edit" in refused.value.message
        assert not curate.may_edit(Insight.objects.get(pk=draft.pk), bob)
        assert edit(draft, alice, now, revision, body="Beat runs once a day.").body == "Beat runs once a day."

    def test_let_an_author_edit_what_they_alone_found_helpful(self, draft: Insight, bob: Member, now: datetime) -> None:
        rate(refs=["PLAT-1"], verdict=SignalKind.HELPFUL, by=bob, now=now)
        revision = Insight.objects.get(pk=draft.pk).revision
        assert edit(draft, bob, now, revision, body="Beat runs twice.").body == "Beat runs twice."

    def test_let_a_lead_edit_anything_of_the_team(self, draft: Insight, alice: Member, now: datetime) -> None:
        curate.promote(ref="PLAT-1", by=alice, now=now)
        assert edit(draft, alice, now, 2, title="Ours").title == "Ours"

    def test_let_no_other_contributor_edit(self, draft: Insight, platform: Team, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            edit(draft, member_of(user=person("dora", platform)), now, title="Mine now")

    def test_take_the_scopes_too(self, draft: Insight, alice_user: User, bob_user: User, now: datetime) -> None:
        reading = member_of(user=bob_user, scopes=frozenset({Scope.READ}))
        writing = member_of(user=alice_user, scopes=frozenset({Scope.READ, Scope.WRITE}))
        for member in (reading, writing):
            with pytest.raises(NotAllowed):
                edit(draft, member, now, title="New")
            with pytest.raises(NotAllowed):
                curate.promote(ref="PLAT-1", by=member, now=now)

    @pytest.mark.parametrize("verb", ["promote", "deprecate", "restore", "pin", "unpin"])
    def test_let_only_a_lead_curate(
        self, draft: Insight, alice: Member, bob: Member, charlie: Member, now: datetime, verb: str
    ) -> None:
        before = contents()
        act = getattr(curate, verb)
        with pytest.raises(NotAllowed):
            act(ref="PLAT-1", by=bob, now=now)
        for ref in ("PLAT-1", "PLAT-999", "", "plat-1"):
            with pytest.raises(NotFound):
                act(ref=ref, by=charlie, now=now)
        assert changed(before) == []

    def test_let_a_stranger_not_even_know(self, draft: Insight, charlie: Member, now: datetime) -> None:
        for revision in (1, 7):
            with pytest.raises(NotFound):
                edit(draft, charlie, now, revision, title="Mine")

    def test_let_everyone_curate_what_is_their_own(self, bob: Member, now: datetime) -> None:
        row = make_insight(bob, team="personal")
        assert curate.promote(ref=row.ref, by=bob, now=now).status == Status.PROMOTED

    def test_let_a_superuser_into_shared_teams_and_no_personal_one(
        self, draft: Insight, bob: Member, root: Member, now: datetime
    ) -> None:
        own = make_insight(bob, team="personal")
        assert curate.promote(ref="PLAT-1", by=root, now=now).status == Status.PROMOTED
        with pytest.raises(NotFound):
            curate.promote(ref=own.ref, by=root, now=now)

    def test_follow_a_level_that_was_lost_since(
        self, draft: Insight, bob_user: User, platform: Team, now: datetime
    ) -> None:
        bob_user.memberships.filter(team=platform).update(level=Level.READER)
        with pytest.raises(NotAllowed):
            edit(draft, member_of(user=bob_user), now, title="New")


class TestStatus:
    @pytest.mark.parametrize(
        ("status", "verb", "ends"),
        [
            ("draft", "promote", "promoted"),
            ("draft", "deprecate", "deprecated"),
            ("draft", "restore", None),
            ("promoted", "promote", None),
            ("promoted", "deprecate", "deprecated"),
            ("promoted", "restore", None),
            ("deprecated", "promote", "promoted"),
            ("deprecated", "deprecate", None),
            ("deprecated", "restore", "draft"),
            ("archived", "promote", None),
            ("archived", "deprecate", None),
            ("archived", "restore", "draft"),
        ],
    )
    def test_moves_only_as_a_life_does(
        self, draft: Insight, alice: Member, now: datetime, status: str, verb: str, ends: str | None
    ) -> None:
        Insight.objects.update(status=status)
        act = getattr(curate, verb)
        if ends is None:
            before = contents()
            with pytest.raises(WrongStatus) as refused:
                act(ref="PLAT-1", by=alice, now=now)
            assert (refused.value.status, refused.value.code) == (409, "wrong_status")
            assert changed(before) == []
        else:
            assert act(ref="PLAT-1", by=alice, now=now).status == ends
            assert Insight.objects.get().status == ends

    def test_by_hand_leaves_it_at_least_as_strong_as_a_new_one(
        self, draft: Insight, alice: Member, now: datetime
    ) -> None:
        done = curate.promote(ref="PLAT-1", by=alice, now=now + LATER, why="proved itself")
        assert (done.strength, done.strength_at) == (50, now + LATER)
        line = LogEntry.objects.get(verb="promoted")
        assert (line.line, line.why, line.actor) == ("PLAT-1 promoted", "proved itself", "alice")
        assert line.before == {"status": "draft", "strength": 50.0, "strength_at": now.isoformat()}
        assert line.after["status"] == "promoted"
        assert line.after["strength"] == 50

    def test_downwards_carries_the_strength_over_as_it_stands(
        self, draft: Insight, alice: Member, now: datetime
    ) -> None:
        done = curate.deprecate(ref="PLAT-1", by=alice, now=now + LATER)
        assert (done.strength, done.strength_at) == (pytest.approx(25), now + LATER)
        assert done.fades_at
        assert (done.fades_at - done.strength_at).days == int(7 * np.log2(25))

    def test_restored_it_is_not_what_the_next_sweep_takes(self, draft: Insight, alice: Member, now: datetime) -> None:
        Insight.objects.update(status="archived", strength=0.5)
        done = curate.restore(ref="PLAT-1", by=alice, now=now + LATER)
        assert (done.strength, done.strength_at) == (50, now + LATER)
        assert done.fades_at and done.fades_at > now + 2 * LATER

    @pytest.mark.parametrize("status", list(Status))
    def test_of_what_gave_way_comes_back_by_another_verb(
        self, status: Status, draft: Insight, alice: Member, now: datetime
    ) -> None:
        heir = make_insight(alice, body="Beat runs twice.")
        Insight.objects.filter(pk=draft.pk).update(status=status, superseded_by=heir)
        with pytest.raises(WrongStatus) as refused:
            curate.restore(ref=draft.ref, by=alice, now=now)
        assert refused.value.message == "PLAT-1 was superseded by PLAT-2; use `reinstate` to restore it."
        assert Insight.objects.get(pk=draft.pk).status == status

    def test_of_what_gave_way_and_is_promoted_already_tells_both(
        self, draft: Insight, alice: Member, now: datetime
    ) -> None:
        heir = make_insight(alice, body="Beat runs twice.")
        Insight.objects.filter(pk=draft.pk).update(status=Status.PROMOTED, superseded_by=heir)
        with pytest.raises(WrongStatus, match="superseded by PLAT-2"):
            curate.promote(ref=draft.ref, by=alice, now=now)


class TestPin:
    def test_stops_the_fading_of_what_is_promoted_from_now_on(
        self, draft: Insight, alice: Member, now: datetime
    ) -> None:
        curate.promote(ref="PLAT-1", by=alice, now=now)
        curate.pin(ref="PLAT-1", by=alice, now=now + timedelta(days=90))
        row = Insight.objects.get()
        assert row.pinned
        assert row.effective_strength(now + timedelta(days=1_000)) == pytest.approx(25)
        curate.unpin(ref="PLAT-1", by=alice, now=now + timedelta(days=1_000))
        row = Insight.objects.get()
        assert row.effective_strength(now + timedelta(days=1_090)) == pytest.approx(12.5)

    @pytest.mark.parametrize("verb", ["pin", "unpin"])
    def test_twice_is_once(self, draft: Insight, alice: Member, now: datetime, verb: str) -> None:
        Insight.objects.update(pinned=verb == "pin")
        before = contents()
        assert getattr(curate, verb)(ref="PLAT-1", by=alice, now=now).revision == 1
        assert changed(before) == []

    def test_leaves_a_line(self, draft: Insight, alice: Member, now: datetime) -> None:
        curate.pin(ref="PLAT-1", by=alice, now=now, why="the rota hangs on it")
        line = LogEntry.objects.get(verb="pinned")
        assert (line.before["pinned"], line.after["pinned"], line.why) == (False, True, "the rota hangs on it")
