"""What a lead has rejected is not put forward again in nearly the same words, by anybody."""

from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import Deposited, deposit
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.currency import Currency
from knowledge.review.actions import curate, settle
from knowledge.rules.vocabulary import Kind
from tests.conftest import person
from tests.factories import as_agent, make_draft, make_insight

DAY = timedelta(days=1)
NINE, SEVEN = "The minimum Android version is 9.", "The minimum Android version is 7."
AGAIN = "The minimum Android version is 7 these days."


@pytest.fixture
def bobs(bob: Member) -> Member:
    return as_agent(bob)


@pytest.fixture
def dana(platform: Team) -> Member:
    return as_agent(member_of(user=person("dana", platform)))


@pytest.fixture
def kept(alice: Member, now: datetime) -> Insight:
    row = make_insight(as_agent(alice), now=now - 60 * DAY, body=NINE, kind=Kind.CONTEXT)
    return curate.promote(ref=row.ref, by=alice, now=now - 60 * DAY)


def say(body: str, by: Member, at: datetime, about: Insight | None = None, relation: str = "supersedes") -> Deposited:
    relations = (Statement(about.ref, Relation(relation)),) if about else ()
    return deposit(draft=make_draft(body=body, kind=Kind.CONTEXT, relations=relations), by=by, now=at)


def became(done: Deposited) -> tuple[str, str]:
    [one] = done.related
    return one["state"], one["reason"]


@pytest.fixture(params=["kept", "dismissed"])
def rejected(request: pytest.FixtureRequest, kept: Insight, alice: Member, bobs: Member, now: datetime) -> Pair:
    """Bob's agent proposed seven, and Alice kept nine."""
    say(SEVEN, bobs, now - 9 * DAY, kept)
    pair = Pair.objects.get()
    if request.param == "kept":
        return settle.resolve(pair_id=pair.pk, keep=kept.ref, by=alice, now=now - 8 * DAY)
    return settle.dismiss(pair_id=pair.pk, by=alice, now=now - 8 * DAY, why="no")


class TestNearlyTheSameWords:
    @pytest.mark.parametrize(
        "body",
        [AGAIN, "Our minimum Android version is now 7.", "Android 7 is the oldest version that we support."],
    )
    def test_are_proposed_with_what_was_rejected(
        self, body: str, rejected: Pair, kept: Insight, bobs: Member, now: datetime
    ) -> None:
        done = say(body, bobs, now, kept)
        assert (done.outcome, became(done)) == ("proposed", ("proposed", "rejected_before"))
        verdict = Pair.objects.get(a=kept, b=done.insight, question="supersession").verdict
        assert (verdict["reason"], verdict["rejected"]) == ("rejected_before", rejected.pk)

    @pytest.mark.parametrize("by_word", [True, False])
    def test_stand_behind_what_was_kept_until_a_lead_looks(
        self, by_word: bool, rejected: Pair, kept: Insight, bobs: Member, dana: Member, now: datetime
    ) -> None:
        again = say(AGAIN, bobs, now, kept if by_word else None).insight
        ask = Ask("what is the minimum Android version")
        hits = {hit.insight.ref: hit for hit in retrieve(ask=ask, by=dana, now=now).hits}
        refs = list(hits)
        assert refs.index(kept.ref) < refs.index(again.ref)
        assert hits[kept.ref].currency is Currency.DISPUTED
        assert "rejected the same" in hits[again.ref].held_back

    def test_are_so_by_anybody(self, rejected: Pair, kept: Insight, dana: Member, now: datetime) -> None:
        assert became(say(AGAIN, dana, now, kept)) == ("proposed", "rejected_before")

    def test_are_so_as_a_contradiction(self, rejected: Pair, kept: Insight, bobs: Member, now: datetime) -> None:
        done = say(AGAIN, bobs, now, kept, "contradicts")
        assert became(done) == ("open", "rejected_before")
        verdict = Pair.objects.get(question="contradiction").verdict
        assert (verdict["reason"], verdict["rejected"]) == ("rejected_before", rejected.pk)

    def test_are_so_where_nobody_says_what_they_are(
        self, rejected: Pair, kept: Insight, bobs: Member, now: datetime
    ) -> None:
        done = say(AGAIN, bobs, now)
        pair = Pair.objects.open().get(a=kept, b=done.insight)
        assert (pair.verdict["reason"], pair.verdict["rejected"]) == ("rejected_before", rejected.pk)

    def test_are_so_of_a_draft_that_would_give_way(
        self, alice: Member, dana: Member, bobs: Member, now: datetime
    ) -> None:
        draft = make_insight(dana, now=now - 60 * DAY, body=NINE, kind=Kind.CONTEXT)
        say(SEVEN, bobs, now - 9 * DAY, draft, "contradicts")
        settle.resolve(pair_id=Pair.objects.get().pk, keep=draft.ref, by=alice, now=now - 8 * DAY)
        assert became(say(AGAIN, bobs, now, draft)) == ("proposed", "rejected_before")
        draft.refresh_from_db()
        assert draft.superseded_by is None


class TestSomethingElse:
    @pytest.mark.parametrize("body", ["The minimum Android version is 8.", "We no longer support Android 9 but 8."])
    def test_is_proposed_as_ever(self, body: str, rejected: Pair, kept: Insight, bobs: Member, now: datetime) -> None:
        done = say(body, bobs, now, kept)
        assert became(done) == ("proposed", "protected")
        assert Pair.objects.get(b=done.insight, question="supersession").verdict["reason"] == "stated"

    def test_is_what_was_merged_by_the_lead(self, kept: Insight, alice: Member, bobs: Member, now: datetime) -> None:
        """Two that say the same were no rejection of one."""
        done = say("Android 9 is the minimum version.", bobs, now - 9 * DAY, kept)
        pair = Pair.objects.get(b=done.insight)
        settle.resolve(pair_id=pair.pk, keep=kept.ref, merging=True, by=alice, now=now - 8 * DAY)
        assert became(say("Android 9 is our minimum version.", bobs, now, kept)) == ("proposed", "protected")

    def test_is_what_a_lead_has_opened_again(
        self, rejected: Pair, kept: Insight, alice: Member, bobs: Member, now: datetime
    ) -> None:
        settle.reopen(pair_id=rejected.pk, by=alice, now=now)
        assert became(say(AGAIN, bobs, now, kept)) == ("proposed", "protected")
