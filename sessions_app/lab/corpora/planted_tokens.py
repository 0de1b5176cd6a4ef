"""Files of 1 kB to 1 GB, each with tokens at places that are known: fifty in all, no two alike.

The files are logs, tables, JSON without a line break, packed ones, texts in other encodings than UTF-8, and office
files. A large one repeats a block of drawn lines, longer than what a packer looks back on, so it does not shrink to
nothing. They are written one at a time: a folder with all of them would take 4 GB.
"""

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import IO, cast

import docx
import openpyxl
from backports import zstd

Process = get_context("spawn").Process

KB, MB, GB = 1_000, 1_000_000, 1_000_000_000
SEED = 41
# Lines that are drawn; a larger file repeats them.
BLOCK = 40_000
# Of each kind of line, its bytes about.
LOG_LINE, TABLE_ROW, JSON_ITEM = 175, 48, 72

HOSTS = ("edge-3", "queue-1", "billing-2", "label-7", "customs-1")
ACTS = ("accepted", "retried", "released", "answered slowly", "returned to the pool")
PATHS = ("/invoices", "/shipments/track", "/labels/print", "/tariffs", "/declarations/submit")
QUESTIONS = ("what happened to {}", "{}", "where does {} come from", "why did {} fail", "wo steht {}", "who changed {}")


@dataclass(frozen=True)
class PlantedFile:
    """A file to write: `lines` are those with a token, from 1, of `count` in all; `count` is 1 for a text without line
    breaks, whose `lines` are its items. `suffix` says how it is written.
    """

    name: str
    size: int
    lines: Sequence[int]
    count: int

    @property
    def suffix(self) -> str:
        return self.name.partition(".")[2]


@dataclass(frozen=True)
class PlantedToken:
    """A token, the line it stands in, and a question that names it. `line` is None where lines are not those of the
    file: documents, and texts without a line break.
    """

    file: PlantedFile
    token: str
    line: int | None
    question: str


