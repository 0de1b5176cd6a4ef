"""What served to several people is proposed to a lead, with its quotation, and taken back with it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from accounts.actions.members import remove_member, set_level
from accounts.models import User
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.deposit import deposit
from knowledge.models import Insight, Query
from knowledge.review.actions import curate, triage
from knowledge.review.actions.move import move
from knowledge.review.actions.settle import report
from knowledge.review.rules.triage import Tab
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.forget_person import forget_person
from sessions_app.conversations.actions.forget import forget_conversation
from sessions_app.conversations.actions.propose import propose_passages
from sessions_app.conversations.actions.share import share, unshare
from sessions_app.models import Passage, Quotation, ServedPassage
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW, agent
from tests.factories import make_insight
from tests.pages import signed_in
from tests.sessions_app.conversations.decisions import ask
from tests.sessions_app.conversations.talk import talk

pytestmark = pytest.mark.django_db
RULE = "Imports run in batches of 5,000 rows, because the vendor's lock times out after that."

CORRECTED = (
    Turn("assistant", "I would cap the ramp of the kiln controller at 5 degrees a minute."),
    Turn("user", "No, 5 is too much for porcelain. Cap it at 2.5 degrees a minute, as quartz cracks the ware."),
)
# What a session says that nobody decided: what was asked for, and what its agent was about to do.
TASK = "make the invoice job faster, it reads the tariff table all the time"
PLAN = "Next I would write the migration that recomputes September."


@pytest.fixture
def passage(bob: Member) -> Passage:
    """A passage of Bob's agent that the platform team may read."""
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
    talk(bob, (Turn("user", "How many rows a batch?"), Turn("assistant", RULE)))
    return Passage.objects.get(speaker="agent")


def serve(passage: Passage, *members: Member, helpful: bool | None = True) -> None:
    """The passage answered a question of each of these, who said that it helped, that it did not, or nothing."""
    for member in members:
        asked = Query.objects.create(team_id=member.home_id, user_id=member.user_id, at=NOW, text="how many rows")
        ServedPassage.objects.create(query=asked, passage=passage, helpful=helpful)


def assert_gone(ref: str, by: Member) -> None:
    """Nothing is left of a proposal, not even for a lead to have back."""
    assert not Insight.objects.visible_to(by).filter(ref=ref).exists()
    assert agent(by).get(f"/api/v1/insights/{ref}/").status_code == 404
    row = Insight.objects.get(ref=ref)
    assert (row.title, row.body, bool(row.erased_at)) == ("", "", True)


def run(hours: int = 1) -> dict[str, int]:
    return propose_passages(now=NOW + timedelta(hours=hours)).counts


