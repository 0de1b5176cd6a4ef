"""Whether what was returned helped."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member
from knowledge.judging.actions.deposit import deposit
from knowledge.lifecycle.actions.rate import NoSuchQuery, NothingRated, Rated, rate
from knowledge.lifecycle.rules import lifecycle
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Signal
from knowledge.retrieval.actions.retrieve import Retrieved, retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.rules.vocabulary import Status
from tests.conftest import member_of, person
from tests.database import changed, contents
from tests.factories import as_agent, make_draft, make_insight
from tests.knowledge.library import LESSONS, stock
from tests.together import together

SECRET = "AKIA" + "Z7QF3MXT9WKD2RVB"
QUESTION = "Why does every celery beat job fire twice?"
ALIKE = "Why do all celery beat jobs fire twice?"
ANOTHER = "Is one process enough for the scheduler of our cron tasks in Kubernetes?"


@pytest.fixture
def beat(alice: Member, now: datetime) -> Insight:
    return make_insight(alice, now=now, body=LESSONS["beat"])


@pytest.fixture
def dana(platform: Team) -> Member:
    return member_of(user=person("dana", platform))


def helpful(by: Member, now: datetime, *refs: str, **over: Any) -> list[Rated]:
    return rate(refs=refs or ["PLAT-1"], verdict=SignalKind.HELPFUL, by=by, now=now, **over)


def unhelpful(by: Member, now: datetime, *refs: str, **over: Any) -> list[Rated]:
    return rate(refs=refs or ["PLAT-1"], verdict=SignalKind.UNHELPFUL, by=by, now=now, **over)


def ask(by: Member, now: datetime, text: str) -> Retrieved:
    return retrieve(ask=Ask(text, trim=False, limit=50), by=by, now=now)


def factor(found: Retrieved, ref: str) -> float:
    """What past ratings multiply an insight's rank by, in an answer."""
    whole = next(hit.score for hit in found.hits if hit.insight.ref == ref)
    return next(part.value for part in whole.factors if part.name == "feedback")


