"""The sweeps of sessions by name: beat runs them on schedule, an operator by hand; each run is recorded."""

from collections.abc import Callable
from datetime import datetime, timedelta

from accounts.actions.jobs import PROMPT_WITHIN, Items, Work, run_job
from accounts.models import JobRun
from accounts.rules.rights import SYSTEM
from sessions_app.conversations.actions import upkeep
from sessions_app.conversations.actions.propose import propose_passages
from sessions_app.conversations.actions.propose_by_model import propose_by_model
from sessions_app.handoffs.actions.recover import recover
from sessions_app.models import AgentSession, Claim, SessionEvent, SurfaceDecision
from sessions_app.rules.vocabulary import SessionState

# One run's worth; the next minute goes on.
MOST = 200
# Events serve recovery and the friction report, which looks back a quarter of a year at most.
KEEP_EVENTS = timedelta(days=120)


def recover_silent(*, now: datetime) -> Work:
    """Give up the sessions that have fallen silent, and write their handoffs. Killed, the next run goes on."""
    counts = {"abandoned": 0, "recovered": 0}
    items = Items("recover_silent", within=PROMPT_WITHIN)
    silent = AgentSession.objects.all().silent(now).order_by("last_seen_at")
    for pk in items.each(list(silent.values_list("pk", flat=True)[:MOST])):
        with items.guard(f"session S-{pk}"):
            done = recover(session_id=pk, by=SYSTEM, now=now)
            if done:
                counts["abandoned"] += 1
                counts["recovered"] += done.handoff is not None
    return items.work(counts)


def drop_old(*, now: datetime) -> Work:
    """Drop events and surfacing decisions that nothing looks back to any more, and claims that have run out."""
    old = SessionEvent.objects.filter(at__lt=now - KEEP_EVENTS).exclude(session__state=SessionState.LIVE)
    events, _ = old.delete()
    claims, _ = Claim.objects.filter(expires_at__lte=now).delete()
    decisions, _ = SurfaceDecision.objects.all().older_than(now - KEEP_EVENTS).delete()
    return Work({"events": events, "claims": claims, "decisions": decisions})


SWEEPS: dict[str, Callable[[datetime], Work]] = {
    "recover_silent": lambda now: recover_silent(now=now),
    "drop_old": lambda now: drop_old(now=now),
    "embed_passages": lambda now: upkeep.embed_passages(),
    "place_passages": lambda now: upkeep.place_passages(),
    "propose_passages": lambda now: propose_passages(now=now),
    "propose_by_model": lambda now: propose_by_model(now=now),
    "drop_old_passages": lambda now: upkeep.drop_old_passages(now=now),
}


def sweep(name: str, *, clock: Callable[[], datetime]) -> JobRun:
    """Run one of SWEEPS now, recorded. Raises what the sweep raises."""
    return run_job(name=f"sessions.{name}", work=lambda: SWEEPS[name](clock()), clock=clock)
