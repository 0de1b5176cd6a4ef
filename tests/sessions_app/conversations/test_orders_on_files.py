"""An order on a file of which something was said is no question on what was said of it."""

import pytest

from accounts.rules.rights import Member
from sessions_app.answers.actions.surface import surface
from sessions_app.conversations.actions.share import share
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.conftest import NOW
from tests.sessions_app.conversations.decisions import OTHERS, ask, turns
from tests.sessions_app.conversations.talk import begin, talk

ATTEMPTS = turns(
    3,
    "The upstream blocks us with 429s. Our retrier in net/retry.py is too aggressive, look at it.",
    "I have read `net/retry.py`: `Retrier.run` in `net/retry.py` loops up to MAX_ATTEMPTS, which is 10. I would set it "
    "to 5 in `net/retry.py`.",
    "No, 5 leaves retries on the table. Seven. The eighth trips the upstream's limit.",
    "So MAX_ATTEMPTS in `net/retry.py` is 7: seven attempts stay below the upstream's limit.",
)


@pytest.mark.django_db
class TestAnOrder:
    @pytest.fixture(autouse=True)
    def decided(self, alice: Member) -> str:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        for one in OTHERS:
            talk(alice, one)
        return talk(alice, ATTEMPTS).ref

    def test_that_shares_the_name_of_a_file_alone_is_told_nothing(self, bob: Member) -> None:
        for order in ("Add type hints to net/retry.py", "Sort the imports of net/retry.py"):
            assert surface(prompt=order, by=begin(bob), now=NOW).text == ""

    def test_that_needs_what_was_decided_is_told_it(self, bob: Member, decided: str) -> None:
        order = "Lower the number of attempts in net/retry.py so the upstream stops blocking us"
        shown = surface(prompt=order, by=begin(bob), now=NOW)
        assert shown.decision.shown == [decided] and "Seven" in shown.text

    def test_is_told_where_it_may_have_been_said_where_somebody_asks(self, bob: Member, decided: str) -> None:
        """That the file is the same says not that it answers: one line with the pointer, or marked."""
        done = ask(bob, "Add type hints to net/retry.py")
        assert decided in done.text
        assert not done.conversations or "may not answer this" in done.text
