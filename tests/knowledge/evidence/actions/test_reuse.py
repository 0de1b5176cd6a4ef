from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from accounts.models import LogEntry, Team
from accounts.rules.rights import Member, Scope
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.models import ClusterQuestion, KnowledgeCluster, Source
from knowledge.evidence.rules.lifecycle import COLD, HALF_LIFE_DAYS, STABLE_REUSES, Lifecycle
from knowledge.evidence.rules.reuse import ReuseMode

QUESTION = "how do I list the largest files in a git repository"
AGAIN = "in a git repo, how can I see the largest files"
Ask = Callable[..., EvidenceAnswer]


@pytest.fixture
def kept(ask: Ask) -> KnowledgeCluster:
    cluster = ask(QUESTION, ReuseMode.DEEP).cluster
    assert cluster
    return cluster


class TestReuse:
    def test_answers_a_paraphrase_with_every_field(self, ask: Ask, kept: KnowledgeCluster) -> None:
        answer = ask(AGAIN, ReuseMode.DEEP)
        assert answer.reused
        assert [phase.name for phase in answer.phases] == ["reuse"]
        assert answer.cluster and answer.cluster.ref == kept.ref
        assert answer.content == kept.content
        assert answer.cited and answer.patterns and answer.confidence and answer.ranked

    def test_brings_a_cluster_with_all_its_rows(self, ask: Ask, kept: KnowledgeCluster) -> None:
        """The rows at hand are those of this cluster, and a further condition on them asks the database."""
        other = ask("how do I free memory of redis", ReuseMode.DEEP).cluster
        cluster = ask(QUESTION, ReuseMode.DEEP).cluster
        assert other and cluster and cluster.pk == kept.pk
        assert {one.pk for one in cluster.evidences.all()} == set(kept.evidences.values_list("pk", flat=True))
        assert cluster.evidences.filter(rank__lt=0).count() == 0
        assert {one.listing_id for one in cluster.coverage.all()} == set(
            kept.coverage.values_list("listing_id", flat=True)
        )

    def test_grows_warm_and_remembers_the_question(self, ask: Ask, kept: KnowledgeCluster) -> None:
        cluster = ask(AGAIN, ReuseMode.DEEP).cluster
        assert cluster
        assert (cluster.hotness, cluster.version, cluster.reuses) == (pytest.approx(0.6), 2, 1)
        assert {one.text for one in cluster.questions.all()} == {QUESTION, AGAIN}

    def test_becomes_stable_by_answering(self, ask: Ask, kept: KnowledgeCluster) -> None:
        for _ in range(STABLE_REUSES - 1):
            ask(AGAIN, ReuseMode.DEEP)
        kept.refresh_from_db()
        assert kept.lifecycle == Lifecycle.EMERGING
        ask(AGAIN, ReuseMode.DEEP)
        kept.refresh_from_db()
        assert kept.lifecycle == Lifecycle.STABLE
        assert LogEntry.objects.filter(subject=kept.ref, verb="stable").exists()

    def test_keeps_the_last_five_questions(self, ask: Ask, kept: KnowledgeCluster, now: datetime) -> None:
        for number in range(7):
            ask(f"{AGAIN}{'?' * number}", ReuseMode.DEEP, now=now + timedelta(minutes=number))
        questions = ClusterQuestion.objects.filter(cluster=kept)
        assert questions.count() == 5
        assert not questions.filter(text=QUESTION).exists()

    def test_cools_without_use(self, kept: KnowledgeCluster, now: datetime) -> None:
        assert kept.hotness_now(now + timedelta(days=HALF_LIFE_DAYS)) == pytest.approx(0.25)
        assert kept.hotness_now(now + timedelta(days=100)) < COLD

    def test_does_not_answer_another_question(self, ask: Ask, kept: KnowledgeCluster) -> None:
        for other in ("redis is out of memory", "how do I list the smallest files in a git repository"):
            assert not ask(other, ReuseMode.DEEP).reused

    @pytest.mark.parametrize(
        ("name", "other"), [("Northgate", "Southgate"), ("Meyer", "Mayer"), ("inbound", "outbound"), ("red", "blue")]
    )
    def test_does_not_answer_for_another_of_the_kind(self, ask: Ask, files: Path, name: str, other: str) -> None:
        (files / "note.md").write_text(f"# Note\n\nThe pressure limit of the {name} valve is 4 bar.\n")
        asked = "what is the pressure limit of the {} valve"
        assert "4 bar" in ask(asked.format(name)).content
        assert not ask(asked.format(other)).reused

    def test_learns_a_wording_that_a_search_told_the_same_of(self, ask: Ask, kept: KnowledgeCluster) -> None:
        other = "how can I list the heaviest files of a git repository"
        first = ask(other, ReuseMode.DEEP)
        assert not first.reused and first.content == kept.content
        assert first.cluster and first.cluster.ref == kept.ref
        assert ask(other, ReuseMode.DEEP).reused

    def test_serves_its_own_mode_or_a_lighter_one(self, ask: Ask, kept: KnowledgeCluster) -> None:
        assert ask(AGAIN, ReuseMode.FAST).reused
        KnowledgeCluster.objects.update(mode=ReuseMode.FAST)
        assert not ask(AGAIN, ReuseMode.DEEP).reused
        assert not ask(QUESTION, ReuseMode.FILENAME_ONLY).reused

    def test_needs_all_of_its_files_in_scope(self, ask: Ask, kept: KnowledgeCluster) -> None:
        cited = tuple({one.path for one in kept.evidences.all()})
        assert not ask(AGAIN, ReuseMode.DEEP, paths=("redis",), reuse=True).reused
        assert ask(AGAIN, ReuseMode.DEEP, paths=cited).reused

    def test_answers_nobody_of_another_team(self, ask: Ask, kept: KnowledgeCluster, charlie: Member) -> None:
        assert not ask(AGAIN, ReuseMode.DEEP, by=charlie).reused

    def test_is_not_seen_by_who_left_the_team_of_a_file(
        self, ask: Ask, kept: KnowledgeCluster, alice: Member, mobile: Team
    ) -> None:
        Source.objects.update(team=mobile)
        assert not KnowledgeCluster.objects.visible_to(alice).exists()

    @pytest.mark.parametrize("state", [Lifecycle.CONTESTED, Lifecycle.DEPRECATED])
    def test_does_not_answer_out_of_use(self, ask: Ask, kept: KnowledgeCluster, state: Lifecycle) -> None:
        KnowledgeCluster.objects.update(lifecycle=state)
        assert not ask(AGAIN, ReuseMode.DEEP).reused


