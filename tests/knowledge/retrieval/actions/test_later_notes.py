"""A fact that changed in words which nobody took for a change: the answer names the later note beside the earlier."""

from datetime import datetime, timedelta

import pytest
from rest_framework.test import APIClient

from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import Hit, retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import Kind
from sessions_app.answers.actions.build_answer import build_answer
from tests.factories import as_agent, make_insight
from tests.knowledge.library import stock

REPO = "tide/gauge"
OLD = "Firmware releases need an OK from Marit before the tag is pushed."
NEW = "Release tags in gauge: any two of @fw-maintainers sign off, Marit is on leave till autumn."
QUESTION = "Who has to approve before a firmware release is tagged?"
LONG_AGO = timedelta(days=60)


@pytest.fixture
def old(alice: Member, now: datetime) -> Insight:
    stock(alice, now - LONG_AGO)
    row = make_insight(as_agent(alice), now=now - LONG_AGO, body=OLD, kind=Kind.CONTEXT, repo=REPO)
    return curate.promote(ref=row.ref, by=alice, now=now - LONG_AGO)


@pytest.fixture
def new(old: Insight, bob: Member, now: datetime) -> Insight:
    return make_insight(as_agent(bob), now=now - timedelta(days=9), body=NEW, kind=Kind.CONTEXT, repo=REPO)


def first(by: Member, now: datetime, question: str = QUESTION) -> Hit:
    return retrieve(ask=Ask(question, repo=REPO), by=by, now=now).hits[0]


