"""Vault: everything a team knows as Markdown it can read, edit, and keep in git; and a lost database back from it.

An export writes what has changed, and refuses to write over what a person has edited (`vault_sync` takes edits in). An
import is one transaction: all of it or nothing, so it can be run again. Personal teams go to a directory of their own.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.core.exceptions import ValidationError
from django.db import connection, transaction

from accounts.actions import vault as accounts_vault
from accounts.actions.vault_passes import RowIds
from accounts.actions.vault_rows import People
from accounts.models import Team
from accounts.querysets import snapshot
from accounts.rules.page import BadPage, Page, render_page
from accounts.rules.rights import Member, TeamKind
from knowledge.imports.actions import vault_filters, vault_in, vault_out
from sessions_app.models import AgentSession
from sessions_app.vault.actions import annotations, conversation_pages, handoffs
from sessions_app.vault.actions.pages import (
    PEOPLE,
    ExportedVault,
    Passes,
    Progress,
    VaultRefused,
    digest,
    folders_of,
    is_empty,
    page_in,
    pages_of,
    teams_of,
    vault_faults,
    write_pages,
)
from sessions_app.vault.adapters.folder import VaultFolder
from skills.actions import vault as skills_vault

__all__ = ["ExportedVault", "ImportedVault", "VaultRefused", "export", "import_vault"]


@dataclass
class ImportedVault:
    """What was made of a vault; `unchanged`: teams that were there already, as they are in the vault; `loose`: links to
    other teams that were dropped.
    """

    teams: int = 0
    insights: int = 0
    skills: int = 0
    handoffs: int = 0
    conversations: int = 0
    unchanged: int = 0
    loose: int = 0


# What is read: the pages in these folders, and these.
_OF_SESSIONS = (handoffs.HANDOFFS, conversation_pages.CONVERSATIONS)
_FOLDERS = {vault_out.INSIGHTS, skills_vault.SKILLS, accounts_vault.LOG, *_OF_SESSIONS}
_LISTS = {
    conversation_pages.SHARING,
    accounts_vault.PREFERENCES,
    vault_filters.FILTERS,
    annotations.ANNOTATIONS,
    vault_out.TOPICS,
    vault_out.PAIRS,
}


def _no_progress(done: int, total: int) -> None:
    pass


# --- out --------------------------------------------------------------------------------------------------------
def export(
    *,
    shared: Path,
    personal: Path | None = None,
    overwrite: bool = False,
    conversations: bool = False,
    team: str = "",
    passes: Passes | None = None,
    progress: Progress = _no_progress,
) -> ExportedVault:
    """Write every shared team below `shared`, and every personal one below `personal` if it is given.

    `conversations`: also the passages of sessions, in a folder of their own. `team`: that shared team alone, with the
    people who are named in it, in a folder that has nothing else. `passes`: of that team, what the export before left.

    Raises VaultRefused: one lies in the other, a file was edited since it was written, a disk is full.
    """
    folders = folders_of(shared, personal)
    if team and not (passes and passes.base):
        require_alone(folders, team)
    done = ExportedVault()
    with vault_faults(), snapshot():
        teams = [(folder, teams_of(is_personal, team)) for is_personal, folder in folders]
        total = sum(vault_out.count_of(team) for _, some in teams for team in some)
        for folder, some in teams:
            with folder.lock():
                edited = write_pages(
                    folder,
                    some,
                    done,
                    lambda: progress(done.pages, max(total, done.pages)),
                    overwrite=overwrite,
                    conversations=conversations,
                    passes=passes,
                )
            if edited:
                more = f" and {len(edited) - 1:,} more" if len(edited) > 1 else ""
                place = folder.root / edited[0]
                raise VaultRefused(f"{place}{more} was edited since the export: use `vault sync` to apply edits.")
    return done


def require_alone(folders: list[tuple[bool, VaultFolder]], team: str) -> None:
    """Raise VaultRefused where more than one team would be in the vault of one."""
    if len(folders) > 1:
        raise VaultRefused("The vault of one team has no personal teams: export those by themselves.")
    _, folder = folders[0]
    others = {name.split("/")[0] for name in folder.names() if "/" in name} - {team}
    if others:
        raise VaultRefused(f"{folder.root} has other teams ({', '.join(sorted(others))}): choose an empty folder.")


# --- in ---------------------------------------------------------------------------------------------------------
def import_vault(
    *,
    shared: Path,
    by: Member,
    now: datetime,
    personal: Path | None = None,
    team: str = "",
    same_people: bool = False,
    rehearse: bool = False,
    progress: Progress = _no_progress,
) -> ImportedVault:
    """Rebuild what a vault tells, into teams that are empty or not there. All of it, or nothing.

    `team`: the vault is of that team alone, from another database. Links to other teams are dropped, it must not be
    there yet, and nobody of it may have the name of an account here, unless `same_people`. `rehearse`: undo it.

    Raises VaultRefused: for a page that cannot be read (named), a link, a team that has something else in it.
    """
    folders = folders_of(shared, personal)
    if team:
        require_alone(folders, team)
    with vault_faults(), transaction.atomic():
        importer = Importer(by, now, progress, team, same_people)
        importer.lock()
        done = importer.run(folders)
        importer.finish()
        transaction.set_rollback(rehearse)
    return done


class Importer:
    """What is made of a vault, in one transaction of the caller's. `passes`: what the vault of one team has changed
    may then be taken over `again`, as often as one likes. `finish` comes last.
    """

    def __init__(
        self, by: Member, now: datetime, progress: Progress, alone: str, same_people: bool, *, passes: bool = False
    ) -> None:
        self.by, self.now, self.progress = by, now, progress
        self.alone, self.same_people = alone, same_people
        self.people = People()
        self.teams: dict[str, Team] = {}
        ids = self.ids = RowIds(passes=passes)
        self.knowledge = vault_in.Restored(self.people, self.teams, ids, alone=bool(alone))
        self.handoffs = handoffs.RestoredHandoffs(self.people, ids)
        self.conversations = conversation_pages.RestoredConversations(self.people, ids)
        self.log = accounts_vault.RestoredLog(self.people, ids)
        self.done = ImportedVault()
        # Pages that are no more; a file that somebody has edited may be left of one.
        self.gone: set[str] = set()
        self.read = 0
        self.total = 0

    def lock(self) -> None:
        """Keep other imports out until the transaction ends. Raises VaultRefused."""
        if not Team.objects.all().lock_imports():
            raise VaultRefused("Another import is running here: wait until it ends, or end that process.")

    def run(self, folders: list[tuple[bool, VaultFolder]]) -> ImportedVault:
        found = [(personal, folder, list(folder.names())) for personal, folder in folders]
        self.total = sum(len(names) for _, _, names in found)
        for _, folder, names in found:
            if PEOPLE not in names:
                raise VaultRefused(f"{folder.root} is not a vault: it has no {PEOPLE}.")
            self._people(folder)
        for personal, folder, names in found:
            for slug in sorted({name.split("/")[0] for name in names if name.endswith(f"/{accounts_vault.TEAM}")}):
                self._team(folder, slug, [name for name in names if name.startswith(f"{slug}/")], personal)
        self._write()
        return self.done

    def again(self, folder: VaultFolder, pages: Mapping[str, str | None]) -> ImportedVault:
        """Take over what the vault of one team has changed: its pages by their digests, None for those that are gone.

        What is there then is what one pass would have made.
        """
        slug = self.alone
        self.gone = {name for name, known in pages.items() if known is None}
        for name, known in pages.items():
            if name != PEOPLE and not name.startswith(f"{slug}/"):
                raise VaultRefused(f"{name} is no page of the team {slug}.")
            if known is not None and digest(folder.read(name)) != known:
                raise VaultRefused(f"{name} is not as it was exported.")
        if PEOPLE in pages:
            self._people(folder)
        home = f"{slug}/{accounts_vault.TEAM}"
        if home in pages:
            with _of_page(home):
                self.teams[slug] = accounts_vault.restore_team(page_in(folder, home), self.people, again=True)
        self._pages(folder, self.teams[slug], self._cleared(folder, self.teams[slug], pages))
        self._write()
        return self.done

    def finish(self, stop: str = "") -> None:
        for team in self.teams.values():
            accounts_vault.note_import(team, count=vault_out.count_of(team), by=self.by, at=self.now, stop=stop)

    def _people(self, folder: VaultFolder) -> None:
        with _of_page(PEOPLE):
            page = page_in(folder, PEOPLE)
            if self.alone and not self._look():
                self._require_strangers(page)
            self.people.restore(page, at=self.now)

    def _cleared(self, folder: VaultFolder, team: Team, pages: Mapping[str, str | None]) -> set[str]:
        """The pages to read, where what an earlier pass made of them, and is not written over, is deleted."""
        names, sessions = set(pages), set()
        for name, known in pages.items():
            part, _, last = name.removeprefix(f"{team.slug}/").rpartition("/")
            stem = last.removesuffix(".md")
            if part == vault_out.INSIGHTS and known is None:
                self.knowledge.gone.append(stem)
            elif part == skills_vault.SKILLS:
                skills_vault.drop(team, stem)
            elif part in _OF_SESSIONS:
                sessions.add(last)
        for last in sessions:
            # What is known of a session is in both of its pages.
            both = {part: f"{team.slug}/{part}/{last}" for part in _OF_SESSIONS}
            left = [part for part, name in both.items() if folder.has(name) and name not in self.gone]
            names |= {both[part] for part in left}
            session_id = self.ids.of(AgentSession, int(last.removeprefix("S-").removesuffix(".md")))
            conversation_pages.clear(team, session_id, keep_handoff=handoffs.HANDOFFS in left, keep=bool(left))
        return names

    def _look(self) -> bool:
        """Whether the team is here already, and not by this import. Raises VaultRefused where it is another one."""
        if self.alone in self.teams:
            return False
        there = Team.objects.filter(slug=self.alone).first()
        if there and there.writes_stopped_at is not None:
            raise VaultRefused(f"The team {self.alone} is stopped or moved here: this is the cell that it moves from.")
        if there and is_empty(there):
            raise VaultRefused(f"There is a team {self.alone} here: its members would be members of the other one.")
        return there is not None

    def _require_strangers(self, people: Page) -> None:
        """Raise VaultRefused where a name may be somebody else's here."""
        taken = self.people.known_here(people)
        if taken and not self.same_people:
            names = ", ".join(taken[:20])
            raise VaultRefused(
                f"There are accounts here of the same names: {names}. They would have what the team's people have: "
                "repeat it with --same-people if they are the same people."
            )

    def _team(self, folder: VaultFolder, slug: str, names: list[str], personal: bool) -> None:
        home = f"{slug}/{accounts_vault.TEAM}"
        page = page_in(folder, home)
        if page.head.get("slug") != slug:
            raise VaultRefused(f"{home}: its slug differs from its folder name.")
        if (page.head.get("kind") == TeamKind.PERSONAL) != personal:
            raise VaultRefused(f"{home}: shared and personal teams have separate vaults.")
        there = Team.objects.filter(slug=slug).first()
        if there and not is_empty(there):
            self._same(folder, there)
            return
        with _of_page(home):
            team = self.teams[slug] = accounts_vault.restore_team(page, self.people)
        self.done.teams += 1
        self._pages(folder, team, names)

    def _pages(self, folder: VaultFolder, team: Team, names: Iterable[str]) -> None:
        # Topics before the insights that are in them.
        for name in sorted(names, key=lambda name: (name != f"{team.slug}/{vault_out.TOPICS}", name)):
            self._page(folder, team, name, name.removeprefix(f"{team.slug}/"))

    def _page(self, folder: VaultFolder, team: Team, name: str, inner: str) -> None:
        self.read += 1
        self.progress(self.read, self.total)
        part, _, last = inner.rpartition("/")
        if not name.endswith(".md") or name.endswith(".conflict.md") or inner == accounts_vault.TEAM:
            return
        if part not in _FOLDERS and inner not in _LISTS:
            return
        if name not in self.gone:
            page = page_in(folder, name)
        elif part in _FOLDERS - {accounts_vault.LOG}:
            return
        else:
            page = Page({})  # as if there were nothing on it
        with _of_page(name):
            self._restore(folder, team, part, last, page)

    def _restore(self, folder: VaultFolder, team: Team, part: str, last: str, page: Page) -> None:
        if part == vault_out.INSIGHTS:
            self.knowledge.insight(team, last, page)
        elif part == skills_vault.SKILLS:
            skills_vault.restore(team, last, page, self.people, lambda file: folder.read(f"{team.slug}/{file}"))
            self.done.skills += 1
        elif part == handoffs.HANDOFFS:
            self.handoffs.read(team, last, page)
        elif part == conversation_pages.CONVERSATIONS:
            self.conversations.read(team, last, page)
        elif last == conversation_pages.SHARING:
            self.conversations.read_sharing(page)
        elif part == accounts_vault.LOG:
            self.log.read(team, last, page)
        elif last == accounts_vault.PREFERENCES:
            accounts_vault.restore_preferences(team, page, self.people)
        elif last == vault_filters.FILTERS:
            vault_filters.restore(team, page, self.people)
        elif last == annotations.ANNOTATIONS:
            annotations.restore(team, page, self.people)
        elif last == vault_out.TOPICS:
            self.knowledge.topics(team, page)
        else:
            self.knowledge.read_pairs(team, page)

    def _write(self) -> None:
        with _of_page("links between the pages"):
            self.done.insights += self.knowledge.write()
            self.done.loose = self.knowledge.loose
            self.done.handoffs += self.handoffs.write()
            self.done.conversations += self.conversations.write(self.teams, self.handoffs.by_name)
            self.log.write(self.teams.values())
        connection.check_constraints()
        self.handoffs.forget()
        self.conversations.forget()

    def _same(self, folder: VaultFolder, team: Team) -> None:
        """A team that is there already is left as it is, if it is what the vault says."""
        for name, page in pages_of(team, People()):
            if not folder.has(name) or folder.read(name) != render_page(page).encode():
                raise VaultRefused(f"The team {team.slug} is not empty and differs from the vault ({name}).")
        self.done.unchanged += 1


@contextmanager
def _of_page(name: str) -> Iterator[None]:
    try:
        yield
    except BadPage as fault:
        raise VaultRefused(f"{name}: {fault}.") from None
    except ValidationError as fault:
        raise VaultRefused(f"{name}: {' '.join(fault.messages)}") from None
    except (TypeError, ValueError, AttributeError, OverflowError, KeyError) as fault:
        # A list where a text belongs, say: there are more ways to spoil a page by hand than could be named.
        raise VaultRefused(f"{name}: it has an invalid value ({fault}).") from None
