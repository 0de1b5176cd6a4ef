"""How long an agent waits at the door: for the start of a session, and for each of the client's hooks as a process.

A tenth as many sessions as insights lie behind it, each with its handoff, on the repos of the notes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from random import Random
from time import perf_counter
from typing import Any

from accounts.actions import session_ids
from accounts.models import Team
from sessions_app.adapters.client_hooks import machine
from sessions_app.adapters.web import Caller, WebServer
from sessions_app.lab.benchmark.timings import Timings
from sessions_app.lab.metrics.tables import Table
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.vocabulary import HandoffState, SessionState

SESSIONS = "/api/v1/sessions/"
# One in so many insights: a team deposits a handful a session (done-line: 10,000 sessions at 100,000 insights).
INSIGHTS_A_SESSION = 10
# A process takes a tenth of a second and more: of each hook so many are enough for p50 and p95.
MOST_HOOKS = 60
HOOKS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")
# The oldest session is as old as the oldest insight.
DAYS = 730


def fill_sessions(*, insights: int, repos: Sequence[str], user_id: int, now: datetime) -> int:
    """Write ended sessions and their handoffs; how many."""
    count = max(insights // INSIGHTS_A_SESSION, 1)
    rng = Random(count)
    teams = list(
        Team.objects.exclude(slug="everyone").filter(kind="shared").order_by("pk").values_list("pk", flat=True)
    )
    places = [(rng.choice(teams), rng.choice(repos), now - timedelta(days=DAYS * rng.random())) for _ in range(count)]
    AgentSession.objects.bulk_create(_sessions(places, user_id), batch_size=2_000)
    Handoff.objects.bulk_create(_handoffs(), batch_size=2_000)
    return count


def _sessions(places: Sequence[tuple[int, str, datetime]], user_id: int) -> Iterator[AgentSession]:
    for team_id, repo, at in places:
        yield AgentSession(
            key=session_ids.issue(user_id=user_id),
            team_id=team_id,
            user_id=user_id,
            repo=repo,
            agent="benchmark",
            state=SessionState.ENDED,
            started_at=at,
            last_seen_at=at,
            ended_at=at,
        )


def _handoffs() -> Iterator[Handoff]:
    for session in AgentSession.objects.filter(state=SessionState.ENDED).order_by("pk"):
        yield Handoff(
            session=session,
            team_id=session.team_id,
            repo=session.repo,
            state=HandoffState.CLEAN,
            completeness=1.0,
            as_of=session.started_at,
            written_at=session.started_at,
            summary="The importer streams its input now, and the tests of the parser pass.",
            pending=["cover empty files"],
        )


def time_doorway(
    *, server: WebServer, secret: str, repos: Sequence[str], team: str, prompts: Sequence[str]
) -> dict[str, Any]:
    """Starts, one after the other, on one repo each; then the hooks of sessions with one prompt each.

    The client's courier works beside the hooks, as it does on anybody's machine.
    """
    caller = Caller(server.port, secret)
    starts, errors = [], 0
    for repo in repos:
        begun = perf_counter()
        status, _ = caller.post(SESSIONS, {"repo": repo, "team": team, "agent": "benchmark"})
        starts.append(perf_counter() - begun)
        errors += status != 201
    caller.close()
    hooks: dict[str, list[tuple[float, bool]]] = {event: [] for event in HOOKS}
    with machine(f"http://127.0.0.1:{server.port}", secret, team) as one:
        for number, (repo, prompt) in enumerate(zip(repos[:MOST_HOOKS], prompts, strict=False)):
            one.clone(repo)
            session = f"benchmark-{number}"
            hooks["SessionStart"].append(one.start(session))
            hooks["UserPromptSubmit"].append(one.prompt(session, prompt))
            hooks["PostToolUse"].append(one.edit(session))
            hooks["Stop"].append(one.stop(session))
            one.end(session)
    return {
        "start": asdict(Timings.of(starts)) | {"errors": errors},
        "hooks": {event: _figures(timed) for event, timed in hooks.items()},
    }


def _figures(timed: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """`silent`: how many ran out of their time, and said nothing."""
    return asdict(Timings.of([seconds for seconds, _ in timed])) | {"silent": sum(not said for _, said in timed)}


def table(sizes: Sequence[dict[str, Any]]) -> Table:
    """The door by size: the server's orientation, then each hook."""
    columns = ["insights", "sessions", "what", "p50", "p95", "failed"]
    rows = []
    for one in sizes:
        start = one["doorway"]["start"]
        timed = {"orientation, by the server": (start, start["errors"])}
        timed |= {f"{event} hook": (hook, hook["silent"]) for event, hook in one["doorway"]["hooks"].items()}
        for what, (figures, failed) in timed.items():
            size = [f"{one['insights']:,}", f"{one['sessions']:,}", what]
            rows.append([*size, f"{figures['p50']:.0f}", f"{figures['p95']:.0f}", f"{failed} of {figures['count']}"])
    note = (
        "Milliseconds: the start of a session over HTTP, its orientation with it; a hook as a whole process, from "
        "Python's start on, with the client's courier at work beside it. Failed: not answered, or out of its time."
    )
    return Table("At the door", columns, rows, note)
