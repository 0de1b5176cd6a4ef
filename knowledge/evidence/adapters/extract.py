"""A program by itself: reads a document from standard input, writes its text to standard output.

Run by documents.py with the most characters, bytes of memory and seconds; it binds itself to them before it reads.
It knows nothing of Loam or Django, on purpose. Libraries are loaded when a document of their kind comes: each takes
some tenths of a second.
"""

import importlib
import io
import json
import resource
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

# Unpacked bytes of a packed document, all parts together: a small file that claims more is a bomb. What is written in
# it is what is unpacked at most: Python's reader stops there.
MOST_UNPACKED = 100_000_000
MOST_PARTS = 10_000
MOST_PAGES = 2_000
MOST_COLUMNS = 1_000
MOST_ATTACHMENTS = 30
# A mail in a mail in a mail.
DEEPEST = 3
# Characters of one output of a notebook, which may be a table of thousands of rows.
MOST_OUTPUT = 5_000


# What of the document was not read, in words; its text ends with this, behind the mark.
left_out: list[str] = []
UNREAD_MARK = "\n\f(not read: "


def load(name: str) -> Any:
    return importlib.import_module(name)


# What password protection makes of an Office file: another container, the same as that of older formats.
OLE = b"\xd0\xcf\x11\xe0"


def unpacked(data: bytes) -> zipfile.ZipFile:
    if data.startswith(OLE):
        sys.exit("it is encrypted, or of a format before 2007")
    parts = zipfile.ZipFile(io.BytesIO(data))
    listed = parts.infolist()
    if len(listed) > MOST_PARTS or sum(part.file_size for part in listed) > MOST_UNPACKED:
        sys.exit("its unpacked size is too large")
    if any(part.flag_bits & 1 for part in listed):
        sys.exit("it is encrypted")
    return parts


def cells(values: Iterable[object]) -> str:
    return " | ".join(str(value).replace("\n", " ") if value is not None else "" for value in values)


def pdf(data: bytes, depth: int) -> Iterator[str]:
    reader = load("pypdf").PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        sys.exit("it is encrypted")
    for number, page in enumerate(reader.pages):
        if number >= MOST_PAGES:
            return
        if number:
            yield "\f"
        yield page.extract_text() + "\n"


def word(data: bytes, depth: int) -> Iterator[str]:
    unpacked(data)
    docx = load("docx")
    for block in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(block, docx.table.Table):
            for row in block.rows:
                yield cells(cell.text for cell in row.cells) + "\n"
        else:
            mark = "# " if (block.style and (block.style.name or "").startswith("Heading")) else ""
            yield f"{mark}{block.text}\n"


def sheets(data: bytes, depth: int) -> Iterator[str]:
    """Each row on a line of its own, its cells named by the first row where that has names only."""
    unpacked(data)
    book = load("openpyxl").load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    for sheet in book.worksheets:
        yield f"# {sheet.title}\n"
        names: list[str] = []
        is_wide = False
        for row in sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1):
            if len(row) > MOST_COLUMNS and row[-1] is not None and not is_wide:
                is_wide = True
                left_out.append(f"columns from {MOST_COLUMNS + 1:,} on of sheet {sheet.title[:60]}")
            row = row[:MOST_COLUMNS]
            given = [value for value in row if value is not None]
            if not given:
                continue
            if not names and len(given) > 1 and all(isinstance(value, str) for value in given):
                names = ["" if value is None else str(value).replace("\n", " ") for value in row]
                yield cells(given) + "\n"
            elif names:
                pairs = [(name, value) for name, value in zip(names, row, strict=False) if value is not None]
                yield cells(f"{name}: {value}" if name else value for name, value in pairs) + "\n"
            else:
                yield cells(given) + "\n"


def slides(data: bytes, depth: int) -> Iterator[str]:
    unpacked(data)
    for number, slide in enumerate(load("pptx").Presentation(io.BytesIO(data)).slides, start=1):
        title = slide.shapes.title
        if number > 1:
            yield "\f"
        yield f"# {title.text_frame.text if title is not None else f'Slide {number}'}\n"
        for shape in slide.shapes:
            if shape.has_text_frame and (title is None or shape.shape_id != title.shape_id):
                lines = shape.text_frame.text.replace("\v", "\n").split("\n")
                yield "".join(f"- {line}\n" for line in lines if line.strip())
            if getattr(shape, "has_table", False) and shape.has_table:
                for row in shape.table.rows:
                    yield cells(cell.text for cell in row.cells) + "\n"
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            yield f"Notes: {slide.notes_slide.notes_text_frame.text}\n"


def mail(data: bytes, depth: int) -> Iterator[str]:
    message = message_from_bytes(data, policy=policy.default)
    assert isinstance(message, EmailMessage)
    yield from headed(*((name, str(message.get(name, ""))) for name in ("Subject", "From", "To", "Cc", "Date")))
    yield body_of(message) + "\n"
    for number, part in enumerate(message.iter_attachments()):
        if number == MOST_ATTACHMENTS:
            return
        if part.get_content_type() == "message/rfc822":
            inner = part.get_content().as_bytes()
            yield from attached("message.eml", inner, depth)
        else:
            payload = part.get_payload(decode=True)
            yield from attached(part.get_filename() or "unnamed", payload if isinstance(payload, bytes) else b"", depth)


