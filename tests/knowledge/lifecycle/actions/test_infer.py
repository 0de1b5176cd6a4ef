"""What members prefer, inferred from what they did, and only from that."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.actions.jobs import Work
from accounts.actions.preferences import effective, forget
from accounts.models import Membership, Preference, User
from accounts.rules.rights import Member
from knowledge.lifecycle.actions.infer import infer_all, infer_due
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Topic
from knowledge.rules.vocabulary import Source
from tests.database import changed, contents
from tests.factories import as_agent, make_insights
from tests.knowledge.library import LESSONS
from tests.together import together


def deposit(by: Member, now: datetime, times: int, **over: Any) -> list[str]:
    """So many lessons, at most seven, each on a matter of its own."""
    drafts = ({"body": body, **over} for body in list(LESSONS.values())[:times])
    return [row.ref for row in make_insights(by, now, *drafts)]


def say(by: Member, now: datetime, refs: list[str], verdict: SignalKind = SignalKind.HELPFUL) -> None:
    rate(refs=refs, verdict=verdict, by=by, now=now)


def prefers(by: Member) -> dict[str, str]:
    return {one.stated.key: one.stated.value for one in effective(by=by)}


class TestARating:
    def test_marks_who_rated_and_nobody_else(self, alice: Member, bob: Member, now: datetime) -> None:
        refs = deposit(alice, now, 1)
        say(as_agent(bob), now, refs)
        due = dict(User.objects.values_list("username", "inference_due_at"))
        assert due == {"alice": None, "bob": now}

    def test_is_looked_at_by_the_next_sweep_and_once(self, alice: Member, bob: Member, now: datetime) -> None:
        say(as_agent(bob), now, deposit(alice, now, 6, tags=["celery"]))
        assert infer_due(now=now) == Work({"inferred": 1})
        assert prefers(bob) == {"helpful_celery": "celery"}
        assert User.objects.get(username="bob").inference_due_at is None
        before = contents()
        assert infer_due(now=now) == Work()
        assert changed(before) == []

    def test_changed_counts_as_it_stands_last(self, alice: Member, bob: Member, now: datetime) -> None:
        refs = deposit(alice, now, 6, tags=["celery"])
        say(as_agent(bob), now, refs)
        say(as_agent(bob, "second thoughts"), now, refs, SignalKind.UNHELPFUL)
        assert infer_due(now=now) == Work()

    def test_said_over_and_over_is_one_signal(self, alice: Member, bob: Member, now: datetime) -> None:
        refs = deposit(alice, now, 2, tags=["celery"])
        for n in range(6):
            say(as_agent(bob, f"agent {n}"), now, refs)
        assert infer_due(now=now) == Work()

    def test_of_a_topics_insights_tells_of_the_topic(self, alice: Member, bob: Member, now: datetime) -> None:
        refs = deposit(alice, now, 5)
        topic = Topic.objects.create(
            team=Insight.objects.all()[0].team, label="full queues", created_at=now, updated_at=now
        )
        Insight.objects.update(topic=topic)
        say(bob, now, refs)
        infer_due(now=now)
        assert list(prefers(bob).values()) == ["full queues"]

    def test_of_what_one_may_not_see_any_more_tells_nothing(self, alice: Member, bob: Member, now: datetime) -> None:
        say(as_agent(bob), now, deposit(alice, now, 6, tags=["celery"]))
        Membership.objects.filter(user_id=bob.user_id, team__slug="platform").delete()
        assert infer_due(now=now) == Work()

    def test_of_one_who_is_gone_is_left_alone(self, alice: Member, bob: Member, now: datetime) -> None:
        say(as_agent(bob), now, deposit(alice, now, 6, tags=["celery"]))
        User.objects.filter(username="bob").update(is_active=False)
        assert infer_due(now=now) == Work()
        infer_all(now=now)
        assert not Preference.objects.filter(team_id=bob.home_id).exists()

    def test_that_comes_meanwhile_is_not_lost(
        self, transactional_db: None, alice: Member, bob: Member, now: datetime
    ) -> None:
        """Either the sweep saw all six, or the last mark stands and the next sweep does."""
        refs = deposit(alice, now, 6, tags=["celery"])
        agent = as_agent(bob)
        say(agent, now, refs[:4])
        together(lambda: say(agent, now, refs[4:]), lambda: infer_due(now=now))
        infer_due(now=now)
        assert prefers(bob) == {"helpful_celery": "celery"}
        assert Preference.objects.get().support["signals"] == 6


class TestDeposits:
    def test_tell_the_language_by_night(self, alice: Member, bob: Member, now: datetime) -> None:
        deposit(bob, now, 7, files=["web/app.ts"])
        assert infer_due(now=now) == Work()
        assert infer_all(now=now) == Work({"inferred": 1})
        row = Preference.objects.get()
        assert (row.team_id, row.key, row.value, row.source) == (
            bob.home_id,
            "primary_language",
            "TypeScript",
            "inferred",
        )
        assert row.support["refs"] == [f"PLAT-{n}" for n in range(7, 0, -1)]
        assert prefers(alice) == {}

    def test_that_turn_to_something_else_take_it_back(self, bob: Member, now: datetime) -> None:
        deposit(bob, now, 6, files=["web/app.ts"])
        infer_all(now=now)
        Insight.objects.all()[0].anchors.model.objects.update(value="web/app.go")
        infer_all(now=now)
        assert prefers(bob) == {"primary_language": "Go"}
        Insight.objects.all()[0].anchors.model.objects.all().delete()
        assert infer_all(now=now) == Work({"withdrawn": 1})

    def test_that_were_imported_tell_nothing(self, bob: Member, now: datetime) -> None:
        deposit(bob, now, 7, files=["web/app.ts"], source_type=Source.IMPORT)
        assert infer_all(now=now) == Work()

    def test_once_forgotten_does_not_come_back(self, bob: Member, now: datetime) -> None:
        deposit(bob, now, 6, files=["web/app.ts"])
        infer_all(now=now)
        forget(preference_id=Preference.objects.get().pk, by=bob, now=now)
        deposit(bob, now + timedelta(days=1), 7, files=["web/app.ts"])
        assert infer_all(now=now) == Work()
        assert prefers(bob) == {}

    @pytest.mark.parametrize("sweep", [infer_due, infer_all])
    def test_of_nobody_make_nothing(self, db: None, now: datetime, sweep: Any) -> None:
        assert sweep(now=now) == Work()
