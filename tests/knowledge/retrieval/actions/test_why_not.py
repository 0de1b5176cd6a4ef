"""Why an insight was not in an answer: the stage that dropped it, with figures."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import Team, User
from accounts.rules.refused import NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight, Query
from knowledge.retrieval.actions.candidates import LEG
from knowledge.retrieval.actions.retrieve import retrieve, why_not
from knowledge.retrieval.rules import relevance
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.stages import Rejection
from knowledge.review.actions import curate
from tests.database import changed, contents
from tests.factories import make_insight
from tests.knowledge.library import LESSONS, stock

BEAT = "celery beat fires scheduled jobs twice"


@pytest.fixture
def library(alice: Member, now: datetime) -> dict[str, str]:
    return stock(alice, now)


def asked(by: Member, now: datetime, ref: str, text: str = BEAT, **over: Any) -> Rejection:
    """Ask, and then why `ref` was not in the answer."""
    found = retrieve(ask=Ask(text, **over), by=by, now=now)
    drop = why_not(query_id=found.query_id, ref=ref, by=by, now=now)
    served = [hit.insight.ref for hit in found.hits]
    assert (drop.stage == "served") == (ref in served)
    return drop


class TestWhyNot:
    def test_it_was_served(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        drop = asked(bob, now, library["beat"])
        assert (drop.stage, drop.why) == ("served", "It is in the answer, at rank 1.")

    def test_nothing_was_relevant(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        drop = asked(bob, now, library["beat"], "how do I bake sourdough bread")
        assert drop.stage == "abstained"
        assert drop.figures["floor"] == pytest.approx(relevance.floor(len(LESSONS)), abs=1e-4)
        assert drop.figures["evidence"] <= drop.figures["best"] < drop.figures["floor"]

    def test_it_was_below_the_least_score(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        drop = asked(bob, now, library["beat"], min_score=5.0)
        assert (drop.stage, drop.figures["min_score"]) == ("min_score", 5.0)

    def test_it_was_much_weaker_than_the_best(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        drop = asked(bob, now, library["cors"])
        assert drop.stage == "trim"
        assert drop.figures["evidence"] < relevance.TRIM * drop.figures["best"]

    def test_it_says_the_same_as_a_better_one(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        make_insight(bob, body=LESSONS["beat"], now=now + timedelta(days=1))
        drop = asked(bob, now + timedelta(days=1), library["beat"])
        assert (drop.stage, drop.figures["bound"]) == ("collapsed", relevance.NEAR_DUPLICATE)

    def test_it_ranked_below_those_asked_for(self, bob: Member, now: datetime) -> None:
        lessons = [f"Celery beat fires scheduled {what} twice." for what in ("jobs", "mails", "backups", "reports")]
        refs = [make_insight(bob, body=lesson).ref for lesson in lessons]
        drops = [asked(bob, now, ref, limit=1) for ref in refs]
        assert sorted(drop.stage for drop in drops) == ["limit", "limit", "limit", "served"]
        assert next(drop for drop in drops if drop.stage == "limit").figures["limit"] == 1

    def test_it_ranked_below_those_listed_untrimmed(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        assert asked(bob, now, library["cors"], trim=False, limit=1).stage == "limit"

    def test_it_was_superseded(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        heir = Insight.objects.get(ref=library["cache"])
        Insight.objects.filter(ref=library["beat"]).update(superseded_by=heir)
        drop = asked(bob, now, library["beat"])
        assert (drop.stage, drop.why) == ("superseded", f"{heir.ref} supersedes it.")

    def test_it_is_archived(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        Insight.objects.filter(ref=library["beat"]).update(status="archived")
        assert asked(bob, now, library["beat"]).stage == "archived"

    def test_it_is_of_another_kind(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        drop = asked(bob, now, library["beat"], kinds=["PITFALL", "DECISION"])
        assert (drop.stage, drop.why) == ("kinds", "Its kind is SOLUTION; requested: PITFALL, DECISION.")

    def test_it_is_of_a_team_that_was_not_asked(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        assert asked(bob, now, library["beat"], teams=["personal"]).stage == "teams"

    def test_it_has_no_vector_yet(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        Insight.objects.filter(ref=library["beat"]).update(embedding=None, embedded_by="")
        assert asked(bob, now, library["beat"], "periodic tasks are executed double").stage == "no_vector"

    def test_it_was_too_far_off_to_be_looked_at(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        """More than a leg's length of others are nearer."""
        row = Insight.objects.get(ref=library["beat"])
        for number in range(100, 100 + LEG):
            row.pk, row.number, row.ref = None, number, f"PLAT-{number}"
            row.save(force_insert=True)
        drop = asked(bob, now, library["cors"], "periodic tasks are executed double")
        assert drop.stage == "candidates"
        assert drop.figures["candidates"] == LEG
        assert -1 <= drop.figures["similarity"] < 0.3

    def test_it_shares_no_word_when_there_is_no_vector_to_ask_by(
        self, library: dict[str, str], bob: Member, now: datetime, embedder_down: str
    ) -> None:
        assert asked(bob, now, library["cors"]).stage == "candidates"


