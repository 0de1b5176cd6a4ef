"""A question in the words of what was replaced leads to what replaced it."""

from datetime import datetime, timedelta

import pytest

from accounts.rules.rights import Member
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import combine
from knowledge.rules.vocabulary import Kind
from tests.factories import make_insight
from tests.knowledge.library import stock

STRICT = "mypy runs in strict mode on every push; ignore comments need an error code."
PYRIGHT = "pyright has taken over from the old checker on every push."
BASEDPYRIGHT = "Since June basedpyright looks through the pushes."
QUESTION = "strict mode of mypy, which ignore comments need an error code"

pytestmark = pytest.mark.slow


@pytest.fixture
def chain(alice: Member, now: datetime) -> list[Insight]:
    """Among other notes, one that was replaced by another, and that by a third."""
    stock(alice, now - timedelta(days=30))
    rows = []
    for days, body in ((20, STRICT), (10, PYRIGHT), (1, BASEDPYRIGHT)):
        at = now - timedelta(days=days)
        row = make_insight(alice, now=at, body=body, kind=Kind.CONTEXT)
        if rows:
            combine.supersede(ref=rows[-1].ref, by_ref=row.ref, by=alice, now=at)
        rows.append(row)
    return rows


def told(question: str, by: Member, now: datetime, **asked: object) -> list[str]:
    return [hit.insight.ref for hit in retrieve(ask=Ask(question, **asked), by=by, now=now).hits]


def test_the_last_of_a_chain_is_served_first(chain: list[Insight], bob: Member, now: datetime) -> None:
    refs = told(QUESTION, bob, now)
    assert refs[0] == chain[2].ref
    assert not {chain[0].ref, chain[1].ref} & set(refs)


def test_not_where_another_kind_was_asked_for(chain: list[Insight], bob: Member, now: datetime) -> None:
    assert chain[2].ref not in told(QUESTION, bob, now, kinds=(Kind.PITFALL,))


def test_not_once_the_replacement_is_taken_back(chain: list[Insight], alice: Member, now: datetime) -> None:
    combine.reinstate(ref=chain[0].ref, by=alice, now=now)
    assert told(QUESTION, alice, now)[0] == chain[0].ref


def test_not_for_a_stranger(chain: list[Insight], charlie: Member, now: datetime) -> None:
    assert told(QUESTION, charlie, now) == []
