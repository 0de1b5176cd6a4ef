"""Documents that people have, each as text; and those that somebody made to do harm, each refused or bounded."""

import io
import resource
import time
import zipfile
from email.message import EmailMessage

import pytest

from knowledge.evidence.adapters import documents
from knowledge.evidence.adapters.documents import NoText, is_foreign, plain_text, rich_text, unread_part
from tests.cases import cases
from tests.knowledge.evidence.made_documents import (
    CONTAINER,
    LAUGHS,
    bomb,
    book,
    deck,
    encrypted_pdf,
    mail,
    notebook,
    sheet,
    wide_sheet,
    with_part,
    word,
)

RUSSIAN = "Лимит повторов таможни равен семи. После этого заявка отклоняется.\n" * 3


class TestFormats:
    def test_a_row_of_a_sheet_has_its_header(self) -> None:
        text = rich_text(sheet(("Region", "Total"), ("North", 14), (None, None), ("South", 7), title="Sales"), "x.xlsx")
        assert text == "# Sales\nRegion | Total\nRegion: North | Total: 14\nRegion: South | Total: 7\n"

    def test_a_sheet_without_a_header_has_its_values(self) -> None:
        assert rich_text(sheet((1, 2), ("a", 3)), "x.xlsx") == "# Sheet\n1 | 2\na | 3\n"

    def test_slides_have_titles_bodies_and_notes(self) -> None:
        text = rich_text(deck(("Rollout", "On Monday"), ("Risks", "Few"), notes="Ask Eve."), "x.pptx")
        assert text.split("\f")[0].split("\n")[:3] == ["# Rollout", "- On Monday", "Notes: Ask Eve."]
        assert "# Risks" in text.split("\f")[1]

    def test_a_mail_has_its_headers_its_body_and_its_attachments(self) -> None:
        inner = mail("Inner", "The kestrel is free.", ("plan.docx", word("Quokkas first.")))
        data = mail("Outer", "See below.", ("t.xlsx", sheet(("a", "b"))), ("inner.eml", inner), ("x.zip", b"PK"))
        text = rich_text(data, "x.eml")
        for said in ("# Outer", "See below.", "## Attachment: t.xlsx", "a | b", "# Inner", "kestrel", "Quokkas first."):
            assert said in text
        assert "## Attachment: x.zip\n(not read: its format is not read)" in text

    def test_a_mail_in_html_has_its_text(self) -> None:
        data = b"Subject: x\nContent-Type: text/html; charset=koi8-r\n\n"
        data += b"<h1>\xf4\xc1\xcd\xcf\xd6\xce\xd1</h1><script>evil</script>"
        text = rich_text(data, "x.eml")
        assert "Таможня" in text and "evil" not in text

    def test_a_mail_whose_plain_text_says_nothing_has_that_of_its_html(self) -> None:
        message = EmailMessage()
        message["Subject"] = "Invoice 88213"
        message.set_content("See below.")
        message.add_alternative("<p>We credited <b>1,204.50 EUR</b> for two parcels.</p>", subtype="html")
        assert "We credited 1,204.50 EUR" in " ".join(rich_text(bytes(message), "x.eml").split())

    def test_a_notebook_has_its_cells_and_what_they_printed(self) -> None:
        text = rich_text(
            notebook(
                {"cell_type": "markdown", "source": ["# Load\n", "Data."]},
                {"cell_type": "code", "source": "print(7)", "outputs": [{"output_type": "stream", "text": ["7\n"]}]},
                {
                    "cell_type": "code",
                    "source": "1/0",
                    "outputs": [{"ename": "ZeroDivisionError", "evalue": "by zero"}],
                },
            ),
            "x.ipynb",
        )
        assert "# Load\nData." in text and "```\nprint(7)\n```\n7" in text and "ZeroDivisionError: by zero" in text

    def test_an_e_book_has_its_chapters_in_order(self) -> None:
        text = rich_text(book("<h1>One</h1><p>First.</p>", "<h2>Two</h2><p>Second &amp; last.</p>"), "x.epub")
        assert text.split("\f")[:2] == ["# One\nFirst.\n", "# Two\nSecond & last.\n"]


class TestEncodings:
    @cases("encoding", ["cp1251", "koi8_r", "utf-16"])
    def test_of_russian_are_told(self, encoding: str) -> None:
        data = RUSSIAN.encode(encoding)
        assert plain_text(data, "x.txt") == RUSSIAN
        assert is_foreign(data)

    @cases(
        ("encoding", "text"),
        [
            ("utf-16-le", "The retry limit of customs is seven.\n" * 3),
            ("utf-16-be", "The retry limit of customs is seven.\n" * 3),
            ("cp1252", "Die Größe der Übertragung muß überprüft werden, bevor das Gerät läuft.\n" * 3),
            (
                "cp1252",
                "Convention avec l'entreprise Morvan\nLa pénalité de retard est de 250 euros par demi-heure entamée.\n"
                "La convention peut être résiliée six mois avant son terme, même pour la clôture.\n",
            ),
            ("cp1250", "Umowa może być rozwiązana przez każdą ze stron, jeżeli nie będzie się jej wykonywać.\n" * 2),
            ("cp1254", "Sözleşme altı ay önce feshedilebilir ve bu süre için ücret alınmaz, çünkü daha önce.\n" * 2),
            ("shift_jis", "税関の再試行の上限は七回です。それから申請は拒否されます。\n" * 5),
            ("gb18030", "海关重试限制为七次。之后申请将被拒绝。请联系值班人员。\n" * 5),
        ],
    )
    def test_of_others_are_told(self, encoding: str, text: str) -> None:
        assert plain_text(text.encode(encoding), "x.txt") == text

    def test_of_utf_8_with_a_broken_byte_is_utf_8(self) -> None:
        data = RUSSIAN.encode() + b"\xff" + RUSSIAN.encode()
        assert plain_text(data, "x.log").count("таможни") == 6

    def test_of_programs_is_none(self) -> None:
        with pytest.raises(NoText, match="binary"):
            plain_text(bytes(range(256)) * 40, "x")
        assert not is_foreign(bytes(range(256)) * 40)


