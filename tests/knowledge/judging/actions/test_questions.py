"""What a deposit names where nothing stands out enough to be asked about: the nearest notes, by their first words."""

from datetime import datetime, timedelta

import pytest
from rest_framework.test import APIClient

from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.questions import with_question
from knowledge.judging.actions.record import Deposited
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from knowledge.rules.vocabulary import Kind, Status
from tests.factories import as_agent, make_draft, make_insight

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
        assert len(near) == 3 and max(len(one.text.split()) for one in near) <= 15

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