def body_of(message: EmailMessage) -> str:
    """The plain text of a mail, or that of its HTML where it says much more: some programs write "see below"."""
    short, rich = message.get_body(("plain",)), message.get_body(("html",))
    text = str(short.get_content()) if short is not None else ""
    shown = plain(str(rich.get_content())).strip() if rich is not None else ""
    return shown if len(shown) > 2 * len(text.strip()) else text


def outlook(data: bytes, depth: int) -> Iterator[str]:
    message = load("oxmsg").Message.load(io.BytesIO(data))
    to = ", ".join(f"{one.name} <{one.email_address}>" for one in message.recipients)
    yield from headed(
        ("Subject", message.subject or ""),
        ("From", message.sender or ""),
        ("To", to),
        ("Date", str(message.sent_date or "")),
    )
    yield (message.body or plain(message.html_body or "")) + "\n"
    for part in message.attachments[:MOST_ATTACHMENTS]:
        yield from attached(part.file_name or "unnamed", part.file_bytes or b"", depth)


def headed(*fields: tuple[str, str]) -> Iterator[str]:
    (_, subject), *others = fields
    yield f"# {' '.join(subject.split()) or 'No subject'}\n"
    for name, value in others:
        if value:
            yield f"{name}: {' '.join(value.split())}\n"
    yield "\n"


def attached(name: str, data: bytes, depth: int) -> Iterator[str]:
    """The text of an attachment, or why there is none: the mail around it is read all the same."""
    shown = " ".join(name.split())[:200]
    kind = shown.rpartition(".")[2].lower()
    yield f"\n## Attachment: {shown}\n"
    try:
        if kind in KINDS and depth < DEEPEST:
            yield from KINDS[kind](data, depth + 1)
        elif kind in PLAIN:
            text = data.decode("utf-8", "replace")
            yield (plain(text) if kind in ("html", "htm") else text) + "\n"
        else:
            yield "(not read: its format is not read)\n" if depth < DEEPEST else "(not read: nested too deep)\n"
    except MemoryError:
        raise
    except SystemExit as refused:
        yield f"(not read: {refused})\n"
    except Exception as error:  # whatever a damaged file makes these libraries raise
        yield f"(not read: it is damaged: {type(error).__name__})\n"


def notebook(data: bytes, depth: int) -> Iterator[str]:
    for cell in json.loads(data)["cells"]:
        source = joined(cell.get("source"))
        if cell.get("cell_type") != "code":
            yield source + "\n\n"
            continue
        yield f"```\n{source}\n```\n"
        for output in cell.get("outputs") or ():
            text = joined(output.get("text")) or joined((output.get("data") or {}).get("text/plain"))
            text = text or ": ".join(str(output[name]) for name in ("ename", "evalue") if name in output)
            if text:
                yield text[:MOST_OUTPUT] + "\n"
        yield "\n"


def joined(lines: object) -> str:
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines or "")


def book(data: bytes, depth: int) -> Iterator[str]:
    """The chapters of an EPUB in reading order."""
    parse = load("defusedxml.ElementTree").fromstring
    with unpacked(data) as parts:
        root = parse(parts.read("META-INF/container.xml"))
        path = next(one.attrib["full-path"] for one in root.iter() if one.tag.endswith("}rootfile"))
        package = parse(parts.read(path))
        folder = path.rpartition("/")[0]
        items = {one.attrib["id"]: one.attrib["href"] for one in package.iter() if one.tag.endswith("}item")}
        for one in package.iter():
            if one.tag.endswith("}itemref") and (href := items.get(one.attrib.get("idref", ""))):
                name = f"{folder}/{href}" if folder else href
                if name in parts.namelist():
                    yield plain(parts.read(name).decode("utf-8", "replace")) + "\n\f"


class _Plain(HTMLParser):
    """Collects what a browser shows; headings are marked."""

    APART = {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "section", "title"}

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unshown = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._unshown += tag in ("script", "style")
        if tag in self.APART:
            self.parts.append("\n# " if tag[0] == "h" and tag[1:].isdigit() else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._unshown -= tag in ("script", "style") and self._unshown > 0
        if tag in self.APART:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unshown:
            self.parts.append(data)


def plain(html: str) -> str:
    reader = _Plain()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line and line != "#")


KINDS: dict[str, Callable[[bytes, int], Iterator[str]]] = {
    "pdf": pdf,
    "docx": word,
    "xlsx": sheets,
    "xlsm": sheets,
    "pptx": slides,
    "eml": mail,
    "msg": outlook,
    "ipynb": notebook,
    "epub": book,
}
PLAIN = ("txt", "md", "csv", "log", "json", "yaml", "yml", "html", "htm", "ics", "xml")


def main() -> None:
    kind, left, memory, seconds = sys.argv[1], *map(int, sys.argv[2:5])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        for piece in KINDS[kind](sys.stdin.buffer.read(), 0):
            sys.stdout.buffer.write(piece[:left].encode("utf-8", "replace"))
            left -= len(piece)
            if left <= 0:
                left_out.append("the text beyond the limit")
                break
        if left_out:
            sys.stdout.buffer.write(f"{UNREAD_MARK}{'; '.join(left_out)})\n".encode("utf-8", "replace"))
    except MemoryError:
        sys.exit("reading it needs too much memory")
    except Exception as error:  # whatever a damaged file makes these libraries raise
        encrypted = data_is_encrypted(error)
        sys.exit("it is encrypted" if encrypted else f"it is damaged: {type(error).__name__}")


def data_is_encrypted(error: Exception) -> bool:
    return "ncrypt" in str(error) or "assword" in str(error)


if __name__ == "__main__":
    main()
