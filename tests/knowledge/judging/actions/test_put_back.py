"""A draft that a colleague's agent has replaced: its author learns of it and may have it stand again."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Member, Scope
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Comment, Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, curate, triage
from knowledge.rules.vocabulary import Kind
from sessions_app.answers.actions.build_answer import build_answer
from tests.conftest import person
from tests.factories import as_agent, make_insight

OLD = "Requests to the payment gateway time out after 10 seconds."
NEW = "Requests to the payment gateway time out after 30 seconds."
THIRD = "Requests to the payment gateway time out after 60 seconds."

Replaced = Callable[[], tuple[Insight, Insight]]


@pytest.fixture
def erin(platform: Team) -> Member:
    """A contributor: the author of the draft."""
    return member_of(user=person("erin", platform))


def narrow(member: Member) -> Member:
    """With a token that reads and writes, and does not curate."""
    return replace(as_agent(member, "rw"), scopes=frozenset({Scope.READ, Scope.WRITE}))


def said(body: str, by: Member, at: datetime) -> Insight:
    return make_insight(by, now=at, body=body, kind=Kind.CONTEXT)


def tell(row: Insight, relation: str, other: Insight, by: Member, at: datetime) -> tuple[str, str]:
    done = relate(ref=row.ref, statements=[Statement(other.ref, Relation(relation))], by=by, now=at)
    [one] = done.related
    return one["state"], one["reason"]


def fresh(row: Insight) -> Insight:
    return Insight.objects.get(pk=row.pk)


@pytest.fixture
def replaced(erin: Member, bob: Member, now: datetime) -> Replaced:
    def build() -> tuple[Insight, Insight]:
        old, new = said(OLD, erin, now), said(NEW, bob, now + timedelta(hours=1))
        assert tell(new, "supersedes", old, as_agent(bob), now + timedelta(hours=1))[0] == "done"
        return old, new

    return build


def mentioned(who: Member) -> list[tuple[str, str]]:
    return [(pair.a.ref, pair.b.ref) for pair in triage.pair_mentions(by=who)]


class TestItsAuthor:
    def test_finds_it_among_their_mentions(self, replaced: Replaced, erin: Member, bob: Member) -> None:
        old, new = replaced()
        assert mentioned(erin) == [(old.ref, new.ref)]
        assert mentioned(bob) == []
        [told] = Comment.objects.all()
        assert (told.text, told.author_name, told.decision) == (
            f"{new.ref} in place of {old.ref}", "bob (agent)", "superseded",
        )  # fmt: skip

    def test_is_told_nothing_of_what_they_replaced_themselves(self, erin: Member, now: datetime) -> None:
        old, new = said(OLD, erin, now), said(NEW, erin, now)
        assert tell(new, "supersedes", old, as_agent(erin), now)[0] == "done"
        assert mentioned(erin) == []

    def test_is_told_nothing_while_it_is_proposed(
        self, alice: Member, erin: Member, bob: Member, now: datetime
    ) -> None:
        old, new = said(OLD, erin, now), said(NEW, bob, now)
        curate.promote(ref=old.ref, by=alice, now=now)
        assert tell(new, "supersedes", old, as_agent(bob), now)[0] == "proposed"
        assert mentioned(erin) == []

    def test_has_it_stand_again_by_a_token_that_does_not_curate(
        self, replaced: Replaced, erin: Member, now: datetime
    ) -> None:
        old, new = replaced()
        done = combine.reinstate(ref=old.ref, by=narrow(erin), now=now + timedelta(days=1), why="Both gateways.")
        assert (done.ref, fresh(old).superseded_by, fresh(new).superseded_by) == (old.ref, None, None)
        pair = Pair.objects.get()
        assert (pair.proposed, pair.successor_id, pair.settled_by_lead) == (True, new.pk, False)
        line = LogEntry.objects.get(verb="reinstated")
        assert (line.actor, line.why) == ("erin (rw)", "Both gateways.")
        assert mentioned(erin) == []

    def test_says_so_by_saying_what_the_two_are(self, replaced: Replaced, erin: Member, now: datetime) -> None:
        """An agent has no other call for it."""
        old, new = replaced()
        assert tell(old, "contradicts", new, narrow(erin), now)[0] == "open"
        assert (fresh(old).superseded_by, fresh(new).superseded_by) == (None, None)
        assert {pair.question for pair in Pair.objects.open()} == {"supersession", "contradiction"}

    def test_leaves_it_replaced_by_saying_nothing_else(self, replaced: Replaced, erin: Member, now: datetime) -> None:
        old, new = replaced()
        tell(old, "supersedes", new, narrow(erin), now)
        tell(old, "duplicates", new, narrow(erin), now)
        assert fresh(old).superseded_by == new


class TestNobodyElse:
    def test_has_it_stand_again(self, replaced: Replaced, bob: Member, platform: Team, now: datetime) -> None:
        old, _ = replaced()
        for who in (bob, member_of(user=person("dana", platform))):
            with pytest.raises(NotAllowed):
                combine.reinstate(ref=old.ref, by=who, now=now)

    def test_undoes_what_a_lead_has_decided(self, alice: Member, erin: Member, bob: Member, now: datetime) -> None:
        old, new = said(OLD, erin, now), said(NEW, bob, now)
        combine.supersede(ref=old.ref, by_ref=new.ref, by=alice, now=now)
        with pytest.raises(NotAllowed):
            combine.reinstate(ref=old.ref, by=erin, now=now)
        assert tell(old, "contradicts", new, narrow(erin), now) == ("refused", "settled")
        assert fresh(old).superseded_by == new


class TestOnceItWasPutBack:
    def test_is_replaced_by_nobody_but_a_lead(
        self, replaced: Replaced, alice: Member, erin: Member, bob: Member, now: datetime
    ) -> None:
        old, new = replaced()
        combine.reinstate(ref=old.ref, by=narrow(erin), now=now)
        assert tell(new, "supersedes", old, as_agent(bob, "again"), now) == ("proposed", "put_back")
        third = said(THIRD, bob, now + timedelta(days=1))
        assert tell(third, "supersedes", old, as_agent(bob, "third"), now) == ("proposed", "put_back")
        assert fresh(old).superseded_by is None
        combine.supersede(ref=old.ref, by_ref=new.ref, by=alice, now=now)
        assert fresh(old).superseded_by == new

    def test_is_replaced_by_its_author(self, replaced: Replaced, erin: Member, now: datetime) -> None:
        old, _ = replaced()
        combine.reinstate(ref=old.ref, by=narrow(erin), now=now)
        third = said(THIRD, erin, now + timedelta(days=1))
        assert tell(third, "supersedes", old, as_agent(erin), now) == ("done", "stated")


class TestAnAnswer:
    def test_names_the_draft_that_was_replaced_and_whose_it_was(
        self, replaced: Replaced, alice: Member, erin: Member, now: datetime
    ) -> None:
        old, new = replaced()
        asked = Ask("When do requests to the payment gateway time out?")
        line = f"Replaced {old.ref}, a draft by erin; not reviewed."
        assert line in build_answer(ask=asked, max_tokens=800, by=alice, now=now).packed.text
        curate.promote(ref=new.ref, by=alice, now=now)
        assert line not in build_answer(ask=asked, max_tokens=800, by=alice, now=now).packed.text

    def test_says_nothing_of_ones_own_draft(self, erin: Member, now: datetime) -> None:
        old, new = said(OLD, erin, now), said(NEW, erin, now)
        tell(new, "supersedes", old, as_agent(erin), now)
        [hit] = retrieve(ask=Ask("When do requests to the payment gateway time out?"), by=erin, now=now).hits
        assert hit.unreviewed == ()
