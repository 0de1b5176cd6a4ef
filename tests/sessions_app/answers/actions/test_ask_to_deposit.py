"""An agent is asked for what was decided before it stops: once, and only where there is something to ask for."""

import pytest

from accounts.actions.members import member_of
from accounts.actions.settings import choose
from accounts.models import User
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.actions.capture import Report, capture
from sessions_app.actions.end import SessionWords, checkpoint
from sessions_app.answers.actions.ask_to_deposit import QuestionBeforeStop, ask_to_deposit
from sessions_app.answers.rules.calls import Interface
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.sessions_app.conversations.talk import begin

pytestmark = pytest.mark.django_db


@pytest.fixture
def me(bob: Member) -> Member:
    return begin(bob)


def ask(me: Member, *, changed: bool = False) -> QuestionBeforeStop:
    return ask_to_deposit(name=me.session, by=me, now=NOW, changed=changed, via=Interface.MCP)


class TestAsk:
    def test_asks_once_after_an_edit(self, me: Member) -> None:
        assert ask(me).reason == "nothing_changed"
        capture(name=me.session, reports=[Report("edit", path="a.py")], by=me, now=NOW)
        first = ask(me)
        assert first.text.startswith("Before you go: deposit what was decided")
        assert f'deposit_insight(kind="DECISION", session="{me.session}")' in first.text
        assert "\n" not in first.text
        assert (ask(me).text, ask(me).reason, ask(me).final) == ("", "asked_before", True)

    def test_asks_after_a_decision_and_believes_a_client_that_saw_an_edit(self, me: Member, alice: Member) -> None:
        said = [Turn("assistant", "We decided to drop Node 16, because it is out of support.")]
        checkpoint(name=me.session, words=SessionWords(transcript=said), by=me, now=NOW)
        assert ask(me).text
        assert ask(begin(alice), changed=True).text

    def test_does_not_ask_who_has_deposited(self, me: Member) -> None:
        draft = Draft(kind=Kind.PITFALL, body="The importer must read CSV in chunks of 5,000 rows.", team="platform")
        deposit(draft=draft, by=me, now=NOW)
        assert ask(me, changed=True) == QuestionBeforeStop("", "deposited", True)

    def test_does_not_ask_whose_user_switched_it_off(self, me: Member) -> None:
        choose(choices={"ask_to_deposit": "off"}, by=me)
        off = member_of(user=User.objects.get(pk=me.user_id))
        asked = ask_to_deposit(name=me.session, by=off, now=NOW, changed=True, via=Interface.MCP)
        assert asked == QuestionBeforeStop("", "switched_off", True)
