from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from knowledge.evidence.actions import probe, read, sources, upkeep
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.adapters import encodings
from knowledge.evidence.models import Document, Source
from knowledge.evidence.rules.reuse import ReuseMode
from tests.knowledge.evidence.made_documents import bomb, deck, encrypted_pdf, mail, notebook, pdf, sheet, word

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

    def test_name_what_of_them_was_not_read(self, ask: Ask, files: Path) -> None:
        rows = [tuple(f"{name}{number}" for number in range(12_002)) for name in ("c", "WX-")]
        (files / "wide.xlsx").write_bytes(sheet(*rows))
        assert ask("WX-700").cited[0].path == "wide.xlsx"
        answer = ask("WX-12000")
        assert not answer.cited
        assert {"path": "wide.xlsx", "reason": "not read: columns from 1,001 on of sheet Sheet"} in answer.skipped

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
        assert answer.degraded[0]["component"] == "documents"

    def test_are_read_ahead_by_the_job(self, ask: Ask, manuals: Path, now: datetime) -> None:
        work = upkeep.read_documents(now=now)
        assert work.counts == {"read": 2, "faulty": 1}
        assert upkeep.read_documents(now=now).counts == {"read": 0, "faulty": 0}


class TestFormats:
    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("plan.xlsx", sheet(("Animal", "Limit"), ("quokka", 14))),
            ("plan.pptx", deck(("Quokka", "The quokka limit is 14."))),
            ("plan.eml", mail("Quokka", "As said.", ("plan.xlsx", sheet(("quokka", "limit"), (14, 15))))),
            ("plan.ipynb", notebook({"cell_type": "markdown", "source": "The quokka limit is 14."})),
        ],
    )
    def test_are_searched_and_cited(self, ask: Ask, files: Path, name: str, data: bytes) -> None:
        (files / name).write_bytes(data)
        answer = ask("what is the quokka limit")
        assert answer.cited[0].path == name
        assert "14" in answer.cited[0].text

    @pytest.mark.parametrize("count", [1, encodings.ONE_BY_ONE + 5])
    @pytest.mark.parametrize("encoding", ["cp1251", "koi8_r", "utf-16"])
    def test_of_other_encodings_are_searched_and_cited(
        self, ask: Ask, files: Path, encoding: str, count: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(encodings, "_known", {})
        for number in range(count):
            (files / f"{number}.md").write_text("# Other\n\nNothing of it.\n")
        text = "Лимит повторов таможни равен семи.\nПосле этого заявка отклоняется.\n"
        (files / "limits.txt").write_bytes(text.encode(encoding))
        answer = ask("лимит повторов таможни")
        assert answer.cited[0].path == "limits.txt"
        assert "Лимит повторов таможни" in answer.cited[0].text
        (files / "limits.txt").write_bytes(text.replace("семи", "девяти").encode(encoding))
        assert "девяти" in ask("лимит повторов таможни").cited[0].text


class TestUnreadDocuments:
    @pytest.fixture
    def unread(self, books: Source, files: Path, tmp_path: Path) -> Path:
        """Beside what can be read: a bomb, a locked PDF, an old format, and a link that leads out."""
        (files / "quokka-bomb.docx").write_bytes(bomb(120_000_000))
        (files / "locked.pdf").write_bytes(encrypted_pdf("quokka"))
        (files / "quokka.xls").write_bytes(b"\xd0\xcf\x11\xe0" + b"\0" * 100)
        (files / "link.md").symlink_to(tmp_path / "outside.md")
        return files

    def test_are_named_by_the_health_of_their_source(self, unread: Path, now: datetime) -> None:
        upkeep.read_documents(now=now)
        health = sources.check(slug="books", now=now).health
        assert health["state"] == "partial" and health["why"] == "3 documents are not read."
        named = {one["path"]: one["reason"] for one in health["unread"]}
        assert named["quokka.xls"] == "its format is not read"
        assert "too large" in named["quokka-bomb.docx"]
        assert "encrypted" in named["locked.pdf"] or "damaged" in named["locked.pdf"]
        assert health["skipped"] == {"a link": 1}

    def test_are_named_by_an_answer_that_could_have_needed_them(self, ask: Ask, unread: Path) -> None:
        named = {one["path"] for one in ask("quokka").skipped}
        assert {"quokka.xls", "quokka-bomb.docx", "locked.pdf"} <= named

    def test_affect_no_other_answer(self, ask: Ask, unread: Path) -> None:
        answer = ask("how do I list the largest files in a git repository")
        assert answer.cited[0].path == "git/find-large-files.md"
        assert [one for one in answer.skipped if "quokka" in one["path"]] == []
