from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from knowledge.evidence.actions import probe, read, upkeep
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.models import Document, Source
from knowledge.evidence.rules.reuse import ReuseMode
from tests.knowledge.evidence.made_documents import pdf, word

Ask = Callable[..., EvidenceAnswer]


@pytest.fixture
def manuals(books: Source, files: Path) -> Path:
    (files / "manual.pdf").write_bytes(pdf("Page one", "Reindex the catalogue with the zebra tool"))
    (files / "plan.docx").write_bytes(word("The quokka rollout begins on Monday.", heading="Rollout"))
    (files / "broken.pdf").write_bytes(b"%PDF-1.4 zebra quokka")
    return files


class TestDocuments:
    def test_are_searched_and_cited_like_text(self, ask: Ask, manuals: Path) -> None:
        for question, path in (("zebra tool catalogue", "manual.pdf"), ("quokka rollout", "plan.docx")):
            answer = ask(question, ReuseMode.FAST)
            assert answer.ranked[0].path == path
            assert answer.cited[0].path == path

    def test_are_read_once(self, ask: Ask, manuals: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        ask("zebra tool", ReuseMode.FAST)
        assert Document.objects.count() == 3
        monkeypatch.setattr(read.documents, "rich_text", lambda data, path: pytest.fail("read again"))
        assert ask("zebra tool", ReuseMode.FAST, reuse=False).cited[0].path == "manual.pdf"

    def test_that_are_broken_keep_their_fault(self, ask: Ask, manuals: Path) -> None:
        ask("zebra", ReuseMode.FAST)
        assert Document.objects.exclude(fault="").get().fault.startswith("it is damaged")

    def test_that_changed_are_read_anew(self, ask: Ask, manuals: Path) -> None:
        ask("zebra tool", ReuseMode.FAST)
        (manuals / "manual.pdf").write_bytes(pdf("Use the okapi tool instead of anything else"))
        assert ask("okapi tool", ReuseMode.FAST).cited[0].path == "manual.pdf"

    def test_that_nobody_has_read_are_read_a_few_at_a_time(
        self, ask: Ask, manuals: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(probe, "NEW_DOCUMENTS", 1)
        answer = ask("zebra quokka", ReuseMode.FAST)
        assert Document.objects.count() == 1
        assert [one["component"] for one in answer.degraded] == ["documents"]

    def test_are_read_ahead_by_the_job(self, ask: Ask, manuals: Path, now: datetime) -> None:
        work = upkeep.read_documents(now=now)
        assert work.counts == {"read": 2, "faulty": 1}
        assert upkeep.read_documents(now=now).counts == {"read": 0, "faulty": 0}
