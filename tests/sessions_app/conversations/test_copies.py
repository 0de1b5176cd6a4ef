"""The same conversation, stored or sent more than once, is kept once for its person and counts once in an answer."""

from dataclasses import replace

import pytest

from accounts.rules.rights import Member
from sessions_app.actions.end import SessionWords, end
from sessions_app.conversations.actions.share import share
from sessions_app.conversations.rules.copies import find_copies
from sessions_app.models import AgentSession
from sessions_app.transcripts.rules.speakers import SharedTurns
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW
from tests.sessions_app.conversations.decisions import OTHERS, RETRIES, RETRIES_AMENDED, ask, turns
from tests.sessions_app.conversations.talk import TALK, begin, passages, talk

QUESTION = (
    "The payment client retried failed calls and locked accounts again. How often may it retry, with which backoff?"
)


def without_moments(*said: Turn) -> tuple[Turn, ...]:
    return tuple(replace(turn, at="") for turn in said)


@pytest.mark.django_db
class TestATranscriptThatIsKnown:
    @pytest.mark.parametrize("said", [TALK, without_moments(*TALK), TALK[4:]], ids=["timed", "untimed", "its-end"])
    def test_is_not_stored_in_another_session_of_its_person(self, alice: Member, said: tuple[Turn, ...]) -> None:
        talk(alice, TALK if said[0].at else without_moments(*TALK))
        before = [row.pk for row in passages(alice)]
        talk(alice, said)
        assert [row.pk for row in passages(alice)] == before

    def test_is_stored_if_the_same_was_said_on_another_day(self, alice: Member) -> None:
        talk(alice, turns(3, "Run the tests.", "All 214 pass."))
        talk(alice, turns(4, "Run the tests.", "All 214 pass."))
        assert len(passages(alice)) == 4

    def test_is_stored_if_few_words_tell_no_moment(self, alice: Member) -> None:
        for _ in range(2):
            talk(alice, [Turn("user", "Run the tests."), Turn("assistant", "All 214 pass.")])
        assert len(passages(alice)) == 4

    def test_is_stored_in_another_order(self, alice: Member) -> None:
        talk(alice, RETRIES)
        talk(alice, RETRIES[::-1])
        assert len(passages(alice)) == 8

    def test_is_stored_for_another_person(self, alice: Member, bob: Member) -> None:
        talk(alice, TALK)
        talk(bob, TALK)
        assert len(passages(bob)) == 4

    def test_is_stored_if_the_other_session_is_private_and_this_one_shared(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        talk(alice, TALK, team="personal")
        assert not passages(bob)
        talk(alice, TALK)
        assert len(passages(bob)) == 4

    def test_is_stored_whole_with_what_a_resumed_session_added(self, alice: Member) -> None:
        talk(alice, RETRIES)
        me = begin(alice)
        more = turns(4, "Resume.", "The client is done.")
        end(name=me.session, words=SessionWords(transcript=RETRIES), by=me, now=NOW)
        end(name=me.session, words=SessionWords(transcript=[*RETRIES, *more]), by=me, now=NOW)
        assert len(passages(alice)) == 4 + 6
        end(name=me.session, words=SessionWords(transcript=[*RETRIES, *more]), by=me, now=NOW)
        assert len(passages(alice)) == 4 + 6


@pytest.mark.django_db
class TestAConversationThatTwoPeopleHave:
    """Alice and Bob were both in it, each with a client."""

    @pytest.fixture
    def once(self, alice: Member, bob: Member) -> list[AgentSession]:
        for member in (alice, bob):
            share(repo="shop", team="platform", turns=SharedTurns.ALL, by=member, now=NOW)
        return [talk(alice, one) for one in (RETRIES, *OTHERS, RETRIES_AMENDED)]

    @pytest.mark.parametrize("room", [400, 800])
    def test_is_told_once_and_leaves_as_much_room(self, once: list[AgentSession], bob: Member, room: int) -> None:
        before = ask(bob, QUESTION, max_tokens=room)
        copies = {talk(bob, one).ref for one in (RETRIES, *OTHERS, RETRIES_AMENDED)}
        after = ask(bob, QUESTION, max_tokens=room)
        told = [one.found.ref for one in after.conversations]
        assert told == [one.found.ref for one in before.conversations]
        assert told[:2] == [once[-1].ref, once[0].ref]
        assert not copies.intersection(told)
        assert [one.text for one in after.conversations] == [one.text for one in before.conversations]

    def test_is_told_from_the_longer_one_where_an_import_was_cut_off(self, alice: Member, bob: Member) -> None:
        for member in (alice, bob):
            share(repo="shop", team="platform", turns=SharedTurns.ALL, by=member, now=NOW)
        talk(alice, RETRIES[:3])
        for one in OTHERS:
            talk(alice, one)
        whole = talk(bob, RETRIES)
        assert [one.found.ref for one in ask(bob, QUESTION).conversations] == [whole.ref]


class TestFindCopies:
    def test_takes_the_earliest_for_the_owner(self) -> None:
        found = find_copies({2: {"a": 30}, 1: {"a": 30}})
        assert found.passages == {2: {"a"}}
        assert found.sessions == {1: {2}}
        assert found.has(2, "a")
        assert not found.has(1, "a")

    def test_takes_a_later_one_that_is_longer(self) -> None:
        assert find_copies({1: {"a": 30}, 2: {"a": 30, "b": 9}}).passages == {1: {"a"}}

    def test_takes_no_common_remark_for_a_copy(self) -> None:
        assert not find_copies({1: {"ok": 1, "push it": 2}, 2: {"ok": 1, "push it": 2}}).passages