def laughing_book() -> bytes:
    return book("<p>x</p>", container=CONTAINER.replace("<container", f"{LAUGHS}<container").replace("b/o.opf", "&k;"))


def laughing_sheet() -> bytes:
    xml = LAUGHS + (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">'
        '<c t="inlineStr"><is><t>&k;</t></is></c></row></sheetData></worksheet>'
    )
    return with_part(sheet(("small",)), "xl/worksheets/sheet1.xml", xml.encode())


def laughing_word() -> bytes:
    xml = LAUGHS + (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&k;'
        "</w:t></w:r></w:p></w:body></w:document>"
    )
    return with_part(word("small"), "word/document.xml", xml.encode())


def lying_bomb() -> bytes:
    """Its table of contents says ten bytes; unpacked it is a hundred million."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("META-INF/container.xml", b"<x>" + b" " * 100_000_000)
    data = out.getvalue()
    return data.replace((100_000_003).to_bytes(4, "little"), (10).to_bytes(4, "little"))


def mails_in_mails(deep: int) -> bytes:
    data = mail("innermost", "quokka")
    for level in range(deep):
        data = mail(f"level {level}", "x", ("inner.eml", data))
    return data


HOSTILE = {
    "zip bomb, xlsx": (
        lambda: with_part(sheet(("a",)), "xl/media/zeros.bin", b"\0" * 120_000_000),
        "x.xlsx",
        "too large",
    ),
    "zip bomb, pptx": (
        lambda: with_part(deck(("a", "b")), "ppt/media/zeros.bin", b"\0" * 120_000_000),
        "x.pptx",
        "too large",
    ),
    "zip bomb, docx": (lambda: bomb(120_000_000), "x.docx", "too large"),
    "zip bomb that lies": (lying_bomb, "x.epub", "damaged"),
    "billion laughs, epub": (laughing_book, "x.epub", "damaged"),
    "billion laughs, xlsx": (laughing_sheet, "x.xlsx", "damaged|no text"),
    "encrypted PDF": (lambda: encrypted_pdf("x"), "x.pdf", "encrypted|damaged"),
    "encrypted Office file": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "x.xlsx", "encrypted"),
    "a sheet that is none": (lambda: b"PK\x03\x04 nothing", "x.xlsx", "damaged"),
    "a notebook of brackets": (lambda: b"[" * 200_000, "x.ipynb", "damaged"),
    "a broken message": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 600, "x.msg", "damaged"),
}


def largest_child() -> int:
    """Bytes of memory of the largest process that this one has started and that has ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


class TestHostileFiles:
    @cases("name", HOSTILE)
    def test_are_refused_with_the_reason(self, name: str) -> None:
        make, path, why = HOSTILE[name]
        began, largest = time.monotonic(), largest_child()
        with pytest.raises(NoText, match=why):
            rich_text(make(), path)
        assert time.monotonic() - began < documents.SECONDS
        # The largest child so far may be another test's, and a child begins with the pages of its parent.
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        assert largest_child() == largest or largest_child() < documents.MEMORY + own + 200_000_000

    def test_with_laughing_words_unfold_to_nothing(self) -> None:
        with pytest.raises(NoText):
            rich_text(laughing_word(), "x.docx")

    def test_of_100_000_columns_are_read_to_the_1000th_and_say_so(self) -> None:
        text = rich_text(wide_sheet(100_000), "x.xlsx")
        assert text.count("quokka") <= 1_000
        assert unread_part(text) == "columns from 1,001 on of sheet Sheet"

    def test_nested_in_themselves_are_read_to_the_third(self) -> None:
        text = rich_text(mails_in_mails(12), "x.eml")
        assert "nested too deep" in text and "quokka" not in text

    def test_in_a_mail_leave_the_mail_readable(self) -> None:
        data = mail(
            "Plan", "Quokkas.", ("bomb.docx", bomb(120_000_000)), ("e.xlsx", b"\xd0\xcf\x11\xe0"), ("b.pdf", b"x")
        )
        text = rich_text(data, "x.eml")
        assert "Quokkas." in text and "(not read: its unpacked size is too large)" in text
        assert "(not read: it is encrypted" in text and "(not read: it is damaged" in text
