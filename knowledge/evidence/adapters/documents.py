"""From bytes to text: plain text in its encoding, HTML without its tags, documents by a program of their own.

A document from somewhere may be made to hang its reader or to unfold into gigabytes, so PDF, Office files, mails,
notebooks and e-books are read in a child process with bounds on time, memory and output; whatever becomes of it, the
search goes on. The caller keeps what came out under the hash of what went in.
"""

import codecs
import re
import subprocess
import sys
from pathlib import Path

from charset_normalizer import from_bytes

from knowledge.evidence.rules.languages import ENGLISH, language_of
from knowledge.evidence.rules.scope import ending

# Written beside every kept text; a change to how text is taken out of documents is a new name.
RECIPE = "text-3"
RICH = (".pdf", ".docx", ".xlsx", ".xlsm", ".pptx", ".eml", ".msg", ".ipynb", ".epub")
# Documents and packed files that no reader is installed for: named, that nobody thinks they were searched.
UNREAD = (
    ".doc", ".xls", ".xlsb", ".ppt", ".odt", ".ods", ".odp", ".rtf", ".pages", ".numbers", ".key", ".mobi", ".azw3",
    ".djvu", ".vsdx", ".one", ".mdb", ".accdb", ".pst", ".mbox", ".xz", ".bz2", ".lzma", ".7z", ".rar", ".lz4", ".br",
)  # fmt: skip
UNREAD_FORMAT = "its format is not read"
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


class TooBusy(NoText):
    """The machine gave the reader too little time; the next attempt may end otherwise."""


# As extract.py writes it, which knows nothing of this module.
UNREAD_MARK = "\n\f(not read: "


def unread_part(text: str) -> str:
    """What of a document its text says was not read; "" where it was read whole."""
    at = text.rfind(UNREAD_MARK)
    return text[at + len(UNREAD_MARK) :].strip().removesuffix(")") if at >= 0 else ""


def is_rich(path: str) -> bool:
    return ending(path) in RICH


def is_unread(path: str) -> bool:
    """Whether a file is a document of a format that is not read."""
    return ending(path) in UNREAD


def is_foreign(data: bytes) -> bool:
    """Whether these bytes are text in another encoding than UTF-8, which ripgrep does not find words in."""
    if data[:2] in _BOMS:
        return True
    if b"\0" in data[:_SNIFF]:
        return _wide(data) is not None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What people's files are in. Of all Python knows, some would be found for texts of twenty letters.
_ENCODINGS = [
    "cp1251", "koi8_r", "cp866", "cp1252", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "shift_jis",
    "euc_jp", "gb18030", "big5", "euc_kr", "mac_roman",
]  # fmt: skip
# Bytes that the encoding is told by, from the first that is not ASCII.
_TELLING = 16_384
# Less than this many other bytes than ASCII tell of no language: Western Europe's encoding, as in a name.
_FEWEST = 8


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: nearly every other byte of it is zero, of a text of any Western language."""
    some = data[:_SNIFF]
    half = max(1, len(some) // 2)
    for name, zeros in (("utf-16-le", some[1::2]), ("utf-16-be", some[0::2])):
        if zeros.count(0) > 0.4 * half and some.count(0) - zeros.count(0) < 0.02 * half:
            return name
    return None


def _decoded(data: bytes) -> str:
    """Raises NoText."""
    if data[:2] in _BOMS:
        return data.decode("utf-16", "replace")
    if b"\0" in data[:_SNIFF]:
        wide = _wide(data)
        if wide is None:
            raise NoText(BINARY)
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        some = data[max(0, error.start - 200) : error.start + _TELLING]
    if _ok_but_for(data):
        return data.decode("utf-8-sig", "replace")
    few = sum(byte > 127 for byte in some) < _FEWEST
    found = None if few else from_bytes(some, cp_isolation=_ENCODINGS, enable_fallback=False).best()
    return data.decode(_by_language(some, found.encoding) if found else "cp1252", "replace")


# The encodings of Latin letters share most of them, and what the others stand for the language tells: read in Poland's,
# French "être" is "ętre", which is as likely letter by letter.
_LATIN = ("cp1252", "cp1250", "cp1254", "cp1257", "mac_roman")
_CENTRAL = frozenset(("polish", "czech", "hungarian", "romanian"))


def _by_language(some: bytes, found: str) -> str:
    """The encoding of Latin letters that a text's language is written in; the one that was found for any other."""
    if found not in _LATIN:
        return found
    told = {name: language_of(some.decode(name, "replace")) for name in ("cp1250", "cp1252")}
    if told["cp1250"] in _CENTRAL:
        return "cp1250"
    if told["cp1252"] == ENGLISH:
        return found
    return "cp1254" if told["cp1252"] == "turkish" else "cp1252"


def _ok_but_for(data: bytes) -> bool:
    """Whether it is UTF-8 all the same, with a few bytes broken: a log, or a file that was cut."""
    text = data[: 4 * _TELLING].decode("utf-8", "replace")
    broken, other = text.count("\ufffd"), sum(char > "\x7f" for char in text)
    return broken * 10 < other


def plain_text(data: bytes, path: str) -> str:
    """The text of any file but a rich one; line numbers are those of the file. Raises NoText."""
    text = _decoded(data)
    text = text.replace("\0", " ").replace("\r\n", "\n").replace("\r", "\n")
    if ending(path) in MARKED_UP:
        text = _TAG.sub(" ", _UNSHOWN.sub(lambda found: "\n" * found.group().count("\n"), text))
    return text


def rich_text(data: bytes, path: str) -> str:
    """The text of a document, pages apart by form feeds. Raises NoText: TooBusy after SECONDS that the reader did not
    have for itself (of its own time it has no more either, and that is the document's fault).
    """
    kind = ending(path).removeprefix(".")
    limits = [str(number) for number in (MOST_TEXT, MEMORY, SECONDS)]
    program = [sys.executable, "-I", str(Path(__file__).with_name("extract.py")), kind, *limits]
    try:
        done = subprocess.run(program, input=data, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise TooBusy(f"reading took longer than {SECONDS} seconds") from None
    except OSError as error:
        raise NoText(f"the reader did not start: {error.strerror or error}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it is damaged or too large"]
        raise NoText(lines[-1][:200])
    text = done.stdout.decode("utf-8", "replace").replace("\0", " ")
    if not text.strip():
        raise NoText("it contains no text (a scan?)")
    return text
