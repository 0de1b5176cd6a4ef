"""Start: a session begins, is told where things stand, and takes up what the last one left."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.dateparse import parse_datetime

from accounts.actions.session_ids import belongs, issue
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, TeamAccess, TeamKind, team_for_write
from knowledge.models import Insight
from sessions_app.actions.friction import friction
from sessions_app.actions.recover import recover
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.calls import Interface
from sessions_app.rules.keeping import keep, keep_line
from sessions_app.rules.orientation import (
    BUDGET,
    MOST_OF_A_SORT,
    RECENT_DAYS,
    Failing,
    Known,
    Left,
    Living,
    Orientation,
    Surroundings,
    gist,
    orient,
)
from sessions_app.rules.turn import Turn
from sessions_app.rules.vocabulary import SILENCE, HandoffState, SessionState

# A start waits for the last sessions of its repo to be recovered; the sweep comes round to any more there are.
MOST_RECOVERED = 3
# Live sessions that are looked at: a repo on which more are at work needs no list of them.
MOST_LOOKED_AT = 50
LONGEST_PROMPT = 2_000
# How much later than its session's end a transcript's last word may be: what the agent said while the end was sent.
LATE = timedelta(minutes=5)


class NoRepo(Refused):
    code = "invalid"


class NoSuchPrevious(Refused):
    code = "invalid"


@dataclass(frozen=True)
class Opening:
    """A session as it is announced. `previous` and `transcript`: the one before it on this machine, if it is known."""

    repo: str
    team: str = ""
    branch: str = ""
    agent: str = ""
    machine: str = ""
    prompt: str = ""
    previous: str = ""
    transcript: Sequence[Turn] = ()
    max_tokens: int = BUDGET
    idempotency_key: str = ""


@dataclass(frozen=True)
class Started:
    """`recovered`: the handoff it was pointed to had to be put together from what its session left."""

    session: AgentSession
    orientation: Orientation
    recovered: bool


def start(*, opening: Opening, by: Member, now: datetime, via: Interface = Interface.REST) -> Started:
    """Begin a session in a team, on a repo; its orientation names calls of `via`.

    Sessions of the repo that have fallen silent are recovered first. Sent again with the same idempotency key, it is
    the same session, oriented anew. Raises NoSuchTeam, TeamUnclear, NotAllowed, NoRepo on `repo`, NoSuchPrevious on
    `previous`.
    """
    team = team_for_write(by, opening.team or None)
    repo = keep_line(opening.repo, 200)
    if not repo:
        raise NoRepo(errors={"repo": ["Name the repo."]})
    begun = _begun(opening.idempotency_key, by)
    previous = None if begun else _previous(opening, team, repo, by, now)
    if previous and previous.state != SessionState.ENDED:
        recover(session_id=previous.pk, by=by, now=now, turns=opening.transcript, replaced=True)
    around, handoff = _look_around(team, repo, by, now, begun)
    session = begun or _begin_once(opening, team, repo, previous, handoff, by, now)
    recovered = around.handoff is not None and around.handoff.state == HandoffState.RECOVERED
    return Started(session, orient(around, budget=opening.max_tokens, via=via), recovered)


# --- the one before -----------------------------------------------------------------------------------------
def _previous(opening: Opening, team: TeamAccess, repo: str, by: Member, now: datetime) -> AgentSession | None:
    """The session this one follows on its machine: the one named, else the one its transcript must be of."""
    if not opening.previous and not opening.transcript:
        return None
    mine = AgentSession.objects.visible_to(by).filter(user_id=by.user_id).with_people()
    if opening.previous:
        found = mine.named(opening.previous).first() if belongs(opening.previous, user_id=by.user_id) else None
        if found is None:
            raise NoSuchPrevious(errors={"previous": ["There is no such session of yours."]})
        return found
    here = mine.on(team.id, repo).filter(machine=keep_line(opening.machine, 120)).last_seen().first()
    said = _moments(opening.transcript, now)
    if here and not (said and here.ended_at and said[-1] > here.ended_at + LATE):
        return here
    return _never_announced(opening, said, team, repo, by, now)


def _moments(turns: Sequence[Turn], now: datetime) -> list[datetime]:
    """When the turns were said, as far as they say so."""
    said = [moment for turn in turns if turn.at and (moment := _moment(turn.at)) and moment <= now]
    return sorted(said)


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment and moment.utcoffset() is not None else None


def _never_announced(
    opening: Opening, said: Sequence[datetime], team: TeamAccess, repo: str, by: Member, now: datetime
) -> AgentSession:
    """A session of which there is only the transcript: the server was out of reach, or nobody had told it.

    It was when its turns were said; without their times, a silence ago.
    """
    past = now - SILENCE - timedelta(seconds=1)
    first, last = (said[0], said[-1]) if said else (past, past)
    told = Opening(repo=repo, machine=opening.machine, agent=opening.agent)
    with transaction.atomic():
        session = _begin(told, team, repo, None, None, by, first)
        session.see(by=by, at=last)
    return session


# --- what there is ------------------------------------------------------------------------------------------
def _look_around(
    team: TeamAccess, repo: str, by: Member, now: datetime, begun: AgentSession | None
) -> tuple[Surroundings, Handoff | None]:
    """What there is beside `begun`, the session itself if an earlier call began it."""
    living = [one for one in _living(team, repo, now, by) if begun is None or one.ref != begun.ref]
    handoff = Handoff.objects.all().latest_of(by, team.id, repo)
    # Whole days, so that an orientation changes at midnight and not from minute to minute.
    since = (now - timedelta(days=RECENT_DAYS)).replace(hour=0, minute=0, second=0, microsecond=0)
    # What its team knows, everyone, and its user alone: of another team's repo of the same name it knows nothing.
    places = [one.id for one in by.teams if one.id == team.id or one.kind is not TeamKind.SHARED]
    known = Insight.objects.all().orienting(places, repo, since, MOST_OF_A_SORT)
    around = Surroundings(
        repo=repo,
        handoff=_left(handoff) if handoff and handoff.acknowledged_at is None else None,
        missing=_missing(team, repo, handoff, by),
        living=living,
        known=[Known(*row) for row in known],
        failing=_failing(repo, by, now),
    )
    return around, handoff


def _failing(repo: str, by: Member, now: datetime) -> Failing | None:
    """What fails most on the repo, of what is unresolved. One statement where nothing does."""
    worst = next(iter(friction(by=by, now=now, repo=repo).errors), None)
    return Failing(worst.met.fingerprint, worst.met.template, worst.modules) if worst else None


def _living(team: TeamAccess, repo: str, now: datetime, by: Member) -> list[Living]:
    """The live sessions of the repo; those that are not, by their silence, are recovered on the way."""
    found = AgentSession.objects.all().living_beside(by, team.id, repo, now, MOST_LOOKED_AT)
    silent = [pk for pk, seen, *_ in found if seen < now - SILENCE]
    for pk in silent[:MOST_RECOVERED]:
        recover(session_id=pk, by=by, now=now)
    return [
        Living(f"S-{pk}", who, agent, branch, topic, tuple(claimed))
        for pk, _, who, agent, branch, topic, claimed in found
        if pk not in silent
    ]


def _left(handoff: Handoff) -> Left:
    said = (handoff.summary, handoff.note, handoff.pending, handoff.interpretation, handoff.facts)
    return Left(
        ref=handoff.session.ref,
        state=handoff.state,
        completeness=handoff.completeness,
        who=handoff.session.user.username,
        as_of=handoff.as_of,
        gist=gist(*said),
        session_is_live=handoff.session.state == SessionState.LIVE,
    )


def _missing(team: TeamAccess, repo: str, handoff: Handoff | None, by: Member) -> tuple[str, str] | None:
    """The last session of the repo, if it left nothing and nothing came after it: its name, and whose it was."""
    last = AgentSession.objects.all().last_past(by, team.id, repo)
    if last is None:
        return None
    pk, who, seen, left = last
    return None if left or (handoff and handoff.as_of >= seen) else (f"S-{pk}", who)


# --- the beginning ------------------------------------------------------------------------------------------
def _begun(key: str, by: Member) -> AgentSession | None:
    """The session that an earlier call with this key began."""
    if not key:
        return None
    mine = AgentSession.objects.visible_to(by).filter(user_id=by.user_id, idempotency_key=key)
    return mine.with_people().first()


def _begin_once(
    opening: Opening,
    team: TeamAccess,
    repo: str,
    previous: AgentSession | None,
    handoff: Handoff | None,
    by: Member,
    now: datetime,
) -> AgentSession:
    """Begin it, unless a call with the same key has just done so."""
    try:
        with transaction.atomic():
            return _begin(opening, team, repo, previous, handoff, by, now)
    except IntegrityError:
        begun = _begun(opening.idempotency_key, by)
        if begun is None:
            raise
        return begun


def _begin(
    opening: Opening,
    team: TeamAccess,
    repo: str,
    previous: AgentSession | None,
    handoff: Handoff | None,
    by: Member,
    now: datetime,
) -> AgentSession:
    prompt = keep(opening.prompt, LONGEST_PROMPT)
    session = AgentSession(
        key=issue(user_id=by.user_id),
        idempotency_key=opening.idempotency_key,
        team_id=team.id,
        user_id=by.user_id,
        token_id=by.token_id,
        repo=repo,
        branch=keep_line(opening.branch, 200),
        agent=keep_line(opening.agent, 80),
        machine=keep_line(opening.machine, 120),
        prompt=prompt,
        topic=" ".join(prompt.split())[:200],
        started_at=now,
        last_seen_at=now,
        previous=previous,
        offered=handoff if handoff and handoff.acknowledged_at is None else None,
    )
    session.save(force_insert=True)
    after = {"repo": repo, "agent": session.agent, "machine": session.machine}
    session.note(verb="session started", line=f"{session.ref} started on {repo}", by=by, at=now, after=after)
    return session
