"""PDF and DOCX made on the spot, good and bad."""

import io
import zipfile

import docx
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
