"""Sync: what was edited in the files of a vault, and what has changed in the database, brought together.

Of every page it is known what was written last. A file that still says so is rewritten if the database says more; an
edit of an insight is taken in by `curate.edit`, guard and log included, if it touches no field that has changed on the
other side. What cannot be taken in is kept beside the page, as `PLAT-42.conflict.md`, and put before the team's leads;
when they have settled it the file goes. New notes are deposited.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from accounts.actions.jobs import is_database_away
from accounts.actions.vault_rows import People
from accounts.models import Team
from accounts.rules.page import BadPage, Page, read
from accounts.rules.refused import Refused
from accounts.rules.rights import SYSTEM, Member
from knowledge.imports.actions import vault_out
from knowledge.imports.actions.transfer import import_notes
from knowledge.review.actions import vault_conflicts
from knowledge.review.actions.curate import edit
from sessions_app.vault.actions.pages import (
    Base,
    ExportedVault,
    Progress,
    WrittenPages,
    all_pages,
    digest,
    editable,
    folders_of,
    is_edited,
    is_insight,
    teams_of,
    vault_faults,
    write_pages,
)
from sessions_app.vault.adapters.folder import UnusableFolder, VaultFolder

logger = logging.getLogger("loam.vault")
CONFLICT = ".conflict.md"
WHY = "edited in the vault"


@dataclass
class Synced:
    """`edited`: references changed by an edit in their file; `conflicts`: (the file that keeps it, why).

    `added`: new notes deposited; `missing`: deleted pages, written again; `skipped`: (note, why).
    """

    edited: list[str] = field(default_factory=list)
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    added: int = 0
    out: ExportedVault = field(default_factory=ExportedVault)


class NotTaken(Exception):
    """An edit that is not taken in; the text says why."""


@dataclass(frozen=True)
class Edited:
    """A page that says something else in its file than was written: the file's bytes, and what the page is now."""

    name: str
    found: bytes
    now: Page | None
    was: WrittenPages | None


def sync(
    *,
    shared: Path,
    by: Callable[[str], Member],
    now: datetime,
    personal: Path | None = None,
    conversations: bool = False,
    progress: Progress = lambda done, total: None,
) -> Synced:
    """Take edits in, and write out what has changed. `by`: who edits in the team of that slug.

    Stopped anywhere, it can be run again. Raises VaultRefused as `export` does.
    """
    done = Synced()
    with vault_faults(), ExitStack() as held:
        folders = folders_of(shared, personal)
        for _, folder in folders:
            held.enter_context(folder.lock())
        for is_personal, folder in folders:
            _sync(folder, teams_of(is_personal), by, now, done, progress, conversations)
    return done


def _sync(
    folder: VaultFolder,
    teams: list[Team],
    by: Callable[[str], Member],
    now: datetime,
    done: Synced,
    progress: Progress,
    conversations: bool,
) -> None:
    base = Base.of(folder)
    here: set[str] = set()
    for name, page in list(_changed(folder, teams, base, here, done, conversations)):
        taken = Edited(name, folder.read(name), page, base.pages.get(name))
        try:
            ref = _take(taken, by, now)
            if ref:
                done.edited.append(ref)
        except Exception as why:
            if is_database_away(why):
                raise
            kept, reason = _keep(folder, taken), _reason(why, name)
            done.conflicts.append((kept, reason))
            _put_before_leads(taken, kept, reason, by, now)
        # From here on the file may be written: what it said is in the database, or in a file of its own.
        base.pages[name] = WrittenPages(digest(taken.found), editable(page) if page and is_insight(name) else None)
        base.append(folder, name)
    _clear(folder, teams)
    _add(folder, teams, here, by, now, done)
    total = sum(vault_out.count_of(team) for team in teams)
    write_pages(
        folder,
        teams,
        done.out,
        lambda: progress(done.out.pages, max(total, done.out.pages)),
        conversations=conversations,
    )


def _reason(why: Exception, name: str) -> str:
    """In words why an edit is not taken in; what nobody foresaw is logged."""
    if isinstance(why, Refused):
        return why.in_full
    if isinstance(why, NotTaken):
        return str(why)
    logger.exception("an edit of %s is not taken in", name)
    return f"internal error ({type(why).__name__}); it was logged"


def _changed(
    folder: VaultFolder, teams: list[Team], base: Base, here: set[str], done: Synced, conversations: bool
) -> Iterator[tuple[str, Page | None]]:
    """The pages that were edited in their files; all there are are noted in `here`."""
    for name, data, page in all_pages(teams, People(), conversations):
        here.add(name)
        if name in base.pages and not folder.has(name):
            done.missing.append(name)
        elif is_edited(folder, name, data, base):
            yield name, page


