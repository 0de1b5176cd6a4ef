"""What is in a vault, over all apps: which teams go where, the pages of each, and what was written last.

`.loam/base.jsonl` remembers of every page its digest, and of what a person may edit its fields: by it an edit in the
file is told from a change in the database. It is written line by line as the pages are, so that an export which was
killed is no edit.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import DatabaseError

from accounts.actions import vault as accounts_vault
from accounts.actions.vault_passes import Stamps
from accounts.actions.vault_rows import People
from accounts.models import Team
from accounts.rules.page import BadPage, Page, read, render_page
from accounts.rules.refused import Refused
from accounts.rules.rights import TeamKind
from knowledge.imports.actions import vault_filters, vault_out
from sessions_app.vault.actions import annotations, conversation_pages, handoffs
from sessions_app.vault.adapters.folder import UnusableFolder, VaultFolder, apart
from skills.actions import vault as skills_vault

PEOPLE = "people.md"
BASE = ".loam/base.jsonl"
Progress = Callable[[int, int], None]


class VaultRefused(Refused):
    code = "invalid"


@dataclass(frozen=True)
class WrittenPages:
    """What was written last to a path. `fields`: of an insight, what may be edited (`editable`)."""

    sha256: str
    fields: Mapping[str, Any] | None = None


@dataclass
class Base:
    """What was written last, by path."""

    pages: dict[str, WrittenPages] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: VaultFolder) -> "Base":
        """Raises Unusable."""
        base = cls()
        if not folder.has(BASE):
            return base
        for line in folder.lines(BASE):
            try:
                said = json.loads(line)
                base.pages[said["path"]] = WrittenPages(said["sha256"], said.get("fields"))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # the last line of a run that was killed
        return base

    def note(self, folder: VaultFolder, name: str, data: bytes, page: Page | None) -> None:
        self.pages[name] = WrittenPages(digest(data), editable(page) if page and is_insight(name) else None)
        self.append(folder, name)

    def append(self, folder: VaultFolder, name: str) -> None:
        """Remember it now, in case this run is killed."""
        folder.append(BASE, self._line(name))

    def keep(self, folder: VaultFolder, names: Iterator[str] | list[str]) -> None:
        """Write it again, with these paths alone."""
        self.pages = {name: self.pages[name] for name in sorted(names) if name in self.pages}
        folder.write(BASE, "".join(map(self._line, self.pages)).encode())

    def _line(self, name: str) -> str:
        one = self.pages[name]
        said = {"path": name, "sha256": one.sha256} | ({"fields": one.fields} if one.fields else {})
        return json.dumps(said, ensure_ascii=True, sort_keys=True) + "\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def is_insight(name: str) -> bool:
    return name.count("/") == 2 and name.split("/")[1] == vault_out.INSIGHTS


def editable(page: Page) -> dict[str, Any]:
    """What a person may change in the file of an insight, as it stands there; `rest`: a digest of what they may not."""
    said = {name: page.head.get(name) or "" for name in vault_out.EDITABLE}
    lists = {name: page.head.get(name) or [] for name in vault_out.LISTS}
    texts = {"body": page.texts.get("", ""), "reasoning": page.texts.get("reasoning", "")}
    own = {*vault_out.EDITABLE, *vault_out.LISTS}
    rest = {"head": {k: v for k, v in page.head.items() if k not in own}, "records": list(page.records)}
    told = digest(json.dumps(rest, sort_keys=True).encode())
    return {**said, **lists, **texts, "rest": told}


# --- where ------------------------------------------------------------------------------------------------------
def folders_of(shared: Path, personal: Path | None) -> list[tuple[bool, VaultFolder]]:
    """(whether it is for personal teams, the folder). Raises VaultRefused if one lies in the other."""
    if personal is None:
        return [(False, VaultFolder(shared))]
    if not apart(shared, personal):
        raise VaultRefused(
            f"{personal} and {shared} must not contain each other: personal data must not be in the team's vault."
        )
    return [(False, VaultFolder(shared)), (True, VaultFolder(personal))]


@contextmanager
def vault_faults() -> Iterator[None]:
    """What is wrong with the folder, or with what is in it, as the one refusal there is."""
    try:
        yield
    except UnusableFolder as fault:
        raise VaultRefused(f"{fault}.") from None
    except DatabaseError as fault:
        raise VaultRefused(f"The database refused this vault: {str(fault).splitlines()[0]}.") from None


# --- out --------------------------------------------------------------------------------------------------------
def teams_of(personal: bool, slug: str = "") -> list[Team]:
    """The shared teams, or the personal ones; of that slug alone. Raises VaultRefused if there is none of it."""
    rows = Team.objects.order_by("slug")
    if slug:
        found = list(rows.filter(slug=slug, kind=TeamKind.SHARED))
        if not found:
            raise VaultRefused(f"There is no shared team {slug}.")
        return found
    mine = rows.filter(kind=TeamKind.PERSONAL) if personal else rows.exclude(kind=TeamKind.PERSONAL)
    return list(mine)


def pages_of(
    team: Team, people: People, conversations: bool = False, stamps: Stamps | None = None
) -> Iterator[tuple[str, Page]]:
    """Path in the vault → page: all a team has, over all apps; its conversations only if they are asked for. Without
    what `stamps` knows as it is.
    """
    spoken = conversation_pages.pages_of(team, people) if conversations else ()
    for pages in (
        accounts_vault.pages_of(team, people, stamps),
        vault_filters.pages_of(team, people),
        vault_out.pages_of(team, people, stamps),
        skills_vault.pages_of(team, people),
        annotations.pages_of(team, people),
        handoffs.pages_of(team, people),
        spoken,
    ):
        for name, page in pages:
            yield f"{team.slug}/{name}", page


def all_pages(
    teams: list[Team], people: People, conversations: bool = False, stamps: Stamps | None = None
) -> Iterator[tuple[str, bytes, Page | None]]:
    """Path, content, and the page unless it is a file of a skill; who is named in them comes last."""
    for team in teams:
        for name, page in pages_of(team, people, conversations, stamps):
            yield name, render_page(page).encode(), page
        for name, data in skills_vault.files_of(team):
            yield f"{team.slug}/{name}", data, None
    page = people.page()
    yield PEOPLE, render_page(page).encode(), page


def is_empty(team: Team) -> bool:
    """Whether nobody has written anything to it yet."""
    mine = (not vault_out.count_of(team), vault_filters.is_empty(team))
    others = (
        skills_vault.is_empty(team),
        annotations.is_empty(team),
        handoffs.is_empty(team),
        not conversation_pages.has_passages(team),
    )
    return all((*mine, *others)) and not accounts_vault.has_preferences(team)


# --- writing ----------------------------------------------------------------------------------------------------
@dataclass
class ExportedVault:
    """How many pages there are, and how many of them were written or removed because they had changed.

    `changed`: the digests of those that were not so when they were written last; None for one that is gone.
    """

    pages: int = 0
    written: int = 0
    removed: int = 0
    changed: dict[str, str | None] = field(default_factory=dict)


@dataclass
class Passes:
    """What one export of a team leaves to the next one of the same process, which then renders what has changed."""

    people: People = field(default_factory=People)
    stamps: Stamps = field(default_factory=Stamps)
    base: Base | None = None

    def begin(self) -> None:
        """A pass. Names are all over the pages: with another one, all are rendered."""
        if not self.people.are_current():
            self.people, self.stamps = People(), Stamps()
        self.stamps.unchanged = []


def write_pages(
    folder: VaultFolder,
    teams: list[Team],
    done: ExportedVault,
    tick: Callable[[], None],
    *,
    overwrite: bool = False,
    conversations: bool = False,
    passes: Passes | None = None,
) -> list[str]:
    """Write the pages that have changed; returns those that were edited, and were left as they are. `passes`: of one
    team.
    """
    if passes:
        passes.begin()
    people, stamps = (passes.people, passes.stamps) if passes else (People(), None)
    base = (passes and passes.base) or Base.of(folder)
    here: list[str] = []
    edited: list[str] = []
    for name, data, page in all_pages(teams, people, conversations, stamps):
        here.append(name)
        if not overwrite and is_edited(folder, name, data, base):
            edited.append(name)
            continue
        if folder.write(name, data):
            done.written += 1
        if name not in base.pages or base.pages[name].sha256 != digest(data):
            base.note(folder, name, data, page)
            done.changed[name] = base.pages[name].sha256
        done.pages += 1
        tick()
    if stamps:
        here += [f"{teams[0].slug}/{name}" for name in stamps.unchanged]
        done.pages += len(stamps.unchanged)
    done.removed += _remove_left(folder, base, here, done)
    if passes is None or passes.base is None:
        base.keep(folder, here)
    if passes:
        passes.base = base
    return edited


def is_edited(folder: VaultFolder, name: str, data: bytes, base: Base) -> bool:
    """Whether the file says neither what it is to say nor what was written last."""
    if not folder.has(name):
        return False
    found = folder.read(name)
    known = base.pages.get(name)
    return found != data and (known is None or known.sha256 != digest(found))


def _remove_left(folder: VaultFolder, base: Base, here: list[str], done: ExportedVault) -> int:
    """Take away the files of what is elsewhere now, a moved insight's say, unless somebody has edited them."""
    gone = [name for name in set(base.pages) - set(here) if not name.startswith(".") and "/." not in name]
    mine = [name for name in gone if folder.has(name) and digest(folder.read(name)) == base.pages[name].sha256]
    for name in mine:
        folder.remove(name)
    for name in gone:
        del base.pages[name]
        done.changed[name] = None
    return len(mine)


# --- in ---------------------------------------------------------------------------------------------------------
def page_in(folder: VaultFolder, name: str) -> Page:
    """Raises VaultRefused, with the file's name."""
    try:
        return read(folder.text(name))
    except BadPage as fault:
        raise VaultRefused(f"{name}: {fault}.") from None
    except UnusableFolder as fault:
        raise VaultRefused(f"{fault}.") from None
