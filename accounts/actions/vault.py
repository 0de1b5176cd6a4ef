"""A team in a vault: what it is, who is of it, how it wants work done, and its log; out of the database and back.

    <team>/team.md         name, prefix, members, reviewed guard terms
    <team>/preferences.md  what holds, and of what was forgotten the key
    <team>/log/2026-11.md  the lines of a month, oldest first

Of a line that is withheld only who did what kind of thing when goes along: what it is about was forgotten, or has a
secret in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model

from accounts.actions.vault_rows import People, record, restored
from accounts.models import CONVERSATION_DAYS, GuardTerm, LogEntry, Membership, Preference, Team
from accounts.querysets import count_on
from accounts.rules.page import BadPage, Page
from accounts.rules.rights import Level, Member, TeamKind

TEAM = "team.md"
PREFERENCES = "preferences.md"
LOG = "log"
# What the transfer itself leaves in the log tells of this database, not of the knowledge.
IMPORTED = "vault imported"

_TEAM = (
    "name",
    "slug",
    "prefix",
    "colour",
    "kind",
    "last_number",
    "created_at",
    "conversation_days",
    "second_reviewer",
)
_TERM = ("term", "reason", "added_by", "added_at")
_PREFERENCE = (
    "key",
    "value",
    "category",
    "statement",
    "source",
    "confidence",
    "support",
    "changed_at",
    "changed_by",
    "forgotten_at",
)
_LINE = ("id", "at", "user", "token", "actor", "verb", "subject", "line", "why", "before", "after", "withheld")
_HIDDEN = ("why", "before", "after")
# Far beyond any table, and far below where a sequence would end.
HIGHEST = 10**12


# --- out --------------------------------------------------------------------------------------------------------
def pages_of(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    """Path in the team's folder → page; the log last, for it grows with every other write."""
    yield TEAM, _team(team, people)
    preferences = Preference.objects.filter(team=team).order_by("key")
    records = [{"preference": record(row, _PREFERENCE, people)} for row in preferences]
    if records:
        said = [f"{row.key} = {row.value}" for row in preferences if not row.forgotten_at]
        yield PREFERENCES, Page({"preferences": len(said)}, {"": "\n".join(f"- {line}" for line in said)}, (), records)
    lines = LogEntry.objects.filter(team=team).exclude(verb=IMPORTED).order_by("pk")
    months: dict[str, list[dict[str, Any]]] = {}
    for entry in lines.iterator(chunk_size=1000):
        months.setdefault(f"{entry.at:%Y-%m}", []).append({"line": _line(entry, people)})
    for month, entries in sorted(months.items()):
        yield f"{LOG}/{month}.md", Page({"month": month, "lines": len(entries)}, {}, (), entries)


def _team(team: Team, people: People) -> Page:
    members = Membership.objects.filter(team=team).select_related("user").order_by("pk")
    head = record(team, _TEAM, people)
    if team.conversation_days == CONVERSATION_DAYS:
        # As vaults of before have it: a team that is there is compared with its page.
        del head["conversation_days"]
    if team.owner_id:
        head["owner"] = people.name(team.owner_id)
    records: list[dict[str, Any]] = [
        {"member": {"username": people.name(row.user_id), "level": row.level}} for row in members
    ]
    terms = GuardTerm.objects.filter(team=team).order_by("term")
    records += [{"guard_term": record(row, _TERM, people)} for row in terms]
    said = "\n".join(f"- {row.user.username}, {Level(row.level).name.lower()}" for row in members)
    return Page(head, {"": said}, (), records)


def _line(entry: LogEntry, people: People) -> dict[str, Any]:
    said = record(entry, _LINE, people)
    if entry.withheld:
        said = {name: value for name, value in said.items() if name not in _HIDDEN}
        said["line"] = f"{entry.subject} {entry.verb}"
    return said


