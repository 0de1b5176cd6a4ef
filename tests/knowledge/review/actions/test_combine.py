"""Two insights become one, or one gives way to another; and back again."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Corroboration, Insight, Lexicon, Signal
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.actions.retrieve import retrieve, why_not
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.combine import AlreadyCombined, NotTogether, merge, reinstate, supersede, unmerge
from knowledge.rules.vocabulary import Status
from tests.database import changed, contents
from tests.factories import make_insight
from tests.knowledge.library import LESSONS, counted, recounted

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
OLD, NEW, THIRD = "PLAT-1", "PLAT-2", "PLAT-3"
SAID_ANEW = "Start the kestrel scheduler once per cluster; a second copy doubles its periodic tasks."


@pytest.fixture(autouse=True)
def rows(alice: Member, bob: Member, now: datetime) -> None:
    """PLAT-1 is Bob's, the others are Alice's."""
    make_insight(bob, now=now, body=SAID_ANEW, tags=["scheduler"], files=["beat.py"])
    make_insight(alice, now=now, body=LESSONS["beat"], tags=["celery"], files=["beat.py"])
    make_insight(alice, now=now, body=LESSONS["locks"])


def found(by: Member, now: datetime, text: str) -> list[str]:
    answer = retrieve(ask=Ask(text, trim=False, limit=50), by=by, now=now)
    return [hit.insight.ref for hit in answer.hits]


def row(ref: str) -> Insight:
    return Insight.objects.whole().get(ref=ref)


def true_statistics(team: Team) -> None:
    """What the writes have counted is what the texts have, and what the sweep would count."""
    kept = counted(team.pk)
    assert kept == recounted(team.pk)
    upkeep.recount()
    assert counted(team.pk) == kept


class TestSupersede:
    def test_takes_the_old_out_of_retrieval_at_once(self, alice: Member, bob: Member, now: datetime) -> None:
        asked = retrieve(ask=Ask("celery beat"), by=bob, now=now).query_id
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now, why="newer")
        assert OLD not in found(bob, now, "scheduler copies") and NEW in found(bob, now, "scheduler copies")
        assert asked and why_not(query_id=asked, ref=OLD, by=bob, now=now).stage == "superseded"

    def test_keeps_it_with_its_history(self, alice: Member, now: datetime) -> None:
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now, why="newer")
        assert row(OLD).superseded_by == row(NEW)
        line = LogEntry.objects.get(verb="superseded")
        assert (line.line, line.why, line.actor) == ("PLAT-1 superseded by PLAT-2", "newer", "alice")
        assert (line.before, line.after) == ({"superseded_by": None}, {"superseded_by": NEW})

    def test_is_undone_by_reinstate(self, alice: Member, bob: Member, now: datetime) -> None:
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now)
        assert reinstate(ref=OLD, by=alice, now=now, why="both hold").superseded_by is None
        assert {OLD, NEW} <= {*found(bob, now, "scheduler copies")}
        assert LogEntry.objects.get(verb="reinstated").before == {"superseded_by": NEW}

    def test_masks_a_secret_in_its_reason(self, alice: Member, now: datetime) -> None:
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now, why=f"see {SECRET}")
        assert SECRET not in str(contents())


class TestMerge:
    def test_keeps_the_text_to_be_found_by_its_words(
        self, alice: Member, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        assert found(bob, now, "kestrel") == [OLD]
        merge(ref=OLD, into=NEW, by=alice, now=now)
        assert found(bob, now, "kestrel") == [NEW]
        assert found(bob, now, "celery") == [NEW]

    def test_makes_what_stays_stronger_and_surer(self, alice: Member, now: datetime) -> None:
        kept = merge(ref=OLD, into=NEW, by=alice, now=now)
        assert (kept.ref, kept.strength, kept.corroboration_count) == (NEW, 60, 2)
        assert kept.last_corroborated_at == now
        assert (row(NEW).tags, row(NEW).files) == (["celery", "scheduler"], ["beat.py"])
        assert LogEntry.objects.get(verb="corroborated").line == "PLAT-2 corroborated (×2) from agent"

    def test_keeps_who_said_it_and_how(self, alice: Member, bob: Member, now: datetime) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        said = row(NEW).corroborations.get()
        assert (said.body, said.user_id, said.judged_by) == (SAID_ANEW, bob.user_id, "alice")
        assert row(OLD).superseded_by == row(NEW)

    def test_keeps_the_statistics_true(self, alice: Member, platform: Team, now: datetime) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        true_statistics(platform)
        merge(ref=NEW, into=THIRD, by=alice, now=now)
        true_statistics(platform)

    def test_is_remembered_when_the_text_is_edited(
        self, alice: Member, platform: Team, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        body = {"body": "Celery beat runs as a kestrel, and once."}
        curate.edit(ref=NEW, changes=body, revision=row(NEW).revision, by=alice, now=now)
        true_statistics(platform)
        assert found(bob, now, "cluster") == [NEW]
        assert "kestrel" not in row(NEW).heard and "cluster" in row(NEW).heard

    def test_stays_with_the_keyword_vectors_made_anew(
        self, alice: Member, platform: Team, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        upkeep.rebuild_keyword_vectors(team_id=platform.pk)
        assert found(bob, now, "kestrel") == [NEW]


class TestTheConfirmedOnesPlace:
    """A lead puts an agent's draft in the place of what the team had confirmed."""

    @pytest.fixture(autouse=True)
    def confirmed(self, alice: Member, now: datetime) -> None:
        curate.promote(ref=OLD, by=alice, now=now)

    @pytest.mark.parametrize("undo", [True, False])
    def test_is_the_drafts_until_that_is_undone(self, alice: Member, now: datetime, undo: bool) -> None:
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now)
        assert row(NEW).status == Status.PROMOTED
        if undo:
            reinstate(ref=OLD, by=alice, now=now)
        assert row(NEW).status == (Status.DRAFT if undo else Status.PROMOTED)
        assert row(OLD).status == Status.PROMOTED

    def test_is_the_merged_ones_too(self, alice: Member, now: datetime) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        assert row(NEW).status == Status.PROMOTED
        said = Corroboration.objects.get(insight__ref=NEW)
        unmerge(ref=NEW, corroboration=said.pk, by=alice, now=now)
        assert row(NEW).status == Status.DRAFT

    def test_stays_with_what_a_lead_has_decided_on_since(self, alice: Member, now: datetime) -> None:
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now)
        curate.deprecate(ref=NEW, by=alice, now=now)
        reinstate(ref=OLD, by=alice, now=now)
        assert row(NEW).status == Status.DEPRECATED

    def test_is_nobodys_where_a_draft_gives_way(self, alice: Member, now: datetime) -> None:
        supersede(ref=THIRD, by_ref=NEW, by=alice, now=now)
        assert row(NEW).status == Status.DRAFT


