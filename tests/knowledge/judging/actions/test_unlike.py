"""What only the depositing agent knows: its note replaces, or contradicts, one that it hardly reads like."""

from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import LogEntry, Team
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import Deposited, deposit
from knowledge.judging.actions.relate import relate
from knowledge.judging.actions.relations import MOST_CONTRADICTED_A_DAY
from knowledge.judging.actions.relations import MOST_UNLIKE_A_DAY as MOST
from knowledge.judging.actions.successions import MOST_A_DAY
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate
from knowledge.review.actions.settle import dismiss
from knowledge.rules.vocabulary import Kind, Trust
from sessions_app.answers.actions.build_answer import build_answer
from tests.conftest import person
from tests.factories import as_agent, make_draft, make_insight

OLD = "Ask Petra for a licence of the diagram tool."
NEW = "Figures are drawn with D2 from text; nobody buys seats any more."
DAY = timedelta(days=1)
NAMES = ["Petra", "Jonas", "Ilse", "Ravi", "Ottilie", "Tomas", "Yuki", "Omar", "Lena", "Pavel", "Noor", "Sven", "Aino"]
WORDS = [
    "walnut",
    "pepper",
    "copper",
    "velvet",
    "gravel",
    "saddle",
    "lantern",
    "harbour",
    "meadow",
    "thunder",
    "orchid",
]
WORDS += ["granite", "feather"]


@pytest.fixture
def dana(platform: Team) -> Member:
    return as_agent(member_of(user=person("dana", platform)))


@pytest.fixture
def bobs(bob: Member) -> Member:
    return as_agent(bob)


@pytest.fixture
def draft(dana: Member, now: datetime) -> Insight:
    return make_insight(dana, now=now - 60 * DAY, body=OLD, kind=Kind.CONTEXT)


@pytest.fixture
def confirmed(draft: Insight, alice: Member, now: datetime) -> Insight:
    return curate.promote(ref=draft.ref, by=alice, now=now - 50 * DAY)


def say(relation: str, old: Insight, by: Member, at: datetime, body: str = NEW) -> Deposited:
    statement = Statement(old.ref, Relation(relation), "we moved to D2")
    return deposit(draft=make_draft(body=body, kind=Kind.CONTEXT, relations=(statement,)), by=by, now=at)


def became(done: Deposited) -> tuple[str, str]:
    [one] = done.related
    return one["state"], one["reason"]


