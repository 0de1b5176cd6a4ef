"""Surface: what a prompt hook puts before an agent, unasked, if the prompt passes the six gates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from accounts.models import User
from accounts.rules.guard import masked, redact_personal
from accounts.rules.rights import Member
from knowledge.rules.ask import Ask
from knowledge.rules.pasted_errors import part
from sessions_app.actions.coach import coach
from sessions_app.actions.recall import Recalled, recall
from sessions_app.models import AgentSession, SurfaceDecision
from sessions_app.rules.coaching import Moment
from sessions_app.rules.gates import Gate, Verdict, judge
from sessions_app.rules.packing import Packed, pack

# SAME: 800 tokens an injection. The text is the packed one of a query, fence and all.
MOST_TOKENS = 800
# What is asked of the memory; and what is kept of the prompt, for a person to see why something came or did not.
LONGEST_ASKED, LONGEST_ERROR, LONGEST_KEPT = 2_000, 20_000, 4_000
# Without a session, the same token is taken to be in one for so long (SAME counts an instance as active for 12 hours).
SITTING = timedelta(hours=12)


@dataclass(frozen=True)
class Surfaced:
    """What became of the prompt. `text` is empty unless the decision is `open`; `coaching` may be in any case."""

    decision: SurfaceDecision
    text: str = ""
    coaching: str = ""
    degraded: tuple[dict[str, str], ...] = ()


def surface(*, prompt: str, by: Member, now: datetime, team: str = "") -> Surfaced:
    """Judge a prompt, and put what the team knows about it beside it, each insight once in a session.

    `team`: ask this one only. What is near the session's repo ranks higher, and its first surfaced prompt becomes its
    topic. Every decision is kept with its reason. Raises NoSuchTeam.
    """
    teams = [by.named(team).slug] if team else []
    kept = redact_personal(masked(prompt))[0]
    verdict = judge(kept, last=_last_topic(by))
    if not verdict.opens or not kept.strip():
        return Surfaced(_decide(kept, verdict.gate, verdict.reason, verdict, by, now))
    ask = replace(_asked(kept.strip()), teams=teams, repo=_repo(by))
    done = recall(ask=ask, max_tokens=MOST_TOKENS, by=by, now=now, include=("insights", "contradictions"))
    if not done.found.hits:
        reason = "The team knows nothing that is relevant to it."
        decision = _decide(kept, Gate.NOTHING_RELEVANT, reason, verdict, by, now, query=done)
        told = coach(moment=Moment.NOTHING_KNOWN, by=by, now=now)
        return Surfaced(decision, coaching=told, degraded=done.found.degraded)
    decision, packed = _show(kept, done, verdict, by, now)
    if packed is None:
        return Surfaced(decision, degraded=done.found.degraded)
    told = coach(moment=Moment.SURFACED, by=by, now=now)
    return Surfaced(decision, packed.text, told, done.found.degraded)


def _asked(prompt: str) -> Ask:
    """What the memory is asked: the beginning of the prompt, and an error that was pasted into it whole."""
    parted = part(prompt)
    return Ask(parted.question[:LONGEST_ASKED] or prompt[:LONGEST_ASKED], error=parted.error[:LONGEST_ERROR])


def _last_topic(by: Member) -> frozenset[str]:
    """What was surfaced last in the session. Without one a token's prompts may be of several agents: each is new."""
    if not by.session:
        return frozenset()
    last = SurfaceDecision.objects.all().in_session(by, None).surfaced().newest().values_list("topic", flat=True)
    return frozenset(last.first() or ())


def _repo(by: Member) -> str:
    rows = AgentSession.objects.visible_to(by).filter(key=by.session, user_id=by.user_id) if by.session else ()
    return next((row.repo for row in rows), "")


def _show(
    kept: str, done: Recalled, verdict: Verdict, by: Member, now: datetime
) -> tuple[SurfaceDecision, Packed | None]:
    """Pack what was not shown before. The member's row is held, so that two prompts at once do not show one twice."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).only("pk").get(pk=by.user_id)
        before = _shown(by, now)
        new = [item for item in done.items if item.ref not in before]
        if not new:
            reason = f"What is known about it was surfaced before: {', '.join(item.ref for item in done.items)}."
            return _decide(kept, Gate.NOTHING_NEW, reason, verdict, by, now, query=done), None
        refs = {item.ref for item in new}
        packed = pack(new, MOST_TOKENS, clashes=[clash for clash in done.clashes if refs & {clash.a, clash.b}])
        _name_session(kept, by)
        reason = f"{verdict.reason} It is a new topic, and the team knows something: {', '.join(packed.refs)}."
        return _decide(kept, Gate.OPEN, reason, verdict, by, now, query=done, packed=packed), packed


def _name_session(kept: str, by: Member) -> None:
    """What the session is about is told by the first prompt of it that was worth surfacing something for."""
    mine = AgentSession.objects.visible_to(by).filter(key=by.session, user_id=by.user_id, topic="")
    session = mine.select_for_update(no_key=True, of=("self",)).first() if by.session else None
    if session:
        session.set_topic(kept)


def _shown(by: Member, now: datetime) -> set[str]:
    since = None if by.session else now - SITTING
    lists: Sequence[list[str]] = list(
        SurfaceDecision.objects.all().in_session(by, since).surfaced().values_list("shown", flat=True)
    )
    return {ref for refs in lists for ref in refs}


def _decide(
    kept: str,
    gate: Gate,
    reason: str,
    verdict: Verdict,
    by: Member,
    now: datetime,
    *,
    query: Recalled | None = None,
    packed: Packed | None = None,
) -> SurfaceDecision:
    return SurfaceDecision.objects.create(
        team_id=by.home_id,
        user_id=by.user_id,
        token_id=by.token_id,
        session_key=by.session_key,
        at=now,
        prompt=kept[:LONGEST_KEPT],
        gate=gate,
        reason=reason[:300],
        mode=verdict.mode or "",
        topic=sorted(verdict.topic),
        shown=list(packed.refs) if packed else [],
        tokens=packed.tokens if packed else 0,
        query=query.found.query_id if query else None,
    )


def decisions(*, by: Member, limit: int) -> list[SurfaceDecision]:
    """The member's own last decisions, newest first."""
    return list(SurfaceDecision.objects.visible_to(by).filter(user_id=by.user_id).newest()[:limit])
