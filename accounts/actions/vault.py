"""A team in a vault: what it is, who is of it, how it wants work done, and its log; out of the database and back.

    <team>/team.md         name, prefix, members, reviewed guard terms
    <team>/preferences.md  what holds, and of what was forgotten the key
    <team>/log/2026-11.md  the lines of a month, oldest first

Of a line that is withheld only who did what kind of thing when goes along: what it is about was forgotten, or has a
secret in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError

from accounts.actions.vault_passes import Records, RowIds, Stamps, write_rows
from accounts.actions.vault_rows import People, record, restored
from accounts.models import CONVERSATION_DAYS, GuardTerm, LogEntry, Membership, Preference, Team
from accounts.rules.page import BadPage, Page
from accounts.rules.rights import Level, Member, TeamKind

TEAM = "team.md"
PREFERENCES = "preferences.md"
LOG = "log"
# Log lines of the transfer itself are about this database, not about the team's knowledge.
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


# --- out --------------------------------------------------------------------------------------------------------
def pages_of(team: Team, people: People, stamps: Stamps | None = None) -> Iterator[tuple[str, Page]]:
    """Yield (path in the team's folder, page); the log comes last, because it grows with every other write. Months that
    are unchanged since `stamps` are left out.
    """
    yield TEAM, _team(team, people)
    preferences = Preference.objects.filter(team=team).order_by("key")
    records = [{"preference": record(row, _PREFERENCE, people)} for row in preferences]
    if records:
        said = [f"{row.key} = {row.value}" for row in preferences if not row.forgotten_at]
        yield PREFERENCES, Page({"preferences": len(said)}, {"": "\n".join(f"- {line}" for line in said)}, (), records)
    lines = LogEntry.objects.filter(team=team).exclude(verb=IMPORTED)
    for month, stamp in sorted(LogEntry.objects.all().stamps_of_months(team.pk, IMPORTED).items()):
        name = f"{LOG}/{month}.md"
        if stamps is not None and stamps.take(name, stamp):
            continue
        begins = datetime.strptime(f"{month}+0000", "%Y-%m%z")
        ends = (begins + timedelta(days=31)).replace(day=1)
        some = lines.filter(at__gte=begins, at__lt=ends).order_by("pk")
        entries = [{"line": _line(entry, people)} for entry in some.iterator(chunk_size=1000)]
        yield name, Page({"month": month, "lines": len(entries)}, {}, (), entries)


def _team(team: Team, people: People) -> Page:
    members = Membership.objects.filter(team=team).select_related("user").order_by("pk")
    head = record(team, _TEAM, people)
    if team.conversation_days == CONVERSATION_DAYS:
        # Earlier vaults have it like this, and an existing team is compared with its page.
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
def restore_team(page: Page, people: People, *, again: bool = False) -> Team:
    """Return the team with its members and guard terms, created if missing; `again`: replace those of an earlier pass.
    Raises BadPage.
    """
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
    if again:
        Membership.objects.filter(team=team).delete()
        GuardTerm.objects.filter(team=team).delete()
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
    """Restore the preferences, replacing all others; return their number. Raises BadPage."""
    Preference.objects.filter(team=team).delete()
    rows = [restored(Preference, _PREFERENCE, one, people) for one in records_of_kind(page.records, "preference")]
    return len(Preference.objects.bulk_create(Preference(team=team, **row) for row in rows))


class RestoredLog:
    """Collects the lines of all teams before they are written; of a month that is read again only the new lines."""

    def __init__(self, people: People, ids: RowIds) -> None:
        self.people, self.ids, self._read = people, ids, Records()
        self.lines: list[LogEntry] = []
        self._gone: set[Any] = set()

    def read(self, team: Team, name: str, page: Page) -> None:
        """Collect the lines of a page. Raises BadPage."""
        records = ((said.get("id"), said) for said in records_of_kind(page.records, "line"))
        changed, gone = self._read.take(f"{team.slug}/{name}", records)
        self.lines += [LogEntry(team=team, **restored(LogEntry, _LINE, said, self.people)) for said in changed]
        self._gone |= gone

    def write(self, teams: Iterable[Team]) -> None:
        """Save the lines in the order in which they were written originally; with their original ids if none of these
        is taken.
        """
        there = LogEntry.objects.filter(team__in=list(teams))
        there.filter(pk__in=[self.ids.of(LogEntry, number) for number in self._gone]).delete()
        self.ids.give(LogEntry, self.lines)
        write_rows(self.lines, there, batch_size=1000)
        self.ids.count_on(LogEntry)
        self.lines, self._gone = [], set()


def note_import(team: Team, *, count: int, by: Member, at: datetime, stop: str = "") -> None:
    """Log the import. `stop`: the stop of the writes on the cell that the team came from, if it has moved here."""
    line, after = f"{count} pages imported from a vault", {"stop": stop} if stop else {}
    LogEntry.write(team_id=team.pk, verb=IMPORTED, line=line, by=by, at=at, after=after)


def came_by(slug: str) -> str | None:
    """Return the stop of the writes by which the team has moved here; "" if it has not moved, None if there is no team
    of that name.
    """
    if not Team.objects.filter(slug=slug).exists():
        return None
    last = LogEntry.objects.filter(team__slug=slug, verb=IMPORTED).order_by("pk").last()
    return str(last.after.get("stop", "")) if last else ""


def records_of_kind(records: Iterable[Mapping[str, Any]], what: str) -> Iterator[Mapping[str, Any]]:
    """Yield the records of one kind. Raises BadPage for an invalid one."""
    for one in records:
        if what in one:
            if not isinstance(one[what], dict):
                raise BadPage(f"a {what} in its history is not an object")
            yield one[what]


def has_preferences(team: Team) -> bool:
    return Preference.objects.filter(team=team).exists()
