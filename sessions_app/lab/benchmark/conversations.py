"""What conversations cost: questions and deposits with and without them, and how fast they are indexed.

Two databases with the same insights, one of them with conversations, each behind a web process of its own. Every
question and every deposit goes to both, and they take turns at being first: whatever else the machine does falls on
both. What is compared is the processor time of the web process and of its database connections.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any

from django.db import connection

from accounts.models import Team
from knowledge.adapters.embedder import current
from sessions_app.adapters import bulk
from sessions_app.adapters.web import Caller, WebServer, processor_seconds, serving
from sessions_app.conversations.actions.upkeep import embed_passages
from sessions_app.lab.benchmark.timings import Timings
from sessions_app.lab.corpora.synthetic_conversations import Owner, fill_conversations, unembedded
from sessions_app.lab.corpora.synthetic_corpus import SEED, Progress
from sessions_app.lab.corpora.synthetic_notes import Specimen, remark
from sessions_app.lab.metrics.tables import Table
from sessions_app.lab.throwaway import throwaway_database
from sessions_app.models import AgentSession, Passage

# The team that reads all conversations: the largest of the synthetic ones.
TEAM = "rest"
# Passages that the worker's job is timed on, at most, and no more than there are of others.
INDEXED = 640
WARM = 20
WITHOUT, WITH = "without", "with"
QUESTION, DEPOSIT = "query", "deposit"


@dataclass(frozen=True)
class TimedRequests:
    """A path, and what is posted to it."""

    path: str
    bodies: Sequence[dict[str, Any]]
    good: int


def measure_conversations(
    *,
    passages: int,
    about: Sequence[Specimen],
    user_id: int,
    secret: str,
    asked: dict[str, TimedRequests],
    now: datetime,
    cache: Path,
    progress: Progress,
) -> dict[str, Any]:
    """Compare the connected database with a copy of it that has so many passages; nothing else may use it.

    `asked`: what is sent to both, by name. Raises NoDatabase, NoServer, EmbedderDown.
    """
    without = str(connection.settings_dict["NAME"])
    with throwaway_database(copied=True) as name:
        owner = Owner(user_id, Team.objects.values_list("pk", flat=True).get(slug=TEAM))
        sessions = fill_conversations(size=passages, about=about, owner=owner, now=now, cache=cache, progress=progress)
        with serving(without) as one, serving(name) as other:
            sides = {WITHOUT: (one, without), WITH: (other, name)}
            compared = {what: _compared(sides, some, secret, what, progress) for what, some in asked.items()}
            memory = {side: server.memory() for side, (server, _) in sides.items()}
        indexing = _indexing(min(passages, INDEXED), about, owner, now)
    return {
        "passages": passages,
        "sessions": sessions,
        **compared,
        "memory_mb": {side: found.get("now") for side, found in memory.items()},
        "indexing": indexing,
    }


def _compared(
    sides: dict[str, tuple[WebServer, str]], some: TimedRequests, secret: str, what: str, progress: Progress
) -> dict[str, Any]:
    """Send each body to both servers; those that are first take turns. The first WARM are not counted."""
    callers = {side: Caller(server.port, secret) for side, (server, _) in sides.items()}
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    used: dict[str, float] = {}
    errors = 0
    try:
        for number, body in enumerate(some.bodies):
            if number == min(WARM, len(some.bodies) - 1):
                used = {side: _used(*of) for side, of in sides.items()}
            for side in sorted(callers, reverse=bool(number % 2)):
                begun = perf_counter()
                status, _ = callers[side].post(some.path, body)
                seconds[side].append(perf_counter() - begun)
                errors += status != some.good
            progress(f"{what} with and without", number + 1, len(some.bodies))
        spent = {side: _used(*of) - used[side] for side, of in sides.items()}
    finally:
        for caller in callers.values():
            caller.close()
    counted = len(some.bodies) - min(WARM, len(some.bodies) - 1)
    timings = {side: asdict(Timings.of(values[-counted:])) for side, values in seconds.items()}
    cpu = {side: round(1000 * value / counted, 2) for side, value in spent.items()}
    return {side: timings[side] | {"processor_ms": cpu[side]} for side in sides} | {"errors": errors}


def _used(server: WebServer, database: str) -> float:
    return server.processor_seconds() + sum(processor_seconds(pid) for pid in bulk.backends(database))


def _indexing(count: int, about: Sequence[Specimen], owner: Owner, now: datetime) -> dict[str, Any]:
    """The worker's job, in this process, on so many new passages: how many, and how many a second."""
    rng = Random(SEED + 5)
    session = AgentSession.objects.filter(passages__isnull=False).order_by("-pk").first()
    assert session is not None
    first = session.passages.count()
    texts = [remark(rng, rng.choice(about)) for _ in range(count)]
    current().embed(texts[:1])  # loads the model
    Passage.objects.bulk_create(unembedded(session, place, text, owner) for place, text in enumerate(texts, first))
    begun, used = perf_counter(), process_time()
    done = embed_passages(most=count).counts["embedded"]
    return {
        "passages": done,
        "per_second": round(done / (perf_counter() - begun), 1),
        "per_processor_second": round(done / (process_time() - used), 1),
    }


def table(sizes: Sequence[dict[str, Any]]) -> Table:
    """With and without conversations, by size."""
    columns = ["insights", "passages", "what", "p50 without", "with", "processor ms without", "with ", "more"]
    rows = []
    for one in sizes:
        found = one["conversations"]
        for what in (QUESTION, DEPOSIT):
            plain, full = found[what][WITHOUT], found[what][WITH]
            more = full["processor_ms"] / plain["processor_ms"] - 1 if plain["processor_ms"] else 0.0
            times = [f"{side[figure]:.1f}" for figure in ("p50", "processor_ms") for side in (plain, full)]
            rows.append([f"{one['insights']:,}", f"{found['passages']:,}", what, *times, f"{100 * more:+.0f} %"])
    note = "Each request to both; the processor time is that of the web process and its connections. " + " ".join(
        f"At {one['conversations']['passages']:,}: {_rest(one['conversations'])}" for one in sizes
    )
    return Table("With and without conversations", columns, rows, note)


def _rest(found: dict[str, Any]) -> str:
    memory, indexing = found["memory_mb"], found["indexing"]
    return (
        f"memory of the web {memory[WITHOUT] or 0:.0f} and {memory[WITH] or 0:.0f} MB; one worker indexes "
        f"{indexing['per_processor_second']:.0f} passages a second of its processor time "
        f"({indexing['per_second']:.0f} by the clock)."
    )
