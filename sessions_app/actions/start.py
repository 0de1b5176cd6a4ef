"""Start: a session begins, is told where things stand, and takes up what the last ones left."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from accounts.actions.session_ids import belongs
from accounts.actions.settings import choose
from accounts.rules.fence import whose
from accounts.rules.refused import Refused
from accounts.rules.rights import Member, TeamAccess, TeamKind, team_for_session
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.models import Insight
from knowledge.retrieval.rules.ask import LONGEST_QUESTION, Ask
from sessions_app.actions.begin import LATE, NoRepo, Opening, begin_once, begin_past, begun, moments, repo_of
from sessions_app.actions.friction import friction
from sessions_app.answers.actions.fences import fence_for
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.actions.find import find
from sessions_app.conversations.rules.answering import SURE
from sessions_app.handoffs.actions.news import news_for
from sessions_app.handoffs.actions.offers import offers_for
from sessions_app.handoffs.actions.read_handoff import text_of
from sessions_app.handoffs.actions.recover import recover
from sessions_app.handoffs.rules.handoff_text import HandoffText
from sessions_app.handoffs.rules.work_items import Offer, Tier
from sessions_app.models import AgentSession, Handoff, PassageTerm
from sessions_app.rules.orientation import (
    MOST_OF_A_SORT,
    RECENT_DAYS,
    ActiveSession,
    Failing,
    Known,
    Orientation,
    Surroundings,
    Talk,
    orient,
)
from sessions_app.rules.stored_text import keep, keep_line
from sessions_app.rules.vocabulary import SILENCE, HandoffState, SessionState

__all__ = ["NoRepo", "NoSuchPrevious", "Opening", "Started", "start"]

# A start waits for the last sessions of its repo to be recovered; the sweep comes round to any more there are.
MOST_RECOVERED = 3
# Of these handoffs the text is given: that of the first, and, of a second one of the same work item, that one's too.
# Two agents that were killed in one checkout both left work in it, and a line tells of none of it.
MOST_TOLD = 2
# Live sessions that are looked at: a repo on which more are at work needs no list of them.
MOST_LOOKED_AT = 50


class NoSuchPrevious(Refused):
    code = "invalid"


@dataclass(frozen=True)
class Started:
    """`offers`: the handoffs it is offered, in order; `handoff`: the text of the first one, if it was asked for and is
    not of the very conversation that starts again; `also` those of more of its work item, each with its reference.
    `recovered`: the first had to be put together from what its session left.
    """

    session: AgentSession
    orientation: Orientation
    recovered: bool
    offers: tuple[Offer, ...] = ()
    handoff: HandoffText | None = None
    also: tuple[tuple[str, HandoffText], ...] = ()


def start(*, opening: Opening, by: Member, now: datetime, via: Interface = Interface.REST) -> Started:
    """Begin a session in a team, on a repo; its texts name calls of `via`.

    Sessions of the repo that have fallen silent are recovered first. Sent again with the same idempotency key, or with
    the id of an agent's session that is not over, it is the same session, oriented again. Raises NoSuchTeam,
    TeamUnclear, NotAllowed, NoRepo on `repo`, NoSuchPrevious on `previous`.
    """
    team, repo = team_for_session(by, opening.team or None), repo_of(opening.repo)
    # A narrowed token's start goes on: clients send the answer with it that they were given at their installation.
    if opening.share_prompts is not None and not by.narrowed:
        choose(choices={"share_prompts": "on" if opening.share_prompts else "off"}, by=by)
    known = begun(opening.idempotency_key, by) or _resumed(opening, team, repo, by, now)
    previous = None if known else _previous(opening, team, repo, by, now)
    if previous and previous.state != SessionState.ENDED:
        found, loose = opening.transcript, opening.uncommitted
        recover(session_id=previous.pk, by=by, now=now, turns=found, uncommitted=loose, replaced=True)
    living = _active_sessions(team, repo, now, by, known)
    if opening.checkout and opening.uncommitted is not None:
        _note_uncommitted(opening, team, repo, by)
    checkout, branch = keep_line(opening.checkout, 80), keep_line(opening.branch, 200)
    found_open = offers_for(team_id=team.id, repo=repo, checkout=checkout, branch=branch, by=by, now=now)
    offers = [one for one in found_open if known is None or one.left.ref != known.ref]
    news = news_for(team_id=team.id, by=by, now=now, known=known)
    session = known or begin_once(opening, team, repo, previous, offers[0].left.pk if offers else None, by, now)
    talks = _talks(opening.prompt, repo, by)
    pointers, failing = _pointers_of_repo(team, repo, by, now), _failing(repo, by, now)
    around = Surroundings(repo, offers, living, pointers, failing, talks, news)
    budget = opening.handoff_tokens
    told = [(one, text_of(one.left.pk, by=by, via=via, budget=budget)) for one in _offers_to_tell(offers, opening)]
    recovered = bool(offers) and offers[0].left.state == HandoffState.RECOVERED
    oriented = orient(around, fence=fence_for(by), budget=opening.max_tokens, via=via)
    first = next((text for one, text in told if one is offers[0]), None)
    also = tuple((one.left.ref, text) for one, text in told if text and one is not offers[0])
    return Started(session, oriented, recovered, tuple(offers), first, also)


def _offers_to_tell(offers: list[Offer], opening: Opening) -> list[Offer]:
    """The offers whose text is given: the first, and of the same work item those whose sessions are over.

    A conversation that was resumed still holds what it left itself: of that the orientation's line is enough.
    """
    more = [one for one in offers[1:] if one.tier is Tier.OWN and not one.left.session_is_live]
    told = [*offers[:1], *(more if offers and offers[0].tier is Tier.OWN else [])][:MOST_TOLD]
    own = keep_line(opening.agent_session, 200)
    return [one for one in told if not own or one.left.agent_session != own]


# --- the one before -----------------------------------------------------------------------------------------
def _resumed(opening: Opening, team: TeamAccess, repo: str, by: Member, now: datetime) -> AgentSession | None:
    """The session that the same session of the agent has begun and not ended: it goes on."""
    if not opening.agent_session:
        return None
    mine = AgentSession.objects.visible_to(by).on(team.id, repo).of_agent(by.user_id, opening.agent_session)
    found = mine.with_people().first()
    if found is None or found.state == SessionState.ENDED:
        return None
    with transaction.atomic():
        session = AgentSession.objects.select_for_update(no_key=True, of=("self",)).with_people().get(pk=found.pk)
        session.see(by=by, at=now)
    return session


def _previous(opening: Opening, team: TeamAccess, repo: str, by: Member, now: datetime) -> AgentSession | None:
    """The session this one follows on its machine: the one named, else the one its transcript must be of."""
    if not opening.previous and not opening.transcript:
        return None
    mine = AgentSession.objects.visible_to(by).filter(user_id=by.user_id).with_people()
    if opening.previous:
        found = mine.named(opening.previous).first() if belongs(opening.previous, user_id=by.user_id) else None
        if found is None:
            raise NoSuchPrevious(errors={"previous": ["Unknown session."]})
        return found
    here = mine.on(team.id, repo).filter(machine=keep_line(opening.machine, 120)).last_seen().first()
    said = moments(opening.transcript, now)
    if here and not (said and here.ended_at and said[-1] > here.ended_at + LATE):
        return here
    told = Opening(repo=repo, machine=opening.machine, agent=opening.agent, checkout=opening.checkout)
    return begin_past(replace(told, branch=opening.branch), said, team, repo, by, now)


def _note_uncommitted(opening: Opening, team: TeamAccess, repo: str, by: Member) -> None:
    """Keep what of one's open handoffs of this checkout is still in no commit: somebody may have committed since."""
    rows = Handoff.objects.visible_to(by).open().filter(team_id=team.id, repo=repo)
    mine = rows.of_item(by.user_id, keep_line(opening.checkout, 80), "").exclude(session__state=SessionState.LIVE)
    for handoff in mine.select_related("session"):
        handoff.see_uncommitted(opening.uncommitted or ())


