"""In one session a conversation is quoted once, and what it answers is not answered by lesser ones then."""

import pytest

from accounts.rules.rights import Member
from sessions_app.answers.actions.surface import surface
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.gates import Gate
from sessions_app.conversations.actions.share import share
from sessions_app.conversations.rules.answering import Floor
from sessions_app.models import ServedPassage, SurfaceDecision
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.conftest import NOW
from tests.sessions_app.conversations.decisions import turns
from tests.sessions_app.conversations.talk import begin, talk

pytestmark = pytest.mark.django_db

# What is decided on one till, in a shop's repository in which everything is about tills.
DECIDED = turns(
    3,
    "the till keeps a basket open for ever if the cashier walks away, and the stock in it is blocked",
    "The basket has no lifetime. I can give it one, and free the stock when it ends. How long?",
    "25 minutes. and a scan starts it over, but twice at most",
    "A basket lives 25 minutes; a scan starts that over, twice at most, then the stock is freed.",
)
OTHERS = (
    turns(
        4,
        "the till prints the receipt twice when the paper runs out in the middle",
        "It repeats the whole receipt after the roll is changed. I would go on at the line that failed.",
        "from the start, but head it 'copy', the auditor wants that",
        "After a paper change the till prints the receipt again from the start, headed 'copy'.",
    ),
    turns(
        5,
        "the price of a basket at the till differs by a cent from the web shop",
        "The till rounds each line, the web shop the sum. One of them has to change.",
        "the till. round the sum only, half up",
        "The till rounds the sum of the basket, half up, and no line.",
    ),
    turns(
        6,
        "cashiers forget to sign off, and the next one sells on their name",
        "I could lock the till when no key is pressed for some time.",
        "lock after 3 minutes, but never while a card payment runs",
        "The till locks after 3 minutes without a key, never during a card payment.",
    ),
    turns(
        7,
        "stock of the shop is wrong in the morning after the tills were offline",
        "The tills send their sales when they are back, in the order of their numbers, not of time.",
        "sort by the time of the sale, and refuse what is older than 14 days",
        "Offline sales are booked in the order of their time; older than 14 days are refused.",
    ),
)
FIRST = "How long does an open basket live, and does a scan start its lifetime over?"
# Nearest to what was decided, and not far from the sales of tills that were offline.
SECOND = "What frees the stock of a till whose cashier has left?"


@pytest.fixture
def decided(alice: Member) -> str:
    """Alice has shared her sessions on the tills; the reference of the one that decided on the basket."""
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
    ref = talk(alice, DECIDED).ref
    for one in OTHERS:
        talk(alice, one)
    return ref


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt is quoted what is anywhere near, as in a repository where much is."""
    _floor(monkeypatch, Floor(0.0, 0.0))


def _floor(monkeypatch: pytest.MonkeyPatch, floor: Floor) -> None:
    monkeypatch.setattr("sessions_app.answers.actions.build_answer.UNASKED", floor)


class TestNothingToQuote:
    def test_is_told_as_nothing(self, bob: Member, decided: str, low: None, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is found may have no sentence that fits, as a refused proposal whose refusal has no room."""
        monkeypatch.setattr("sessions_app.answers.actions.conversations.tell", lambda *given: [])
        me = begin(bob)
        done = surface(prompt=FIRST, by=me, now=NOW, via=Interface.MCP)
        assert (done.text, done.decision.gate, done.decision.surfaced) == ("", Gate.NOTHING_RELEVANT, False)
        monkeypatch.undo()
        assert decided in surface(prompt=FIRST, by=me, now=NOW, via=Interface.MCP).decision.shown


class TestQuotedBefore:
    def test_is_told_of_in_a_line_and_not_answered_by_others(self, bob: Member, decided: str, low: None) -> None:
        me = begin(bob)
        first = surface(prompt=FIRST, by=me, now=NOW, via=Interface.MCP)
        assert decided in first.decision.shown and "25 minutes" in first.text
        again = surface(prompt=SECOND, by=me, now=NOW, via=Interface.MCP)
        call = f'get_insight(ref="{decided}/conversation")'
        told = f"({decided}, quoted above, answers this as well: {call} reads all of it)"
        assert again.text.startswith(told) and "[S-" not in again.text
        assert again.decision.shown == [decided] and again.decision.surfaced

    def test_is_told_of_so_once(self, bob: Member, decided: str, low: None) -> None:
        me = begin(bob)
        for prompt in (FIRST, SECOND):
            assert surface(prompt=prompt, by=me, now=NOW).text
        third = surface(
            prompt="I change the basket of the till next: after how many minutes is it dropped?", by=me, now=NOW
        )
        assert (third.text, third.decision.shown) == ("", [])

    def test_does_not_keep_another_subject_from_its_answer(self, bob: Member, decided: str, low: None) -> None:
        me = begin(bob)
        surface(prompt=FIRST, by=me, now=NOW)
        SurfaceDecision.objects.update(shown=[decided])
        other = surface(prompt="In which order are sales booked of tills that were offline?", by=me, now=NOW)
        assert "14 days" in other.text and decided not in other.decision.shown

    def test_is_quoted_again_in_another_session(self, bob: Member, decided: str, low: None) -> None:
        surface(prompt=FIRST, by=begin(bob), now=NOW)
        assert "25 minutes" in surface(prompt=SECOND, by=begin(bob), now=NOW).text

    def test_is_quoted_again_where_the_answer_came_too_late(self, bob: Member, decided: str, low: None) -> None:
        me = begin(bob)
        surface(prompt=FIRST, by=me, now=NOW)
        assert "25 minutes" in surface(prompt=SECOND, by=me, now=NOW, received=[]).text


class TestNamedBefore:
    def test_may_be_quoted(self, bob: Member, decided: str, monkeypatch: pytest.MonkeyPatch) -> None:
        _floor(monkeypatch, Floor(2.0, 2.0, names=Floor(0.0, 0.0, most_named=1)))
        me = begin(bob)
        first = surface(prompt=FIRST, by=me, now=NOW)
        assert "Perhaps said in a conversation" in first.text and first.decision.shown == [decided]
        assert not ServedPassage.objects.exists()
        _floor(monkeypatch, Floor(0.0, 0.0))
        again = surface(prompt=SECOND, by=me, now=NOW)
        assert "25 minutes" in again.text and again.text.index(f"[{decided}]") < again.text.index("25 minutes")

    def test_is_not_named_again(self, bob: Member, decided: str, monkeypatch: pytest.MonkeyPatch) -> None:
        _floor(monkeypatch, Floor(2.0, 2.0, names=Floor(0.0, 0.0, most_named=1)))
        me = begin(bob)
        surface(prompt=FIRST, by=me, now=NOW)
        assert surface(prompt=SECOND, by=me, now=NOW).text == ""
