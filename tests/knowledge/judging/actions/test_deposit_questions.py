"""The questions that a note answers, said by who deposits it: it is found by them, and told apart by them, not by how
it is written alone.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.questions import with_question
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Corroboration, Insight, Lexicon
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.actions.upkeep import embed_waiting
from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions.combine import unmerge
from knowledge.review.actions.curate import edit
from knowledge.review.actions.forget import erase_forgotten, forget
from knowledge.review.actions.quarantine import scan
from knowledge.rules.draft import MOST_QUESTIONS
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import Kind
from tests.factories import as_agent, make_draft, make_insight

pytestmark = pytest.mark.django_db

BODY = "1.22 since the bump in June; CI takes it from go.mod, so change it there alone."
ASKED = "Which compiler release do we build the lending service with?"
QUESTIONS = ["which Go version does the lending API use", "what toolchain release is the service compiled with"]
INSIGHTS = "/api/v1/insights/"
SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"


def noted(by: Member, now: datetime, **over: Any) -> Insight:
    return deposit(draft=make_draft(**{"body": BODY, "kind": Kind.CONTEXT} | over), by=as_agent(by), now=now).insight


def found(by: Member, now: datetime, text: str = ASKED) -> list[str]:
    return [hit.insight.ref for hit in retrieve(ask=Ask(text), by=by, now=now).hits]


@pytest.fixture
def others(alice: Member, now: datetime) -> None:
    """What else the team knows, some of it about building and about lending."""
    bodies = (
        "The build of the search service takes 9 minutes because of the fixtures.",
        "A lending request is written to the outbox first, then sent.",
        "We release the kiosk on Tuesdays; ask Mira before a hotfix.",
        "The compiler cache lives in /srv/ccache and is emptied on Sundays.",
    )
    for body in bodies:
        noted(alice, now, body=body)


@pytest.mark.usefixtures("others")
class TestWhatAnswersAQuestion:
    def test_is_found_by_it_though_it_shares_no_word_with_the_text(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        plain = noted(alice, now)
        assert found(bob, now)[:1] != [plain.ref]
        forget(ref=plain.ref, why="left", by=alice, now=now)
        asked = noted(alice, now, questions=QUESTIONS)
        assert found(bob, now)[:1] == [asked.ref]

    def test_is_found_by_the_questions_of_a_retelling_until_they_are_apart_again(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        first = noted(alice, now)
        said = [Statement(first.ref, Relation.DUPLICATES)]
        again = deposit(
            draft=make_draft(body=BODY, kind=Kind.CONTEXT, questions=QUESTIONS, relations=said),
            by=as_agent(bob),
            now=now,
        )
        assert again.insight.ref == first.ref
        first.refresh_from_db()
        assert "toolchain" in first.heard
        assert first.questions == []
        part = unmerge(ref=first.ref, corroboration=Corroboration.objects.get().pk, by=alice, now=now)
        first.refresh_from_db()
        assert "toolchain" not in first.heard
        assert Insight.objects.exclude(pk=first.pk).latest("pk").questions == QUESTIONS, part

    def test_is_searched_by_the_questions_that_somebody_writes_later(
        self, alice: Member, bob: Member, now: datetime
    ) -> None:
        row = noted(alice, now)
        edit(ref=row.ref, changes={"questions": [*QUESTIONS, QUESTIONS[0], " "]}, revision=1, by=alice, now=now)
        row.refresh_from_db()
        assert row.questions == QUESTIONS
        assert found(bob, now)[:1] == [row.ref]
        assert row.length == len(row.words) == len(bm25.terms(row.searched))

    def test_is_embedded_with_them_by_the_sweep_as_well(self, alice: Member, now: datetime) -> None:
        row = noted(alice, now, questions=QUESTIONS)
        before = unit(row.embedding)
        Insight.objects.filter(pk=row.pk).update(embedding=None, embedded_by="")
        embed_waiting()
        row.refresh_from_db()
        assert row.embedding is not None
        assert float(before @ unit(row.embedding)) > 0.999


class TestTwoThatAnswerOneQuestion:
    """An older note and what replaced it, in words that have nothing in common."""

    OLD = "KG-3 gateways send one measurement frame every 10 minutes over LTE-M."
    NEW = "6 min per frame since firmware 4.12, the pilots wanted fresher levels."

    @pytest.mark.usefixtures("others")
    @pytest.mark.parametrize("said", [True, False])
    def test_are_compared_by_who_deposits_the_second_if_both_say_so(
        self, alice: Member, bob: Member, now: datetime, said: bool
    ) -> None:
        def asking(*questions: str) -> dict[str, Any]:
            return {"questions": questions if said else (), "kind": Kind.CONTEXT}

        before = now - timedelta(days=60)
        old = make_insight(as_agent(alice), now=before, body=self.OLD, **asking("how often do gateways report"))
        draft = make_draft(body=self.NEW, **asking("at what interval do gateways report their levels"))
        found = with_question(deposit(draft=draft, by=as_agent(bob), now=now), by=bob, now=now).question
        assert [row.ref for row in (found.neighbours if found else ())] == [old.ref] * said


class TestQuestions:
    def test_are_refused_with_a_secret_in_them_and_lose_personal_data(self, bobs_agent: APIClient, bob: Member) -> None:
        sent = {"kind": "CONTEXT", "body": BODY}
        answer = bobs_agent.post(INSIGHTS, sent | {"questions": [QUESTIONS[0], f"is {SECRET} the key"]})
        assert (answer.status_code, answer.json()["code"]) == (400, "secret_found")
        assert list(answer.json()["errors"]) == ["questions"]
        assert not Insight.objects.exists()
        answer = bobs_agent.post(INSIGHTS, sent | {"questions": ["does jane.doe@lending.dev build it"]})
        assert "jane.doe" not in str(answer.json()["insight"]["questions"])
        assert [one["field"] for one in answer.json()["redactions"]] == ["questions"]

    def test_are_few_and_short(self, bobs_agent: APIClient) -> None:
        sent = {"kind": "CONTEXT", "body": BODY}
        for wrong in (["why"] * (MOST_QUESTIONS + 1), ["why " * 100], "why", [{"q": "why"}]):
            answer = bobs_agent.post(INSIGHTS, sent | {"questions": wrong})
            assert answer.status_code == 400
            assert all(name.startswith("questions") for name in answer.json()["errors"])
        assert not Insight.objects.exists()

    def test_with_a_secret_that_is_found_later_take_the_note_out_of_every_read(
        self, alice: Member, now: datetime
    ) -> None:
        row = noted(alice, now, questions=QUESTIONS)
        Insight.objects.filter(pk=row.pk).update(questions=[f"is {SECRET} the key"])
        assert scan(now=now).counts["quarantined"] == 1

    def test_are_erased_with_the_note(self, alice: Member, now: datetime) -> None:
        row = noted(alice, now, questions=QUESTIONS)
        forget(ref=row.ref, why="left", by=alice, now=now)
        erase_forgotten(now=now + timedelta(days=400))
        row.refresh_from_db()
        assert (row.questions, row.body) == ([], "")
        assert Lexicon.of(row.team_id).average >= 0

    def test_change_nothing_for_a_call_that_was_sent_before_there_were_any(
        self, bobs_agent: APIClient, bob: Member
    ) -> None:
        sent = {"kind": "CONTEXT", "body": BODY, "idempotency_key": "k9"}
        first = bobs_agent.post(INSIGHTS, sent).json()
        assert bobs_agent.post(INSIGHTS, sent | {"questions": []}).json()["insight"]["ref"] == first["insight"]["ref"]
        other = bobs_agent.post(INSIGHTS, sent | {"questions": QUESTIONS})
        assert (other.status_code, other.json()["code"]) == (409, "idempotency_mismatch")
