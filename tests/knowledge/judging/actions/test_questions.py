"""What a deposit names where nothing stands out enough to be asked about: the nearest notes, by their first words."""

from datetime import datetime, timedelta

import pytest
from rest_framework.test import APIClient

from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.questions import NAMED_WORDS, beginning, behind_title, with_question
from knowledge.judging.actions.record import Deposited
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.rules.vocabulary import Kind, Status
from tests.factories import as_agent, make_draft, make_insight, make_insights

OLD = "KG-3 gateways send one measurement frame every 10 minutes over LTE-M."
NEW = "Uplink cadence is 6 min per frame since firmware 4.12, the pilots wanted fresher levels."
FAR = "The kiosk prints no receipts on Sundays."
DEPOSITS = "/api/v1/insights/"


@pytest.fixture
def old(alice: Member, now: datetime) -> Insight:
    row = make_insight(as_agent(alice), now=now - timedelta(days=60), body=OLD, title="Uplink interval")
    # Unlike anything: it is named to nobody.
    make_insight(as_agent(alice), now=now - timedelta(days=50), body=FAR)
    return row


def deposited(by: Member, now: datetime, body: str = NEW, **over: object) -> Deposited:
    done = deposit(draft=make_draft(body=body, kind=Kind.CONTEXT, **over), by=as_agent(by), now=now)
    return with_question(done, by=by, now=now)


@pytest.mark.django_db
class TestTheNearestNotes:
    def test_are_named_where_nothing_is_asked(self, old: Insight, bob: Member, now: datetime) -> None:
        done = deposited(bob, now)
        [named] = done.near
        assert done.question is None
        assert (named.ref, named.title, round(named.age_days)) == (old.ref, "Uplink interval", 60)
        assert named.text == OLD

    def test_are_three_and_by_their_first_words(self, old: Insight, alice: Member, bob: Member, now: datetime) -> None:
        for word in ("alpha", "beta", "gamma"):
            body = f"The {word} firmware keeps what a pilot has seen of the levels for a day, and then it is sent on."
            make_insight(as_agent(alice), now=now - timedelta(days=20), body=body)
        near = deposited(bob, now).near
        assert near and max(len(one.text.split()) for one in near) <= 26

    def test_are_not_named_where_the_agent_has_said_how_they_relate(
        self, old: Insight, bob: Member, now: datetime
    ) -> None:
        done = deposited(bob, now, relations=(Statement(old.ref, Relation.COMPLEMENTS),))
        assert done.near == ()

    def test_are_named_again_to_who_sends_it_twice(self, old: Insight, bobs_agent: APIClient) -> None:
        body = {"kind": "CONTEXT", "body": NEW, "team": "platform", "idempotency_key": "k-1"}
        answers = [bobs_agent.post(DEPOSITS, body, format="json").json() for _ in range(2)]
        assert [[one["ref"] for one in answer["near"]] for answer in answers] == [[old.ref], [old.ref]]

    def test_of_another_team_are_never_named(
        self, charlie: Member, mobile: Team, bob: Member, platform: Team, now: datetime
    ) -> None:
        make_insight(as_agent(charlie), now=now - timedelta(days=60), body=OLD)
        assert deposited(bob, now).near == ()

    def test_that_the_member_cannot_find_any_more_are_left_out(self, old: Insight, bob: Member, now: datetime) -> None:
        done = deposit(draft=make_draft(body=NEW, kind=Kind.CONTEXT), by=as_agent(bob), now=now)
        assert done.nearest == (old.pk,)
        Insight.objects.filter(pk=old.pk).update(status=Status.ARCHIVED)
        assert with_question(done, by=bob, now=now).near == ()

    @pytest.mark.parametrize(
        ("title", "body", "text"),
        [
            ("Uplink interval", OLD, OLD),
            (OLD[:-1], OLD, ""),
            ("Run levelctl by hand", "Run `levelctl` by hand. It takes\nan hour.", "It takes an hour."),
            ("Run levelctl by…", "Run levelctl by hand. It takes an hour.", "Run levelctl by hand. It takes an hour."),
            ("Paragraph", "word " * 40, "word " * 25 + "…"),
        ],
    )
    def test_are_told_by_what_follows_the_title(self, title: str, body: str, text: str) -> None:
        assert beginning(behind_title(title, body), NAMED_WORDS) == text

    def test_are_none_where_all_around_is_as_near(self, alice: Member, bob: Member, now: datetime) -> None:
        """One of a family of notes on other things is named no more than another."""
        for word in ("north", "south", "east", "west", "upper", "lower", "old", "new"):
            body = f"The {word} kiosk is cleaned by its own crew on Sundays at six, before the market opens."
            make_insight(as_agent(alice), now=now - timedelta(days=20), body=body)
        done = deposited(bob, now, "Kiosks and market stalls share a power line: switch off the heater first.")
        assert (done.question, done.near) == (None, ())


