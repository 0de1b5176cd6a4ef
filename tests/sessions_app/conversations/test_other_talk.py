"""A long session is about several things: what was said about the question is told of it, and not the rest."""

import numpy as np
import pytest

from accounts.rules.rights import Member
from sessions_app.conversations.actions.share import share
from sessions_app.conversations.rules.score import ScoredConversation, to_the_point
from sessions_app.transcripts.rules.speakers import SharedTurns
from tests.conftest import NOW
from tests.sessions_app.conversations.decisions import OTHERS, ask, turns
from tests.sessions_app.conversations.talk import talk
from tests.sessions_app.conversations.test_search_rules import passages, unit

ASKED = unit(1, 0, 0, 0)
NEAR, DRIFTED, ELSEWHERE, OTHER = unit(1, 0.2, 0, 0), unit(0.5, 1, 0, 0), unit(0, 0, 1, 0), unit(0.05, 0, 0, 1)


def shares(*said: tuple[str, np.ndarray]) -> list[float]:
    """What is left of the worth of each passage of a conversation, for a question about the first axis."""
    texts, vectors = zip(*said, strict=True)
    found = to_the_point(ScoredConversation(1, passages(*texts, vectors=vectors)), ASKED)
    return [found[position] for position in range(len(said))]


class TestHowNearAPassageIs:
    def test_on_one_subject_all_that_was_said_keeps_some_worth(self) -> None:
        found = shares(
            ("the export", NEAR), ("rows", NEAR), ("and the header", DRIFTED), ("and the end", DRIFTED), ("so", NEAR)
        )
        assert max(found) == 1
        assert min(found) > 0.25

    def test_among_other_talk_what_is_about_something_else_has_none(self) -> None:
        long = "what is said here is about the footer of the page and how it looks on phones " * 3
        found = shares((long, ELSEWHERE), (long, OTHER), (long, ELSEWHERE), ("the export?", NEAR), (long, OTHER))
        assert found == [0, 0, 0, 1, 0]

    def test_a_short_reply_is_about_what_it_replies_to(self) -> None:
        long = "what is said here is about the footer of the page and how it looks on phones " * 3
        found = shares(
            (long, ELSEWHERE), ("ok", OTHER), ("the export?", NEAR), ("make it 200", ELSEWHERE), (long, OTHER)
        )
        assert found[3] > 0.4
        assert found[1] == 0  # what comes after it does not tell what a word is about

    def test_without_vectors_nothing_is_known(self) -> None:
        assert to_the_point(ScoredConversation(1, passages("the export?")), ASKED) == {}


FOOTER = (
    "the footer of the catalogue page overlaps the sidebar on phones, have a look at it when you have a minute",
    "It collapses below 640 pixels now, and `FooterNav` keeps its height, which was the cause in commit 4f2a9c1.",
    "nice. and rename `SideBarX` to what it is, nobody finds it in the component list any more",
    "Renamed to `CatalogueSidebar` in twelve files; the story in storybook has the new name as well.",
)
TYPES = (
    "mypy says `OrderRow` has no attribute total in the invoices module since the upgrade to 2.4, what is that about",
    "The stub of the ORM changed: annotations on querysets are typed now, so `annotate` must be told the field's type.",
    "do that everywhere then, I do not want an ignore comment in each of these files",
    "Done in 31 places with `WithAnnotations`, and `warn_unused_ignores` is on in pyproject.",
)
FIRST = (
    "how many rows should the importer read in one go? It takes the whole file today",
    "The whole file means 3 GB for the big suppliers. A chunk keeps it flat.",
    "ok then 500 rows per chunk for the importer, no more",
    "Done: rows.py reads 500 rows per chunk and commits after each.",
)
LATER = (
    "the importer fell over again on worker-3 last night",
    "It held three chunks at once. Memory peaked at 1.9 GB while reading chunks of rows.",
    "let's make that 200 after all",
    "Changed, and the validator drops its reference now.",
)
QUESTION = (
    "The nightly import runs out of memory. Set the chunk of rows that the importer reads at a time to what we agreed."
)


class TestALongSession:
    @pytest.mark.parametrize("files", [(), ("src/importer/rows.py",)])
    def test_is_quoted_for_what_was_asked_and_with_its_plain_change(
        self, alice: Member, bob: Member, files: tuple[str, ...]
    ) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        talk(alice, turns(3, *FOOTER, *FIRST, *TYPES))
        for one in OTHERS:
            talk(alice, one)
        talk(alice, turns(18, *TYPES[2:], *LATER, *FOOTER[:2]))
        done = ask(bob, QUESTION, max_tokens=400, include=("conversations",), files=files)
        assert "make that 200" in done.text
        assert "500 rows" in done.text
        for name in ("4f2a9c1", "CatalogueSidebar", "WithAnnotations"):
            assert name not in done.text