class TestProposing:
    def test_takes_three_answers_that_helped_two_people(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, alice)
        assert run()["proposed"] == 0
        serve(passage, bob, helpful=None)
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
        talk(bob, (Turn("user", "How many rows?"), Turn("assistant", RULE), Turn("user", "Good."), *CORRECTED))
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

    def test_takes_no_conversation_that_was_only_opened(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob, bob, helpful=None)
        for member in (alice, bob):
            assert agent(member).get(f"/api/v1/sessions/{passage.session_ref}/conversation/").status_code == 200
            page = signed_in(User.objects.get(pk=member.user_id))
            assert page.get(f"/sessions/{passage.session_ref}/conversation/").status_code == 200
        assert run()["proposed"] == 0

    @pytest.mark.parametrize(
        "turns",
        [
            (Turn("user", TASK), Turn("assistant", PLAN)),
            (Turn("user", "Hello there."), Turn("assistant", "Done. What else shall I do?"), Turn("user", TASK)),
            (Turn("user", "Cap the ramp at 2.5 degrees a minute in kiln.py, never more than that."),),
            (Turn("user", TASK), Turn("assistant", "I'll cap the ramp at 2.5 degrees a minute and never go over 3.")),
            (Turn("user", TASK), Turn("assistant", "The batches have 5,000 rows now and the tests pass.")),
        ],
        ids=["task and plan", "task in reply to an offer", "task with figures", "intent", "report"],
    )
    def test_leaves_out_requests_plans_and_reports(self, alice: Member, bob: Member, turns: tuple[Turn, ...]) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        talk(bob, turns)
        for row in Passage.objects.all():
            serve(row, alice, alice, bob)
        assert run()["proposed"] == 0

    def test_leaves_a_plan_out_of_what_it_takes(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        talk(bob, (Turn("user", TASK), Turn("assistant", f"{RULE} {PLAN}")))
        serve(Passage.objects.get(speaker="agent"), alice, alice, bob)
        assert run()["proposed"] == 1
        assert Insight.objects.get().body == RULE

    def test_says_whose_words_they_are(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
        talk(bob, (Turn("user", "How fast may it heat?"), *CORRECTED))
        serve(Passage.objects.get(position=2), alice, alice, bob)
        assert run()["proposed"] == 1
        curate.promote(ref=Insight.objects.get().ref, by=alice, now=NOW)
        told = ask(alice, "How many degrees a minute may the kiln heat porcelain?", include=("insights",)).text
        assert "said by bob" in told and "bob's agent" not in told

    def test_is_in_no_answer_until_a_lead_has_looked_at_it(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        run()
        draft = Insight.objects.get()
        question = "How many rows does a batch of the imports have?"
        told = ask(alice, f"{question} {draft.ref}")
        assert not told.found.hits and draft.ref not in told.text
        assert "5,000 rows" in told.text and f"[{passage.session_ref}]" in told.text
        surfaced = agent(bob).post("/api/v1/surface/", {"prompt": question, "repo": "shop"}).json()
        assert draft.ref not in str(surfaced)
        signed_in(User.objects.get(username="alice")).post("/inbox/act/", {"verb": "leave", "ref": draft.ref})
        assert [hit.insight.ref for hit in ask(alice, question).found.hits] == [draft.ref]

    def test_is_served_once_somebody_else_deposits_the_same(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        run()
        said = Draft(kind=Kind.CONTEXT, body=RULE, repo="shop", team="platform")
        deposit(draft=said, by=replace(alice, session=""), now=NOW)
        assert [hit.insight.corroboration_count for hit in ask(bob, "How many rows a batch?").found.hits] == [2]

    def test_is_told_beside_no_other_insight(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        run()
        draft = Insight.objects.get()
        other = make_insight(alice, body=RULE.replace("5,000", "2,000"), kind="CONTEXT", repo="shop")
        report(a=draft.ref, b=other.ref, reason="both cannot be", by=alice, now=NOW)
        told = ask(bob, "How many rows does a batch of the imports have?", include=("insights", "contradictions"))
        assert other.ref in told.text and draft.ref not in told.text
        assert not told.contradictions and not told.found.hits[0].related

    def test_supersedes_nothing(self, alice: Member, bob: Member) -> None:
        old = make_insight(bob, body=RULE.replace("5,000", "2,000"), kind="CONTEXT", repo="shop")
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        talk(bob, (Turn("user", "How many rows a batch?"), Turn("assistant", f"{RULE} It replaces {old.ref}.")))
        serve(Passage.objects.get(speaker="agent"), alice, alice, bob)
        run()
        old.refresh_from_db()
        assert old.superseded_by is None
        assert [hit.insight.ref for hit in ask(alice, "How many rows a batch?").found.hits] == [old.ref]

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
        assert_gone(ref, alice)
        assert run() == {"proposed": 0, "withdrawn": 0}

    def test_goes_at_once_however_its_passage_goes(self, alice: Member, bob: Member) -> None:
        def proposed() -> str:
            share(repo="shop", team="platform", turns=SharedTurns.ALL, by=bob, now=NOW)
            session = talk(bob, (Turn("user", f"How fast? {Passage.objects.count()}"), *CORRECTED))
            serve(Passage.objects.get(session=session, position=2), alice, alice, bob)
            assert run()["proposed"] == 1
            return str(Insight.objects.latest("pk").ref)

        ref = proposed()
        share(repo="shop", team="platform", turns=SharedTurns.AGENT, by=bob, now=NOW)
        assert_gone(ref, alice)
        ref = proposed()
        share(repo="shop", team="personal", turns=SharedTurns.AGENT, by=bob, now=NOW)
        assert_gone(ref, alice)
        ref = proposed()
        session = Quotation.objects.get(insight__ref=ref).session
        forget_conversation(name=session.ref, by=bob, now=NOW)
        assert_gone(ref, alice)
        ref = proposed()
        forget_person(username="bob", now=NOW)
        assert_gone(ref, alice)

    def test_goes_with_a_member_who_leaves(self, passage: Passage, alice: Member, bob: Member) -> None:
        serve(passage, alice, alice, bob)
        run()
        remove_member(team_slug="platform", username="bob", by=alice, now=NOW)
        assert_gone(Insight.objects.get().ref, alice)

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