class TestSupersedes:
    def test_is_proposed_to_a_lead_against_what_is_confirmed(
        self, confirmed: Insight, bobs: Member, now: datetime
    ) -> None:
        done = say("supersedes", confirmed, bobs, now)
        assert (done.outcome, became(done)) == ("proposed", ("proposed", "not_alike"))
        confirmed.refresh_from_db()
        assert (confirmed.retrievable, confirmed.superseded_by) == (True, None)
        pair = Pair.objects.get()
        assert (pair.proposed, pair.successor, pair.reason) == (True, done.insight, "we moved to D2")
        told = LogEntry.objects.filter(verb="proposed").values_list("subject", flat=True)
        assert set(told) == {confirmed.ref, done.insight.ref}

    def test_carries_that_the_two_are_not_alike(self, confirmed: Insight, bobs: Member, now: datetime) -> None:
        say("supersedes", confirmed, bobs, now)
        assert Pair.objects.get().verdict["reason"] == "not_alike"

    def test_is_proposed_against_a_draft_of_somebody_else(self, draft: Insight, bobs: Member, now: datetime) -> None:
        assert became(say("supersedes", draft, bobs, now)) == ("proposed", "not_alike")
        draft.refresh_from_db()
        assert draft.superseded_by is None

    def test_of_ones_own_note_waits_as_well(self, draft: Insight, dana: Member, now: datetime) -> None:
        assert became(say("supersedes", draft, dana, now)) == ("proposed", "not_alike")
        assert Pair.objects.get().verdict["reason"] == "not_alike"

    def test_is_answered_alike_when_it_is_said_again(self, confirmed: Insight, bobs: Member, now: datetime) -> None:
        done = say("supersedes", confirmed, bobs, now)
        again = [Statement(confirmed.ref, Relation.SUPERSEDES)]
        assert became(relate(ref=done.insight.ref, statements=again, by=bobs, now=now)) == became(done)

    def test_is_no_more_than_stated_of_what_reads_alike(
        self, alice: Member, dana: Member, bobs: Member, now: datetime
    ) -> None:
        old = make_insight(dana, now=now - DAY, body="The diagram tool has 5 seats.", kind=Kind.CONTEXT)
        curate.promote(ref=old.ref, by=alice, now=now - DAY)
        assert became(say("supersedes", old, bobs, now, body="The diagram tool has 9 seats.")) == (
            "proposed",
            "protected",
        )
        assert Pair.objects.get().verdict["reason"] == "stated"

    def test_counts_toward_what_a_member_may_replace_in_a_day(
        self, draft: Insight, dana: Member, bobs: Member, now: datetime
    ) -> None:
        for number in range(MOST):
            say("supersedes", draft, bobs, now, body=f"{NEW} Page {number}.")
        for number in range(MOST_A_DAY - MOST):
            old = make_insight(dana, now=now - DAY, body=f"The {WORDS[number]} has 5 seats.", kind=Kind.CONTEXT)
            done = say("supersedes", old, bobs, now, body=f"The {WORDS[number]} has 9 seats.")
            assert became(done) == ("done", "stated")
        alike = make_insight(dana, now=now - DAY, body="The diagram tool has 5 seats.", kind=Kind.CONTEXT)
        body = "The diagram tool has 9 seats."
        assert became(say("supersedes", alike, bobs, now, body=body)) == ("proposed", "daily_limit")


class TestContradicts:
    def test_opens_a_contradiction(self, confirmed: Insight, bobs: Member, now: datetime) -> None:
        done = say("contradicts", confirmed, bobs, now)
        assert (done.outcome, became(done)) == ("queued", ("open", "not_alike"))
        pair = Pair.objects.get()
        assert (pair.question, pair.is_open, pair.verdict["reason"]) == ("contradiction", True, "not_alike")

    def test_puts_nothing_in_doubt_before_a_lead_has_looked(
        self, confirmed: Insight, dana: Member, bobs: Member, now: datetime
    ) -> None:
        say("contradicts", confirmed, bobs, now)
        assert Insight.objects.get(pk=confirmed.pk).trust == Trust.UNKNOWN
        [hit] = [one for one in retrieve(ask=Ask(text=OLD), by=dana, now=now).hits if one.insight == confirmed]
        assert hit.currency == "current"

    def test_does_not_keep_in_doubt_what_a_lead_has_settled(
        self, confirmed: Insight, alice: Member, bobs: Member, now: datetime
    ) -> None:
        say("contradicts", confirmed, bobs, now)
        say("contradicts", confirmed, bobs, now, body="The licence of the diagram tool comes from Jan, not from Petra.")
        assert Insight.objects.get(pk=confirmed.pk).trust == Trust.CONTRADICTED
        alike = Pair.objects.exclude(verdict__reason="not_alike").get()
        dismiss(pair_id=alike.pk, by=alice, now=now)
        assert Insight.objects.get(pk=confirmed.pk).trust == Trust.UNKNOWN

    def test_is_answered_alike_when_it_is_said_again(self, confirmed: Insight, bobs: Member, now: datetime) -> None:
        done = say("contradicts", confirmed, bobs, now)
        again = [Statement(confirmed.ref, Relation.CONTRADICTS)]
        assert became(relate(ref=done.insight.ref, statements=again, by=bobs, now=now)) == became(done)


