"""Import the vault of one team in several passes, of which each takes over what has changed since the one before.

All passes are one transaction, which is held open in between. Until it is committed there is no such team here for
anybody: no member reads it, no job finds it, and what ends the process, or the line to it, leaves nothing behind.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.db import transaction

from accounts.actions import vault as accounts_vault
from accounts.rules.rights import Member
from sessions_app.vault.actions.pages import Progress, VaultRefused, vault_faults
from sessions_app.vault.actions.vault import ImportedVault, Importer, require_alone
from sessions_app.vault.adapters.folder import VaultFolder


class ArrivingTeam:
    """One that is being imported, and is not here yet. `there`: by which stop a team of that name is here already, ""
    if by none; else None. `stop`: by which stop of the writes this one comes.
    """

    def __init__(self, importer: Importer, folder: VaultFolder) -> None:
        self._importer, self._folder = importer, folder
        self._begun, self.stop = False, ""
        importer.lock()
        self.there = accounts_vault.came_by(importer.alone)

    def follow(self, pages: Mapping[str, str | None]) -> ImportedVault:
        """Take over all there is, the first time; then these pages, by their digests, None for one that is gone."""
        if self.there is not None:
            raise VaultRefused(f"There is a team {self._importer.alone} here already.")
        if self._begun:
            return self._importer.again(self._folder, pages)
        self._begun = True
        return self._importer.run([(False, self._folder)])

    def finish(self) -> None:
        self._importer.finish(self.stop)


@contextmanager
def arriving(
    *, shared: Path, team: str, by: Member, now: datetime, same_people: bool = False, progress: Progress
) -> Iterator[ArrivingTeam]:
    """The team before the first pass. It is here when the block ends, and not at all if that raises.

    Raises VaultRefused as `import_vault` does.
    """
    folder = VaultFolder(shared)
    require_alone([(False, folder)], team)
    with vault_faults(), transaction.atomic():
        importer = Importer(by, now, progress, team, same_people, passes=True)
        arrival = ArrivingTeam(importer, folder)
        yield arrival
        arrival.finish()
