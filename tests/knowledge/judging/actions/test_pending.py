"""A draft that waits for a lead, being proposed to replace what the team has confirmed, is replaced by no colleague."""

from datetime import datetime

import pytest

from accounts.actions.members import member_of
from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.models import Insight, Pair
from knowledge.review.actions import combine, curate, settle
from knowledge.review.actions.forget import forget
from knowledge.rules.vocabulary import Status
from tests.conftest import person
from tests.factories import as_agent
from tests.knowledge.judging.actions.test_relate import (
    DAY,
    TEN,
    THIRTY,
    became,
    fresh,
    said,
    served,
    tell,
)

FORTY, FIFTY = THIRTY.replace("30", "40"), THIRTY.replace("30", "50")
QUESTION = "after how many seconds do requests to the payment gateway time out"


@pytest.fixture
def dana(platform: Team) -> Member:
    return as_agent(member_of(user=person("dana", platform)))


@pytest.fixture
def bobs(bob: Member) -> Member:
    return as_agent(bob)


@pytest.fixture
def kept(alice: Member, now: datetime) -> Insight:
    """What the team has confirmed."""
    row = said(TEN, alice, now)
    curate.promote(ref=row.ref, by=alice, now=now)
    return fresh(row)


@pytest.fixture
def waiting(kept: Insight, dana: Member, now: datetime) -> Insight:
    """A colleague's draft that is proposed to replace it."""
    row = said(THIRTY, dana, now + DAY)
    assert became(tell(row, "supersedes", kept, dana, now + DAY)) == ("proposed", "protected")
    return row


def proposals() -> set[tuple[str, str]]:
    """(successor, what it would replace) of what a lead is asked."""
    found = Pair.objects.filter(state="open", question="supersession").select_related("a", "b")
    return {(pair.successor.ref, pair.other_ref) for pair in found if pair.successor}


class TestReplacingIt:
    def test_is_only_proposed(self, kept: Insight, waiting: Insight, bobs: Member, now: datetime) -> None:
        new = said(FORTY, bobs, now + 2 * DAY)
        done = tell(new, "supersedes", waiting, bobs, now + 2 * DAY)
        assert (done.outcome, became(done)) == ("proposed", ("proposed", "pending"))
        assert became(tell(new, "supersedes", waiting, bobs, now + 2 * DAY)) == ("proposed", "pending")
        assert proposals() == {(waiting.ref, kept.ref), (new.ref, waiting.ref)}
        assert set(served(QUESTION, bobs, now + 2 * DAY)) >= {kept.ref, waiting.ref, new.ref}

    def test_is_its_authors_own(self, kept: Insight, waiting: Insight, dana: Member, now: datetime) -> None:
        new = said(FORTY, dana, now + 2 * DAY)
        assert became(tell(new, "supersedes", waiting, dana, now + 2 * DAY)) == ("done", "stated")
        assert proposals() == {(new.ref, kept.ref)}

    def test_is_only_proposed_at_the_end_of_a_chain(
        self, kept: Insight, waiting: Insight, bobs: Member, dana: Member, now: datetime
    ) -> None:
        """Who corrects the correction waits for the same lead, and is as little replaced by a third."""
        second = said(FORTY, bobs, now + 2 * DAY)
        tell(second, "supersedes", waiting, bobs, now + 2 * DAY)
        third = said(FIFTY, dana, now + 3 * DAY)
        assert became(tell(third, "supersedes", second, dana, now + 3 * DAY)) == ("proposed", "pending")
        assert proposals() == {(waiting.ref, kept.ref), (second.ref, waiting.ref), (third.ref, second.ref)}

    def test_is_only_proposed_where_it_stands_in_a_confirmed_ones_place(
        self, alice: Member, bobs: Member, dana: Member, now: datetime
    ) -> None:
        """Its author has replaced their own confirmed note, which no lead has looked at."""
        kept, heir = said(TEN, dana, now), said(THIRTY, dana, now + DAY)
        curate.promote(ref=kept.ref, by=alice, now=now)
        assert became(tell(heir, "supersedes", kept, dana, now + DAY)) == ("done", "stated")
        new = said(FORTY, bobs, now + 2 * DAY)
        assert became(tell(new, "supersedes", heir, bobs, now + 2 * DAY)) == ("proposed", "pending")
        assert fresh(heir).superseded_by is None

    def test_is_done_once_a_lead_has_decided(
        self, kept: Insight, waiting: Insight, alice: Member, bobs: Member, now: datetime
    ) -> None:
        settle.dismiss(pair_id=Pair.objects.get().pk, by=alice, now=now + DAY, why="no")
        new = said(FORTY, bobs, now + 2 * DAY)
        assert became(tell(new, "supersedes", waiting, bobs, now + 2 * DAY)) == ("done", "stated")

    def test_as_a_duplicate_leaves_it_waiting(
        self, kept: Insight, waiting: Insight, bobs: Member, now: datetime
    ) -> None:
        again = said(f"{THIRTY} The contract says so.", bobs, now + 2 * DAY)
        assert became(tell(again, "duplicates", waiting, bobs, now + 2 * DAY)) == ("done", "stated")
        assert proposals() == {(waiting.ref, kept.ref)}
        assert {kept.ref, waiting.ref} <= set(served(QUESTION, bobs, now + 2 * DAY))