class TestAVerdict:
    def test_of_an_agent_moves_the_strength(self, beat: Insight, bob: Member, now: datetime) -> None:
        [rated] = helpful(as_agent(bob), now)
        assert (rated.counted, rated.insight.strength) == (True, 56)
        unhelpful(as_agent(bob, "another"), now)
        assert Insight.objects.get().strength == 48

    def test_of_a_person_counts_three_times(self, beat: Insight, alice: Member, bob: Member, now: datetime) -> None:
        assert helpful(bob, now)[0].insight.strength == 68
        assert unhelpful(alice, now)[0].insight.strength == 44

    def test_is_about_what_is_left_of_the_strength(self, beat: Insight, bob: Member, now: datetime) -> None:
        later = now + timedelta(days=14)
        helpful(as_agent(bob), later)
        row = Insight.objects.get()
        assert (row.strength, row.strength_at) == (pytest.approx(31), later)
        assert row.fades_at and row.fades_at > later > now

    def test_never_takes_it_out_of_its_bounds(self, beat: Insight, alice: Member, bob: Member, now: datetime) -> None:
        Insight.objects.update(strength=95)
        assert helpful(bob, now)[0].insight.strength == 100
        Insight.objects.update(strength=3)
        assert unhelpful(alice, now)[0].insight.strength == 0

    def test_said_twice_counts_once(self, beat: Insight, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        assert [helpful(agent, now)[0].counted for _ in range(3)] == [True, False, False]
        assert (Insight.objects.get().strength, Signal.objects.count()) == (56, 1)

    def test_can_be_changed(self, beat: Insight, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        helpful(agent, now)
        assert unhelpful(agent, now)[0].counted
        assert Insight.objects.get().strength == 48

    def test_on_another_question_is_kept_and_counts_once_a_week(
        self, beat: Insight, bob: Member, now: datetime
    ) -> None:
        """It counted again each time; since decision 0020 what one person says of an insight counts once a week."""
        agent = as_agent(bob)
        for text in (QUESTION, ANOTHER):
            assert helpful(agent, now, query_id=ask(agent, now, text).query_id)[0].counted
        assert Insight.objects.get().strength == 57  # and it was used
        said = Signal.objects.filter(kind=SignalKind.HELPFUL).order_by("pk")
        assert list(said.values_list("counts", flat=True)) == [True, False]
        helpful(as_agent(bob, "later"), now + timedelta(days=7))
        assert Insight.objects.get().strength == pytest.approx(57 * 2**-0.5 + 6)

    def test_is_not_lost_when_many_come_at_once(
        self, transactional_db: None, alice: Member, platform: Team, now: datetime
    ) -> None:
        make_insight(alice, now=now, body=LESSONS["beat"])
        # Of four people: those of one person count once.
        agents = [as_agent(member_of(user=person(f"person{n}", platform))) for n in range(4)]
        together(*[lambda agent=agent: helpful(agent, now) for agent in agents])
        assert Signal.objects.count() == 4
        assert Insight.objects.get().strength == 74

    def test_on_several_is_on_each(self, alice: Member, bob: Member, now: datetime) -> None:
        refs = stock(alice, now)
        done = helpful(as_agent(bob), now, refs["beat"], refs["locks"], refs["beat"])
        assert sorted(rated.insight.ref for rated in done) == sorted([refs["beat"], refs["locks"]])
        assert Insight.objects.filter(strength=56).count() == 2


class TestPraiseOfOnesOwn:
    def test_counts_nothing_and_says_so(self, beat: Insight, alice: Member, now: datetime) -> None:
        for voice in (as_agent(alice), alice):
            [rated] = helpful(voice, now)
            assert (rated.counted, rated.insight.strength) == (False, 50)

    def test_counts_in_a_personal_team(self, alice: Member, now: datetime) -> None:
        note = make_insight(alice, now=now, team="personal")
        [rated] = helpful(as_agent(alice), now, note.ref)
        assert (rated.counted, rated.insight.strength) == (True, 56)


class TestObjections:
    def test_of_one_users_agents_count_once_a_week(self, beat: Insight, bob: Member, now: datetime) -> None:
        """Each is kept for its question; the strength moves once."""
        for number, text in enumerate((QUESTION, ANOTHER, ALIKE)):
            one = as_agent(bob, f"session {number}")
            unhelpful(one, now, query_id=ask(one, now, text).query_id)
        assert Insight.objects.get().strength == 42
        assert sorted(Signal.objects.values_list("counts", flat=True)) == [False, False, True]
        later = now + timedelta(days=7)
        unhelpful(as_agent(bob, "later"), later)
        assert Insight.objects.get().strength == pytest.approx(42 * 2**-0.5 - 8)

    def test_of_a_person_count_in_the_place_of_their_agents(self, beat: Insight, bob: Member, now: datetime) -> None:
        unhelpful(as_agent(bob), now)
        assert unhelpful(bob, now)[0].insight.strength == 50 - 24

    def test_by_two_interfaces_take_no_more_than_one_does(self, beat: Insight, bob: Member, now: datetime) -> None:
        """One account took 8 by its token and 24 more on the page."""
        unhelpful(as_agent(bob), now)
        assert unhelpful(bob, now + timedelta(minutes=1))[0].insight.strength == pytest.approx(50 - 24, abs=0.1)
        unhelpful(as_agent(bob, "again"), now + timedelta(minutes=2))
        assert Insight.objects.get().strength == pytest.approx(50 - 24, abs=0.1)
        assert list(Signal.objects.filter(counts=True).values_list("human", flat=True)) == [True]

    def test_of_two_users_count_twice(self, beat: Insight, alice: Member, bob: Member, now: datetime) -> None:
        unhelpful(as_agent(bob), now)
        assert unhelpful(as_agent(alice), now)[0].insight.strength == 34

    def test_are_so_many_a_day(self, alice: Member, bob: Member, now: datetime) -> None:
        most = lifecycle.MOST_A_DAY[SignalKind.UNHELPFUL]
        for number in range(most + 2):
            row = make_insight(alice, now=now, body=f"The {number}th runner keeps its cache in /srv/cache-{number}.")
            unhelpful(as_agent(bob), now, row.ref)
        assert Insight.objects.filter(strength=42).count() == most
        row = unhelpful(as_agent(bob), now + timedelta(days=1, hours=1), row.ref)[0].insight
        assert row.strength < 42

    def test_of_one_alone_leave_the_promoted_above_the_sweep(
        self, beat: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        Insight.objects.update(status=Status.PROMOTED)
        for week in range(9):
            unhelpful(bob, now + timedelta(weeks=week))
        at = now + timedelta(weeks=8)
        assert Insight.objects.get().effective_strength(at) > lifecycle.DEPRECATED_BELOW
        assert unhelpful(alice, at)[0].insight.strength < lifecycle.DEPRECATED_BELOW


class TestAnObjectionToWhatIsConfirmed:
    """Leads see it on the activity page, counted or not."""

    @pytest.fixture(autouse=True)
    def _promoted(self, beat: Insight, alice: Member, now: datetime) -> None:
        Insight.objects.filter(pk=beat.pk).update(status=Status.PROMOTED, author_id=person("erin", None).pk)

    def logged(self) -> list[tuple[str, str]]:
        lines = LogEntry.objects.filter(verb__in=["objected", "refused"]).order_by("pk")
        return list(lines.values_list("actor", "line"))

    def test_is_logged_where_it_counts(self, beat: Insight, bob: Member, now: datetime) -> None:
        unhelpful(bob, now, reason="It fires once.")
        assert self.logged() == [("bob", "Objection to PLAT-1")]

    def test_is_logged_once_more_for_all_that_do_not_count(self, beat: Insight, bob: Member, now: datetime) -> None:
        mine = as_agent(bob)
        for minute in range(5):
            at = now + timedelta(minutes=minute)
            unhelpful(mine, at, query_id=ask(mine, at, QUESTION).query_id)
        first, second = self.logged()
        assert first == ("bob (agent)", "Objection to PLAT-1")
        assert second[1] == "Objection to PLAT-1 not counted: a repetition within a week, or beyond 20 a day"

    def test_is_none_of_an_author_or_in_favour(self, beat: Insight, bob: Member, now: datetime) -> None:
        helpful(bob, now)
        Insight.objects.filter(pk=beat.pk).update(author_id=bob.user_id)
        unhelpful(bob, now)
        assert not self.logged()


class TestPromotion:
    """What relied on sessions of one person counting as several, or on an author's praise, is of two others now
    (decision 0020).
    """

    def test_comes_with_two_people_whose_agents_found_it_helpful(
        self, beat: Insight, dana: Member, bob: Member, now: datetime
    ) -> None:
        first, second = as_agent(dana, "first"), as_agent(bob, "second")
        helpful(first, now)
        helpful(first, now, query_id=ask(first, now, QUESTION).query_id)
        assert Insight.objects.get().status == Status.DRAFT
        assert helpful(second, now)[0].insight.status == Status.PROMOTED
        line = LogEntry.objects.get(verb="promoted")
        assert (line.line, line.actor) == ("PLAT-1 promoted", "bob (second)")
        assert line.why == "3 people in support, including the author; balance +18"

    def test_is_not_had_by_an_author_with_one_other(
        self, beat: Insight, alice: Member, bob: Member, now: datetime
    ) -> None:
        for one in (as_agent(alice, "one"), as_agent(alice, "two"), alice, as_agent(bob), bob):
            helpful(one, now)
        assert Insight.objects.get().status == Status.DRAFT

    def test_is_not_had_from_one_session(self, beat: Insight, bob: Member, now: datetime) -> None:
        agent = as_agent(bob)
        for text in (QUESTION, ALIKE, ANOTHER, "beat"):
            helpful(agent, now, query_id=ask(agent, now, text).query_id)
        assert Insight.objects.get().status == Status.DRAFT

    def test_is_not_had_by_an_author_from_several_sessions(self, alice: Member, now: datetime) -> None:
        """Deposited, said again twice, rated by every session: all of it by the agents of one user."""
        for name in ("one", "two", "three"):
            agent = as_agent(alice, name)
            deposit(draft=make_draft(body=LESSONS["beat"]), by=agent, now=now)
            helpful(agent, now)
        row = Insight.objects.get()
        assert (row.status, row.corroboration_count) == (Status.DRAFT, 3)
        assert lifecycle.tally((signal.given for signal in row.signals.all()), row.author_id).people == 1

    def test_is_not_had_by_a_person_and_their_agents(
        self, beat: Insight, dana: Member, bob: Member, now: datetime
    ) -> None:
        for name in ("one", "two"):
            helpful(as_agent(bob, name), now)
        assert helpful(bob, now)[0].insight.status == Status.DRAFT
        assert helpful(dana, now)[0].insight.status == Status.PROMOTED

    def test_needs_a_balance_in_its_favour(
        self, beat: Insight, alice: Member, dana: Member, bob: Member, platform: Team, now: datetime
    ) -> None:
        unhelpful(alice, now)
        erin = member_of(user=person("erin", platform))
        for one in (bob, dana, erin):
            helpful(as_agent(one), now)
        assert Insight.objects.get().status == Status.DRAFT  # 4 × 6 with the deposit, against 24
        helpful(erin, now)
        assert Insight.objects.get().status == Status.PROMOTED


class TestADeprecatedOne:
    def test_that_regains_the_threshold_is_a_draft_again(self, beat: Insight, bob: Member, now: datetime) -> None:
        Insight.objects.update(status=Status.DEPRECATED, strength=8)
        assert helpful(as_agent(bob), now)[0].insight.status == Status.DRAFT
        assert LogEntry.objects.get(verb="revived").line == "PLAT-1 revived"
        row = Insight.objects.get()
        assert (row.status, row.strength) == (Status.DRAFT, 14)

    def test_stays_so_below_it(self, beat: Insight, bob: Member, now: datetime) -> None:
        Insight.objects.update(status=Status.DEPRECATED, strength=2)
        assert helpful(as_agent(bob), now)[0].insight.status == Status.DEPRECATED

    def test_by_a_leads_hand_does_not_come_back_by_a_vote(self, beat: Insight, bob: Member, now: datetime) -> None:
        Insight.objects.update(status=Status.DEPRECATED)
        assert helpful(as_agent(bob), now)[0].insight.status == Status.DEPRECATED


class TestItsQuestion:
    @pytest.mark.parametrize(("verdict", "least", "most"), [(unhelpful, 0.19, 0.4), (helpful, 1.2, 1.31)])
    def test_is_where_it_counts_again_and_no_other(
        self, alice: Member, bob: Member, now: datetime, verdict: Any, least: float, most: float
    ) -> None:
        refs = stock(alice, now)
        verdict(as_agent(bob), now, refs["beat"], query_id=ask(bob, now, QUESTION).query_id)
        for text in (QUESTION, ALIKE):
            assert least <= factor(ask(alice, now, text), refs["beat"]) <= most
            assert factor(ask(alice, now, text), refs["locks"]) == 1
        assert factor(ask(alice, now, ANOTHER), refs["beat"]) == 1
        assert factor(ask(alice, now + timedelta(days=91), QUESTION), refs["beat"]) == 1

    def test_puts_what_misled_behind_the_next(self, alice: Member, bob: Member, now: datetime) -> None:
        refs = stock(alice, now)
        before = [hit.insight.ref for hit in ask(bob, now, QUESTION).hits]
        found = ask(bob, now, QUESTION).query_id
        for name in ("one", "two"):
            unhelpful(as_agent(bob, name), now, refs["beat"], query_id=ask(as_agent(bob), now, QUESTION).query_id)
        unhelpful(bob, now, refs["beat"], query_id=found)
        after = [hit.insight.ref for hit in ask(bob, now, QUESTION).hits]
        assert before[0] == refs["beat"] != after[0]

    def test_is_kept_with_the_rating_for_the_insights_team(self, beat: Insight, bob: Member, now: datetime) -> None:
        found = ask(bob, now, QUESTION)
        helpful(bob, now, query_id=found.query_id)
        signal = Signal.objects.get(kind=SignalKind.HELPFUL)
        assert (signal.query, signal.question, signal.human) == (found.query_id, QUESTION, True)
        assert signal.embedding is not None and signal.embedded_by

    def test_of_somebody_else_is_refused(self, beat: Insight, alice: Member, bob: Member, now: datetime) -> None:
        hers = ask(alice, now, QUESTION).query_id
        before = contents()
        with pytest.raises(NoSuchQuery) as refused:
            helpful(bob, now, query_id=hers)
        assert list(refused.value.errors) == ["query_id"]
        assert changed(before) == []

    def test_without_a_vector_moves_the_strength_alone(
        self, beat: Insight, bob: Member, now: datetime, embedder_down: str
    ) -> None:
        found = ask(bob, now, "celery beat")
        assert helpful(bob, now, query_id=found.query_id)[0].insight.strength == 69  # used, too
        assert factor(ask(bob, now, "celery beat"), "PLAT-1") == 1


class TestWhatIsRefused:
    def test_is_nothing(self, beat: Insight, bob: Member, now: datetime) -> None:
        with pytest.raises(NothingRated):
            rate(refs=[], verdict=SignalKind.HELPFUL, by=bob, now=now)

    @pytest.mark.parametrize("ref", ["PLAT-99", "nonsense", "\u200b"])
    def test_is_one_that_is_not_there_and_then_all(self, beat: Insight, bob: Member, now: datetime, ref: str) -> None:
        before = contents()
        with pytest.raises(NotFound):
            helpful(bob, now, "PLAT-1", ref)
        assert changed(before) == []

    def test_is_a_readers_word(self, beat: Insight, platform: Team, now: datetime) -> None:
        reader = member_of(user=person("rita", platform, Level.READER))
        with pytest.raises(NotAllowed):
            helpful(reader, now)

    def test_is_a_strangers_word(self, beat: Insight, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotFound):
            helpful(charlie, now)

    def test_is_not_a_reason_with_a_secret_which_is_masked(self, beat: Insight, bob: Member, now: datetime) -> None:
        helpful(bob, now, reason=f"it has {SECRET}\u200b in it")
        assert Signal.objects.get().reason == "it has [SECRET] in it"
        assert SECRET not in str(contents())
