"""A saved answer is the answer of now: whatever happens to the files, the next question is told of it."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.models import LogEntry
from accounts.rules.rights import Member, Scope
from knowledge.evidence.actions import search as searching
from knowledge.evidence.actions.inquiry import begin
from knowledge.evidence.actions.probe import probe, rank
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.sample import sample
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.actions.share import compare_deposits, deposit
from knowledge.evidence.actions.successors import cite_newer_first
from knowledge.evidence.actions.upkeep import KEEP_LISTINGS, cool
from knowledge.evidence.adapters import listing
from knowledge.evidence.models import FileListing, KnowledgeCluster, ScopeCoverage, Source
from knowledge.evidence.rules.ask import EvidenceQuestion
from knowledge.evidence.rules.lifecycle import Lifecycle
from knowledge.models import Insight
from knowledge.rules.vocabulary import Kind, Trust

QUESTION = "which message broker do we use for background jobs"
Ask = Callable[..., EvidenceAnswer]
ADR_21 = "# ADR 21: Message broker\n\nWe use RabbitMQ as the message broker for background jobs.\n"
ADR_30 = "# ADR 30: Queue on PostgreSQL\n\nThis supersedes ADR 21. Jobs wait in a table.\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture(params=["watched", "unwatched"], autouse=True)
def kernel(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """With a kernel that tells of changes, and with one that does not."""
    listing._watched.clear()
    if request.param == "unwatched":
        monkeypatch.setattr("knowledge.evidence.adapters.changes._LOCAL", set())
    return str(request.param)


@pytest.fixture
def kept(ask: Ask, files: Path) -> KnowledgeCluster:
    write(files, "adr/0021-message-broker.md", ADR_21)
    cluster = ask(QUESTION).cluster
    assert cluster and cluster.evidences.all()[0].path == "adr/0021-message-broker.md"
    assert ask(QUESTION).reused
    return cluster


def paths(answer: EvidenceAnswer) -> list[str]:
    return [one.path for one in answer.cited]


class TestANewFile:
    def test_that_answers_is_in_the_next_answer(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        write(files, "adr/0030-queue.md", ADR_30)
        answer = ask(QUESTION)
        assert not answer.reused
        assert paths(answer)[0] == "adr/0030-queue.md"
        assert "Jobs wait in a table." in answer.content
        assert "**ADR 21: Message broker** [2], superseded by [1]:" in answer.content
        assert answer.cluster and answer.cluster.ref == kept.ref
        assert answer.cluster.version > kept.version
        assert answer.cluster.lifecycle == Lifecycle.EMERGING
        assert ask(QUESTION).reused

    def test_contests_the_answer_until_it_was_searched(
        self, ask: Ask, kept: KnowledgeCluster, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(files, "adr/0030-queue.md", ADR_30)
        seen = []
        probe = searching.probe

        def probed(**more: Any) -> None:
            kept.refresh_from_db()
            seen.append(kept.lifecycle)
            probe(**more)

        monkeypatch.setattr(searching, "probe", probed)
        ask(QUESTION)
        assert seen == [Lifecycle.CONTESTED]
        verbs = list(LogEntry.objects.filter(subject=kept.ref).order_by("pk").values_list("verb", flat=True))
        assert verbs[-3:] == ["contested", "revised", "emerging"]

    def test_that_ends_the_search_leaves_no_stale_answer(
        self, ask: Ask, kept: KnowledgeCluster, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(files, "adr/0030-queue.md", ADR_30)
        with monkeypatch.context() as patch:
            patch.setattr(searching, "probe", lambda **more: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                ask(QUESTION)
        answer = ask(QUESTION)
        assert not answer.reused and "adr/0030-queue.md" in paths(answer)
        assert answer.cluster and answer.cluster.ref == kept.ref

    def test_about_something_else_lets_the_answer_stand(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        write(files, "garden/tomatoes.md", "# Tomatoes\n\nWater them in the morning.\n")
        answer = ask(QUESTION)
        assert answer.reused and answer.cluster and answer.cluster.lifecycle == Lifecycle.EMERGING

    def test_in_other_words_is_searched(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        write(
            files,
            "notes/queues.md",
            "# Task queues\n\nOur asynchronous tasks are queued with Kafka, a queueing service.\n",
        )
        assert not ask(QUESTION).reused

    def test_that_answers_no_better_confirms_the_answer(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        write(files, "other/list.md", "Words: message, background.\n")
        kept.refresh_from_db()
        answer = ask(QUESTION)
        assert not answer.reused
        assert answer.cluster and answer.cluster.lifecycle == Lifecycle.EMERGING
        assert ask(QUESTION).reused

    def test_outside_of_what_is_asked_does_not_matter(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        write(files, "other/0030-queue.md", ADR_30)
        assert ask(QUESTION, paths=("adr",)).reused
        assert not ask(QUESTION).reused

    def test_of_a_wider_question_is_searched(self, ask: Ask, files: Path) -> None:
        write(files, "adr/0021-message-broker.md", ADR_21)
        write(files, "later/0030-queue.md", ADR_30)
        assert ask(QUESTION, paths=("adr",)).cluster
        answer = ask(QUESTION)
        assert not answer.reused and "later/0030-queue.md" in paths(answer)

    def test_too_many_of_them_are_searched_together(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        for number in range(70):
            write(files, f"garden/{number}.md", "Nothing.\n")
        assert not ask(QUESTION).reused
        assert ask(QUESTION).reused


class TestAFile:
    def test_that_was_not_cited_and_changed(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        write(
            files, "redis/memory.md", "# Broker\n\nBackground jobs use Redis as their message broker, not RabbitMQ.\n"
        )
        answer = ask(QUESTION)
        assert not answer.reused and "redis/memory.md" in paths(answer)

    def test_that_changed_in_place_to_the_same_size_and_time(
        self, ask: Ask, kept: KnowledgeCluster, files: Path
    ) -> None:
        path = write(files, "adr/0021-message-broker.md", ADR_21.replace("RabbitMQ", "Kafka..."))
        os.utime(path, ns=(0, 0))
        answer = ask(QUESTION)
        assert not answer.reused and "Kafka" in answer.content and "RabbitMQ" not in answer.content

    def test_that_was_deleted(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        (files / "adr/0021-message-broker.md").unlink()
        answer = ask(QUESTION)
        assert not answer.reused
        assert "RabbitMQ" not in answer.content

    def test_that_was_renamed(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        (files / "adr/0021-message-broker.md").rename(files / "adr/0021-broker.md")
        answer = ask(QUESTION)
        assert not answer.reused
        assert paths(answer)[0] == "adr/0021-broker.md"
        assert ask(QUESTION).reused

    def test_whose_folder_was_renamed(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        (files / "adr").rename(files / "decisions")
        assert paths(ask(QUESTION))[0] == "decisions/0021-message-broker.md"

    def test_of_a_source_whose_folder_was_replaced(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        files.rename(files.with_name("old"))
        write(files, "adr/0021-message-broker.md", ADR_21.replace("RabbitMQ", "Kafka"))
        answer = ask(QUESTION)
        assert not answer.reused and "Kafka" in answer.content


class TestReuseSwitchedOff:
    def test_searches_and_renews_the_answer(self, ask: Ask, kept: KnowledgeCluster, files: Path) -> None:
        answer = ask(QUESTION, recompute=True)
        assert not answer.reused
        assert answer.cluster and answer.cluster.ref == kept.ref
        assert answer.cluster.lifecycle == Lifecycle.EMERGING


class TestReaders:
    def test_get_the_current_answer_and_leave_no_trace(
        self, ask: Ask, kept: KnowledgeCluster, files: Path, alice: Member
    ) -> None:
        write(files, "adr/0030-queue.md", ADR_30)
        reader = replace(alice, scopes=frozenset({Scope.READ}))
        assert "adr/0030-queue.md" in paths(ask(QUESTION, by=reader))
        kept.refresh_from_db()
        assert kept.lifecycle == Lifecycle.EMERGING


class TestAnInsightFromACluster:
    @pytest.fixture
    def deposited(self, kept: KnowledgeCluster, alice: Member, now: datetime) -> Insight:
        return deposit(ref=kept.ref, kind=Kind.CONTEXT, by=alice, now=now).insight

    def test_is_stale_as_soon_as_its_files_are_found_changed(
        self, ask: Ask, deposited: Insight, files: Path, now: datetime
    ) -> None:
        write(files, "adr/0021-message-broker.md", ADR_21.replace("RabbitMQ", "Kafka"))
        ask(QUESTION)
        deposited.refresh_from_db()
        assert deposited.trust == Trust.STALE

    def test_is_found_stale_and_valid_again_by_the_job(self, deposited: Insight, files: Path, now: datetime) -> None:
        path = files / "adr/0021-message-broker.md"
        path.rename(path.with_name("moved.md"))
        assert compare_deposits(now=now).counts == {"checked": 1, "stale": 1, "validated": 0}
        deposited.refresh_from_db()
        assert deposited.trust == Trust.STALE
        path.with_name("moved.md").rename(path)
        assert compare_deposits(now=now).counts == {"checked": 1, "stale": 0, "validated": 1}

    def test_is_left_as_it_is_while_its_disk_is_away(self, deposited: Insight, files: Path, now: datetime) -> None:
        before = deposited.trust
        files.rename(files.with_name("away"))
        compare_deposits(now=now)
        deposited.refresh_from_db()
        assert deposited.trust == before


class TestAClusterOfBefore:
    def test_that_knows_no_scope_is_searched_once(self, ask: Ask, kept: KnowledgeCluster) -> None:
        ScopeCoverage.objects.all().delete()
        KnowledgeCluster.objects.update(scope=None)
        first = ask(QUESTION)
        assert first.cluster and first.cluster.ref == kept.ref
        assert ask(QUESTION).reused


class TestListsOfFiles:
    def test_are_shared_and_forgotten(self, ask: Ask, kept: KnowledgeCluster, files: Path, now: datetime) -> None:
        ask("redis is out of memory")
        assert FileListing.objects.count() == 1
        assert ScopeCoverage.objects.count() == 2
        KnowledgeCluster.objects.all().delete()
        cool(now=now + KEEP_LISTINGS + timedelta(hours=1))
        assert not FileListing.objects.exists()

    def test_are_not_walked_again_while_the_kernel_tells_of_no_change(
        self, ask: Ask, kept: KnowledgeCluster, kernel: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        walks = []
        walk = listing._ListingWalk.folder

        def counted(self: Any, *args: Any) -> None:
            walks.append(args[1])
            walk(self, *args)

        monkeypatch.setattr(listing._ListingWalk, "folder", counted)
        quiet = []
        for _ in range(5):  # a list that took too long on a busy machine is not kept
            walks.clear()
            assert ask(QUESTION).reused
            quiet.append(not walks)
        assert any(quiet) == (kernel == "watched")


def test_an_unchanged_question_is_answered_quickly(ask: Ask, kept: KnowledgeCluster) -> None:
    took = []
    for _ in range(5):
        began = time.perf_counter()
        assert ask(QUESTION, beside=False).reused
        took.append(time.perf_counter() - began)
    assert min(took) < 0.2  # the figure is measured by `evaluate evidence`; this says that nothing is searched


class TestTwoFilesThatDisagree:
    SHIPPED = "how often are logs shipped to the archive"
    OLD = "# Logging\n\nDate: 2024-05-11\n\nLogs are shipped to the archive every 5 minutes, and logs are compressed.\n"
    NEW = "# Log shipping, reviewed\n\nDate: 2026-03-01\n\nLogs are shipped to the archive every 30 seconds.\n"

    def test_are_told_with_their_dates_the_newer_first(self, ask: Ask, files: Path) -> None:
        write(files, "ops/logging.md", self.OLD)
        write(files, "ops/shipping.md", self.NEW)
        answer = ask(self.SHIPPED)
        assert paths(answer).index("ops/shipping.md") < paths(answer).index("ops/logging.md")
        said, _, rest = answer.content.partition("\n\n")
        newer = paths(answer).index("ops/shipping.md") + 1
        assert said.startswith(f"**These files disagree; [{newer}] is the newer.**\n- `ops/shipping.md` (2026-03-01)")
        assert "- `ops/logging.md` (2024-05-11): “Logs are shipped to the archive every 5 minutes" in said
        assert f"- Logs are shipped to the archive every 30 seconds. [{newer}]" in rest
        assert "every 5 minutes" not in rest
        assert rest.endswith("]") and f"- `ops/shipping.md:1-5` [{newer}]" in rest
        assert ask(self.SHIPPED).reused and ask(self.SHIPPED).content == answer.content

    def test_are_not_told_of_once_others_are_cited(
        self, books: Source, files: Path, alice: Member, now: datetime
    ) -> None:
        """A search that found no answer at first goes on, and cites other files."""
        write(files, "ops/logging.md", self.OLD)
        write(files, "ops/shipping.md", self.NEW)
        inquiry = begin(ask=EvidenceQuestion(self.SHIPPED), by=alice, now=now)
        shelf = Shelf(inquiry.root, now)
        probe(inquiry=inquiry, shelf=shelf)
        rank(inquiry=inquiry, shelf=shelf)
        sample(inquiry=inquiry, shelf=shelf)
        cite_newer_first(inquiry=inquiry, shelf=shelf)
        assert inquiry.disagreement is not None
        inquiry.cited = inquiry.cited[:1]
        cite_newer_first(inquiry=inquiry, shelf=shelf)
        assert inquiry.disagreement is None

    def test_are_only_cited_where_nobody_knows_which_is_the_newer(self, ask: Ask, files: Path) -> None:
        write(files, "ops/logging.md", self.OLD)
        write(files, "ops/shipping.md", self.NEW.replace("Date: 2026-03-01", ""))
        answer = ask(self.SHIPPED)
        assert {"ops/logging.md", "ops/shipping.md"} <= set(paths(answer))
        assert "disagree" not in answer.content


class TestANotice:
    def test_that_takes_back_a_value_is_cited_before_it(self, ask: Ask, files: Path) -> None:
        write(files, "parking.md", "# Parking\n\nThe barrier of the parking on level P2 opens with the code 5512.\n")
        asked = "What is the code of the parking barrier?"
        assert ask(asked).cited[0].path == "parking.md"
        notice = "From today the parking barrier on level P2 opens with code 9034. 5512 is no longer valid."
        write(files, "notice.md", f"# Notice of 4 May 2026\n\n{notice}\n")
        answer = ask(asked)
        assert [one.path for one in answer.cited[:2]] == ["notice.md", "parking.md"]
        assert "9034" in answer.content.partition("5512")[0]
        assert "superseded by [1]" in answer.content
