"""Share: the team that a member shares their sessions' passages with, by repository; and a preview of what it would
read.

A setting is a row of `SessionSharing`; its `repo` is empty for all repositories. A passage always belongs to one team,
so sharing and unsharing move passages. Only the owner can change a setting.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count

from accounts.models import LogEntry, Membership, User
from accounts.rules.refused import NotAllowed
from accounts.rules.rights import Level, Member, Scope, lacking
from knowledge.jobs.adapters.job_queue import enqueue
from sessions_app.conversations.actions.withdraw import hold_teams, withdraw_proposals_of
from sessions_app.models import Passage, SessionSharing
from sessions_app.querysets.passages import PassageQuerySet
from sessions_app.rules.stored_text import keep_line
from sessions_app.transcripts.rules.speakers import SharedTurns, Speaker

PLACE = "sessions.place_passages"
# The background job that withdraws proposals from passages that are no longer shared.
PROPOSE = "sessions.propose_passages"
# The number of passages moved while the member waits, in about two seconds; the worker moves the rest.
MOST_AT_ONCE = 2_000
BATCH = 500
# A preview shows the first line of this many sessions, cut to this length.
EXAMPLES, LONGEST_LINE = 3, 160
REACHES_ALL = "What you share of your conversations is of sessions in all of your teams"


@dataclass(frozen=True)
class Example:
    """The first shared line of a session; only the member sees it."""

    session: str
    repo: str
    said_at: datetime
    line: str


@dataclass(frozen=True)
class Preview:
    """What a team would read, or reads: the number of sessions and passages, the period, and three first lines."""

    sessions: int
    passages: int
    since: datetime | None
    until: datetime | None
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Shared:
    """A sharing setting, and the number of its passages that the team has now."""

    row: SessionSharing
    sessions: int
    passages: int


def sharing_of(*, by: Member) -> list[Shared]:
    """Return the member's sharing settings for teams that they reach (a token may be narrowed), that of all
    repositories first, with the number of passages that each team has now.
    """
    rows = list(SessionSharing.objects.all().of(by.user_id).filter(team_id__in=by.team_ids))
    found = []
    for row in rows:
        mine = _reached(by.user_id, by.home_id, row.repo).filter(team_id=row.team_id)
        counts = mine.aggregate(sessions=Count("session", distinct=True), passages=Count("pk"))
        found.append(Shared(row, **counts))
    return found


def preview(*, repo: str, turns: SharedTurns, by: Member) -> Preview:
    """Return what a team would read if a repository's sessions, or all (`""`), were shared. Raises NotAllowed as
    `share` does.
    """
    by.require_whole(REACHES_ALL)
    rows = _reached(by.user_id, by.home_id, keep_line(repo, 200))
    if turns is SharedTurns.AGENT:
        rows = rows.filter(speaker=Speaker.AGENT)
    counts = rows.extent()
    newest = rows.order_by("session_id", "position").distinct("session_id").values("pk")
    shown = Passage.objects.filter(pk__in=newest).order_by("-said_at")[:EXAMPLES]
    examples = tuple(Example(f"S-{row.session_id}", row.repo, row.said_at, _first_line(row.text)) for row in shown)
    return Preview(**counts, examples=examples)


def share(*, repo: str, team: str, turns: SharedTurns, by: Member, now: datetime) -> Shared:
    """Share the passages of a repository's sessions, or of all repositories (`""`), with a team; passages shared
    elsewhere move.

    A repository's own setting overrides that of all; with the team `personal` it keeps the repository private. Raises
    NoSuchTeam on `team`, and NotAllowed, also for a token that is narrowed to teams, because sessions of other teams
    are shared too.
    """
    by.require_whole(REACHES_ALL)
    access, repo = by.named(team), keep_line(repo, 200)
    by.require(access.id, Level.CONTRIBUTOR)
    if not Membership.objects.filter(team_id=access.id, user_id=by.user_id).exists():
        raise NotAllowed("Sessions are shared with a team that you are a member of.")
    with transaction.atomic():
        hold_teams([by.user_id])
        SessionSharing.objects.all().take_turns(by.user_id)
        row = SessionSharing.objects.filter(user_id=by.user_id, repo=repo).first()
        before = row and (row.team_id, row.turns)
        row = row or SessionSharing(user_id=by.user_id, repo=repo)
        if before != (access.id, turns.value):
            row.set(team_id=access.id, turns=turns, at=now)
            if before and before[0] != access.id:
                _log(before[0], "sessions unshared", row, by, now)
            _log(access.id, "sessions shared", row, by, now, after={"turns": turns.value})
        # Passages that others must no longer see move home at once, however many.
        if _take_home(row, by.home_id):
            withdraw_proposals_of([by.user_id], now=now)
            transaction.on_commit(lambda: enqueue(PROPOSE))
        waiting = _misplaced(row, by.home_id).count()
        if waiting > MOST_AT_ONCE:
            row.set_waiting(True)
            transaction.on_commit(lambda: enqueue(PLACE))
        elif waiting:
            _place(row, by.home_id)
    return next(one for one in sharing_of(by=by) if one.row.pk == row.pk)


def unshare(*, repo: str, by: Member, now: datetime) -> int:
    """Stop sharing a repository's sessions, or all; return how many passages went back to their owner, at once.

    If all repositories are shared as well, this one is kept private from then on: stopping twice must not share more.
    Without a setting nothing changes. Raises NotAllowed, also for a token that only reads or is narrowed to teams.
    """
    if Scope.WRITE not in by.scopes:
        raise NotAllowed(lacking(Scope.WRITE))
    by.require_whole(REACHES_ALL)
    with transaction.atomic():
        hold_teams([by.user_id])
        SessionSharing.objects.all().take_turns(by.user_id)
        mine, repo = SessionSharing.objects.filter(user_id=by.user_id), keep_line(repo, 200)
        row, general = mine.filter(repo=repo).first(), mine.filter(repo="").first()
        shared = row or general
        if shared is None or (general and row and row.team_id == by.home_id):
            return 0
        reached = _reached(by.user_id, by.home_id, repo)
        back = reached.exclude(team_id=by.home_id).update(team_id=by.home_id)
        withdraw_proposals_of([by.user_id], now=now)
        _log(shared.team_id, "sessions unshared", row or SessionSharing(repo=repo), by, now)
        transaction.on_commit(lambda: enqueue(PROPOSE))
        if repo and general:
            kept = row or SessionSharing(user_id=by.user_id, repo=repo)
            kept.set(team_id=by.home_id, turns=SharedTurns.ALL, at=now)
        else:
            mine.filter(repo=repo).delete()
    return back


def share_as_all(*, repo: str, by: Member, now: datetime) -> None:
    """Remove the setting that keeps a repository private, so that it is shared like all others. Raises NotAllowed as
    `unshare` does.
    """
    if Scope.WRITE not in by.scopes:
        raise NotAllowed(lacking(Scope.WRITE))
    by.require_whole(REACHES_ALL)
    with transaction.atomic():
        SessionSharing.objects.all().take_turns(by.user_id)
        mine = SessionSharing.objects.filter(user_id=by.user_id)
        gone, _ = mine.filter(repo=keep_line(repo, 200), team_id=by.home_id).delete()
        general = mine.filter(repo="").first() if gone and repo else None
        if general:
            shared = SessionSharing(repo=keep_line(repo, 200))
            _log(general.team_id, "sessions shared", shared, by, now, after={"turns": general.turns})
            general.set_waiting(True)
            transaction.on_commit(lambda: enqueue(PLACE))


def leave_team(*, user_id: int, team_id: int, by: Member, now: datetime) -> None:
    """End a person's sharing with a team they left, and give their passages back to them. Runs in the transaction that
    ends the membership.
    """
    hold_teams([user_id])
    SessionSharing.objects.all().take_turns(user_id)
    rows = SessionSharing.objects.filter(user_id=user_id, team_id=team_id)
    gone = rows.delete()[0]
    mine = Passage.objects.filter(user_id=user_id, team_id=team_id)
    back = mine.update(team_id=User.objects.values("personal_team__pk").get(pk=user_id)["personal_team__pk"])
    if back:
        withdraw_proposals_of([user_id], now=now)
    if gone or back:
        line = "Conversations of a former member removed"
        LogEntry.write(team_id=team_id, verb="sessions unshared", line=line, by=by, at=now, after={"passages": back})


def place_waiting(*, most: int = 20_000) -> int:
    """Move the passages that sharing left to the worker to their team, in small steps; return how many moved."""
    done = 0
    for row in SessionSharing.objects.filter(waiting=True).select_related("user__personal_team").order_by("pk"):
        home = row.user.personal_team.pk
        while done < most:
            with transaction.atomic():
                # A concurrent unshare finds the whole batch moved, or none of it.
                SessionSharing.objects.all().take_turns(row.user_id)
                held = SessionSharing.objects.filter(pk=row.pk).first()
                if held is None:
                    break
                batch = list(_misplaced(held, home).values_list("pk", flat=True)[:BATCH])
                if not batch:
                    held.set_waiting(False)
                    break
                done += _place(held, home, Passage.objects.filter(pk__in=batch))
    return done


# --- which passages a row reaches ---------------------------------------------------------------------------
def _reached(user_id: int, home: int, repo: str) -> PassageQuerySet:
    """Return the member's passages that a setting for this repository covers. Sessions begun in the personal team are
    excluded; for all repositories so are those with a setting of their own.
    """
    rows = Passage.objects.filter(user_id=user_id).exclude(session__team_id=home)
    if repo:
        return rows.filter(repo=repo)
    return rows.exclude(repo__in=SessionSharing.objects.filter(user_id=user_id).exclude(repo="").values("repo"))


def _misplaced(row: SessionSharing, home: int) -> PassageQuerySet:
    """Return the passages that the setting gives to its team and that are elsewhere."""
    rows = _reached(row.user_id, home, row.repo).exclude(team_id=row.team_id)
    return rows if row.turns == SharedTurns.ALL else rows.filter(speaker=Speaker.AGENT)


def _place(row: SessionSharing, home: int, rows: PassageQuerySet | None = None) -> int:
    return (_misplaced(row, home) if rows is None else rows).update(team_id=row.team_id)


def _take_home(row: SessionSharing, home: int) -> int:
    """Move passages home in one statement: those with another team, and the user's turns if only the agent's are
    shared; return how many.
    """
    reached = _reached(row.user_id, home, row.repo).exclude(team_id=home)
    elsewhere = reached.exclude(team_id=row.team_id)
    if row.turns == SharedTurns.AGENT:
        elsewhere = elsewhere | reached.filter(speaker=Speaker.USER)
    return elsewhere.update(team_id=home)


def _log(team_id: int, verb: str, row: SessionSharing, by: Member, at: datetime, **more: object) -> None:
    what = row.repo or "all repositories"
    does = "shares" if verb == "sessions shared" else "stopped sharing"
    LogEntry.write(team_id=team_id, verb=verb, line=f"{by.username} {does} sessions of {what}", by=by, at=at, **more)


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
