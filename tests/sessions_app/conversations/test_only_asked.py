"""Who asked the same before, and got no answer, has said nothing on it."""

from collections.abc import Sequence

import pytest

from accounts.rules.rights import Member
from sessions_app.actions.end import SessionWords, end
from sessions_app.answers.actions.surface import surface
from sessions_app.conversations.actions.share import share
from sessions_app.conversations.rules.echoes import is_echo
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.cases import cases
from tests.conftest import NOW
from tests.sessions_app.conversations.decisions import OTHERS, RETRIES, ask, turns
from tests.sessions_app.conversations.talk import begin, talk

ASKED = "how many attempts does the payment client have, and where is its backoff capped"
MORE = "who is told when the nightly export of the warehouse fails"


@pytest.fixture
def decided(alice: Member) -> str:
    """The reference of the conversation that answers."""
    share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
    for one in OTHERS:
        talk(alice, one)
    return talk(alice, RETRIES).ref


def refs(by: Member, text: str = ASKED) -> list[str]:
    return [one.found.ref for one in ask(by, text).conversations]


def asked(by: Member, *, day: int = 20, reply: str = "Looking.", then: Sequence[str] = ()) -> str:
    """A session in which that was asked; its reference."""
    return talk(by, turns(day, ASKED, reply, *then)).ref


@pytest.mark.django_db
class TestAQuestionWithoutAnAnswer:
    def test_is_no_answer_to_who_asks_it_again(self, alice: Member, decided: str) -> None:
        again = asked(alice, then=[MORE, "Hm."])
        done = ask(alice, ASKED)
        assert [one.found.ref for one in done.conversations][:1] == [decided]
        assert again not in done.text and "later" not in done.text and "Looking." not in done.text

    def test_is_none_to_a_prompt(self, alice: Member, decided: str) -> None:
        again = asked(alice, then=[MORE, "Hm."])
        for prompt in (ASKED, f"{ASKED}? I need it for the settings page."):
            shown = surface(prompt=prompt, by=begin(alice), now=NOW)
            assert again not in shown.text and "4 attempts" in shown.text

    def test_lets_nothing_else_through(self, alice: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        for one in OTHERS:
            talk(alice, one)
        before = refs(alice)
        again = asked(alice, then=[MORE, "Hm."])
        assert refs(alice) == before == [] and again not in ask(alice, ASKED).text
        assert surface(prompt=ASKED, by=begin(alice), now=NOW).text == ""

    def test_of_the_session_itself_is_none(self, alice: Member, decided: str) -> None:
        """What was typed in the session that asks was sent with a checkpoint."""
        me = begin(alice)
        said = [*turns(20, ASKED, "I will look into the payment client and at the gateway's settings for that.")]
        end(name=me.session, words=SessionWords(transcript=said), by=me, now=NOW)
        shown = surface(prompt=ASKED, by=me, now=NOW)
        assert shown.decision.shown == [decided] and "4 attempts" in shown.text

    @pytest.mark.parametrize("times", [7])
    def test_does_not_crowd_the_answer_out_when_it_was_asked_often(
        self, times: int, alice: Member, decided: str
    ) -> None:
        for day in range(20, 20 - times, -1):
            asked(alice, day=day)
        assert refs(alice)[:1] == [decided]
        assert "4 attempts" in surface(prompt=ASKED, by=begin(alice), now=NOW).text

    def test_counts_once_it_was_answered(self, alice: Member, decided: str) -> None:
        answered = asked(alice, reply="Six attempts since today, and the cap is 45 seconds.")
        assert refs(alice)[:1] == [answered]

    def test_is_found_by_who_asks_what_was_asked(self, alice: Member, decided: str) -> None:
        day = turns(20, "what does the carrier charge for a parcel to Svalbard", "22 euro, as for abroad.")
        ref = talk(alice, day).ref
        assert refs(alice, "what did I ask about parcels to Svalbard and the carrier") == [ref]


class TestAnEcho:
    @cases(
        ("typed", "reply", "cosine", "echo"),
        [
            (ASKED, "Looking.", 1.0, True),
            (ASKED, "", 1.0, True),
            (f"{ASKED}, please", "I'll read the module first.", 0.95, True),
            ("how many attempts has the payment client", "Hm.", 0.8, True),
            (ASKED, "At most 4.", 1.0, False),
            (ASKED, "Each call is repeated until the gateway gives up.", 1.0, False),
            ("the payment client has 4 attempts", "Ok.", 0.9, False),
            ("give up early, the bank complained about our payment client", "Ok.", 0.8, False),
            (ASKED, "Looking.", 0.6, False),
        ],
    )
    def test_is_nearly_the_question_and_was_not_answered(
        self, typed: str, reply: str, cosine: float, echo: bool
    ) -> None:
        assert is_echo(typed, reply, ASKED, cosine) is echo

    @cases(
        ("typed", "before", "echo"),
        [
            ("No, capped by the payment client.", "The payment client caps it, or the gateway.", False),
            ("The payment client has it capped, the backoff.", "Shall the client cap the backoff?", False),
            ("Let the payment client.", "The payment client may cap it, or the gateway.", False),
            ("And the backoff of the client?", "The payment client may cap it, or the gateway.", True),
            (ASKED, "Looking.", True),
            ("No, capped by the payment client.", "", True),
        ],
    )
    def test_is_no_reply_that_decides_what_the_agent_said(self, typed: str, before: str, echo: bool) -> None:
        assert is_echo(typed, "Ok.", ASKED, 0.9, before=before) is echo


@pytest.mark.django_db
class TestAShortDecision:
    @pytest.mark.parametrize(
        ("question", "said"),
        [
            (
                "Are thumbnails made on upload by the web process or by the worker?",
                (
                    "The thumbnails: who makes them?",
                    "Thumbnails can be made by the web process on upload, or by the worker later. On upload is "
                    "simpler.",
                    "Let the worker do it.",
                    "Sure.",
                ),
            ),
            (
                "Are partner webhooks retried in order or independently?",
                (
                    "Do partner webhooks get retried in order?",
                    "Webhooks to partners can be retried in order or independently. In order blocks the others, so "
                    "I would go independently.",
                    "In order, always.",
                    "Fine.",
                ),
            ),
        ],
    )
    def test_is_told_though_its_words_are_the_agents_and_the_questions(
        self, question: str, said: tuple[str, ...], alice: Member
    ) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        for one in OTHERS:
            talk(alice, one)
        talk(alice, turns(12, *said))
        assert f"(user) {said[2]}" in ask(alice, question, max_tokens=400).text
