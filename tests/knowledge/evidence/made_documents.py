"""Documents made on the spot, good and bad."""

import io
import json
import zipfile
from email.message import EmailMessage
from typing import Any

import docx
import openpyxl
import pptx
import pypdf


def pdf(*pages: str) -> bytes:
    """A PDF by hand: one line of text on each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        page = f"/Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * at} 0 R"
        objects.append(f"<< /Type /Page {page} /Resources << /Font << /F1 3 0 R >> >> >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    body, places = b"%PDF-1.4\n", []
    for number, inner in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{inner}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n"
    )
    return body + end.encode() + b"%%EOF\n"


def encrypted_pdf(text: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(text)))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def word(*paragraphs: str, heading: str = "", table: tuple[str, ...] = ()) -> bytes:
    document = docx.Document()
    if heading:
        document.add_heading(heading, 1)
    for text in paragraphs:
        document.add_paragraph(text)
    if table:
        row = document.add_table(1, len(table)).rows[0]
        for cell, text in zip(row.cells, table, strict=True):
            cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def bomb(size: int) -> bytes:
    """A DOCX of a few kilobytes that unpacks into `size` bytes."""
    out = io.BytesIO(word("small"))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("word/media/zeros.bin", b"\0" * size)
    return out.getvalue()


def sheet(*rows: tuple[object, ...], title: str = "Sheet") -> bytes:
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def wide_sheet(columns: int) -> bytes:
    """A sheet of one row, written by hand: a library would take minutes for it."""
    cells = "".join('<c t="inlineStr"><is><t>quokka</t></is></c>' for _ in range(columns))
    xml = (
        '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f'<row r="1">{cells}</row></sheetData></worksheet>'
    )
    return with_part(sheet(("small",)), "xl/worksheets/sheet1.xml", xml.encode())


def with_part(document: bytes, name: str, data: bytes) -> bytes:
    """A packed document with one part exchanged."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as parts, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for part in parts.infolist():
            if part.filename != name:
                made.writestr(part, parts.read(part))
        made.writestr(name, data)
    return out.getvalue()


def deck(*slides: tuple[str, str], notes: str = "") -> bytes:
    made = pptx.Presentation()
    for title, body in slides:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
        slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def mail(subject: str, body: str, *attachments: tuple[str, bytes]) -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "bob@example.org", "alice@example.org"
    message.set_content(body)
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def notebook(*cells: dict[str, Any]) -> bytes:
    return json.dumps({"cells": list(cells), "nbformat": 4, "nbformat_minor": 5, "metadata": {}}).encode()


CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b/o.opf"/>'
    "</rootfiles></container>"
)


def book(*chapters: str, container: str = CONTAINER) -> bytes:
    items = "".join(f'<item id="c{n}" href="{n}.xhtml"/>' for n in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("mimetype", "application/epub+zip")
        parts.writestr("META-INF/container.xml", container)
        package = f"<manifest>{items}</manifest><spine>{spine}</spine>"
        parts.writestr("b/o.opf", f'<package xmlns="http://www.idpf.org/2007/opf">{package}</package>')
        for n, chapter in enumerate(chapters):
            parts.writestr(f"b/{n}.xhtml", f"<html><body>{chapter}</body></html>")
    return out.getvalue()


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(10))
    + "]>"
)
