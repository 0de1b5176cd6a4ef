"""Two notes that differ in one value and hardly anything else are hardly about two things."""

from datetime import datetime, timedelta

import pytest

from accounts.actions.members import member_of
from accounts.models import Team
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.models import Insight, Pair
from knowledge.rules.vocabulary import Kind, Status
from tests.conftest import person
from tests.factories import as_agent, make_draft, make_insights
from tests.knowledge.judging.actions.test_relate import became, fresh, said, tell

OLD = "Timeout of C-FIND: 15 s (`find.timeout`)."
NEW = "Timeout of C-FIND: 150 s (`find.timeout`)."
DAY = timedelta(days=1)


@pytest.fixture
def dana(platform: Team) -> Member:
    return as_agent(member_of(user=person("dana", platform)))


@pytest.fixture
def bobs(bob: Member) -> Member:
    return as_agent(bob)


@pytest.fixture
def old(dana: Member, now: datetime) -> Insight:
    return said(OLD, dana, now)


class TestSaidToHoldBeside:
    @pytest.mark.parametrize("relation", ["unrelated", "complements"])
    def test_is_asked_once_more_and_then_believed_with_a_note(
        self, relation: str, old: Insight, bobs: Member, now: datetime
    ) -> None:
        new = said(NEW, bobs, now + DAY)
        first = tell(new, relation, old, bobs, now + DAY, note="two servers")
        assert became(first) == ("refused", "differs")
        [asked] = first.asking
        assert (asked["ref"], asked["cues"]) == (
            old.ref,
            [{"kind": "number", "first": ["15 s"], "second": ["150 s"]}],
        )
        assert became(tell(new, relation, old, bobs, now + DAY)) == ("refused", "differs")
        assert Pair.objects.get().is_open
        done = tell(new, relation, old, bobs, now + DAY, note="one of the archive, one of the viewer")
        assert (became(done), Pair.objects.get().is_open) == (("done", "stated"), False)
        assert became(tell(new, relation, old, bobs, now + DAY)) == ("done", "stated")

    @pytest.mark.parametrize("relation", ["supersedes", "contradicts"])
    def test_is_not_asked_of_what_says_which_holds(
        self, relation: str, old: Insight, bobs: Member, now: datetime
    ) -> None:
        new = said(NEW, bobs, now + DAY)
        tell(new, "unrelated", old, bobs, now + DAY)
        assert became(tell(new, relation, old, bobs, now + DAY))[0] in ("done", "open")
        assert not Pair.objects.filter(question="duplicate", state="open").exists()

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Retry HTTP 429 with exponential back-off.", "Never retry HTTP 422; the payload is wrong."),
            ("On desktop the viewer preloads 3 series.", "On tablets the viewer preloads 1 series."),
            ("Prometheus job `ingest` is scraped on port 9102.", "Prometheus job `mover` is scraped on port 9104."),
        ],
    )
    def test_of_siblings_is_done_at_once(self, one: str, other: str, bobs: Member, dana: Member, now: datetime) -> None:
        old, new = said(one, dana, now), said(other, bobs, now + DAY)
        assert became(tell(new, "unrelated", old, bobs, now + DAY)) == ("done", "stated")


class TestDeposited:
    def test_is_asked_about_and_paired_whatever_stands_around(self, dana: Member, bobs: Member, now: datetime) -> None:
        """The old one is searched by its questions, too, and so reads less like the new one."""
        jobs = ("mover", "viewer")
        make_insights(dana, now, *({"body": f"Prometheus job {job} is scraped on its own port."} for job in jobs))
        questions = ("How do I look at the metrics of the listener?", "Where does the exporter of the archive listen?")
        before = "Prometheus job ingest is scraped on port 9102."
        old = deposit(draft=make_draft(body=before, kind=Kind.CONTEXT, questions=questions), by=dana, now=now).insight
        Insight.objects.filter(pk=old.pk).update(status=Status.PROMOTED)
        body = "Prometheus job ingest is scraped on port 9202 since the split."
        done = deposit(draft=make_draft(body=body, kind=Kind.CONTEXT), by=bobs, now=now + DAY)
        assert old.ref in [one["ref"] for one in done.asking]
        assert Pair.objects.filter(a=old, b=done.insight, state="open").exists()
        assert fresh(old).superseded_by is None
