"""What a start tells of colleagues who replaced one's draft, or took over or closed one's handoff."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from knowledge.review.actions import combine
from knowledge.review.proposals.actions.comments import read_pair_mentions
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.begin import Opening
from sessions_app.actions.start import start
from sessions_app.answers.rules.calls import Interface
from sessions_app.handoffs.actions.acknowledge import Action, acknowledge
from sessions_app.models import AgentSession
from tests.conftest import person
from tests.factories import as_agent, make_insight
from tests.sessions_app.sitting import MINUTE, begin, sit, stop

HOUR = timedelta(hours=1)
OLD = "Requests to the payment gateway time out after 10 seconds."
NEW = "Requests to the payment gateway time out after 30 seconds."

Replace = Callable[[datetime], tuple[Insight, Insight]]


@pytest.fixture
def erin(platform: Team) -> Member:
    """A contributor: whose draft and handoff it is."""
    return member_of(user=person("erin", platform))


@pytest.fixture
def replaced(erin: Member, bob: Member, now: datetime) -> Replace:
    def build(at: datetime) -> tuple[Insight, Insight]:
        old = make_insight(erin, now=now, body=OLD, title="Gateway timeout", kind=Kind.CONTEXT)
        new = make_insight(bob, now=at, body=NEW, kind=Kind.CONTEXT)
        stated = [Statement(old.ref, Relation.SUPERSEDES)]
        assert relate(ref=new.ref, statements=stated, by=as_agent(bob), now=at).superseded == (old.ref,)
        return old, new

    return build


def told(by: Member, at: datetime, via: Interface = Interface.REST, team: str = "platform") -> str:
    return start(opening=Opening(repo="acme/web", team=team), by=by, now=at, via=via).orientation.text


class TestAReplacedDraft:
    def test_is_told_to_its_author_once_with_the_call(
        self, replaced: Replace, erin: Member, bob: Member, now: datetime
    ) -> None:
        begin(erin, now)
        old, new = replaced(now + HOUR)
        line = f"Your drafts replaced: {old.ref} (Gateway timeout) by {new.ref} of bob. If yours holds: "
        assert f"{line}POST insights/{old.ref}/reinstate/\n" in told(erin, now + 2 * HOUR)
        assert "Your drafts" not in told(erin, now + 3 * HOUR)
        assert "Your drafts" not in told(bob, now + 3 * HOUR)

    def test_is_told_with_a_call_that_an_agent_has(self, replaced: Replace, erin: Member, now: datetime) -> None:
        old, new = replaced(now)
        call = f'relate_insight(ref="{old.ref}", relations=[{{"ref": "{new.ref}", "relation": "contradicts"}}])'
        assert f"If yours holds: {call}\n" in told(erin, now + HOUR, Interface.MCP)

    def test_is_told_again_to_the_session_that_was_told(self, replaced: Replace, erin: Member, now: datetime) -> None:
        replaced(now)
        first, again = (begin(erin, now + HOUR, idempotency_key="start-1").orientation for _ in range(2))
        assert "Your drafts" in first.text
        assert again == first

    @pytest.mark.parametrize("how", ["read", "put back"])
    def test_is_told_no_more(self, replaced: Replace, erin: Member, now: datetime, how: str) -> None:
        old, new = replaced(now)
        if how == "read":
            read_pair_mentions(pair_id=new.pairs_as_b.get().pk, by=erin, now=now + MINUTE)
        else:
            combine.reinstate(ref=old.ref, by=erin, now=now + MINUTE)
        assert "Your drafts" not in told(erin, now + HOUR)


class TestAHandoff:
    @pytest.fixture
    def left(self, erin: Member, now: datetime) -> AgentSession:
        session = sit(erin, now)
        stop(session, erin, now)
        return session

    def test_that_a_colleague_took_over_is_told_to_who_left_it(
        self, left: AgentSession, erin: Member, bob: Member, now: datetime
    ) -> None:
        theirs = begin(bob, now + HOUR).session
        acknowledge(name=theirs.key, by=bob, now=now + HOUR)
        line = f"Your handoffs: {left.ref} taken over by bob in {theirs.ref}, 2026-11-21\n"
        assert line in told(erin, now + HOUR + MINUTE)
        assert "Your handoffs" not in told(erin, now + HOUR + 2 * MINUTE)

    def test_that_a_lead_closed_is_told(self, left: AgentSession, erin: Member, alice: Member, now: datetime) -> None:
        acknowledge(name=left.ref, action=Action.CLOSE, by=alice, now=now + HOUR)
        assert f"Your handoffs: {left.ref} closed by alice, 2026-11-21\n" in told(erin, now + 2 * HOUR)

    def test_is_no_news_to_who_took_it_over_themselves(self, left: AgentSession, erin: Member, now: datetime) -> None:
        acknowledge(name=begin(erin, now + MINUTE).session.key, by=erin, now=now + MINUTE)
        assert "Your handoffs" not in told(erin, now + HOUR)

    def test_of_another_team_is_not_told_here(
        self, left: AgentSession, erin: Member, bob: Member, now: datetime
    ) -> None:
        acknowledge(name=begin(bob, now + HOUR).session.key, by=bob, now=now + HOUR)
        assert "Your handoffs" not in told(erin, now + HOUR + MINUTE, team="personal")
