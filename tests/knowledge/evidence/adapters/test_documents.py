import time

import pytest

from knowledge.evidence.adapters import documents
from knowledge.evidence.adapters.documents import NoText, plain_text, rich_text
from tests.cases import cases
from tests.knowledge.evidence.made_documents import bomb, encrypted_pdf, pdf, word


class TestPlain:
    def test_keeps_lines_as_they_are_counted(self) -> None:
        assert plain_text(b"a\r\nb\rc\n", "x.md") == "a\nb\nc\n"

    def test_takes_html_without_tags_and_with_its_lines(self) -> None:
        text = plain_text(b"<p>one</p>\n<script>\nevil()\n</script>\n<b>two</b>", "x.html")
        assert text.split("\n")[0].strip() == "one"
        assert text.split("\n")[4].strip() == "two"
        assert "evil" not in text

    def test_reads_what_is_no_proper_text_all_the_same(self) -> None:
        assert "caf" in plain_text(b"caf\xe9", "x.txt")
        assert plain_text("häß".encode("utf-16"), "x.txt") == "häß"
        assert plain_text(b"\xef\xbb\xbfx", "x.txt") == "x"

    def test_refuses_what_is_binary(self) -> None:
        with pytest.raises(NoText, match="binary"):
            plain_text(b"\x7fELF\0\0", "x")


class TestRich:
    def test_takes_the_text_of_a_pdf_page_by_page(self) -> None:
        first, second = rich_text(pdf("The largest files", "The second page"), "x.pdf").split("\f")
        assert "The largest files" in first and "The second page" in second

    def test_takes_headings_paragraphs_and_tables_of_a_docx(self) -> None:
        text = rich_text(word("Run it twice.", heading="Rollback", table=("a", "b")), "x.DOCX")
        assert text.split("\n")[:3] == ["# Rollback", "Run it twice.", "a | b"]

    @cases(
        ("data", "path", "why"),
        [
            (b"", "x.pdf", "damaged"),
            (b"%PDF-1.4 nothing", "x.pdf", "damaged"),
            (b"not a zip", "x.docx", "damaged"),
            (pdf("half")[:200], "x.pdf", "damaged|no text"),
            (encrypted_pdf("x"), "x.pdf", "encrypted|damaged"),
            (pdf(""), "x.pdf", "no text"),
        ],
        ids=["empty", "no pdf", "no zip", "cut off", "encrypted", "blank"],
    )
    def test_says_why_there_is_none(self, data: bytes, path: str, why: str) -> None:
        with pytest.raises(NoText, match=why):
            rich_text(data, path)

    def test_says_that_a_bomb_is_too_large(self) -> None:
        """Packed here, not where each process loads this module: that takes a second."""
        with pytest.raises(NoText, match="too large"):
            rich_text(bomb(120_000_000), "x.docx")

    def test_gives_up_after_some_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(documents, "SECONDS", 0)
        began = time.monotonic()
        with pytest.raises(NoText):
            rich_text(pdf("x"), "x.pdf")
        assert time.monotonic() - began < 5

    def test_takes_no_more_text_than_it_may(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(documents, "MOST_TEXT", 10)
        text, _, left = rich_text(word("x" * 500), "x.docx").partition(documents.UNREAD_MARK)
        assert len(text) <= 10 and left