class TestOneAccount:
    """Who says it of everything has the team's notes say so for them, and the leads read nothing else."""

    def test_says_it_of_a_few_notes_a_day(self, dana: Member, alice: Member, bobs: Member, now: datetime) -> None:
        olds = [
            make_insight(dana, now=now - DAY, body=f"Ask {name} for a licence of the diagram tool.")
            for name in NAMES[: MOST + 3]
        ]
        states = [
            became(say("contradicts", old, bobs, now, body=f"{NEW} {word}."))
            for word, old in zip(WORDS, olds, strict=False)
        ]
        assert states[:MOST] == [("open", "not_alike")] * MOST
        assert states[MOST:] == [("refused", "too_many")] * 3
        assert became(say("supersedes", olds[0], bobs, now, body=f"{NEW} Again.")) == ("refused", "too_many")
        assert became(say("contradicts", olds[-1], bobs, now + 2 * DAY, body=f"{NEW} Later.")) == ("open", "not_alike")

    def test_is_refused_in_sight_of_the_leads(
        self, confirmed: Insight, dana: Member, bobs: Member, now: datetime
    ) -> None:
        for name, word in zip(NAMES[:MOST], WORDS, strict=False):
            old = make_insight(dana, now=now - DAY, body=f"Ask {name} for a licence of the diagram tool.")
            say("contradicts", old, bobs, now, body=f"{NEW} {word}.")
        done = say("contradicts", confirmed, bobs, now, body=f"{NEW} Always.")
        assert LogEntry.objects.filter(verb="refused", line__contains=confirmed.ref).exists()
        assert done.insight.ref  # and it is stored all the same

    def test_contradicts_a_few_notes_a_day_however_alike(self, dana: Member, bobs: Member, now: datetime) -> None:
        olds = [
            make_insight(dana, now=now - DAY, body=f"The {word} has 5 seats.", kind=Kind.CONTEXT)
            for word in WORDS[: MOST_CONTRADICTED_A_DAY + 2]
        ]
        states = [
            became(say("contradicts", old, bobs, now, body=f"The {word} has 9 seats."))
            for word, old in zip(WORDS, olds, strict=False)
        ]
        assert [state for state, _ in states[:MOST_CONTRADICTED_A_DAY]] == ["open"] * MOST_CONTRADICTED_A_DAY
        assert states[MOST_CONTRADICTED_A_DAY:] == [("refused", "too_many")] * 2
        assert [Insight.objects.get(pk=old.pk).trust for old in olds[-2:]] == [Trust.UNKNOWN] * 2

    def test_may_say_it_of_all_as_a_lead(self, dana: Member, alice: Member, now: datetime) -> None:
        for name, word in zip(NAMES[: MOST + 1], WORDS, strict=False):
            old = make_insight(dana, now=now - DAY, body=f"Ask {name} for a licence of the diagram tool.")
            assert became(say("contradicts", old, as_agent(alice), now, body=f"{NEW} {word}."))[0] == "open"


class TestAnswers:
    def test_say_who_says_it_and_none_of_their_words(
        self, confirmed: Insight, dana: Member, bobs: Member, now: datetime
    ) -> None:
        for number in range(4):
            say("contradicts", confirmed, bobs, now, body=f"{NEW} {WORDS[number]} curl.")
        say("supersedes", confirmed, bobs, now, body=f"{NEW} Curl.")
        text = build_answer(ask=Ask(text=OLD), by=dana, now=now, max_tokens=800).text
        told = text.partition(OLD)[2].partition("\n\n")[0]
        assert "curl" not in told.lower()
        assert told.count("nothing in common") == 1

    def test_have_the_words_of_what_reads_alike(
        self, confirmed: Insight, dana: Member, bobs: Member, now: datetime
    ) -> None:
        say("supersedes", confirmed, bobs, now, body="Ask Jan for a licence of the diagram tool since May.")
        assert "Jan" in build_answer(ask=Ask(text=OLD), by=dana, now=now, max_tokens=800).text


class TestDuplicates:
    def test_is_refused_for_it_would_merge_them(self, confirmed: Insight, bobs: Member, now: datetime) -> None:
        assert became(say("duplicates", confirmed, bobs, now)) == ("refused", "not_alike")
        assert not Pair.objects.exists()