SEATS = "Ask Petra for a licence of the diagram tool."
DRAWN = "Figures are drawn with D2 from text; nobody buys seats any more."
UNASKED = "D2 turns text into pictures; the plan for seats ended."
# Nearer to what is drawn than the licence is.
FIGURES = (
    "Text in figures is set in Inter.",
    "Figures of the annual report are drawn by the agency.",
    "Nobody draws on the whiteboard with permanent text markers.",
    "Train seats are bought by the office.",
)


@pytest.mark.django_db
class TestWhatTheSessionWasJustServed:
    """It is named however little the deposit reads like it: the agent has read it, and may have found it outdated."""

    @pytest.fixture(autouse=True)
    def others(self, alice: Member, now: datetime) -> None:
        long_ago = now - timedelta(days=40)
        make_insights(as_agent(alice), long_ago, *({"body": body, "kind": Kind.CONTEXT} for body in FIGURES))

    @pytest.fixture
    def bobs(self, bob: Member) -> Member:
        return as_agent(bob)

    @pytest.fixture
    def seats(self, alice: Member, now: datetime) -> Insight:
        return make_insight(as_agent(alice), now=now - timedelta(days=60), body=SEATS, kind=Kind.CONTEXT)

    def serve(self, by: Member, at: datetime, question: str = "how do I get a licence of the diagram tool") -> str:
        return retrieve(ask=Ask(question), by=by, now=at).hits[0].insight.ref

    def answered(self, by: Member, now: datetime, body: str) -> Deposited:
        return with_question(deposit(draft=make_draft(body=body, kind=Kind.CONTEXT), by=by, now=now), by=by, now=now)

    def named(self, by: Member, now: datetime, body: str = DRAWN) -> list[str]:
        done = self.answered(by, now, body)
        assert not (done.question and done.near)
        return [one.ref for one in (done.question.neighbours if done.question else done.near)]

    def test_is_named(self, seats: Insight, bobs: Member, now: datetime) -> None:
        assert self.serve(bobs, now - timedelta(minutes=20)) == seats.ref
        named = self.named(bobs, now, UNASKED)
        assert (seats.ref in named, len(named) <= 3) == (True, True)

    def test_leaves_the_nearest_named(self, seats: Insight, bobs: Member, now: datetime) -> None:
        nearest = self.named(bobs, now, UNASKED)[0]
        Insight.objects.filter(body=UNASKED).delete()
        self.serve(bobs, now - timedelta(minutes=20))
        named = self.named(bobs, now, UNASKED)
        assert {nearest, seats.ref} <= set(named)

    def test_is_not_named_hours_later_or_in_another_session(
        self, seats: Insight, alice: Member, bobs: Member, now: datetime
    ) -> None:
        self.serve(bobs, now - timedelta(hours=3))
        self.serve(as_agent(alice), now - timedelta(minutes=20))
        assert seats.ref not in self.named(bobs, now)

    def test_is_not_named_to_what_is_farther_than_chance(self, seats: Insight, bobs: Member, now: datetime) -> None:
        self.serve(bobs, now - timedelta(minutes=20))
        assert seats.ref not in self.named(bobs, now, "Pelicans nest near the harbour in April.")

    def test_joins_no_question(self, seats: Insight, bobs: Member, now: datetime) -> None:
        """What would not be asked about by itself: of 17 such notes in an outsider's deposits none was right."""
        self.serve(bobs, now - timedelta(minutes=20))
        done = self.answered(bobs, now, "Figures of the annual report are drawn with D2; nobody buys seats any more.")
        asked = [one.ref for one in done.question.neighbours]
        assert (asked != [], seats.ref in asked, done.near) == (True, False, ())

    def test_is_named_again_to_who_sends_it_twice(self, seats: Insight, bobs_agent: APIClient) -> None:
        body = {"kind": "CONTEXT", "body": UNASKED, "team": "platform", "idempotency_key": "k-1"}
        bobs_agent.post("/api/v1/query/", {"query": "how do I get a licence of the diagram tool"}, format="json")
        answers = [bobs_agent.post(DEPOSITS, body, format="json").json() for _ in range(2)]
        told = [[one["ref"] for one in (answer["ask"] or {}).get("neighbours", answer["near"])] for answer in answers]
        assert told[0] == told[1] and seats.ref in told[0]
