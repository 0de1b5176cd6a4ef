from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.actions.members import member_of, set_level
from accounts.models import JobRun, LogEntry, Team, User
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.actions.sources import register
from knowledge.evidence.actions.sweeps import SWEEPS, sweep
from knowledge.evidence.actions.upkeep import KEEP_SEARCHES, connect, cool
from knowledge.evidence.models import KnowledgeCluster, Relation, Search, Source
from knowledge.evidence.rules.reuse import ReuseMode

QUESTION = "how do I list the largest files in a git repository"
Ask = Callable[..., EvidenceAnswer]


def kept(answer: EvidenceAnswer) -> KnowledgeCluster:
    assert answer.cluster
    return answer.cluster


class TestCool:
    def test_retires_what_nobody_asks(self, ask: Ask, now: datetime) -> None:
        cluster = kept(ask(QUESTION, ReuseMode.DEEP))
        assert cool(now=now + timedelta(days=30)).counts["retired"] == 0
        assert cool(now=now + timedelta(days=60)).counts["retired"] == 1
        cluster.refresh_from_db()
        assert cluster.lifecycle == "deprecated"
        assert LogEntry.objects.get(subject=cluster.ref, verb="deprecated").actor == "loam"

    def test_forgets_old_questions(self, ask: Ask, now: datetime) -> None:
        ask(QUESTION)
        cool(now=now + KEEP_SEARCHES - timedelta(hours=1))
        assert Search.objects.exists()
        cool(now=now + KEEP_SEARCHES + timedelta(hours=1))
        assert not Search.objects.exists()


class TestConnect:
    def test_merges_the_same_question_of_the_same_files(self, ask: Ask, now: datetime) -> None:
        first = kept(ask(QUESTION, ReuseMode.FAST))
        second = kept(ask("how do I see the largest files in a git repo", ReuseMode.DEEP))
        assert first.pk != second.pk
        assert connect(now=now).counts["merged"] == 1
        first.refresh_from_db()
        second.refresh_from_db()
        gone, stays = (first, second) if first.merged_into_id else (second, first)
        assert gone.merged_into_id == stays.pk
        assert stays.merge_count == 1
        assert LogEntry.objects.filter(subject=stays.ref, verb="merged").count() == 1
        assert connect(now=now).counts["merged"] == 0

    def test_links_both_ways_what_is_near(self, ask: Ask, now: datetime) -> None:
        one = kept(ask("redis is out of memory", ReuseMode.FAST))
        other = kept(ask("which redis keys take the memory", ReuseMode.FAST))
        assert connect(now=now).counts["linked"] >= 1
        assert {(r.cluster_id, r.target_id) for r in Relation.objects.all()} == {
            (one.pk, other.pk), (other.pk, one.pk),
        }  # fmt: skip

    def test_links_nothing_across_teams(
        self, ask: Ask, files: Path, mobile: Team, root: Member, charlie: Member, now: datetime
    ) -> None:
        kept(ask("redis is out of memory", ReuseMode.FAST))
        register(slug="theirs", team_slug="mobile", path="books", by=root, now=now)
        kept(ask("redis is out of memory", ReuseMode.FAST, by=charlie))
        assert connect(now=now).counts == {"merged": 0, "linked": 0}


class TestSweeps:
    @pytest.mark.parametrize("name", SWEEPS)
    def test_leave_a_record(self, books: Source, name: str) -> None:
        sweep(name, clock=timezone.now)
        assert JobRun.objects.get(name=f"evidence.{name}").outcome == "done"


class TestFilesOfSeveralTeams:
    @pytest.fixture
    def both(self, books: Source, mobile: Team, files: Path, alice: Member, root: Member, now: datetime) -> Member:
        """Alice, in both teams; the mobile team has a folder of its own."""
        folder = files.with_name("apps")
        folder.mkdir()
        (folder / "large.md").write_text("# Largest files\n\nThe largest files of a git repository are videos.\n")
        register(slug="apps", team_slug="mobile", path="apps", by=root, now=now)
        user = User.objects.get(pk=alice.user_id)
        boss = member_of(user=User.objects.get(pk=root.user_id))
        set_level(team_slug="mobile", username=user.username, level=Level.CONTRIBUTOR, by=boss, now=now)
        return member_of(user=user)

    def test_make_a_cluster_of_the_askers_own(self, ask: Ask, both: Member) -> None:
        answer = ask(QUESTION, ReuseMode.DEEP, by=both)
        assert {one.source for one in answer.cited} == {"books", "apps"}
        assert Team.objects.get(pk=kept(answer).team_id).kind == TeamKind.PERSONAL

    def test_close_when_they_leave_one_of_them(self, ask: Ask, both: Member, alice: Member) -> None:
        ref = kept(ask(QUESTION, ReuseMode.DEEP, by=both)).ref
        assert KnowledgeCluster.objects.visible_to(both).filter(ref=ref).exists()
        assert not KnowledgeCluster.objects.visible_to(alice).filter(ref=ref).exists()
