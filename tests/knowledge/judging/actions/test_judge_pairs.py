"""A configured model says what open pairs are, when nobody else has; its word does what an agent's does and no more."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.actions.jobs import Work
from accounts.models import LogEntry
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.judge_pairs import MOST, judge_pairs
from knowledge.judging.adapters import judge as judges
from knowledge.judging.adapters.judge import current
from knowledge.models import Insight, Pair
from knowledge.review.actions import curate
from knowledge.review.actions.settle import dismiss
from knowledge.rules.vocabulary import Source, Trust
from tests.factories import make_draft, make_insight
from tests.fakes import FakeJudge

JEST = "Run the storefront's front-end tests with Jest."
VITEST = "Front-end tests of the storefront run with Vitest."
EF_40 = "Set hnsw ef_search to 40 for the catalogue index."
EF_400 = "Set hnsw ef_search to 400 for the catalogue index."
DAY = timedelta(days=1)
NOTHING = {"settled": 0, "proposed": 0, "opened": 0, "unsure": 0}

Says = Callable[[str], FakeJudge]


@pytest.fixture
def says(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Says:
    """From now on the judge says that of every pair."""
    monkeypatch.setattr(judges, "_instances", {})
    settings.LOAM_JUDGE = "tests.fakes.FakeJudge"

    def say(word: str) -> FakeJudge:
        settings.FAKE_JUDGE = word
        made = current()
        assert isinstance(made, FakeJudge)
        return made

    return say


def pair_of(one: str, other: str, alice: Member, bob: Member, now: datetime, **first: object) -> Pair:
    """Alice's agent says the one, and Bob's the other a day later; the server cannot tell what they are."""
    old = deposit(draft=make_draft(body=one, **first), by=alice, now=now - DAY).insight
    new = deposit(draft=make_draft(body=other), by=bob, now=now).insight
    pair = Pair.objects.get(a=old, b=new)
    assert (pair.question, pair.is_open, pair.relation) == ("duplicate", True, "")
    return pair


@pytest.fixture
def pair(alice: Member, bob: Member, now: datetime) -> Pair:
    return pair_of(JEST, VITEST, alice, bob, now)


def run(now: datetime) -> Work:
    return judge_pairs(now=now)


def counted(**over: int) -> dict[str, int]:
    return NOTHING | over


class TestWithoutAModel:
    def test_every_pair_stays_as_it_is(self, pair: Pair, now: datetime, settings: Any) -> None:
        settings.LOAM_JUDGE = "off"
        assert run(now) == Work(NOTHING)
        assert list(Pair.objects.all().undetermined()) == [pair]

    def test_that_the_setting_names_the_reason_is_told(self, pair: Pair, now: datetime, settings: Any) -> None:
        settings.LOAM_JUDGE = "nobody.There"
        done = run(now)
        assert done.counts == NOTHING and "LOAM_JUDGE" in done.down
        assert Pair.objects.all().undetermined().exists()


class TestWhatItSays:
    def test_supersedes_an_agents_draft(self, pair: Pair, now: datetime, says: Says) -> None:
        judge = says("supersedes")
        assert run(now).counts == counted(settled=1)
        assert judge.asked == [(VITEST, JEST)]
        pair.a.refresh_from_db()
        assert pair.a.superseded_by_id == pair.b_id
        told = {one.question: one for one in Pair.objects.all()}
        assert {name: (one.state, one.relation) for name, one in told.items()} == {
            "duplicate": ("resolved", "supersedes"),
            "supersession": ("resolved", "supersedes"),
        }
        said = told["supersession"]
        assert (said.successor_id, said.verdict["judge"], said.verdict["reason"]) == (pair.b_id, "fake", "model")
        assert (said.settled_by_lead, said.stated_by_user_id) == (False, None)

    def test_merges_what_says_the_same(self, pair: Pair, bob: Member, now: datetime, says: Says) -> None:
        says("duplicates")
        assert run(now).counts == counted(settled=1)
        pair.refresh_from_db()
        assert (pair.state, pair.relation) == ("resolved", "duplicates")
        assert pair.b.superseded_by_id == pair.a_id
        said = pair.a.corroborations.get()
        assert (pair.a.corroboration_count, said.body, said.judged_by) == (2, VITEST, "fake")
        assert said.user_id == bob.user_id

    @pytest.mark.parametrize(("word", "state"), [("complements", "resolved"), ("unrelated", "dismissed")])
    def test_settles_what_both_hold(self, pair: Pair, now: datetime, says: Says, word: str, state: str) -> None:
        says(word)
        assert run(now).counts == counted(settled=1)
        pair.refresh_from_db()
        assert (pair.state, pair.relation) == (state, word)
        assert Insight.objects.filter(retrievable=True, trust=Trust.UNKNOWN).count() == 2

    def test_opens_a_contradiction_for_a_person(self, pair: Pair, now: datetime, says: Says) -> None:
        says("contradicts")
        assert run(now).counts == counted(opened=1)
        [told] = Pair.objects.all().open()
        assert (told.question, told.relation) == ("contradiction", "contradicts")
        assert Insight.objects.filter(retrievable=True, trust=Trust.CONTRADICTED).count() == 2

    def test_is_in_the_history_as_the_systems(self, pair: Pair, now: datetime, says: Says) -> None:
        says("supersedes")
        run(now)
        line = LogEntry.objects.get(verb="superseded", subject=pair.a.ref)
        assert line.user is None
        assert line.after["verdict"]["judge"] == "fake"

    def test_is_not_asked_again_once_it_is_done(self, pair: Pair, now: datetime, says: Says) -> None:
        judge = says("supersedes")
        run(now)
        assert run(now).counts == NOTHING
        assert len(judge.asked) == 1

    def test_is_of_the_one_that_was_learned_later(self, alice: Member, bob: Member, now: datetime, says: Says) -> None:
        """An import brings old notes after new ones: the row that came second is the older note."""
        rows = [make_insight(alice, now=now, body=VITEST), make_insight(bob, now=now, body=JEST)]
        Insight.objects.filter(pk=rows[1].pk).update(source_date=now - 9 * DAY)
        open_pair(*rows, by=alice, now=now)
        judge = says("supersedes")
        assert run(now).counts == counted(settled=1)
        assert judge.asked == [(VITEST, JEST)]
        rows[1].refresh_from_db()
        assert rows[1].superseded_by_id == rows[0].pk


def open_pair(one: Insight, other: Insight, *, by: Member, now: datetime, judge: str = "server") -> Pair:
    verdict = {"judge": judge, "relation": None, "similarity": 0.8, "reason": "close", "cues": []}
    return Pair.between(one, other, question="duplicate", verdict=verdict, by=by, at=now)


class TestWhatItMayNotDo:
    @pytest.mark.parametrize("how", ["promoted", "pinned", "a person's"])
    def test_displace_what_the_team_has_confirmed(
        self, alice: Member, bob: Member, now: datetime, says: Says, how: str
    ) -> None:
        source = Source.HUMAN if how == "a person's" else Source.AGENT
        pair = pair_of(JEST, VITEST, alice, bob, now, source_type=source)
        if how != "a person's":
            act = curate.promote if how == "promoted" else curate.pin
            act(ref=pair.a.ref, by=alice, now=now)
        says("supersedes")
        assert run(now).counts == counted(proposed=1)
        [told] = Pair.objects.all().open()
        assert (told.proposed, told.successor_id, told.verdict["judge"]) == (True, pair.b_id, "fake")
        assert Insight.objects.filter(retrievable=True).count() == 2
        assert run(now).counts == NOTHING

    def test_merge_over_another_number(self, alice: Member, bob: Member, now: datetime, says: Says) -> None:
        pair = pair_of(EF_40, EF_400, alice, bob, now)
        judge = says("duplicates")
        assert run(now).counts == counted(unsure=1)
        assert Insight.objects.filter(retrievable=True).count() == 2
        pair.refresh_from_db()
        assert (pair.is_open, pair.relation, pair.verdict["judge"]) == (True, "", "fake")
        run(now)
        assert len(judge.asked) == 1


class TestUnsure:
    def test_stays_with_a_person_and_is_not_asked_again(self, pair: Pair, now: datetime, says: Says) -> None:
        judge = says("unsure")
        assert run(now).counts == counted(unsure=1)
        pair.refresh_from_db()
        assert (pair.is_open, pair.relation) == (True, "")
        assert (pair.verdict["judge"], pair.verdict["reason"]) == ("fake", "model_unsure")
        says("supersedes")
        assert run(now).counts == NOTHING
        assert len(judge.asked) == 1


class TestDown:
    def test_leaves_the_pair_waiting(self, pair: Pair, now: datetime, says: Says) -> None:
        says("down")
        assert run(now) == Work(NOTHING, down="the judge is out of reach")
        assert list(Pair.objects.all().undetermined()) == [pair]
        says("supersedes")
        assert run(now).counts == counted(settled=1)

    def test_at_one_pair_only_leaves_it_to_people_and_goes_on(
        self, pair: Pair, alice: Member, bob: Member, now: datetime, says: Says
    ) -> None:
        later = pair_of(EF_40, EF_400, alice, bob, now + DAY)
        judge = says("unrelated")
        judge.unreadable = pair.a.text
        assert run(now).counts == counted(unsure=1, settled=1)
        pair.refresh_from_db()
        assert pair.is_open and pair.verdict["reason"] == "model_failed"
        assert not Pair.objects.all().undetermined().exists()
        later.refresh_from_db()
        assert not later.is_open

    def test_after_the_first_keeps_what_it_said(
        self, pair: Pair, alice: Member, bob: Member, now: datetime, says: Says, settings: Any
    ) -> None:
        later = pair_of(EF_40, EF_400, alice, bob, now + DAY)
        judge = says("unrelated")
        judge.interrupt = lambda: setattr(judge, "judge", down)

        def down(*given: Any) -> None:
            raise judges.JudgeDown("gone")

        assert run(now) == Work(counted(settled=1), down="gone")
        assert list(Pair.objects.all().undetermined()) == [later]


class TestMeanwhile:
    """A model may think for a minute; what people do in that time counts."""

    def test_an_edit_leaves_it_for_the_next_run(self, pair: Pair, alice: Member, now: datetime, says: Says) -> None:
        judge = says("supersedes")
        changes = {"title": "Mocha", "body": "Front-end tests run with Mocha."}
        judge.interrupt = lambda: curate.edit(ref=pair.a.ref, changes=changes, revision=1, by=alice, now=now)
        assert run(now).counts == counted(unsure=1)
        pair.a.refresh_from_db()
        assert pair.a.superseded_by_id is None
        assert list(Pair.objects.all().undetermined()) == [pair]
        run(now)
        assert len(judge.asked) == 2 and "Mocha" in judge.asked[1][1]

    def test_what_a_lead_has_settled_stays(self, pair: Pair, alice: Member, now: datetime, says: Says) -> None:
        judge = says("supersedes")
        judge.interrupt = lambda: dismiss(pair_id=pair.pk, by=alice, now=now)
        assert run(now).counts == counted(unsure=1)
        told = Pair.objects.get()
        assert (told.state, told.relation, told.settled_by_lead) == ("dismissed", "", True)
        assert Insight.objects.filter(superseded_by__isnull=True, retrievable=True).count() == 2

    def test_what_was_archived_is_not_touched(self, pair: Pair, now: datetime, says: Says) -> None:
        judge = says("duplicates")
        judge.interrupt = lambda: Insight.objects.filter(pk=pair.a_id).update(status="archived")
        assert run(now).counts == counted(unsure=1)
        assert Insight.objects.filter(superseded_by__isnull=True).count() == 2


class TestWhichPairs:
    def test_are_those_nobody_has_said_anything_of(self, alice: Member, bob: Member, now: datetime, says: Says) -> None:
        rows = [make_insight(alice, now=now, body=f"Lesson {n} of the handbook.") for n in range(4)]
        first = open_pair(rows[0], rows[1], by=alice, now=now)
        open_pair(rows[0], rows[2], by=alice, now=now, judge="llm:small")
        Pair.between(rows[0], rows[3], question="contradiction", reason="both?", by=bob, at=now)
        Pair.objects.filter(pk=open_pair(rows[1], rows[2], by=alice, now=now).pk).update(relation="complements")
        Pair.objects.filter(pk=open_pair(rows[1], rows[3], by=alice, now=now).pk).update(state="dismissed")
        judge = says("unsure")
        assert run(now).counts == counted(unsure=1)
        assert len(judge.asked) == 1
        first.refresh_from_db()
        assert first.verdict["judge"] == "fake"

    def test_are_so_many_a_run_the_oldest_first(self, alice: Member, now: datetime, says: Says) -> None:
        rows = [make_insight(alice, now=now, body=f"Lesson {n} of the handbook.") for n in range(12)]
        both = [(one, other) for at, one in enumerate(rows) for other in rows[at + 1 :]][: MOST + 1]
        for age, (one, other) in enumerate(both):
            open_pair(one, other, by=alice, now=now - age * DAY)
        says("unsure")
        assert run(now).counts == counted(unsure=MOST)
        [left] = Pair.objects.all().undetermined()
        assert left.raised_at == now
        assert run(now).counts == counted(unsure=1)
