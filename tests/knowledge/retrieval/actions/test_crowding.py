"""One contributor cannot crowd what the team has confirmed out of an answer, whatever they say of their own notes."""

from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import Hit, retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.retrieval.rules.standing import MOST_UNREVIEWED
from knowledge.review.actions import curate
from knowledge.rules.vocabulary import Kind
from tests.conftest import person
from tests.factories import as_agent, make_draft, make_insight
from tests.knowledge.library import stock

CONFIRMED = "Letters to the complaints desk are scanned with the Kofax template."
OTHERS = (
    "Letters to the complaints desk are scanned with the Abbyy template, two pages each.",
    "Scan letters to the complaints desk with the Tesseract template.",
    "The complaints desk has its letters scanned with the Parascript template.",
    "With the Docparser template letters to the complaints desk are scanned.",
)
QUESTION = "with which template are letters to the complaints desk scanned"


@pytest.fixture
def dana(platform: Team) -> Member:
    return as_agent(member_of(user=person("dana", platform)))


@pytest.fixture
def confirmed(alice: Member, now: datetime) -> Insight:
    stock(alice, now - timedelta(days=14))
    row = make_insight(as_agent(alice), now=now - timedelta(days=14), body=CONFIRMED, kind=Kind.SOLUTION)
    return curate.promote(ref=row.ref, by=alice, now=now - timedelta(days=14))


def asked(by: Member, at: datetime) -> list[Hit]:
    return retrieve(ask=Ask(QUESTION), by=by, now=at).hits


class TestNotesSaidToBeAboutSomethingElse:
    def test_leave_the_confirmed_one_in_the_answer(
        self, confirmed: Insight, bob: Member, dana: Member, now: datetime
    ) -> None:
        bobs = as_agent(bob)
        for body in OTHERS:
            row = make_insight(bobs, now=now, body=body, kind=Kind.SOLUTION)
            relate(ref=row.ref, statements=[Statement(confirmed.ref, Relation.UNRELATED)], by=bobs, now=now)
            rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=bobs, now=now)
        assert confirmed.ref in [hit.insight.ref for hit in asked(dana, now)][:2]


class TestNotesFullOfTheQuestionsWords:
    """The confirmed one says the same thing in fewer of them, so that it is trimmed."""

    RULE = "Production shells are opened with `kestrel-cli shell --reason`, which records the session."
    FLOOD = (
        "How one opens a production shell: open the production shell {0} with ssh root@prod-{0}, that opens a "
        "production shell at once."
    )
    SHELL = Ask("How do I open a production shell?")

    @pytest.mark.parametrize("times", [3, 9])
    def test_leave_the_confirmed_one_in_the_answer(
        self, times: int, alice: Member, bob: Member, dana: Member, now: datetime
    ) -> None:
        stock(alice, now - timedelta(days=14))
        rule = make_insight(as_agent(alice), now=now - timedelta(days=14), body=self.RULE, kind=Kind.SOLUTION)
        curate.promote(ref=rule.ref, by=alice, now=now - timedelta(days=14))
        for at in range(times):
            deposit(draft=make_draft(body=self.FLOOD.format(13 * at), kind=Kind.SOLUTION), by=as_agent(bob), now=now)
        told = [hit.insight.ref for hit in retrieve(ask=self.SHELL, by=dana, now=now).hits]
        assert rule.ref in told[:2]

    def test_stand_behind_it_where_their_author_has_no_standing(
        self, alice: Member, bob: Member, dana: Member, now: datetime
    ) -> None:
        stock(alice, now - timedelta(days=14))
        rule = make_insight(as_agent(alice), now=now - timedelta(days=14), body=self.RULE, kind=Kind.SOLUTION)
        curate.promote(ref=rule.ref, by=alice, now=now - timedelta(days=14))
        for at in range(3):
            deposit(draft=make_draft(body=self.FLOOD.format(13 * at), kind=Kind.SOLUTION), by=as_agent(bob), now=now)
        assert retrieve(ask=self.SHELL, by=dana, now=now).hits[0].insight != rule
        for at in range(MOST_UNREVIEWED):
            make_insight(as_agent(bob), now=now, body=f"Ticket {at} was about the printer.")
        first, second, *_ = retrieve(ask=self.SHELL, by=dana, now=now).hits
        assert first.insight == rule
        assert "bob has more than 30 unreviewed notes" in second.held_back

    @pytest.mark.parametrize("ask", [Ask(SHELL.text, min_score=0.52), Ask(SHELL.text, repo="kestrel/api")])
    def test_do_not_bring_what_was_not_asked_for(
        self, ask: Ask, alice: Member, bob: Member, dana: Member, now: datetime
    ) -> None:
        stock(alice, now - timedelta(days=14))
        rule = make_insight(
            as_agent(alice), now=now - timedelta(days=14), body=self.RULE, kind=Kind.SOLUTION, repo="kestrel/web"
        )
        curate.promote(ref=rule.ref, by=alice, now=now - timedelta(days=14))
        for at in range(3):
            draft = make_draft(body=self.FLOOD.format(13 * at), kind=Kind.SOLUTION, repo="kestrel/api")
            deposit(draft=draft, by=as_agent(bob), now=now)
        told = [hit.insight.ref for hit in retrieve(ask=ask, by=dana, now=now).hits]
        assert told and rule.ref not in told

    def test_of_another_subject_do_not_bring_it(self, alice: Member, bob: Member, dana: Member, now: datetime) -> None:
        stock(alice, now - timedelta(days=14))
        rule = make_insight(as_agent(alice), now=now - timedelta(days=14), body=self.RULE, kind=Kind.SOLUTION)
        curate.promote(ref=rule.ref, by=alice, now=now - timedelta(days=14))
        for what in ("paper trays", "toner", "feeder"):
            body = f"The {what} of the label printer are counted by `printctl count --{what[:4]}`."
            make_insight(as_agent(bob), now=now, body=body, kind=Kind.SOLUTION)
        told = retrieve(ask=Ask("how are the toner and paper trays of the label printer counted"), by=dana, now=now)
        assert rule.ref not in [hit.insight.ref for hit in told.hits]


class TestAnAuthorsOwnRatings:
    def test_do_not_raise_their_note_for_like_questions(
        self, confirmed: Insight, bob: Member, dana: Member, now: datetime
    ) -> None:
        bobs = as_agent(bob)
        row = make_insight(bobs, now=now, body=OTHERS[0], kind=Kind.SOLUTION)

        def feedback() -> float:
            ask = Ask(QUESTION, limit=10)
            [hit] = [hit for hit in retrieve(ask=ask, by=dana, now=now).hits if hit.insight.pk == row.pk]
            [part] = [part for part in hit.score.parts if part.name == "feedback"]
            return part.value

        before = feedback()
        mine = retrieve(ask=Ask(QUESTION), by=bobs, now=now)
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=bobs, now=now, query_id=mine.query_id)
        assert feedback() == before
        theirs = retrieve(ask=Ask(QUESTION), by=dana, now=now)
        rate(refs=[row.ref], verdict=SignalKind.HELPFUL, by=dana, now=now, query_id=theirs.query_id)
        assert feedback() > before
