"""From bytes to text: plain text as it is, HTML without its tags, PDF and DOCX by a program of their own.

A document from somewhere may be made to hang its reader or to unfold into gigabytes, so PDF and DOCX are read in a
child process with bounds on time, memory and output; whatever becomes of it, the search goes on. The caller keeps what
came out under the hash of what went in.
"""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

# Written beside every kept text; a change to how text is taken out of documents is a new name.
RECIPE = "text-1"
RICH = (".pdf", ".docx")
MARKED_UP = (".html", ".htm", ".xhtml")

SECONDS = 20
MEMORY = 1_000_000_000
MOST_TEXT = 2_000_000

BINARY = "binary"
_SNIFF = 8_192
# What is not closed goes to the end, as in a browser.
_UNSHOWN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,2000}>")


class NoText(Exception):
    """There is no text in these bytes; the text of the exception says why."""


def is_rich(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in RICH


def plain_text(data: bytes, path: str) -> str:
    """The text of any file but a rich one; line numbers are those of the file. Raises NoText."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data[:_SNIFF]:
        raise NoText(BINARY)
    else:
        text = data.decode("utf-8-sig", "replace")
    text = text.replace("\0", " ").replace("\r\n", "\n").replace("\r", "\n")
    if PurePosixPath(path).suffix.lower() in MARKED_UP:
        text = _TAG.sub(" ", _UNSHOWN.sub(lambda found: "\n" * found.group().count("\n"), text))
    return text


def rich_text(data: bytes, path: str) -> str:
    """The text of a PDF or DOCX, pages apart by form feeds. Raises NoText; takes SECONDS at most."""
    kind = PurePosixPath(path).suffix.lower().removeprefix(".")
    limits = [str(number) for number in (MOST_TEXT, MEMORY, SECONDS)]
    program = [sys.executable, "-I", str(Path(__file__).with_name("extract.py")), kind, *limits]
    try:
        done = subprocess.run(program, input=data, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise NoText(f"reading took longer than {SECONDS} seconds") from None
    except OSError as error:
        raise NoText(f"the reader did not start: {error.strerror or error}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it is damaged or too large"]
        raise NoText(lines[-1][:200])
    text = done.stdout.decode("utf-8", "replace").replace("\0", " ")
    if not text.strip():
        raise NoText("it contains no text (a scan?)")
    return text