class TestUnmerge:
    def back(self, by: Member, now: datetime) -> Insight:
        return unmerge(ref=NEW, corroboration=row(NEW).corroborations.get().pk, by=by, now=now)

    def test_gives_the_row_back(
        self, alice: Member, platform: Team, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        assert self.back(alice, now).ref == OLD
        assert found(bob, now, "kestrel") == [OLD]
        assert (row(NEW).corroboration_count, row(NEW).heard) == (1, [])
        true_statistics(platform)
        assert LogEntry.objects.get(verb="unmerged").line == "PLAT-1 unmerged from PLAT-2"

    def test_makes_a_row_of_what_came_as_a_deposit(
        self, alice: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        said = Corroboration(
            at=now, user_id=bob.user_id, session_key="s", kind="PITFALL", title="Twice", source_type="agent",
            body="The osprey queue runs every task of beat twice.", draft={"anchors": [["tag", "queues"]]},
        )  # fmt: skip
        voice = Signal(kind=SignalKind.CORROBORATED, at=now, session_key="s")
        row(NEW).merge_in(said, voice, [], lexicon=Lexicon.of(platform.pk), by=bob, at=now)
        true_statistics(platform)
        new = self.back(alice, now)
        assert (new.ref, new.kind, new.author_id, row(new.ref).tags) == ("PLAT-4", "PITFALL", bob.user_id, ["queues"])
        assert new.quality < 1 and new.fades_at
        assert upkeep.embed_waiting().changed == 1
        assert "PLAT-4" in found(bob, now, "osprey")
        true_statistics(platform)

    def test_is_its_authors_right(self, alice: Member, bob: Member, now: datetime) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        assert self.back(bob, now).ref == OLD

    def test_is_nobody_elses(self, alice: Member, bob: Member, now: datetime) -> None:
        merge(ref=THIRD, into=NEW, by=alice, now=now)
        with pytest.raises(NotAllowed):
            self.back(bob, now)

    def test_can_be_done_once(self, alice: Member, now: datetime) -> None:
        merge(ref=OLD, into=NEW, by=alice, now=now)
        number = row(NEW).corroborations.get().pk
        unmerge(ref=NEW, corroboration=number, by=alice, now=now)
        with pytest.raises(NotFound):
            unmerge(ref=NEW, corroboration=number, by=alice, now=now)
        with pytest.raises(NotFound):
            unmerge(ref=THIRD, corroboration=number, by=alice, now=now)


class TestWhatIsRefused:
    def test_is_a_circle(self, alice: Member, now: datetime) -> None:
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now)
        supersede(ref=NEW, by_ref=THIRD, by=alice, now=now)
        for heir in (OLD, NEW):
            with pytest.raises(AlreadyCombined):
                supersede(ref=THIRD, by_ref=heir, by=alice, now=now)
            with pytest.raises(AlreadyCombined):
                merge(ref=THIRD, into=heir, by=alice, now=now)
        assert row(THIRD).superseded_by is None

    def test_is_itself(self, alice: Member, now: datetime) -> None:
        with pytest.raises(NotTogether):
            supersede(ref=OLD, by_ref=OLD, by=alice, now=now)
        with pytest.raises(NotTogether):
            merge(ref=OLD, into=OLD, by=alice, now=now)

    def test_is_an_heir_that_is_archived(self, alice: Member, now: datetime) -> None:
        Insight.objects.filter(ref=NEW).update(status=Status.ARCHIVED)
        with pytest.raises(AlreadyCombined):
            supersede(ref=OLD, by_ref=NEW, by=alice, now=now)

    def test_is_what_is_done(self, alice: Member, now: datetime) -> None:
        supersede(ref=OLD, by_ref=NEW, by=alice, now=now)
        with pytest.raises(AlreadyCombined):
            supersede(ref=OLD, by_ref=THIRD, by=alice, now=now)
        with pytest.raises(AlreadyCombined):
            reinstate(ref=NEW, by=alice, now=now)

    def test_is_another_teams(self, alice: Member, charlie: Member, root: Member, now: datetime) -> None:
        make_insight(charlie, body=LESSONS["cors"])
        with pytest.raises(NotTogether) as refused:
            supersede(ref=OLD, by_ref="MOB-1", by=root, now=now)
        assert refused.value.errors == {"by": ["It belongs to another team."]}
        with pytest.raises(NotTogether) as refused:
            merge(ref=OLD, into="MOB-1", by=alice, now=now)
        assert refused.value.errors == {"into": ["There is no insight MOB-1."]}

    @pytest.mark.parametrize(
        "act",
        [
            lambda **who: supersede(ref=THIRD, by_ref=OLD, **who),
            lambda **who: merge(ref=THIRD, into=OLD, **who),
            lambda **who: reinstate(ref=NEW, **who),
        ],
    )
    def test_is_a_contributor_and_a_stranger(
        self, alice: Member, bob: Member, charlie: Member, now: datetime, act: Callable[..., Any]
    ) -> None:
        supersede(ref=NEW, by_ref=THIRD, by=alice, now=now)
        before = contents()
        with pytest.raises(NotAllowed):
            act(by=bob, now=now)
        with pytest.raises(NotFound):
            act(by=charlie, now=now)
        assert changed(before) == []
