"""What is in a vault, over all apps: which teams go where, the pages of each, and what was written last.

`.loam/base.jsonl` remembers of every page its digest, and of what a person may edit its fields: by it an edit in the
file is told from a change in the database. It is written line by line as the pages are, so that an export which was
killed is no edit.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.actions import vault as accounts_vault
from accounts.actions.vault_rows import People
from accounts.models import Team
from accounts.rules.page import BadPage, Page, read, written
from accounts.rules.refused import Refused
from accounts.rules.rights import TeamKind
from knowledge.actions import vault_out
from sessions_app.actions import vault_handoffs
from sessions_app.adapters.vault_folder import Unusable, VaultFolder
from skills.actions import vault as skills_vault

PEOPLE = "people.md"
BASE = ".loam/base.jsonl"
Progress = Callable[[int, int], None]


class VaultRefused(Refused):
    code = "invalid"


@dataclass(frozen=True)
class Written:
    """What was written last to a path. `fields`: of an insight, what may be edited, and at which revision."""

    sha256: str
    fields: Mapping[str, Any] | None = None


@dataclass
class Base:
    """What was written last, by path."""

    pages: dict[str, Written] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: VaultFolder) -> "Base":
        """Raises Unusable."""
        base = cls()
        if not folder.has(BASE):
            return base
        for line in folder.lines(BASE):
            try:
                said = json.loads(line)
                base.pages[said["path"]] = Written(said["sha256"], said.get("fields"))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # the last line of a run that was killed
        return base

    def note(self, folder: VaultFolder, name: str, data: bytes, page: Page | None) -> None:
        self.pages[name] = Written(digest(data), editable(page) if page and is_insight(name) else None)
        folder.append(BASE, self._line(name))

    def keep(self, folder: VaultFolder, names: Iterator[str] | list[str]) -> None:
        """Write it anew, with these paths alone."""
        self.pages = {name: self.pages[name] for name in sorted(names)}
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
    """What a person may change in the file of an insight, as it stands there."""
    said = {name: page.head.get(name) or "" for name in vault_out.EDITABLE}
    lists = {name: page.head.get(name) or [] for name in vault_out.LISTS}
    texts = {"body": page.texts.get("", ""), "reasoning": page.texts.get("reasoning", "")}
    return {**said, **lists, **texts, "revision": page.head.get("revision", 1)}


# --- out --------------------------------------------------------------------------------------------------------
def teams_of(personal: bool) -> list[Team]:
    rows = Team.objects.order_by("slug")
    mine = rows.filter(kind=TeamKind.PERSONAL) if personal else rows.exclude(kind=TeamKind.PERSONAL)
    return list(mine)


def pages_of(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    """Path in the vault → page: all a team has, over all apps."""
    for pages in (
        accounts_vault.pages_of(team, people),
        vault_out.pages_of(team, people),
        skills_vault.pages_of(team, people),
        vault_handoffs.pages_of(team, people),
    ):
        for name, page in pages:
            yield f"{team.slug}/{name}", page


def all_pages(teams: list[Team], people: People) -> Iterator[tuple[str, bytes, Page | None]]:
    """Path, content, and the page unless it is a file of a skill; who is named in them comes last."""
    for team in teams:
        for name, page in pages_of(team, people):
            yield name, written(page).encode(), page
        for name, data in skills_vault.files_of(team):
            yield f"{team.slug}/{name}", data, None
    page = people.page()
    yield PEOPLE, written(page).encode(), page


def is_empty(team: Team) -> bool:
    """Whether nobody has written anything to it yet."""
    others = (not vault_out.count_of(team), skills_vault.is_empty(team), vault_handoffs.is_empty(team))
    return all(others) and not accounts_vault.has_preferences(team)


# --- in ---------------------------------------------------------------------------------------------------------
def page_in(folder: VaultFolder, name: str) -> Page:
    """Raises VaultRefused, with the file's name."""
    try:
        return read(folder.text(name))
    except BadPage as fault:
        raise VaultRefused(f"{name}: {fault}.") from None
    except Unusable as fault:
        raise VaultRefused(f"{fault}.") from None
