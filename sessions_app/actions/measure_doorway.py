"""How long an agent waits at the door: for the start of a session, and for the hook on a prompt as a whole process.

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
from knowledge.rules.tables import Table
from sessions_app.adapters import bulk
from sessions_app.adapters.prompt_hook import machine
from sessions_app.adapters.web import Caller, Server
from sessions_app.models import AgentSession, Handoff
from sessions_app.rules.timings import Timings
from sessions_app.rules.vocabulary import HandoffState, SessionState

SESSIONS = "/api/v1/sessions/"
# One in so many insights: a team deposits a handful a session (done-line: 10,000 sessions at 100,000 insights).
INSIGHTS_A_SESSION = 10
# A process takes a tenth of a second and more: so many are enough for a median.
MOST_HOOKS = 40
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
    bulk.settle()
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
    *, server: Server, secret: str, repos: Sequence[str], team: str, prompts: Sequence[str]
) -> dict[str, Any]:
    """Starts, one after the other, on one repo each; then the hook on each prompt."""
    caller = Caller(server.port, secret)
    starts, errors = [], 0
    for repo in repos:
        begun = perf_counter()
        status, _ = caller.post(SESSIONS, {"repo": repo, "team": team, "agent": "benchmark"})
        starts.append(perf_counter() - begun)
        errors += status != 201
    caller.close()
    with machine(f"http://127.0.0.1:{server.port}", secret) as one:
        hooks = [one.prompt(prompt) for prompt in prompts[:MOST_HOOKS]]
    silent = sum(not answered for _, answered in hooks)
    return {
        "start": asdict(Timings.of(starts)) | {"errors": errors},
        "prompt_hook": asdict(Timings.of([seconds for seconds, _ in hooks])) | {"silent": silent},
    }


def table(sizes: Sequence[dict[str, Any]]) -> Table:
    """The door by size."""
    columns = ["insights", "sessions", "start p50", "p95", "errors", "prompt hook p50", "p95 ", "ran out of time"]
    rows = []
    for one in sizes:
        start, hook = one["doorway"]["start"], one["doorway"]["prompt_hook"]
        figures = [f"{one['insights']:,}", f"{one['sessions']:,}", f"{start['p50']:.1f}", f"{start['p95']:.1f}"]
        figures += [str(start["errors"]), f"{hook['p50']:.0f}", f"{hook['p95']:.0f}"]
        rows.append([*figures, f"{hook['silent']} of {hook['count']}"])
    note = (
        "Milliseconds: a start over HTTP, its orientation with it; the hook as a whole process, from Python's start on."
    )
    return Table("At the door", columns, rows, note)