# --- in ---------------------------------------------------------------------------------------------------------
def restore_team(page: Page, people: People) -> Team:
    """The team with its members and guard terms, made if it is not there. Raises BadPage."""
    fields = restored(Team, _TEAM, page.head, people)
    owner = people.user_id(page.head.get("owner"))
    kind = fields.get("kind", TeamKind.SHARED)
    if (kind == TeamKind.PERSONAL) != (owner is not None):
        raise BadPage("only a personal team has an owner, and it needs one")
    if kind == TeamKind.EVERYONE:
        team = Team.objects.filter(kind=TeamKind.EVERYONE).first()
    elif owner:
        team = Team.objects.filter(owner_id=owner).first()
    else:
        team = Team.objects.filter(slug=fields.get("slug", "")).first()
    team = team or Team(owner_id=owner)
    fields["last_number"] = max(fields.get("last_number", 0), team.last_number)
    for name, value in fields.items():
        setattr(team, name, value)
    try:
        team.full_clean()
    except ValidationError as fault:
        raise BadPage(" ".join(fault.messages)) from None
    team.save()
    Team.objects.filter(pk=team.pk).update(created_at=fields.get("created_at", team.created_at))
    _members(team, page.records, people)
    terms = [restored(GuardTerm, _TERM, one, people) for one in records_of_kind(page.records, "guard_term")]
    GuardTerm.objects.bulk_create((GuardTerm(team=team, **term) for term in terms), ignore_conflicts=True)
    return team


def _members(team: Team, records: Iterable[Mapping[str, Any]], people: People) -> None:
    for said in records_of_kind(records, "member"):
        if said.get("level") not in set(Level):
            raise BadPage(f"unknown level {said.get('level')!r}")
        user_id = people.user_id(said.get("username"))
        if user_id is None:
            raise BadPage("a member has no name")
        Membership.objects.update_or_create(team=team, user_id=user_id, defaults={"level": said["level"]})


def restore_preferences(team: Team, page: Page, people: People) -> int:
    """How many. Raises BadPage."""
    rows = [restored(Preference, _PREFERENCE, one, people) for one in records_of_kind(page.records, "preference")]
    return len(Preference.objects.bulk_create(Preference(team=team, **row) for row in rows))


def log_lines(team: Team, page: Page, people: People) -> list[LogEntry]:
    """Unsaved lines. Raises BadPage."""
    return [
        LogEntry(team=team, **restored(LogEntry, _LINE, one, people)) for one in records_of_kind(page.records, "line")
    ]


def write_log(lines: list[LogEntry]) -> None:
    """Save lines of all teams in the order they were written in; with the ids they had where none of them is taken."""
    keep_ids(LogEntry, lines)
    LogEntry.objects.bulk_create(lines, batch_size=1000)
    count_on(LogEntry)


def note_import(team: Team, *, count: int, by: Member, at: datetime) -> None:
    LogEntry.write(team_id=team.pk, verb=IMPORTED, line=f"{count} pages imported from a vault", by=by, at=at)


def keep_ids(model: type[Model], rows: list[Any]) -> None:
    """Sort rows by the id they had, and let them have it again unless one is taken: ties are broken by it."""
    if any(not isinstance(row.pk, int) or not 0 < row.pk < HIGHEST for row in rows):
        raise BadPage("an id is missing or invalid")
    rows.sort(key=lambda row: row.pk)
    if model._default_manager.filter(pk__in=[row.pk for row in rows]).exists():
        for row in rows:
            row.pk = None


def records_of_kind(records: Iterable[Mapping[str, Any]], what: str) -> Iterator[Mapping[str, Any]]:
    """The records of one kind. Raises BadPage for one that is none."""
    for one in records:
        if what in one:
            if not isinstance(one[what], dict):
                raise BadPage(f"a {what} in its history is not an object")
            yield one[what]


def has_preferences(team: Team) -> bool:
    return Preference.objects.filter(team=team).exists()
