"""Topics: a deposit joins one at once, people name and merge them, and the night groups them again."""

import sys
from datetime import datetime, timedelta
from uuid import uuid4

import numpy as np
import pytest

from accounts.actions.jobs import Work
from accounts.models import LogEntry, Team
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Member
from knowledge.models import Insight, Topic
from knowledge.review.actions import curate
from knowledge.rules.vectors import unit
from knowledge.topics.actions.regroup import regroup, regroup_team
from knowledge.topics.actions.topics import BadLabel, NotMergeable, SecretInLabel, merge, overview, overviews, rename
from tests.database import changed, contents
from tests.factories import make_insight, make_insights
from tests.knowledge.library import LESSONS

GIT = (
    "After a git rebase, push the branch with force-with-lease.",
    "git rebase --interactive squashes the commits of a branch before review.",
    "A git merge conflict in a branch is solved before the commit.",
    "git stash keeps uncommitted work aside while you change the branch.",
    "git bisect finds the commit that broke the branch.",
    "git cherry-pick copies one commit to another branch.",
)
SQL = (
    "A PostgreSQL index on the foreign key column makes the join fast.",
    "VACUUM ANALYZE the PostgreSQL table after a large delete.",
    "EXPLAIN shows whether PostgreSQL uses the index on a column.",
    "A partial PostgreSQL index holds only the rows of its condition.",
    "PostgreSQL locks the table while ALTER adds a column with a default.",
    "Use a PostgreSQL prepared statement for a query that is run often.",
)


def topic_of(ref: str) -> Topic:
    topic = Insight.objects.get(ref=ref).topic
    assert topic is not None
    return topic


@pytest.fixture
def git(alice: Member, now: datetime) -> list[str]:
    return [row.ref for row in make_insights(alice, now, *({"body": body} for body in GIT))]


@pytest.fixture
def sql(alice: Member, now: datetime) -> list[str]:
    return [row.ref for row in make_insights(alice, now, *({"body": body} for body in SQL))]


@pytest.fixture
def grouped(git: list[str], sql: list[str], platform: Team, now: datetime) -> tuple[Topic, Topic]:
    """The topics most of either are in."""
    regroup(now=now)
    return topic_of(git[0]), topic_of(sql[0])


class TestADeposit:
    def test_joins_the_nearest_topic(self, grouped: tuple[Topic, Topic], alice: Member, now: datetime) -> None:
        before = Topic.objects.count()
        ref = make_insight(alice, now=now, body="git push needs the branch to have an upstream.").ref
        assert topic_of(ref) == grouped[0]
        assert Topic.objects.count() == before

    def test_opens_a_topic_where_none_is_near(self, grouped: tuple[Topic, Topic], alice: Member, now: datetime) -> None:
        topic = topic_of(make_insight(alice, now=now, body=LESSONS["cors"]).ref)
        assert topic not in grouped
        assert topic.label
        assert topic.team_id == grouped[0].team_id
        assert not topic.named

    def test_joins_what_was_opened_in_the_same_batch(self, platform: Team, alice: Member, now: datetime) -> None:
        rows = [make_insight(alice, now=now, body=body) for body in (GIT[0], SQL[0])]
        Insight.objects.update(topic=None)
        Topic.objects.all().delete()
        again = list(Insight.objects.order_by("pk"))
        Topic.place([*again, again[0]], at=now)
        assert len({row.topic_id for row in again}) == Topic.objects.count() == len(rows)

    def test_is_of_its_own_teams_topics_only(
        self, grouped: tuple[Topic, Topic], charlie: Member, now: datetime
    ) -> None:
        ref = make_insight(charlie, now=now, body=GIT[0]).ref
        assert topic_of(ref).team.slug == "mobile"

    def test_waits_without_a_vector(self, alice: Member, now: datetime, embedder_down: str) -> None:
        assert make_insight(alice, now=now).topic_id is None

    def test_of_another_model_joins_nothing_of_this_one(self, grouped: tuple[Topic, Topic], now: datetime) -> None:
        vector = unit(grouped[0].centroid)
        same = Topic.objects.all().nearest(grouped[0].team_id, grouped[0].embedded_by, [vector])
        assert [near and near[0] for near in same] == [grouped[0].pk]
        assert Topic.objects.all().nearest(grouped[0].team_id, "another model", [vector]) == [None]