class TestChangedFiles:
    def test_are_never_answered_from_before(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        path = files / "git" / "find-large-files.md"
        path.write_text(path.read_text().replace("rev-list", "sizer").replace("whole", "entire"))
        answer = ask(AGAIN, ReuseMode.DEEP)
        assert not answer.reused
        assert "sizer" in answer.content and "rev-list" not in answer.content
        assert answer.cluster and (answer.cluster.ref, answer.cluster.version) == (kept.ref, 2)

    def test_leave_a_trace_in_the_log(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        (files / "git" / "find-large-files.md").write_text("# Moved\n\nSee the wiki.\n")
        ask(AGAIN, ReuseMode.DEEP)
        verbs = set(LogEntry.objects.filter(subject=kept.ref).values_list("verb", flat=True))
        assert verbs & {"contested", "deprecated"}

    def test_that_are_gone_are_not_cited(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        (files / "git" / "find-large-files.md").unlink()
        answer = ask(AGAIN, ReuseMode.DEEP)
        assert not answer.reused
        assert all(one.path != "git/find-large-files.md" for one in answer.cited)

    def test_elsewhere_do_not_matter(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        (files / "redis" / "memory.md").write_text("# Other\n")
        assert ask(AGAIN, ReuseMode.DEEP).reused

    def test_whose_lines_only_moved_are_followed(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        before = kept.evidences.order_by("rank").first()
        path = files / "git" / "find-large-files.md"
        path.write_text("Preface.\n\n\n" + path.read_text())
        answer = ask(AGAIN, ReuseMode.DEEP)
        first = next(one for one in answer.cited if one.path == before.path)
        assert first.start_line > before.start_line
        assert answer.cluster and answer.cluster.lifecycle == Lifecycle.EMERGING


class TestReaders:
    def test_are_answered_and_leave_no_trace(self, ask: Ask, kept: KnowledgeCluster, alice: Member) -> None:
        answer = ask(AGAIN, ReuseMode.DEEP, by=replace(alice, scopes=frozenset({Scope.READ})))
        kept.refresh_from_db()
        assert answer.reused and kept.reuses == 0
