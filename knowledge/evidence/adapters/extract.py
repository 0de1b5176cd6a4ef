"""A program by itself: reads a PDF or DOCX from standard input, writes its text to standard output.

Run by documents.py with the most characters, bytes of memory and seconds; it binds itself to them before it reads.
It knows nothing of Loam or Django, on purpose.
"""

import io
import resource
import sys
import zipfile
from collections.abc import Iterator

import docx
import pypdf

# Unpacked bytes of a DOCX, all parts together: a small file that claims more is a bomb.
MOST_UNPACKED = 100_000_000
MOST_PAGES = 2_000


def pdf(data: bytes) -> Iterator[str]:
    reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        sys.exit("it is encrypted")
    for number, page in enumerate(reader.pages):
        if number >= MOST_PAGES:
            return
        if number:
            yield "\f"
        yield page.extract_text() + "\n"


def word(data: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if sum(part.file_size for part in parts.infolist()) > MOST_UNPACKED:
            sys.exit("its unpacked size is too large")
    for block in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(block, docx.table.Table):
            for row in block.rows:
                yield " | ".join(cell.text.replace("\n", " ") for cell in row.cells) + "\n"
        else:
            mark = "# " if (block.style and (block.style.name or "").startswith("Heading")) else ""
            yield f"{mark}{block.text}\n"


def main() -> None:
    kind, left, memory, seconds = sys.argv[1], *map(int, sys.argv[2:5])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        for piece in {"pdf": pdf, "docx": word}[kind](sys.stdin.buffer.read()):
            sys.stdout.buffer.write(piece[:left].encode("utf-8", "replace"))
            left -= len(piece)
            if left <= 0:
                break
    except MemoryError:
        sys.exit("reading it needs too much memory")
    except Exception as error:  # whatever a damaged file makes these libraries raise
        sys.exit(f"it is damaged: {type(error).__name__}")


if __name__ == "__main__":
    main()