class TestAskingAgain:
    def test_writes_nothing(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        found = retrieve(ask=Ask(BEAT), by=bob, now=now)
        before = contents()
        why_not(query_id=found.query_id, ref=library["cors"], by=bob, now=now)
        assert changed(before) == []

    def test_is_as_of_now(self, library: dict[str, str], alice: Member, now: datetime) -> None:
        """An insight that came since, or has changed since, is judged as it stands."""
        found = retrieve(ask=Ask("kaniko builds images", limit=1), by=alice, now=now)
        text = {"title": "Kaniko", "body": "Kaniko builds images without a daemon."}
        curate.edit(ref=library["quota"], changes=text, revision=1, by=alice, now=now)
        assert why_not(query_id=found.query_id, ref=library["quota"], by=alice, now=now).stage == "served"

    def test_knows_the_whole_question(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        found = retrieve(
            ask=Ask(BEAT, files=["a.py"], tags=["x"], error="OSError: no", repo="r", min_score=9.0), by=bob, now=now
        )
        assert Ask(**Query.objects.get(pk=found.query_id).ask).files == ["a.py"]
        assert why_not(query_id=found.query_id, ref=library["beat"], by=bob, now=now).stage == "min_score"

    def test_is_the_askers_alone(
        self, library: dict[str, str], alice: Member, bob: Member, root: Member, charlie: Member, now: datetime
    ) -> None:
        found = retrieve(ask=Ask(BEAT), by=bob, now=now)
        for other in (alice, root, charlie):
            with pytest.raises(NotFound):
                why_not(query_id=found.query_id, ref=library["beat"], by=other, now=now)

    def test_tells_nothing_of_what_the_asker_may_not_see(
        self, library: dict[str, str], charlie: Member, mobile: Team, now: datetime
    ) -> None:
        found = retrieve(ask=Ask(BEAT), by=charlie, now=now)
        for ref in (library["beat"], "PLAT-999", ""):
            with pytest.raises(NotFound):
                why_not(query_id=found.query_id, ref=ref, by=charlie, now=now)

    def test_of_no_question_is_not_there(self, library: dict[str, str], bob: Member, now: datetime) -> None:
        with pytest.raises(NotFound):
            why_not(query_id=uuid4(), ref=library["beat"], by=bob, now=now)

    def test_bears_a_team_that_is_no_longer_ones_own(
        self, library: dict[str, str], bob_user: User, bob: Member, now: datetime
    ) -> None:
        found = retrieve(ask=Ask(BEAT, teams=["platform"]), by=bob, now=now)
        out = Member(bob.user_id, "bob", False, bob.home_id, tuple(t for t in bob.teams if t.slug != "platform"))
        with pytest.raises(NotFound):
            why_not(query_id=found.query_id, ref=library["beat"], by=out, now=now)