def _of(name: str, size: int, line: int, *shares: float) -> PlantedFile:
    """A file of about `size` bytes with a token in its first line if a share is 0, in its last if one is 1."""
    count = max(len(shares), size // line)
    return PlantedFile(name, size, [1 + round(share * (count - 1)) for share in shares], count)


def planted_files() -> list[PlantedFile]:
    """The files in the order they are asked, the small ones first."""
    five_million = PlantedFile("gateway.log", GB, [1, 2, 2_000_001, 4_999_999, 5_000_000, 5_715_000], 5_715_000)
    return [
        _of("one.log", KB, LOG_LINE, 0, 1),
        _of("small.log", 100 * KB, LOG_LINE, 0.5),
        _of("middle.log", 20 * MB, LOG_LINE, 0, 0.7, 1),
        _of("large.log", 200 * MB, LOG_LINE, 0.31, 1),
        five_million,
        _of("one.csv", KB, TABLE_ROW, 1),
        _of("middle.csv", 5 * MB, TABLE_ROW, 0.5, 1),
        _of("large.csv", GB, TABLE_ROW, 0.0001, 0.3, 1),
        _of("one.json", KB, JSON_ITEM, 0.5),
        _of("middle.json", 5 * MB, JSON_ITEM, 0, 1),
        _of("large.json", GB, JSON_ITEM, 0, 0.6, 1),
        _of("middle.log.gz", 10 * MB, LOG_LINE, 0, 0.5, 1),
        _of("large.log.gz", 200 * MB, LOG_LINE, 0.9),
        _of("middle.log.zst", 10 * MB, LOG_LINE, 0, 1),
        _of("large.log.zst", 200 * MB, LOG_LINE, 0.9),
        _of("two.zip", 20 * MB, LOG_LINE, 0.1, 1),
        _of("two.tar.gz", 10 * MB, LOG_LINE, 0.1, 1),
        _of("one.utf-16.txt", KB, 2 * LOG_LINE, 0.5),
        _of("middle.utf-16.txt", 4 * MB, 2 * LOG_LINE, 0, 0.5, 1),
        _of("large.utf-16.txt", 100 * MB, 2 * LOG_LINE, 0.8),
        _of("old.cp1251.txt", 50 * KB, LOG_LINE, 0.5),
        _of("sheet.xlsx", 40 * KB, TABLE_ROW, 0, 0.5, 1),
        _of("long.xlsx", MB, TABLE_ROW, 0.5, 1),
        _of("report.docx", 20 * KB, LOG_LINE, 0.5),
        _of("mail.eml", 50 * KB, LOG_LINE, 0.5),
    ]


def plant(file: PlantedFile, into: Path) -> list[PlantedToken]:
    """Write the file with some small ones beside it, and return what was planted."""
    rng = Random(f"{SEED} {file.name}")
    tokens = _tokens(file)
    into.mkdir(parents=True, exist_ok=True)
    for number in range(5):
        (into / f"note-{number}.md").write_text(f"# Note {number}\n\nThe {rng.choice(HOSTS)} host was restarted.\n")
    # In a process of its own, as that of the caller is measured.
    writer = Process(target=_write, args=(file, into), daemon=True)
    writer.start()
    writer.join()
    if writer.exitcode:
        raise OSError(f"{file.name} could not be written")
    plain = file.suffix not in ("xlsx", "docx", "eml", "json")
    return [
        PlantedToken(file, token, _line_of(file, line) if plain else None, rng.choice(QUESTIONS).format(token))
        for line, token in tokens.items()
    ]


def _tokens(file: PlantedFile) -> dict[int, str]:
    """Line → token."""
    rng = Random(f"{SEED} {file.name} tokens")
    return {line: _token(rng, number) for number, line in enumerate(file.lines)}


def _write(file: PlantedFile, into: Path) -> None:
    rng = Random(f"{SEED} {file.name} lines")
    WRITERS[file.suffix](into / file.name, _runs(file, rng, _tokens(file)), file)


def _line_of(file: PlantedFile, line: int) -> int:
    """The line in the file, or in the member of an archive: the header of a table comes first, archives have halves."""
    if file.suffix == "csv":
        return line + 1
    half = file.count // 2
    return line - half if file.suffix in ("zip", "tar.gz") and line > half else line


def _token(rng: Random, number: int) -> str:
    """Letters and digits as people copy them from somewhere."""
    drawn = f"{rng.getrandbits(48):012x}"
    forms = (
        f"WB{rng.randrange(10**7, 10**8):08d}",
        f"E-{rng.randrange(10_000, 99_999)}",
        f"{drawn[:8]}-{drawn[8:]}-4a11-9c00-{rng.getrandbits(48):012x}",
        f"{rng.choice(('RETRY', 'BROKER', 'CUSTOMS'))}_LIMIT_{rng.randrange(10_000, 99_999)}",
        f"10.{rng.randrange(32, 250)}.{rng.randrange(250)}.{rng.randrange(250)}:{rng.randrange(1_024, 60_000)}",
        f"/srv/data/{drawn}/part-{rng.randrange(10_000)}",
    )
    return forms[(number + rng.randrange(2)) % len(forms)]


# Lines without their breaks, some at a time: a million one by one take a second.
Runs = Iterator[list[str]]


def _runs(file: PlantedFile, rng: Random, tokens: dict[int, str]) -> Runs:
    """A block of drawn lines again and again, those with a token in their places."""
    draw = _row if file.suffix in ("csv", "xlsx") else _item if file.suffix == "json" else _logged
    block = [draw(rng, "") for _ in range(min(BLOCK, file.count))]
    done = 0
    for line in sorted(tokens):
        yield from _repeated(block, line - 1 - done)
        yield [draw(rng, tokens[line])]
        done = line
    yield from _repeated(block, file.count - done)


def _repeated(block: list[str], count: int) -> Runs:
    for _ in range(count // len(block)):
        yield block
    if count % len(block):
        yield block[: count % len(block)]


def _logged(rng: Random, token: str) -> str:
    day, minute, second = rng.randrange(1, 29), rng.randrange(60), rng.randrange(60)
    what = f"request={token}" if token else f"request={rng.getrandbits(96):024x}"
    return (
        f"2026-03-{day:02d} 04:{minute:02d}:{second:02d}.{rng.randrange(1000):03d} {rng.choice(HOSTS)} "
        f"INFO POST {rng.choice(PATHS)} {rng.choice(ACTS)} in {rng.randrange(4_000):>4} ms {what} "
        f"trace={rng.getrandbits(128):032x} worker={rng.randrange(40)} bytes={rng.randrange(10**6)}"
    )


def _row(rng: Random, token: str) -> str:
    number = token or f"AX{rng.randrange(10**9):09d}"
    return f"{number},{rng.choice(HOSTS)},{rng.choice(ACTS)},{rng.randrange(900)},2026-02-{rng.randrange(1, 29):02d}"


def _item(rng: Random, token: str) -> str:
    number = token or f"{rng.getrandbits(64):016x}"
    return json.dumps({"id": number, "host": rng.choice(HOSTS), "state": rng.choice(ACTS)})


# --- writers ----------------------------------------------------------------------------------------------------
HEADER = "number,host,state,kilos,day"


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    if path.suffix == ".gz":
        with gzip.open(path, "wb", compresslevel=3) as packed:
            yield cast(IO[bytes], packed)
    elif path.suffix == ".zst":
        with zstd.open(path, "wb") as packed:
            yield cast(IO[bytes], packed)
    else:
        with path.open("wb", buffering=MB) as plain:
            yield plain


def _text(run: Sequence[str], end: str = "\n") -> str:
    """Lines with their breaks."""
    return end.join([*run, ""])


def _write_lines(path: Path, runs: Runs, file: PlantedFile) -> None:
    with _opened(path) as out:
        out.writelines(_text(run).encode() for run in runs)


def _write_table(path: Path, runs: Runs, file: PlantedFile) -> None:
    _write_lines(path, chain([[HEADER]], runs), file)


def _write_unbroken(path: Path, runs: Runs, file: PlantedFile) -> None:
    with _opened(path) as out:
        out.write(b"[")
        out.writelines(_text(run, ", ").encode() for run in runs)
        out.write(b"{}]")


def _write_utf_16(path: Path, runs: Runs, file: PlantedFile) -> None:
    with _opened(path) as out:
        out.write(b"\xff\xfe")
        out.writelines(_text(run).encode("utf-16-le") for run in runs)


def _write_russian(path: Path, runs: Runs, file: PlantedFile) -> None:
    with _opened(path) as out:
        out.writelines(_text(run, " отправлено, ожидает ответа таможни\n").encode("cp1251") for run in runs)


def _members(runs: Runs, file: PlantedFile) -> Iterator[tuple[str, bytes]]:
    """Two halves."""
    lines = chain.from_iterable(runs)
    for number, count in ((1, file.count // 2), (2, file.count - file.count // 2)):
        yield f"logs/part-{number}.log", "".join(f"{next(lines)}\n" for _ in range(count)).encode()


def _write_zip(path: Path, runs: Runs, file: PlantedFile) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _members(runs, file):
            archive.writestr(name, data)


def _write_tar(path: Path, runs: Runs, file: PlantedFile) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in _members(runs, file):
            about = tarfile.TarInfo(name)
            about.size = len(data)
            archive.addfile(about, io.BytesIO(data))


def _write_sheet(path: Path, runs: Runs, file: PlantedFile) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("shipments")
    sheet.append(HEADER.split(","))
    for line in chain.from_iterable(runs):
        sheet.append(line.split(","))
    book.save(path)


def _write_document(path: Path, runs: Runs, file: PlantedFile) -> None:
    document = docx.Document()
    for line in chain.from_iterable(runs):
        document.add_paragraph(line)
    document.save(str(path))


def _write_mail(path: Path, runs: Runs, file: PlantedFile) -> None:
    """The lines are attached."""
    message = EmailMessage()
    message["Subject"], message["From"] = "Log of the gateway", "a@example.com"
    message.set_content("The log is attached.")
    text = "".join(map(_text, runs))
    message.add_attachment(text.encode(), maintype="text", subtype="plain", filename="gateway.log")
    path.write_bytes(bytes(message))


WRITERS: dict[str, Callable[[Path, Runs, PlantedFile], None]] = {
    "log": _write_lines,
    "log.gz": _write_lines,
    "log.zst": _write_lines,
    "csv": _write_table,
    "json": _write_unbroken,
    "utf-16.txt": _write_utf_16,
    "cp1251.txt": _write_russian,
    "zip": _write_zip,
    "tar.gz": _write_tar,
    "xlsx": _write_sheet,
    "docx": _write_document,
    "eml": _write_mail,
}