# --- what there is ------------------------------------------------------------------------------------------
def _pointers_of_repo(team: TeamAccess, repo: str, by: Member, now: datetime) -> list[Known]:
    # Whole days, so that an orientation changes at midnight and not from minute to minute.
    since = (now - timedelta(days=RECENT_DAYS)).replace(hour=0, minute=0, second=0, microsecond=0)
    # What its team knows, everyone, and its user alone: of another team's repo of the same name it knows nothing.
    places = [one.id for one in by.teams if one.id == team.id or one.kind is not TeamKind.SHARED]
    rows = Insight.objects.all().orienting(places, repo, since, MOST_OF_A_SORT)
    return [
        Known(why, ref, kind, title, at, of_repo, status, whose(author, source))
        for why, ref, kind, title, at, of_repo, status, source, author in rows
    ]


def _failing(repo: str, by: Member, now: datetime) -> Failing | None:
    """What fails most on the repo, of what is unresolved. One statement where nothing does."""
    worst = next(iter(friction(by=by, now=now, repo=repo).errors), None)
    return Failing(worst.met.fingerprint, worst.met.template, worst.modules) if worst else None


def _talks(prompt: str, repo: str, by: Member) -> list[Talk]:
    """The conversations that answer the first prompt, if it is known. Its vector is made only where there are any."""
    prompt = keep(prompt, LONGEST_QUESTION)
    if not prompt.strip() or not PassageTerm.objects.all().counted(by.team_ids, [])[0]:
        return []
    try:
        vector = current().embed([prompt])[0]
    except EmbedderDown:
        vector = None
    found = find(ask=Ask(prompt, repo=repo), vector=vector, by=by, floor=SURE).found
    return [Talk(one.ref, one.who, one.date) for one in found]


def _active_sessions(
    team: TeamAccess, repo: str, now: datetime, by: Member, known: AgentSession | None
) -> list[ActiveSession]:
    """The other live sessions of the repo; those that are not, by their silence, are recovered on the way."""
    found = AgentSession.objects.all().living_beside(by, team.id, repo, now, MOST_LOOKED_AT)
    silent = [pk for pk, seen, *_ in found if seen < now - SILENCE]
    for pk in silent[:MOST_RECOVERED]:
        recover(session_id=pk, by=by, now=now)
    return [
        ActiveSession(f"S-{pk}", who, agent, branch, topic, tuple(claimed))
        for pk, _, who, agent, branch, topic, claimed in found
        if pk not in silent and (known is None or pk != known.pk)
    ]
