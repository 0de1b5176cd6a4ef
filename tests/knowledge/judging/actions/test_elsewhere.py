"""A fact of the team may be learned in any repository: what is near in another one is asked about, and nothing more."""

from datetime import datetime, timedelta

import pytest

from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.questions import with_question
from knowledge.judging.actions.record import Deposited
from knowledge.models import Insight, Pair
from knowledge.rules.vocabulary import Kind
from tests.factories import as_agent, make_draft, make_insight, make_insights

SECOND = "Monthly patch night is the second Tuesday."
FIRST = "Monthly patch night is now the first Thursday."
# What else the team knows there.
THERE = ("The kiosk prints no receipts on Sundays.", "Figures of the report are drawn by the agency.")
WEB, ARCHIVE = "acme/web", "acme/archive"


@pytest.fixture
def old(alice: Member, now: datetime) -> Insight:
    long_ago = now - timedelta(days=60)
    make_insights(as_agent(alice), long_ago, *({"body": body, "repo": WEB} for body in THERE))
    return make_insight(as_agent(alice), now=long_ago, body=SECOND, repo=WEB)


def deposited(by: Member, now: datetime, body: str = FIRST, repo: str = ARCHIVE) -> Deposited:
    done = deposit(draft=make_draft(body=body, kind=Kind.CONTEXT, repo=repo), by=as_agent(by), now=now)
    return with_question(done, by=by, now=now)


@pytest.mark.django_db
class TestWhatIsNearInAnotherRepository:
    def test_is_asked_about_by_its_repository(self, old: Insight, bob: Member, now: datetime) -> None:
        done = deposited(bob, now)
        [asked] = done.question.neighbours
        assert (asked.ref, asked.repo, done.outcome, done.superseded) == (old.ref, WEB, "inserted", ())

    @pytest.mark.parametrize("body", [SECOND, f"{SECOND[:-1]} no longer."])
    def test_is_never_merged_nor_paired_by_the_server(
        self, body: str, old: Insight, bob: Member, now: datetime
    ) -> None:
        assert deposited(bob, now, body).outcome == "inserted"
        assert not Pair.objects.filter(a=old).exists()
        assert Insight.objects.get(pk=old.pk).superseded_by is None

    def test_in_its_own_repository_is_told_without(self, old: Insight, bob: Member, now: datetime) -> None:
        [asked] = deposited(bob, now, repo=WEB).question.neighbours
        assert (asked.ref, asked.repo) == (old.ref, "")

    def test_is_not_asked_about_where_it_hardly_stands_out(self, old: Insight, bob: Member, now: datetime) -> None:
        assert deposited(bob, now, "Receipts of the shop are kept for ten years.").question is None

    def test_is_not_asked_about_where_each_names_its_own(self, bob: Member, alice: Member, now: datetime) -> None:
        make_insight(
            as_agent(alice), now=now - timedelta(days=60), body="The ledger relies on Jest.", repo="acme/ledger"
        )
        done = deposited(bob, now, "The web shop relies on Jest.", repo="acme/web-shop")
        assert done.question is None
