"""Begin: a session's row is made, for one that starts now, or for one of which only its transcript is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.dateparse import parse_datetime

from accounts.actions.session_ids import issue
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, TeamAccess
from sessions_app.models import AgentSession
from sessions_app.rules.orientation import BUDGET
from sessions_app.rules.stored_text import keep, keep_line
from sessions_app.rules.vocabulary import SILENCE
from sessions_app.transcripts.rules.turn import Turn

LONGEST_PROMPT = 2_000
# How much later than its session's end a transcript's last word may be: what the agent said while the end was sent.
LATE = timedelta(minutes=5)


class NoRepo(Refused):
    code = "invalid"


@dataclass(frozen=True)
class Opening:
    """A session as it is announced. `previous` and `transcript`: the one before it on this machine, if it is known.

    `checkout` and `agent_session` are the client's ids of the checkout and of the agent's own session; `uncommitted`
    the paths that are in no commit, None if the client did not look; `handoff_tokens` the budget for the text of the
    first handoff that is offered, 0 for none; `share_prompts` sets the member's setting, unless their token
    is narrowed; None leaves it.
    """

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
    checkout: str = ""
    agent_session: str = ""
    uncommitted: Sequence[str] | None = None
    handoff_tokens: int = 0
    share_prompts: bool | None = None
    at: datetime | None = None


def repo_of(text: str) -> str:
    """The repo's name as it is kept. Raises NoRepo on `repo`."""
    repo = keep_line(text, 200)
    if not repo:
        raise NoRepo(errors={"repo": ["Set the repo."]})
    return repo


def moments(turns: Sequence[Turn], now: datetime) -> list[datetime]:
    """When the turns were said, as far as they say so."""
    said = [moment for turn in turns if turn.at and (moment := _moment(turn.at)) and moment <= now]
    return sorted(said)


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment and moment.utcoffset() is not None else None


def begin_past(
    opening: Opening, said: Sequence[datetime], team: TeamAccess, repo: str, by: Member, now: datetime
) -> AgentSession:
    """A session of which there is only the transcript: the server was out of reach, or nobody had told it.

    It was when its turns were said; without their times, a silence ago.
    """
    past = now - SILENCE - timedelta(seconds=1)
    first, last = (said[0], said[-1]) if said else (past, past)
    with transaction.atomic():
        session = _begin(opening, team, repo, None, None, by, first)
        session.see(by=by, at=last)
    return session


def begun(key: str, by: Member) -> AgentSession | None:
    """The session that an earlier call with this key began."""
    if not key:
        return None
    mine = AgentSession.objects.visible_to(by).filter(user_id=by.user_id, idempotency_key=key)
    return mine.with_people().first()


def begin_once(
    opening: Opening,
    team: TeamAccess,
    repo: str,
    previous: AgentSession | None,
    offered: int | None,
    by: Member,
    now: datetime,
) -> AgentSession:
    """Begin it, unless a call with the same key has just done so. `offered`: the id of the handoff it is pointed to."""
    try:
        with transaction.atomic():
            return _begin(opening, team, repo, previous, offered, by, now)
    except IntegrityError:
        found = begun(opening.idempotency_key, by)
        if found is None:
            raise
        return found


def _begin(
    opening: Opening,
    team: TeamAccess,
    repo: str,
    previous: AgentSession | None,
    offered: int | None,
    by: Member,
    now: datetime,
) -> AgentSession:
    prompt = keep(opening.prompt, LONGEST_PROMPT)
    began = min(opening.at or now, now)
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
        checkout=keep_line(opening.checkout, 80),
        agent_session=keep_line(opening.agent_session, 200),
        prompt=prompt,
        topic=" ".join(prompt.split())[:200],
        started_at=began,
        last_seen_at=began,
        previous=previous,
        offered_id=offered,
    )
    session.save(force_insert=True)
    after = {"repo": repo, "agent": session.agent, "machine": session.machine}
    session.note(verb="session started", line=f"{session.ref} started on {repo}", by=by, at=now, after=after)
    return session
