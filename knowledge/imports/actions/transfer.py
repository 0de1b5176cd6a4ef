"""Import: a folder of Markdown notes, or a file of JSON Lines, becomes insights of one team.

Notes are read one after the other and deposited in batches, each its own short transaction, so an import can be stopped
at any moment and run again: what is there is recognised by its receipt, under a key of place and words, before anything
is embedded. What was changed since is another note. Nothing is ever deleted here.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from accounts.rules.guard.detection import find_secrets
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, TeamAccess, team_for_write
from knowledge.imports.rules import notes
from knowledge.imports.rules.notes import Note, UnusableNotes
from knowledge.judging.actions.deposit import Deposited, KeyReused, deposit_many
from knowledge.lifecycle.rules import decay
from knowledge.models import Lexicon, Receipt
from knowledge.retrieval.actions.upkeep import DRIFT, rebuild_keyword_vectors
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind

MARKDOWN = {".md", ".markdown", ".mdown", ".mkd", ".mdx"}
LINES = {".jsonl", ".ndjson"}
# One JSON text: what another memory exports. Its lines may be objects, as the MCP reference server's `memory.json` has.
WHOLE = ".json"
LARGEST_EXPORT = 100_000_000
# Bytes of one file or line. A text of 20,000 characters has at most 80,000; what is larger is a log or a data set.
LARGEST_NOTE = 1_000_000
# Drafts in one deposit. The embedder fills its runs with texts of like length, and one commit serves them all; more
# gains nothing measurable, and is what a kill -9 costs.
BATCH = 64
# Files that are no notes, between two words of progress.
MOST_UNREAD = 500


logger = logging.getLogger("loam.import")


class NoNotes(Refused):
    code = "invalid"


@dataclass
class ImportedNotes:
    """What became of the notes. One note may be several insights; `skipped` names a note or file and says why. `whole`:
    it was read to its end.

    `waiting` were stored without a vector, because the embedder was down: the sweep makes it.
    """

    created: int = 0
    unchanged: int = 0
    waiting: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    whole: bool = True


@dataclass(frozen=True)
class FoundNotes:
    """One place where a note should be: its name in the report, and the note, or why there is none."""

    name: str
    note: Note | None = None
    why: str = ""


@dataclass(frozen=True)
class ReadyNote:
    """One draft on its way, under its key."""

    name: str
    draft: Draft


def import_notes(
    *,
    path: Path,
    team: str,
    by: Member,
    now: datetime,
    progress: Callable[[int, int], bool | None] = lambda done, total: None,
    kind: Kind = Kind.CONTEXT,
    dry_run: bool = False,
    begun: datetime | None = None,
) -> ImportedNotes:
    """Deposit every note under `path` into the team of that slug; `kind` for notes that say none. `begun`: when this
    import began, if it goes on: what was stored under its keys since then is its own, and counts as created.

    `progress` is told how many of how many files or lines are done, and ends it there by answering False. A dry run
    stores nothing and counts as created what would be. Raises NoSuchTeam, NotAllowed, and NoNotes on a path that is
    neither a folder nor a file of notes.
    """
    access = team_for_write(by, team)
    found, total = _source(path, kind)
    done = ImportedNotes()
    seen: set[str] = set()
    read = 0
    for number, some in enumerate(_batches(found), start=1):
        ready = _ready(some, access, seen, done, begun)
        if dry_run:
            _rehearse(ready, done)
        elif ready:
            _store(ready, by, now, done)
            # After 1, 2, 4, 8 … batches: rows weighted by a wrong average are then never much of the whole.
            if number & (number - 1) == 0:
                _rebuild_keyword_vectors(access.id)
        read += len(some)
        if progress(read, max(read, total)) is False:
            done.whole = read >= total
            break
    if done.created and not dry_run:
        _rebuild_keyword_vectors(access.id)
    return done


def _batches(found: Iterable[FoundNotes]) -> Iterator[list[FoundNotes]]:
    """As many notes as make a batch of drafts; one note is never cut."""
    some: list[FoundNotes] = []
    drafts = 0
    for item in found:
        some.append(item)
        drafts += len(item.note.drafts) if item.note else 0
        if drafts >= BATCH or len(some) >= MOST_UNREAD:
            yield some
            some, drafts = [], 0
    if some:
        yield some


# --- from notes to rows -------------------------------------------------------------------------------------
def _ready(
    some: list[FoundNotes], team: TeamAccess, seen: set[str], done: ImportedNotes, begun: datetime | None
) -> list[ReadyNote]:
    """The drafts among these that the team does not have yet; the others are counted."""
    ready: dict[str, ReadyNote] = {}
    for item in some:
        if item.note is None:
            done.skipped.append((item.name, item.why))
            continue
        for draft in item.note.drafts:
            draft = replace(draft, team=team.slug)
            key = item.note.key(draft)
            if key in seen:
                done.skipped.append((item.name, "duplicate text"))
                continue
            seen.add(key)
            ready[key] = ReadyNote(item.name, replace(draft, idempotency_key=key))
    receipts = Receipt.objects.filter(key__in=list(ready), insight__team_id=team.id)
    there = dict(receipts.values_list("key", "at"))
    own = sum(begun is not None and at >= begun for at in there.values())
    done.created += own
    done.unchanged += len(there) - own
    return [item for key, item in ready.items() if key not in there]


def _store(ready: list[ReadyNote], by: Member, now: datetime, done: ImportedNotes) -> None:
    results = deposit_many(drafts=[item.draft for item in ready], by=by, now=now, strength=decay.SEEDED)
    for item, result in zip(ready, results, strict=True):
        if isinstance(result, KeyReused) or (isinstance(result, Deposited) and result.replayed):
            done.unchanged += 1
        elif isinstance(result, Deposited):
            done.created += 1
            done.waiting += bool(result.degraded)
        else:
            done.skipped.append((item.name, _refusal_text(result)))


def _rehearse(ready: list[ReadyNote], done: ImportedNotes) -> None:
    for item in ready:
        found = find_secrets(item.draft.text)
        if found:
            done.skipped.append((item.name, f"it contains a secret: {found[0]}"))
        else:
            done.created += 1


def _refusal_text(refused: Refused) -> str:
    errors = [f"{name}: {fault}" for name, faults in refused.errors.items() for fault in faults]
    return " ".join([refused.message, *errors])


def _rebuild_keyword_vectors(team_id: int) -> None:
    """The first notes of a team are weighted by a guess at its average length; once that is known, by it."""
    if Lexicon.objects.filter(team_id=team_id).drifted(DRIFT).exists():
        rebuild_keyword_vectors(team_id=team_id)


# --- from files to notes ------------------------------------------------------------------------------------
def _source(path: Path, kind: Kind) -> tuple[Iterator[FoundNotes], int]:
    """What is to be read, and how many files or lines it is in."""
    if path.is_dir():
        total = sum(1 for _ in _files(path))
        return (_file(path, name, why, kind) for name, why in _files(path)), total
    if not path.is_file():
        raise NoNotes(f"No such folder or file: {path}.")
    if path.suffix.lower() in LINES:
        with path.open("rb") as file:
            total = sum(1 for _ in _lines(file.readline))
        return _rows(path, kind), total
    if path.suffix.lower() == WHOLE:
        memories = _memories(path)
        return (_note(row, f"memory {number}", _from_json(kind)) for number, row in memories), len(memories)
    if path.suffix.lower() in MARKDOWN:
        return iter([_file(path.parent, path.name, "", kind)]), 1
    raise NoNotes(f"{path} is not a folder, Markdown, JSON Lines (.jsonl) or JSON (.json).")


def _files(root: Path) -> Iterator[tuple[str, str]]:
    """Every file under `root` by its relative name, in an order that never changes, with why it is not read, if so."""
    ahead = [root]
    while ahead:
        path = ahead.pop()
        name = path.relative_to(root).as_posix()
        if path != root and path.name.startswith("."):
            yield name, "hidden"
        elif path != root and path.is_symlink():
            yield name, _link(root, path)
        elif path.is_dir():
            try:
                ahead.extend(sorted(path.iterdir(), reverse=True))
            except OSError as error:
                yield name, f"cannot be read: {error.strerror}"
        elif not path.is_file():
            yield name, "not a regular file"
        else:
            yield name, "" if path.suffix.lower() in MARKDOWN else "not Markdown"


def _link(root: Path, link: Path) -> str:
    """Links are not followed: inside the folder they would show a note twice, or go round in circles."""
    inside = link.resolve().is_relative_to(root.resolve())
    return "a link: its target is read" if inside else "a link that points outside the folder"


def _file(root: Path, name: str, why: str, kind: Kind) -> FoundNotes:
    if why:
        return FoundNotes(_printable(name), why=why)
    try:
        with (root / name).open("rb") as file:
            data = file.read(LARGEST_NOTE + 1)
    except OSError as error:
        return FoundNotes(_printable(name), why=f"cannot be read: {error.strerror}")
    found = _note(data, _printable(name), lambda text: notes.from_markdown(text, path=_printable(name), kind=kind))
    if found.note is None or len(found.name) > notes.LONGEST_PATH:
        return found
    learned_from = ({"path": found.name, "sha256": hashlib.sha256(data).hexdigest()},)
    drafts = [replace(draft, provenance=learned_from) for draft in found.note.drafts]
    return replace(found, note=replace(found.note, drafts=drafts))


def _from_json(kind: Kind) -> Callable[[str], Note]:
    return lambda text: notes.from_json(text, kind=kind)


def _memories(path: Path) -> list[tuple[int, bytes]]:
    """The objects of an export: of a list, of `results` or `memories` in an object, or one a line."""
    if path.stat().st_size > LARGEST_EXPORT:
        raise NoNotes(f"{path} is larger than {LARGEST_EXPORT:,} bytes.")
    data = path.read_bytes()
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return [(number, line) for number, line in enumerate(data.splitlines(), start=1) if line.strip()]
    if isinstance(whole, dict):
        whole = next((whole[name] for name in ("results", "memories") if isinstance(whole.get(name), list)), [whole])
    rows = whole if isinstance(whole, list) else [whole]
    return [(number, json.dumps(row).encode()) for number, row in enumerate(rows, start=1)]


def _rows(path: Path, kind: Kind) -> Iterator[FoundNotes]:
    with path.open("rb") as file:
        for number, line in enumerate(_lines(file.readline), start=1):
            if line.strip():
                yield _note(line, f"line {number}", lambda text: notes.from_json(text, kind=kind))


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    """Line by line, of a line too large only as much as shows that it is."""
    while line := readline(LARGEST_NOTE + 1):
        rest = line
        while len(rest) > LARGEST_NOTE and not rest.endswith(b"\n"):
            rest = readline(LARGEST_NOTE + 1)
        yield line


def _note(data: bytes, name: str, read: Callable[[str], Note]) -> FoundNotes:
    if len(data) > LARGEST_NOTE:
        return FoundNotes(name, why=f"larger than {LARGEST_NOTE:,} bytes")
    try:
        return FoundNotes(name, read(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        return FoundNotes(name, why="binary" if b"\0" in data else "not UTF-8")
    except UnusableNotes as error:
        return FoundNotes(name, why=str(error))
    except Exception as error:  # of a stranger's text the others must not suffer
        logger.exception("an import leaves %s out", name)
        return FoundNotes(name, why=f"cannot be read: {type(error).__name__}")


def _printable(name: str) -> str:
    """A file's name as text: bytes that are no UTF-8 show as what they are."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
