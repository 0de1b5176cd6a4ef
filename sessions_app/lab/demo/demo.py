"""A team to look at: two teams, four accounts, what their agents have learned so far, two weeks of using it, and
runbooks to search.

It is made once, where nobody has an account yet; a run that was broken off goes on. From then on it changes nothing:
who was taken out of a team, lost a token or a password since stays out. Passwords and tokens must be shown again, so
they are kept in var/demo.json (mode 0600), and nowhere else.
"""

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.actions.members import create_team, enrol, member_of, set_level
from accounts.actions.tokens import find_token, issue_token
from accounts.adapters.file_lock import file_lock
from accounts.models import Team, User
from accounts.rules.refused import Refused
from accounts.rules.rights import Level, Member, Scope
from knowledge.evidence.actions.sources import register
from knowledge.evidence.models import Source as Folder
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.models import Insight
from knowledge.review.actions import curate
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind, Source, Stability, Status
from knowledge.topics.actions.regroup import regroup
from sessions_app.lab.demo.story import tell


class NotEmpty(Refused):
    code = "invalid"
    detail = "The database already has accounts: demo data needs an empty database."


CONTENT = Path(__file__).resolve().parent / "content"
ADMIN = "admin"
LEADS = {"platform": "alice", "mobile": "charlie"}


@dataclass(frozen=True)
class Person:
    username: str
    team: str
    level: Level
    scopes: tuple[Scope, ...]


CAST = (
    Person("alice", "platform", Level.LEAD, tuple(Scope)),
    Person("bob", "platform", Level.CONTRIBUTOR, (Scope.READ, Scope.WRITE)),
    Person("charlie", "mobile", Level.LEAD, tuple(Scope)),
)
TEAMS = {
    "platform": {"name": "Platform", "prefix": "PLAT", "colour": "moss"},
    "mobile": {"name": "Mobile", "prefix": "MOB", "colour": "river"},
}


