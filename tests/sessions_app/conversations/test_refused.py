"""What an agent proposed and its user refused is told with the refusal, or not at all."""

import pytest

from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.retrieval.rules.ask import Ask
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.actions.find import find
from sessions_app.conversations.actions.search import matches
from sessions_app.conversations.actions.upkeep import embed_passages
from sessions_app.conversations.rules.answering import Floor
from sessions_app.conversations.rules.choose import refused
from sessions_app.conversations.rules.excerpts import tell
from sessions_app.conversations.rules.found import chained
from tests.cases import cases
from tests.sessions_app.conversations.decisions import OTHERS, ask, turns
from tests.sessions_app.conversations.talk import talk
from tests.sessions_app.conversations.test_search_rules import found, passages

PROPOSED = "I would queue photo uploads in Celery with a Redis result backend."
REFUSAL = "no celery for uploads, the broker lost jobs twice last winter. presigned urls"
QUESTION = "Should photo uploads be queued in Celery with a Redis result backend?"
# An agent and its user go on about other things: a conversation too long to be read whole.
CHAT = [
    text
    for n in range(50)
    for text in (
        f"the {n}th label on shelf {n} of the warehouse page is cut at the right edge when the printer is set to A{n}",
        f"I widened the label's column to {n + 40} px and left the font of shelf {n}; the printout of A{n} fits",
    )
]


@pytest.fixture
def long_talk(alice: Member) -> str:
    """A conversation about many things, in which a proposal was refused; its reference."""
    for one in OTHERS:
        talk(alice, one)
    decided = ("big photos time out on upload", PROPOSED, REFUSAL, "Presigned it is.")
    ref = talk(alice, turns(9, *CHAT[:40], *decided, *CHAT[40:])).ref
    while embed_passages().counts["embedded"]:
        pass
    return ref


@pytest.mark.django_db
class TestQuery:
    @cases("room", [160, 250, 400, 800])
    def test_tells_no_refused_proposal_of_a_long_conversation_alone(
        self, alice: Member, long_talk: str, room: int
    ) -> None:
        text = ask(alice, QUESTION, max_tokens=room).text
        assert "Celery with a Redis" not in text or "no celery for uploads" in text

    def test_names_the_refusal(self, alice: Member, long_talk: str) -> None:
        none = Floor(9, 9, names=Floor(-9, -9, most_named=3))
        named = find(ask=Ask(QUESTION, repo="shop"), vector=current().embed([QUESTION])[0], by=alice, floor=none).named
        assert named[0].ref == long_talk and named[0].nearest.text == REFUSAL

    def test_shows_a_person_both(self, alice: Member, long_talk: str) -> None:
        said = matches(ask=Ask(QUESTION, repo="shop"), vector=current().embed([QUESTION])[0], by=alice)[0].said
        assert [text for _, text in said][:2] == [PROPOSED, REFUSAL]


class TestTell:
    TALK = ("big photos time out", PROPOSED, REFUSAL, "Presigned it is.")

    @cases("room", range(120, 700, 40))
    def test_has_the_refusal_beside_the_nearest_passages(self, room: int) -> None:
        one = found("S-1", *self.TALK, weights={1: 0.9, 3: 0.2})
        text = "".join(each.text for each in tell(chained([one]), "uploads", room, Interface.REST))
        assert "Celery with" not in text or "no celery for uploads" in text

    def test_has_each_sentence_once(self) -> None:
        one = found("S-1", *self.TALK, weights={1: 0.9, 2: 0.8})
        text = "".join(each.text for each in tell(chained([one]), "uploads", 900, Interface.REST))
        assert text.count("no celery for uploads") == 1 and text.index("Celery with") < text.index("no celery")

    def test_takes_what_was_said_later_for_no_refusal(self) -> None:
        first, proposal, refusal, _ = passages(*self.TALK)
        assert refused([first, proposal, refusal]) == {1: 2}
        assert refused([proposal, passages(*CHAT[:4], "no, wider")[4]]) == {}