class TestALeadWhoKeepsTheSecondCorrection:
    @pytest.mark.parametrize("verb", ["the pair", "by hand"])
    def test_is_asked_about_the_confirmed_one_still(
        self, verb: str, kept: Insight, waiting: Insight, alice: Member, bobs: Member, now: datetime
    ) -> None:
        new = said(FORTY, bobs, now + 2 * DAY)
        tell(new, "supersedes", waiting, bobs, now + 2 * DAY)
        if verb == "the pair":
            pair = Pair.objects.get(state="open", b=new)
            settle.resolve(pair_id=pair.pk, keep=new.ref, by=alice, now=now + 3 * DAY)
        else:
            combine.supersede(ref=waiting.ref, by_ref=new.ref, by=alice, now=now + 3 * DAY)
        assert proposals() == {(new.ref, kept.ref)}


class TestUndone:
    """What a note took over goes back to the one that it had replaced, which stands again."""

    @pytest.mark.parametrize("verb", ["otherwise", "reinstated", "reopened", "forgotten"])
    def test_its_proposal_is_open_again(
        self, verb: str, kept: Insight, waiting: Insight, alice: Member, dana: Member, now: datetime
    ) -> None:
        new = said(FORTY, dana, now + 2 * DAY)
        tell(new, "supersedes", waiting, dana, now + 2 * DAY)
        at = now + 3 * DAY
        if verb == "otherwise":
            tell(new, "contradicts", waiting, dana, at)
        elif verb == "reinstated":
            combine.reinstate(ref=waiting.ref, by=alice, now=at)
        elif verb == "reopened":
            settle.reopen(pair_id=Pair.objects.get(a=waiting, b=new).pk, by=alice, now=at)
        else:
            forget(ref=new.ref, why="wrong", by=dana, now=at)
        assert fresh(waiting).superseded_by is None
        assert (waiting.ref, kept.ref) in proposals()
        assert (new.ref, kept.ref) not in proposals()

    def test_is_not_opened_again_once_the_confirmed_one_has_given_way(
        self, kept: Insight, waiting: Insight, alice: Member, dana: Member, now: datetime
    ) -> None:
        new = said(FORTY, dana, now + 2 * DAY)
        tell(new, "supersedes", waiting, dana, now + 2 * DAY)
        settle.resolve(pair_id=Pair.objects.get(state="open").pk, keep=new.ref, by=alice, now=now + 2 * DAY)
        combine.reinstate(ref=waiting.ref, by=alice, now=now + 3 * DAY)
        assert (proposals(), fresh(kept).superseded_by) == (set(), new)
        assert fresh(new).status == Status.PROMOTED
