"""What served to several people is proposed to a lead, with its quotation, and taken back with it."""

from datetime import timedelta

import pytest

from accounts.actions.members import set_level
from accounts.models import User
from accounts.rules.rights import Level, Member
from knowledge.models import Insight, Query
from knowledge.review.actions import curate, triage
from knowledge.review.actions.move import move
from knowledge.review.rules.triage import Tab
from sessions_app.conversations.actions.propose import propose_passages
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.models import Passage, Quotation, ServedPassage
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.factories import make_insight
from tests.pages import signed_in
from tests.sessions_app.conversations.talk import talk

pytestmark = pytest.mark.django_db
RULE = "Imports run in batches of 5,000 rows, because the vendor's lock times out after that."


@pytest.fixture
def passage(bob: Member) -> Passage:
    """A passage of Bob's agent that the platform team may read."""
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
    talk(bob, (Turn("user", "How many rows a batch?"), Turn("assistant", RULE)))
    return Passage.objects.get(speaker="agent")


def serve(passage: Passage, *members: Member, read: bool = True) -> None:
    """The passage answered a question of each of these."""
    for member in members:
        asked = Query.objects.create(team_id=member.home_id, user_id=member.user_id, at=NOW, text="how many rows")
        ServedPassage.objects.create(query=asked, passage=passage, read_at=NOW if read else None)


def run(hours: int = 1) -> dict[str, int]:
    return propose_passages(now=NOW + timedelta(hours=hours)).counts


class TestProposing:
    def test_takes_three_answers_that_two_people_read_on(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, alice)
        assert run()["proposed"] == 0
        serve(passage, bob, read=False)
        assert run()["proposed"] == 0
        serve(passage, bob)
        assert run()["proposed"] == 1
        assert run()["proposed"] == 0
        draft = Insight.objects.get()
        assert (draft.status, draft.source_type, draft.body, draft.team_id) == (
            "draft",
            "transcript",
            RULE,
            passage.team_id,
        )
        assert Quotation.objects.get().passage == passage

    def test_is_shown_to_a_lead_with_its_quotation_until_they_decide(
        self, passage: Passage, alice: Member, alice_user: User, bob: Member, bob_user: User
    ) -> None:
        serve(passage, alice, alice, bob)
        run()
        draft = Insight.objects.get()
        page = signed_in(alice_user)
        queue = page.get("/?tab=quoted").content.decode()
        assert draft.ref in queue
        assert triage.counts(by=alice, now=NOW)[Tab.QUOTED] == 1
        assert "Served 3 times to you and 1 other person" in " ".join(queue.split())
        assert f"/sessions/S-{passage.session_id}/conversation/?at={passage.position}#passage-" in queue
        assert draft.ref not in signed_in(bob_user).get("/?tab=quoted").content.decode()
        page.post("/inbox/act/", {"verb": "leave", "ref": draft.ref})
        assert triage.counts(by=alice, now=NOW)[Tab.QUOTED] == 0

    def test_counts_each_in_the_inbox(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        talk(bob, (Turn("user", "The nightly export is compressed with zstd at level three."), Turn("assistant", RULE)))
        for row in Passage.objects.all():
            serve(row, alice, alice, bob)
        assert run()["proposed"] == 2
        assert triage.counts(by=alice, now=NOW)[Tab.QUOTED] == 2

    def test_leaves_out_what_was_taken_from_the_transcript_already(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        decision = "We decided to keep SQLite for the cache because the data fits in memory."
        talk(bob, (Turn("user", "Which store?"), Turn("assistant", decision)))
        assert Insight.objects.count() == 1
        serve(Passage.objects.get(speaker="agent"), alice, alice, bob)
        assert run()["proposed"] == 0

    def test_leaves_out_what_asks_and_what_an_agent_proposed_and_its_user_refused(
        self, alice: Member, bob: Member
    ) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        asked = "How fast may the kiln heat the porcelain, in degrees a minute?"
        proposed = "I would cap the ramp of the kiln controller at 5 degrees a minute."
        answer = "No, 5 is too much for porcelain. Cap it at 2.5 degrees a minute, as quartz cracks the ware."
        talk(bob, (Turn("user", asked), Turn("assistant", proposed), Turn("user", answer)))
        for row in Passage.objects.all():
            serve(row, alice, alice, bob)
        assert run()["proposed"] == 1
        assert "2.5 degrees" in Insight.objects.get().body

    def test_goes_with_the_sharing_while_nobody_has_decided(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        run()
        ref = Insight.objects.get().ref
        unshare(repo="shop", by=bob, now=NOW)
        assert run()["withdrawn"] == 1
        assert not Insight.objects.visible_to(alice).filter(ref=ref).exists()
        assert run() == {"proposed": 0, "withdrawn": 0}

    def test_stays_once_a_lead_has_promoted_it(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        run()
        curate.promote(ref=Insight.objects.get().ref, by=alice, now=NOW)
        unshare(repo="shop", by=bob, now=NOW)
        assert run()["withdrawn"] == 0

    def test_stays_once_a_lead_has_moved_it(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        run()
        move(ref=Insight.objects.get().ref, team="everyone", why="for all", by=alice, now=NOW)
        assert run()["withdrawn"] == 0

    def test_corroborates_what_the_team_knows_instead(self, passage: Passage, alice: Member, bob: Member) -> None:
        known = make_insight(alice, body=RULE, kind="CONTEXT", repo="shop")
        serve(passage, alice, alice, bob)
        assert run()["proposed"] == 0
        known.refresh_from_db()
        assert known.corroboration_count == 2
        assert Quotation.objects.get().insight_id == known.pk

    def test_leaves_alone_what_its_speaker_may_not_write(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        set_level(team_slug="platform", username="bob", level=Level.READER, by=alice, now=NOW)
        assert run()["proposed"] == 0
