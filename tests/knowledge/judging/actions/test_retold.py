"""An agent that has read an old file says again, word for word, what has been replaced since."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import Deposited, deposit
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine, curate, settle
from sessions_app.answers.actions.build_answer import build_answer
from tests.factories import as_agent, make_draft, make_insight

DAY = timedelta(days=1)
SEVEN, NINE = "A dog costs 7 euro on the Fjordline ferry.", "A dog costs 9 euro on the Fjordline ferry."
AGAIN = "a dog costs 7 euro on the Fjordline ferry"
QUESTION = "what does a dog cost on the ferry?"


def say(body: str, by: Member, at: datetime, **over: Any) -> Deposited:
    return deposit(draft=make_draft(body=body, kind="CONTEXT", source_date=at, **over), by=by, now=at)


def first(by: Member, at: datetime) -> str:
    return retrieve(ask=Ask(QUESTION), by=by, now=at).hits[0].insight.ref


@pytest.fixture
def priced(alice: Member, bob: Member, now: datetime) -> Insight:
    """Nine euro, which a lead has put in the place of seven."""
    old = make_insight(as_agent(bob), now=now - 60 * DAY, body=SEVEN, kind="CONTEXT")
    new = make_insight(as_agent(alice), now=now - 9 * DAY, body=NINE, kind="CONTEXT")
    combine.supersede(ref=old.ref, by_ref=new.ref, by=alice, now=now - 8 * DAY)
    curate.promote(ref=new.ref, by=alice, now=now - 8 * DAY)
    return new


class TestWhatWasSuperseded:
    @pytest.mark.parametrize("body", [SEVEN, AGAIN])
    def test_and_is_said_again_comes_behind_what_superseded_it(
        self, priced: Insight, bob: Member, now: datetime, body: str
    ) -> None:
        done = say(body, as_agent(bob), now)
        assert done.insight.pk != priced.pk
        assert first(bob, now) == priced.ref
        text = build_answer(ask=Ask(QUESTION), max_tokens=800, by=bob, now=now).packed.text
        assert text.index(NINE) < text.index(body)
        assert f"said again since: {done.insight.ref}" in text
        assert f"Superseded before by {priced.ref}" in text

    def test_is_known_though_the_index_comes_by_other_teams_rows_alone(
        self, priced: Insight, charlie: Member, bob: Member, now: datetime
    ) -> None:
        theirs = make_insight(as_agent(charlie), now=now - 60 * DAY, body=AGAIN, kind="CONTEXT")
        combine.supersede(ref=theirs.ref, by_ref=say(NINE, charlie, now).insight.ref, by=charlie, now=now)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL hnsw.iterative_scan = off; SET LOCAL hnsw.ef_search = 1")
        say(AGAIN, as_agent(bob), now)
        assert Pair.objects.open().get(question="supersession").successor_id == priced.pk

    def test_waits_for_a_lead_who_sees_why(self, priced: Insight, alice: Member, bob: Member, now: datetime) -> None:
        again = say(SEVEN, as_agent(bob), now).insight
        pair = Pair.objects.open().get(question="supersession")
        assert (pair.successor_id, pair.verdict["reason"], pair.proposed) == (priced.pk, "retold", True)
        settle.resolve(pair_id=pair.pk, keep=priced.ref, by=alice, now=now)
        again.refresh_from_db()
        assert again.superseded_by_id == priced.pk

    def test_holds_again_if_its_agent_says_so(self, priced: Insight, bob: Member, now: datetime) -> None:
        again = say(SEVEN, as_agent(bob), now).insight
        done = relate(ref=again.ref, statements=[Statement(priced.ref, Relation.SUPERSEDES)], by=as_agent(bob), now=now)
        assert done.related[0]["state"] == "proposed"
        assert first(bob, now) == again.ref

    def test_is_no_matter_where_its_agent_has_said_so_at_once(
        self, priced: Insight, bob: Member, now: datetime
    ) -> None:
        say(SEVEN, as_agent(bob), now, relations=[Statement(priced.ref, Relation.SUPERSEDES)])
        assert Pair.objects.open().get(question="supersession").successor_id != priced.pk

    def test_is_told_in_other_words_as_anything_else(self, priced: Insight, bob: Member, now: datetime) -> None:
        say("Dogs travel for 7 euro with Fjordline's ferry, cats for free.", as_agent(bob), now)
        assert not Pair.objects.open().filter(question="supersession").exists()


def test_what_was_merged_into_a_note_that_stands_is_nobodys_past(alice: Member, bob: Member, now: datetime) -> None:
    kept = make_insight(as_agent(alice), now=now - 9 * DAY, body=NINE, kind="CONTEXT")
    gone = make_insight(as_agent(bob), now=now - 8 * DAY, body="Fjordline takes 9 euro for a dog.", kind="CONTEXT")
    combine.merge(ref=gone.ref, into=kept.ref, by=alice, now=now - 8 * DAY)
    say("Fjordline takes 9 euro for a dog.", as_agent(bob), now)
    assert not Pair.objects.open().filter(question="supersession").exists()