class TestRegrouping:
    def test_puts_together_what_is_alike(self, grouped: tuple[Topic, Topic], git: list[str], sql: list[str]) -> None:
        one, other = grouped
        assert one != other
        assert sum(topic_of(ref) == one for ref in git) >= 5
        assert sum(topic_of(ref) == other for ref in sql) >= 4
        assert "git" in one.label.lower()
        assert "postgresql" in other.label.lower()

    def test_takes_the_mean_for_the_centre(self, grouped: tuple[Topic, Topic]) -> None:
        rows = [unit(row.embedding) for row in Insight.objects.filter(topic=grouped[0])]
        mean = np.mean(rows, axis=0)
        assert unit(grouped[0].centroid) @ (mean / np.linalg.norm(mean)) > 0.999

    def test_again_changes_nothing(self, grouped: tuple[Topic, Topic], now: datetime) -> None:
        before = contents()
        assert regroup(now=now + timedelta(days=1)) == Work()
        assert changed(before) == []

    def test_keeps_the_ids_when_little_is_new(
        self, grouped: tuple[Topic, Topic], alice: Member, git: list[str], sql: list[str], now: datetime
    ) -> None:
        make_insight(alice, now=now + timedelta(hours=1), body="git reflog finds a lost commit of a branch.")
        done = regroup(now=now + timedelta(days=1))
        assert done.counts["teams"] == 1
        assert {topic.pk for topic in grouped} <= {topic_of(ref).pk for ref in (*git, *sql)}

    def test_waits_for_enough_that_is_new(self, grouped: tuple[Topic, Topic], alice: Member, now: datetime) -> None:
        make_insight(alice, now=now + timedelta(hours=1), body="git reflog finds a lost commit of a branch.")
        assert regroup(now=now + timedelta(days=1), share=0.5) == Work()

    def test_that_removes_a_topic_leads_its_address_to_where_most_of_it_is(
        self, grouped: tuple[Topic, Topic], alice: Member, charlie: Member, git: list[str], now: datetime
    ) -> None:
        """Of one that was removed twice as well, and for its own team alone."""
        team, at = grouped[0].team, {"created_at": now, "updated_at": now}
        gone, between = (Topic.objects.create(team=team, label=name, **at) for name in "xy")
        LogEntry.objects.filter(verb="regrouped").update(after={"heirs": {str(gone.pk): str(between.pk)}})
        old = gone.pk
        gone.delete()
        Insight.objects.filter(ref__in=git[-2:]).update(topic=between)
        make_insight(alice, now=now + timedelta(hours=1), body="git reflog finds a lost commit of a branch.")
        regroup(now=now + timedelta(days=1))
        heir = topic_of(git[-1])
        assert not Topic.objects.filter(pk=between.pk).exists()
        assert overview(topic_id=old, by=alice).topic == heir
        with pytest.raises(NotFound):
            overview(topic_id=old, by=charlie)
        with pytest.raises(NotFound):
            overview(topic_id=uuid4(), by=alice)

    def test_leaves_a_line(self, grouped: tuple[Topic, Topic]) -> None:
        line = LogEntry.objects.get(verb="regrouped")
        assert line.line.startswith("12 insights reclustered into ")
        assert line.actor == "loam"

    def test_keeps_a_name_that_a_person_gave(self, grouped: tuple[Topic, Topic], alice: Member, now: datetime) -> None:
        rename(topic_id=grouped[0].pk, label="Version control", by=alice, now=now)
        regroup_team(team_id=grouped[0].team_id, now=now + timedelta(days=1))
        kept = Topic.objects.get(pk=grouped[0].pk)
        assert (kept.label, kept.named) == ("Version control", True)
        assert kept.insights.count() >= 5
        assert "git" in kept.terms

    def test_keeps_together_what_a_person_merged(
        self, grouped: tuple[Topic, Topic], alice: Member, git: list[str], sql: list[str], now: datetime
    ) -> None:
        merge(topic_id=grouped[1].pk, into=grouped[0].pk, by=alice, now=now)
        regroup_team(team_id=grouped[0].team_id, now=now + timedelta(days=1))
        assert topic_of(git[0]) == topic_of(sql[0]) == grouped[0]

    def test_drops_the_topics_that_nothing_is_left_of(self, grouped: tuple[Topic, Topic], platform: Team) -> None:
        assert all(topic.insights.exists() for topic in Topic.objects.filter(team=platform))

    def test_leaves_out_what_no_query_returns(
        self, git: list[str], sql: list[str], platform: Team, now: datetime
    ) -> None:
        Insight.objects.filter(ref__in=sql).update(status="archived")
        regroup_team(team_id=platform.pk, now=now)
        assert "6 insights reclustered" in LogEntry.objects.get(verb="regrouped").line

    def test_gives_a_topic_to_what_got_its_vector_late(
        self, grouped: tuple[Topic, Topic], git: list[str], now: datetime
    ) -> None:
        Insight.objects.filter(ref=git[0]).update(topic=None)
        assert regroup(now=now + timedelta(days=1), share=0.5).counts == {"placed": 1}
        assert topic_of(git[0]) == grouped[0]

    def test_of_a_large_team_lets_the_rest_join(
        self, git: list[str], sql: list[str], platform: Team, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("knowledge.topics.actions.regroup.MOST", 9)
        # Which nine are drawn is by the team's number, and that is another each time.
        drawn = np.random.default_rng(1)
        monkeypatch.setattr("knowledge.topics.actions.regroup.np.random.default_rng", lambda seed: drawn)
        regroup_team(team_id=platform.pk, now=now)
        assert LogEntry.objects.get(verb="regrouped").line.startswith("9 insights")
        held = [topic_of(ref) for ref in (*git, *sql)]
        assert len(set(held)) <= 4

    def test_yields_to_a_person_who_was_there_meanwhile(
        self, grouped: tuple[Topic, Topic], alice: Member, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def renaming(*sent: object) -> object:
            rename(topic_id=grouped[0].pk, label="Mine", by=alice, now=now)
            return carried(*sent)  # type: ignore[arg-type]

        module = sys.modules[regroup_team.__module__]
        carried = module._carried
        monkeypatch.setattr(module, "_carried", renaming)
        assert regroup_team(team_id=grouped[0].team_id, now=now + timedelta(days=1)) == (0, 0)
        assert Topic.objects.get(pk=grouped[0].pk).label == "Mine"


class TestRename:
    def test_gives_it_a_name_and_leaves_a_line(
        self, grouped: tuple[Topic, Topic], alice: Member, now: datetime
    ) -> None:
        was = grouped[0].label
        rename(topic_id=grouped[0].pk, label="  Version \u200b control ", by=alice, now=now, why="shorter")
        topic = Topic.objects.get(pk=grouped[0].pk)
        line = LogEntry.objects.get(verb="renamed")
        assert (topic.label, topic.named) == ("Version control", True)
        assert (line.subject, line.before["label"], line.after["label"]) == (f"topic {topic.pk}", was, topic.label)
        assert line.why == "shorter"

    @pytest.mark.parametrize(
        ("label", "refusal"), [("  \u200b ", BadLabel), ("AKIA" + "Z7QF3MXT9WKD2RVB", SecretInLabel)]
    )
    def test_refuses_what_is_no_name(
        self, grouped: tuple[Topic, Topic], alice: Member, now: datetime, label: str, refusal: type[Exception]
    ) -> None:
        before = contents()
        with pytest.raises(refusal):
            rename(topic_id=grouped[0].pk, label=label, by=alice, now=now)
        assert changed(before) == []

    def test_is_a_leads(self, grouped: tuple[Topic, Topic], bob: Member, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            rename(topic_id=grouped[0].pk, label="Git", by=bob, now=now)
        with pytest.raises(NotFound):
            rename(topic_id=grouped[0].pk, label="Git", by=charlie, now=now)


class TestMerge:
    def test_moves_the_insights_and_the_id_leads_on(
        self, grouped: tuple[Topic, Topic], alice: Member, now: datetime, git: list[str], sql: list[str]
    ) -> None:
        one, other = grouped
        merge(topic_id=other.pk, into=one.pk, by=alice, now=now)
        assert topic_of(git[0]) == topic_of(sql[0]) == one
        assert overview(topic_id=other.pk, by=alice).topic == one
        assert other.pk not in {found.topic.pk for found in overviews(by=alice)}
        assert LogEntry.objects.filter(verb="merged").count() == 2

    def test_of_one_that_was_merged_means_its_heir(
        self, grouped: tuple[Topic, Topic], alice: Member, now: datetime
    ) -> None:
        third = topic_of(make_insight(alice, now=now, body=LESSONS["cors"]).ref)
        merge(topic_id=grouped[1].pk, into=grouped[0].pk, by=alice, now=now)
        merge(topic_id=grouped[1].pk, into=third.pk, by=alice, now=now)
        merged = Topic.objects.exclude(merged_into=None)
        assert {topic.heir_id for topic in merged} == {third.pk}
        assert merged.count() == 2

    def test_refuses_another_team_and_itself(
        self, grouped: tuple[Topic, Topic], alice: Member, charlie: Member, now: datetime
    ) -> None:
        theirs = topic_of(make_insight(charlie, now=now, body=GIT[0]).ref)
        own = topic_of(make_insight(alice, now=now, body=GIT[0], team="personal").ref)
        before = contents()
        for into in (theirs.pk, own.pk, grouped[0].pk):
            with pytest.raises(NotMergeable):
                merge(topic_id=grouped[0].pk, into=into, by=alice, now=now)
        assert changed(before) == []

    def test_is_a_leads(self, grouped: tuple[Topic, Topic], bob: Member, charlie: Member, now: datetime) -> None:
        with pytest.raises(NotAllowed):
            merge(topic_id=grouped[0].pk, into=grouped[1].pk, by=bob, now=now)
        with pytest.raises(NotFound):
            merge(topic_id=grouped[0].pk, into=grouped[1].pk, by=charlie, now=now)


class TestOverviews:
    def test_count_what_a_query_may_return(
        self, grouped: tuple[Topic, Topic], alice: Member, git: list[str], now: datetime
    ) -> None:
        before = overview(topic_id=grouped[0].pk, by=alice).count
        Insight.objects.filter(ref=git[0]).update(status="archived")
        after = overview(topic_id=grouped[0].pk, by=alice)
        assert (after.count, after.kinds) == (before - 1, {"SOLUTION": before - 1})

    def test_show_the_largest_first_and_nobody_elses(
        self, grouped: tuple[Topic, Topic], alice: Member, charlie: Member, now: datetime
    ) -> None:
        make_insight(alice, now=now, body=LESSONS["cors"])
        counts = [one.count for one in overviews(by=alice)]
        assert counts == sorted(counts, reverse=True)
        assert sum(counts) == 13
        assert overviews(by=charlie) == []

    def test_narrow_to_a_team(self, grouped: tuple[Topic, Topic], alice: Member, now: datetime) -> None:
        make_insight(alice, now=now, body=GIT[0], team="personal")
        assert len(overviews(by=alice, team="personal")) == 1

    def test_leave_out_what_was_forgotten(self, grouped: tuple[Topic, Topic], alice: Member, now: datetime) -> None:
        total = sum(one.count for one in overviews(by=alice))
        curate.pin(ref="PLAT-1", by=alice, now=now)
        Insight.objects.filter(ref="PLAT-1").update(forgotten_at=now)
        assert sum(one.count for one in overviews(by=alice)) == total - 1