def _take(one: Edited, by: Callable[[str], Member], now: datetime) -> str:
    """Edit the insight as its file was edited; its reference, or "" if nothing that counts was changed.

    Raises NotTaken, and what `curate.edit` raises.
    """
    if one.now is None or not is_insight(one.name):
        raise NotTaken("only insights can be edited in files")
    mine = _mine(one)
    theirs = editable(one.now)
    was = one.was.fields if one.was and one.was.fields else theirs
    if mine.pop("rest") not in {was.get("rest"), theirs.pop("rest")}:
        raise NotTaken("only title, kind, repo, stability, tags, files, symbols and the texts can be edited in a file")
    changes = {name: value for name, value in mine.items() if _same(value) != _same(was.get(name))}
    both = [name for name in changes if _same(theirs[name]) not in (_same(was.get(name)), _same(mine[name]))]
    if both:
        raise NotTaken(f"changed on both sides: {', '.join(both)}")
    if "forgotten_at" in one.now.head:
        raise NotTaken("the insight was forgotten")
    changes = {name: _clean(name, value) for name, value in changes.items() if _same(theirs[name]) != _same(value)}
    if not changes:
        return ""
    ref, revision = str(one.now.head["ref"]), int(one.now.head["revision"])
    member = by(one.name.split("/")[0])
    return edit(ref=ref, changes=changes, revision=revision, by=member, now=now, why=WHY).ref


def _mine(one: Edited) -> dict[str, Any]:
    """What the file says of the insight's fields. Raises NotTaken."""
    try:
        return editable(read(one.found.decode("utf-8-sig")))
    except (BadPage, UnicodeDecodeError) as fault:
        raise NotTaken(f"it cannot be read: {fault}") from None
    except Exception as fault:  # typed by hand, and may hold anything
        raise NotTaken(f"it cannot be read: {type(fault).__name__}") from fault


def _put_before_leads(one: Edited, kept: str, reason: str, by: Callable[[str], Member], now: datetime) -> None:
    """The edit waits in the inbox, with each field that the file changed and that an insight can have."""
    team, theirs, ref = one.name.split("/")[0], {}, ""
    with suppress(NotTaken):
        if one.now is not None and is_insight(one.name):
            ref, mine = str(one.now.head["ref"]), _mine(one)
            was = one.was.fields if one.was and one.was.fields else editable(one.now)
            for name in sorted(set(mine) - {"rest"}):
                with suppress(NotTaken):
                    if _same(mine[name]) != _same(was.get(name)):
                        theirs[name] = _clean(name, mine[name])
    if not Team.objects.filter(slug=team).exists():
        return  # people.md, which is of no team
    said = {"ref": ref, "page": one.name, "kept_as": kept, "digest": digest(one.found), "reason": reason}
    vault_conflicts.note(team=team, **said, theirs=theirs, by=_member(by, team), now=now)


def _clear(folder: VaultFolder, teams: list[Team]) -> None:
    """Take away the files of what was settled in the inbox, unless they say something else by now."""
    for team in teams:
        for one in vault_conflicts.settled_in(team):
            if folder.has(one.kept_as) and digest(folder.read(one.kept_as)) == one.digest:
                folder.remove(one.kept_as)


def _member(by: Callable[[str], Member], team: str) -> Member:
    """Who edits in that team; nobody in particular where nobody leads it."""
    with suppress(Refused):
        return by(team)
    return SYSTEM


def _same(value: Any) -> Any:
    """What is the same to a reader is no edit: the order of tags, the space around a text."""
    return sorted(map(str, value)) if isinstance(value, list) else str(value or "").strip()


def _clean(name: str, value: Any) -> Any:
    if name in vault_out.LISTS:
        if not isinstance(value, list):
            raise NotTaken(f"{name} is not a list")
        return [str(one) for one in value]
    column = vault_out.column(name)
    text = str(value)
    if column.choices and text not in dict(column.flatchoices):
        raise NotTaken(f"{name}: there is no {text[:40]!r}")
    if "\0" in text or (column.max_length and len(text) > column.max_length):
        raise NotTaken(f"{name} is too long, or contains a NUL character")
    return text


def _keep(folder: VaultFolder, one: Edited) -> str:
    """Keep an edit that is not taken in, in a file that is not there yet, or says just this."""
    stem = one.name.removesuffix(".md")
    for number in range(1, 1000):
        name = f"{stem}{CONFLICT}" if number == 1 else f"{stem}.{number}{CONFLICT}"
        if not folder.has(name) or folder.read(name) == one.found:
            folder.write(name, one.found)
            return name
    raise UnusableFolder(f"there are a thousand conflicts of {one.name}")


def _add(
    folder: VaultFolder, teams: list[Team], here: set[str], by: Callable[[str], Member], now: datetime, done: Synced
) -> None:
    """Deposit the notes that somebody put beside the insights. The file stays; it is known again by what it says."""
    for team in teams:
        for name in list(folder.names(f"{team.slug}/{vault_out.INSIGHTS}")):
            if name in here or not name.endswith(".md") or name.endswith(CONFLICT):
                continue
            try:
                if "%% loam: history %%" in folder.text(name):
                    raise NotTaken("a renamed page of this vault, or a page of something that moved")
                note = import_notes(path=folder.place(name), team=team.slug, by=by(team.slug), now=now)
            except (NotTaken, UnusableFolder, Refused) as why:
                done.skipped.append((name, why.in_full if isinstance(why, Refused) else str(why)))
                continue
            done.added += note.created
            done.skipped += [(name, why) for _, why in note.skipped]