def make_demo(
    *, file: Path, url: str, now: datetime, progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """Make the demo, unless it was made before; returns {"url", "people": {name: {"token", "username", "password"}}}.

    Raises NotEmpty where there are accounts that are not the demo's.
    """
    # `serve` may be at it: two at once would make the same accounts, and write each other's passwords over.
    file.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(file.with_suffix(".lock")):
        known = json.loads(file.read_text()) if file.exists() else None
        if known is None:
            if User.objects.exists():
                raise NotEmpty
            # Before the first account: a run that is broken off is known by it, and goes on.
            known = {"people": {}, "made": False}
            _write(file, known)
        people = known["people"] if known.get("made", True) else _made(file, known["people"], url, now, progress)
    return {"url": url, "people": people}


def people_of(file: Path) -> dict[str, dict[str, str]]:
    """Return the demo's people by name, once all of them have what they need to come in; {} before."""
    people: dict[str, dict[str, str]] = json.loads(file.read_text())["people"] if file.exists() else {}
    return people if all(people.get(one.username, {}).get("token") for one in CAST) else {}


def _made(
    file: Path, people: dict[str, dict[str, str]], url: str, now: datetime, progress: Callable[[int, int], None]
) -> dict[str, dict[str, str]]:
    admin = _account(ADMIN, people, superuser=True)
    _teams(by=member_of(user=admin), now=now)
    for person in CAST:
        user = _account(person.username, people)
        if not user.memberships.filter(team__slug=person.team).exists():
            boss = member_of(user=admin)
            set_level(team_slug=person.team, username=person.username, level=person.level, by=boss, now=now)
        _token(person, user, people, now)
    _write(file, {"url": url, "people": people, "made": False})
    _runbooks(by=member_of(user=admin), now=now)
    _insights(now, progress)
    tell(agents={person.username: _as_agent(person, people, now) for person in CAST}, now=now)
    regroup(now=now)
    _write(file, {"url": url, "people": people, "made": True})
    return people


def _account(username: str, people: dict[str, dict[str, str]], superuser: bool = False) -> User:
    user = User.objects.filter(username=username).first()
    if user is None:
        user = User(username=username, is_staff=superuser, is_superuser=superuser)
    entry = people.setdefault(username, {"username": username, "password": "", "token": ""})
    if not entry["password"] or not user.pk or not user.check_password(entry["password"]):
        entry["password"] = secrets.token_urlsafe(9)
        user.set_password(entry["password"])
        user.save()
    enrol(user=user)
    return user


def _teams(by: Member, now: datetime) -> None:
    for slug, fields in TEAMS.items():
        if not Team.objects.filter(slug=slug).exists():
            create_team(slug=slug, by=by, now=now, **fields)


def _token(person: Person, user: User, people: dict[str, dict[str, str]], now: datetime) -> None:
    entry = people[person.username]
    if not entry["token"] or find_token(secret=entry["token"], now=now) is None:
        member = member_of(user=user)
        entry["token"] = issue_token(name="demo", scopes=person.scopes, by=member, now=now).secret


def _as_agent(person: Person, people: dict[str, dict[str, str]], now: datetime) -> Member:
    """The person as their agent comes in, by the token that `_token` has made sure of."""
    token = find_token(secret=people[person.username]["token"], now=now)
    assert token is not None
    scopes = frozenset(person.scopes)
    return member_of(user=token.user, scopes=scopes, token_id=token.pk, token_name=token.name)


def _write(file: Path, known: dict[str, Any]) -> None:
    """Whole or not at all, and never readable to others, not even for a moment."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        json.dump(known, out, indent=2)
    temporary.replace(file)


RUNBOOKS = "runbooks"


def _runbooks(by: Member, now: datetime) -> None:
    """Files to search: a folder of runbooks below the allowed root, registered for the platform team."""
    folder = Path(settings.LOAM_EVIDENCE_ROOT) / RUNBOOKS
    if not folder.exists():
        shutil.copytree(CONTENT / RUNBOOKS, folder)
    if not Folder.objects.filter(slug=RUNBOOKS).exists():
        register(slug=RUNBOOKS, name="Runbooks", team_slug="platform", path=RUNBOOKS, by=by, now=now)


def _insights(now: datetime, progress: Callable[[int, int], None]) -> None:
    rows = list(_content())
    members = {person.username: member_of(user=User.objects.get(username=person.username)) for person in CAST}
    for done, row in enumerate(rows, start=1):
        _insight(row, members, now)
        progress(done, len(rows))


def _content() -> Iterator[dict[str, Any]]:
    for path in sorted(CONTENT.glob("*.jsonl")):
        with path.open() as lines:
            yield from map(json.loads, lines)


def _relations(row: dict[str, Any]) -> tuple[Statement, ...]:
    """What the row's agent says it is to notes before it, as an agent does that was asked about them."""
    stated = row.get("relations", {})
    before = Insight.objects.filter(team__slug=row["team"], title__in=stated)
    return tuple(Statement(one.ref, Relation(stated[one.title])) for one in before)


def _insight(row: dict[str, Any], members: dict[str, Member], now: datetime) -> None:
    at = now - timedelta(days=row["age_days"])
    fields = ("title", "body", "reasoning", "tags", "files", "symbols", "repo", "error", "team")
    draft = Draft(
        kind=Kind(row["kind"]),
        stability=Stability(row["stability"]),
        source_type=Source.AGENT,
        source_date=None,
        idempotency_key=f"demo:{row['team']}:{row['title']}",
        relations=_relations(row),
        **{name: row[name] for name in fields},
    )
    done = deposit(draft=draft, by=members[row["author"]], now=at)
    if done.replayed:
        return
    lead = members[LEADS[row["team"]]]
    if row["promoted"] and done.insight.status == Status.DRAFT:
        curate.promote(ref=done.insight.ref, by=lead, now=at + timedelta(days=1), why="confirmed in review")
    if row["pinned"]:
        curate.pin(ref=done.insight.ref, by=lead, now=at + timedelta(days=1))
