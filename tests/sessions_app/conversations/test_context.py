"""People who know what they talk about type "no, 90": such a passage means what was said before it."""

from dataclasses import dataclass

import pytest

from accounts.rules.rights import Member
from sessions_app.conversations.actions.share import share
from sessions_app.conversations.actions.upkeep import embed_passages, meanings
from sessions_app.conversations.rules.context import MOST_BEFORE, SHORT, WITH_CONTEXT, in_context, recipe
from sessions_app.models import Passage
from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker
from tests.cases import cases
from tests.conftest import NOW
from tests.sessions_app.conversations.decisions import OTHERS, ask, turns
from tests.sessions_app.conversations.talk import passages, talk

# 28 turns are 28 passages, and have fewer words than three passages may have.
TERSE = turns(
    4,
    "ci 22min. why",
    "From the last 30 runs: checkout 0.4 min, cargo build 13.5, cargo test 5.2. Nothing is cached between runs.",
    "cache target/",
    "I add target/ to the cache step, keyed by OS and the hash of Cargo.lock. It has 3.8 GB.",
    "key needs a version",
    "Key: v7-${os}-${hash(Cargo.lock)}.",
    "push",
    "Pushed. First run 22 min, second run 7.5 min.",
    "sweet. flaky test in ws_reconnect",
    "It waits on real time. I replaced the sleep with tokio::time::pause. 200 runs in a row pass now.",
    "good",
    "Also lowered the log level in CI to warn.",
    "hm queue is red. linker",
    "Undefined symbol in the link step: the object files in target/ were built against ring 0.17.7, the lock has .8.",
    "exact keys only then",
    "With exact keys every change of the lock is a cold build, that is 40 % of our merges.",
    "saw it in a branch w/o lock changes too",
    "That one is mtime: the checkout sets new mtimes, so cargo links stale objects of another branch.",
    "revert target",
    "Reverted: target/ is not cached any more. sccache caches single compilations by content, no mtimes involved.",
    "storage?",
    "There is the bucket ci-sccache-eu of the C++ team, we could share it with a prefix.",
    "that. 5 days, it's expensive",
    "sccache on bucket ci-sccache-eu, prefix rust/, objects expire after 5 days.",
    "times",
    "Cold 23 min, warm 8.9 min.",
    "good enough",
    "Merged as 4471.",
)
QUESTION = (
    "Rust builds on the merge queue take 19 minutes again, I want to cache the target directory between runs to bring "
    "that down. Any reason against it? Do it whichever way is right for us."
)


@dataclass(frozen=True)
class Said:
    speaker: Speaker
    text: str


USER, AGENT = Speaker.USER, Speaker.AGENT
LONG = " ".join(f"word{n}" for n in range(WITH_CONTEXT))


class TestInContext:
    def test_is_the_text_itself_where_that_is_long_or_the_first(self) -> None:
        assert in_context([Said(USER, "ci is slow"), Said(AGENT, LONG)]) == ["ci is slow", LONG]

    def test_is_the_text_itself_where_that_says_enough(self) -> None:
        enough = " ".join(f"w{n}" for n in range(SHORT))
        assert in_context([Said(AGENT, LONG), Said(USER, enough)])[1] == enough

    def test_has_the_end_of_what_was_said_before_where_it_is_short(self) -> None:
        said = in_context([Said(AGENT, LONG), Said(USER, "no, 90")])[1]
        assert said.split() == [*LONG.split()[2:], "no,", "90"]

    def test_of_an_agents_words_has_nothing_that_its_user_said(self) -> None:
        talk = [Said(AGENT, "Batches of 500?"), Said(USER, "the canary is green"), Said(AGENT, "120 then.")]
        assert in_context(talk)[2] == "Batches of 500?\n120 then."

    def test_of_a_users_words_has_what_both_said_in_order(self) -> None:
        talk = [Said(USER, "scanners hang"), Said(AGENT, "Batches of 500?"), Said(USER, "120")]
        assert in_context(talk)[2] == "scanners hang Batches of 500?\n120"

    def test_goes_back_a_dozen_passages(self) -> None:
        said = in_context([Said(USER, f"w{n}") for n in range(20)])[19]
        assert said.split() == [f"w{n}" for n in range(19 - MOST_BEFORE, 20)]

    @cases("model", ["all-MiniLM-L6-v2", "m" * 80])
    def test_has_a_recipe_that_the_column_holds(self, model: str) -> None:
        assert len(recipe(model)) <= 80 and recipe(model) != model


@pytest.mark.django_db
class TestTerseConversation:
    def test_is_read_whole_and_told_as_one_answer(self, alice: Member, bob: Member) -> None:
        share(repo="shop", team="platform", turns=SharedTurns.ALL, by=alice, now=NOW)
        for one in OTHERS:
            talk(alice, one)
        ref = talk(alice, TERSE).ref
        assert Passage.objects.filter(session=ref.removeprefix("S-")).count() > 24
        done = ask(bob, QUESTION, max_tokens=800)
        assert done.answer.stands_out and [one.found.ref for one in done.conversations] == [ref]
        for fact in ("target/ is not cached any more", "ci-sccache-eu", "5 days"):
            assert fact in done.text

    def test_gets_the_same_vectors_from_the_worker_as_at_its_end(self, alice: Member) -> None:
        talk(alice, TERSE[:8])
        at_end = [list(row.embedding) for row in passages(alice)]
        Passage.objects.update(embedding=None, embedded_by="")
        assert embed_passages().counts == {"embedded": 8}
        assert [list(row.embedding) for row in passages(alice)] == [pytest.approx(one, abs=0.01) for one in at_end]

    def test_that_was_embedded_otherwise_is_embedded_again(self, alice: Member) -> None:
        talk(alice, TERSE[:4])
        Passage.objects.update(embedded_by="all-MiniLM-L6-v2")
        assert embed_passages().counts == {"embedded": 4}
        assert embed_passages().counts == {"embedded": 0}

    def test_has_vectors_of_an_agents_words_that_know_nothing_of_its_users(self, alice: Member) -> None:
        talk(alice, TERSE)
        rows = [row for row in passages(alice) if row.speaker == AGENT]
        typed = {turn.text for turn in TERSE if turn.role == "user"}
        meant = meanings([row.pk for row in rows])
        assert len(meant) == len(rows)
        assert not [text for text in meant.values() for words in typed if f"\n{words}\n" in f"\n{text}\n"]