@pytest.mark.django_db
class TestALaterNote:
    def test_is_named_at_the_end_of_the_answer(self, old: Insight, new: Insight, bob: Member, now: datetime) -> None:
        answer = build_answer(ask=Ask(QUESTION, repo=REPO), max_tokens=400, by=as_agent(bob), now=now)
        assert [item.ref for item in answer.items] == [old.ref]
        _, after = answer.text.split("Learned later, perhaps on the same, not compared:\n")
        assert after.startswith(f"[{new.ref}] draft, {new.learned_at:%Y-%m-%d}, bob's agent, near {old.ref}: {NEW}")

    def test_of_a_paragraph_tells_the_sentence_that_answers_where_there_is_room_for_one(
        self, old: Insight, bob: Member, now: datetime
    ) -> None:
        change = "So any two of @fw-maintainers sign off a release of the gauge before it is tagged."
        body = (
            "Half of the team sat together on Thursday and the talk took longer than planned, since the minutes of "
            "last month were still open and somebody had to look for them. Marit is on leave till autumn, and nobody "
            f"wanted to wait for her that long. {change} Old tags stay."
        )
        row = make_insight(as_agent(bob), now=now - timedelta(days=9), body=body, kind=Kind.CONTEXT, repo=REPO)
        answer = build_answer(ask=Ask(QUESTION, repo=REPO), max_tokens=240, by=as_agent(bob), now=now)
        assert [item.ref for item in answer.items] == [old.ref]
        [line] = [line for line in answer.text.splitlines() if line.startswith(f"[{row.ref}] ")]
        assert line.endswith(f"near {old.ref}: {change}")

    def test_is_told_of_by_rest(self, old: Insight, new: Insight, bobs_agent: APIClient) -> None:
        [hit] = bobs_agent.post("/api/v1/query/", {"query": QUESTION, "repo": REPO}, format="json").json()["insights"]
        assert hit["ref"] == old.ref and hit["later"] == [{"ref": new.ref, "title": new.title}]

    def test_is_none_where_the_earlier_was_confirmed_since(
        self, old: Insight, new: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        assert [row.ref for row in first(bob, now).later] == [new.ref]
        curate.pin(ref=old.ref, by=alice, now=now)
        old.refresh_from_db()
        assert old.confirmed_at and first(bob, now).later == ()

    def test_is_none_once_somebody_has_compared_them(
        self, old: Insight, new: Insight, bob: Member, now: datetime
    ) -> None:
        statement = [Statement(old.ref, Relation.UNRELATED)]
        relate(ref=new.ref, statements=statement, by=as_agent(bob), now=now)
        assert first(bob, now).later == ()

    def test_is_none_of_another_repository(self, old: Insight, bob: Member, now: datetime) -> None:
        make_insight(as_agent(bob), now=now - timedelta(days=9), body=NEW, kind=Kind.CONTEXT, repo="tide/other")
        assert first(bob, now).later == ()

    def test_is_none_of_the_same_day(self, old: Insight, bob: Member, now: datetime) -> None:
        beside = now - LONG_AGO + timedelta(hours=3)
        make_insight(as_agent(bob), now=beside, body=NEW, kind=Kind.CONTEXT, repo=REPO)
        assert first(bob, now).later == ()

    def test_of_a_team_that_one_is_not_in_is_never_named(
        self, old: Insight, charlie: Member, bob: Member, mobile: Team, now: datetime
    ) -> None:
        make_insight(as_agent(charlie), now=now - timedelta(days=9), body=NEW, kind=Kind.CONTEXT, repo=REPO)
        assert first(bob, now).later == ()

    def test_costs_two_statements_at_most(
        self, old: Insight, new: Insight, bob: Member, now: datetime, django_assert_max_num_queries: object
    ) -> None:
        retrieve(ask=Ask(QUESTION, repo=REPO), by=bob, now=now)
        with django_assert_max_num_queries(8):  # type: ignore[operator]
            retrieve(ask=Ask(QUESTION, repo=REPO), by=bob, now=now)

    def test_is_none_where_it_is_said_what_replaces_it(
        self, old: Insight, new: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        later = make_insight(
            as_agent(bob), now=now, body="Tags are pushed by the pipeline.", kind=Kind.CONTEXT, repo=REPO
        )
        relate(ref=later.ref, statements=[Statement(old.ref, Relation.SUPERSEDES)], by=as_agent(bob), now=now)
        hits = retrieve(ask=Ask(QUESTION, repo=REPO), by=bob, now=now).hits
        assert [hit.later for hit in hits if hit.insight.ref == old.ref] == [()]


# Other notes of the repository, so that the two stand out beside each other.
OTHERS = (
    "Water levels are kept in InfluxDB for ten years.",
    "High water rings the harbour master's phone at 4.2 m.",
    "Sensors are calibrated in the workshop every spring.",
    "Tide tables are printed by the print shop in November.",
    "The wave radar is off while divers work at the quay.",
)
LORA = "Gauges report over LoRa to the mast on the pier."
NB_IOT = "Gauge readings arrive by NB-IoT since the mast was taken down in the storm."
HOW = "how do the gauges report what they measure"


@pytest.mark.django_db
class TestTheOneThatStandsOut:
    """Nobody has paired the two, and they are less alike than tellings of one thing mostly are."""

    @pytest.fixture
    def lora(self, alice: Member, now: datetime) -> Insight:
        stock(alice, now - LONG_AGO)
        for body in OTHERS:
            make_insight(as_agent(alice), now=now - LONG_AGO, body=body, kind=Kind.CONTEXT, repo=REPO)
        row = make_insight(as_agent(alice), now=now - LONG_AGO, body=LORA, kind=Kind.CONTEXT, repo=REPO)
        return curate.promote(ref=row.ref, by=alice, now=now - LONG_AGO)

    @pytest.fixture
    def nb_iot(self, lora: Insight, bob: Member, now: datetime) -> Insight:
        return make_insight(as_agent(bob), now=now - timedelta(days=9), body=NB_IOT, kind=Kind.CONTEXT, repo=REPO)

    def refs(self, by: Member, now: datetime) -> list[str]:
        return [hit.insight.ref for hit in retrieve(ask=Ask(HOW, repo=REPO), by=by, now=now).hits]

    def test_comes_first(self, lora: Insight, nb_iot: Insight, bob: Member, now: datetime) -> None:
        assert self.refs(bob, now)[:2] == [nb_iot.ref, lora.ref]

    @pytest.mark.parametrize(("kind", "leads"), [(Kind.CONTEXT, False), (Kind.PITFALL, True)])
    def test_does_not_where_another_telling_is_as_near(
        self, kind: Kind, leads: bool, lora: Insight, nb_iot: Insight, bob: Member, now: datetime
    ) -> None:
        """A warning is none."""
        body = "The mast on the pier has a battery for the LoRa reports of two days."
        make_insight(as_agent(bob), now=now - timedelta(days=3), body=body, kind=kind, repo=REPO)
        assert (self.refs(bob, now)[0] == nb_iot.ref) is leads

    def test_does_not_once_somebody_has_compared_them(
        self, lora: Insight, nb_iot: Insight, bob: Member, now: datetime
    ) -> None:
        relate(ref=nb_iot.ref, statements=[Statement(lora.ref, Relation.UNRELATED)], by=as_agent(bob), now=now)
        assert self.refs(bob, now)[0] == lora.ref

    def test_does_not_where_the_earlier_was_confirmed_since(
        self, lora: Insight, nb_iot: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        curate.pin(ref=lora.ref, by=alice, now=now)
        assert self.refs(bob, now)[0] == lora.ref

    def test_stands_behind_the_confirmed_one_where_its_author_has_no_standing(
        self, lora: Insight, nb_iot: Insight, bob: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As any other that reads like it does."""
        monkeypatch.setattr("knowledge.retrieval.rules.standing.Rivalry.held_back", "no standing")
        assert self.refs(bob, now).index(lora.ref) < self.refs(bob, now).index(nb_iot.ref)
