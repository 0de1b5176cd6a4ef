"""Benchmark: how fast Loam answers, by the size of its memory, on this machine.

For each size a database is filled, a web process is started on it as `serve` starts it, and callers ask it over HTTP as
agents do, each question another. Beside the times it looks at what makes them: the number of statements, their plans,
the time of the processor, and how many of the true neighbours the index finds in teams of different sizes.

A run that is cut off leaves its database; the next one goes on with the step that was under way.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Count
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actions.members import enrol, member_of
from accounts.actions.tokens import issue_token
from accounts.models import Membership, Team, User
from accounts.rules.rights import Level, Member, Scope
from knowledge.models import Insight
from sessions_app.adapters import bulk
from sessions_app.adapters.machine import machine, versions
from sessions_app.adapters.steps import StepLog
from sessions_app.adapters.web import Caller, WebServer, serving
from sessions_app.lab.benchmark import conversations, costs, hooks, pages, plans, replays
from sessions_app.lab.benchmark.conversations import TimedRequests
from sessions_app.lab.benchmark.costs import ProcessorTime
from sessions_app.lab.benchmark.recall import recall
from sessions_app.lab.benchmark.tables import tables_of
from sessions_app.lab.benchmark.timings import Timings
from sessions_app.lab.corpora.chunk_processes import write_in_processes
from sessions_app.lab.corpora.synthetic_corpus import RECIPE, SEED, SHARES, Corpus, Progress, fill
from sessions_app.lab.corpora.synthetic_notes import question, specimen
from sessions_app.lab.metrics.tables import Table
from sessions_app.lab.resumable import resumable_database
from sessions_app.lab.throwaway import home_of

QUERY = "/api/v1/query/"
DEPOSIT = "/api/v1/insights/"
HNSW = "insight_near"
INSIGHTS = Insight._meta.db_table
WARM = 20
# Deposits measured, and the words of the longest of them.
DEPOSITS = 100
DEPOSIT_WORDS = 60
# Questions whose statements are explained, and those whose neighbours are counted, for each team.
EXPLAINED = 5
RECALLED = 50


@dataclass(frozen=True)
class BenchmarkRequest:
    """What is to be measured. `keep` leaves the filled databases behind, as `…_benchmark_<size>`; `afresh`:
    nothing is used of a run that was cut off.

    `passages`: of conversations, with which questions and deposits are measured once more; 0: they are not.
    """

    sizes: Sequence[int]
    queries: int
    clients: int
    now: datetime
    cache: Path
    progress: Progress
    keep: bool = False
    afresh: bool = False
    passages: int = 0


@dataclass(frozen=True)
class BenchmarkOutcome:
    """`figures` are plain data for a JSON file, `tables` what a person reads of them."""

    figures: dict[str, Any]
    tables: list[Table]


@dataclass(frozen=True)
class Asker:
    """Who asks: a contributor of all teams, by an agent's token."""

    member: Member
    secret: str


def benchmark(*, wanted: BenchmarkRequest) -> BenchmarkOutcome:
    """Measure each size. Raises NoDatabase, NoServer, EmbedderDown."""
    sizes = [_size(size, wanted) for size in wanted.sizes]
    about = {
        "date": wanted.now.isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(),
        "queries": wanted.queries,
        "clients": wanted.clients,
    }
    return BenchmarkOutcome(about | {"sizes": sizes}, tables_of(about, sizes))


def _size(size: int, wanted: BenchmarkRequest) -> dict[str, Any]:
    lasting = f"{home_of(str(connection.settings_dict['NAME']))}_benchmark_{size}"
    with resumable_database(f"benchmark_{size}", recipe=RECIPE, afresh=wanted.afresh) as steps:
        began = steps.once("began", wanted.now.isoformat)
        corpus = fill(
            size=size,
            now=datetime.fromisoformat(began),
            cache=wanted.cache,
            progress=wanted.progress,
            steps=steps,
            write=write_in_processes,
        )
        figures = _measured(size, corpus, steps, wanted) | {"database": lasting if wanted.keep else ""}
        if wanted.keep:
            bulk.keep(str(connection.settings_dict["NAME"]), lasting)
    return figures


def _measured(size: int, corpus: Corpus, steps: StepLog, wanted: BenchmarkRequest) -> dict[str, Any]:
    """Every figure of one size. Those that an earlier run measured in the same way are taken from it."""
    how = [wanted.queries, wanted.clients, wanted.passages]
    if steps.has("measured how") and steps.result("measured how") != how:
        steps.forget(*MEASURED)
    steps.record("measured how", how)
    asker = make_asker(wanted.now)
    repos = sorted({note.repo for note in corpus.samples})
    wanted.progress("sessions", 0, 1)
    sessions = steps.once(
        "sessions",
        lambda: hooks.fill_sessions(insights=size, repos=repos, user_id=asker.member.user_id, now=wanted.now),
        whole=True,
    )
    steps.once("vacuum of sessions", bulk.settle)
    figures: dict[str, Any] = {
        "insights": size,
        "sessions": sessions,
        "seconds": corpus.seconds,
        "statements": steps.once("statements", lambda: _statements(asker, corpus)),
        "disk_mb": steps.once("disk", costs.disk),
    }
    with serving() as server:
        figures |= steps.once("http", lambda: _over_http(server, asker, corpus, wanted))
        figures["doorway"] = steps.once("doorway", lambda: _at_the_door(server, asker, corpus, wanted))
        figures["teams"] = steps.once("teams", lambda: _teams(figures["teams"], asker, corpus, wanted))
        lead = _lead(corpus, steps, wanted)
        figures["pages"] = steps.once("pages", lambda: _pages(server, lead, wanted))
        figures["replay"] = steps.once("replay", lambda: replays.time_replay(lead=lead, now=wanted.now))
    if wanted.passages:
        figures["conversations"] = steps.once("conversations", lambda: _with_conversations(asker, corpus, wanted))
    return figures


# Steps that depend on how is measured.
MEASURED = ("http", "doorway", "teams", "pages", "conversations")


def _with_conversations(asker: Asker, corpus: Corpus, wanted: BenchmarkRequest) -> dict[str, Any]:
    """When no server uses the database any more: it is copied."""
    asked = questions(corpus, Random(SEED + 6))
    count = conversations.WARM + wanted.queries
    return conversations.measure_conversations(
        passages=wanted.passages,
        about=corpus.samples,
        user_id=asker.member.user_id,
        secret=asker.secret,
        asked={
            conversations.QUESTION: TimedRequests(QUERY, [{"query": next(asked)} for _ in range(count)], 200),
            conversations.DEPOSIT: TimedRequests(DEPOSIT, _deposits(count, SEED + 7), 201),
        },
        now=wanted.now,
        cache=wanted.cache,
        progress=wanted.progress,
    )


def _lead(corpus: Corpus, steps: StepLog, wanted: BenchmarkRequest) -> User:
    """Who opens the pages. Late, for what people leave around the insights is in the way of nothing that was measured
    before.
    """
    wanted.progress("activity", 0, 1)
    began = datetime.fromisoformat(steps.result("began"))
    key = steps.once(
        "activity",
        lambda: pages.prepare(teams=list(SHARES), samples=corpus.samples, now=wanted.now, began=began).pk,
        whole=True,
    )
    steps.once("vacuum of activity", bulk.settle)
    return User.objects.get(pk=key)


def _pages(server: WebServer, lead: User, wanted: BenchmarkRequest) -> dict[str, Any]:
    wanted.progress("pages", 0, 1)
    found = pages.time_pages(server=server, user=lead, questions=wanted.queries)
    wanted.progress("pages", 1, 1)
    return found


def make_asker(now: datetime) -> Asker:
    """A contributor of all teams, made once, with a new token."""
    user, made = User.objects.get_or_create(username="asker")
    if made:
        for team in Team.objects.filter(slug__in=SHARES):
            Membership.objects.create(team=team, user=user, level=Level.CONTRIBUTOR)
        enrol(user=user)
    issued = issue_token(name="benchmark", scopes=[Scope.READ, Scope.WRITE], by=member_of(user=user), now=now)
    return Asker(member_of(user=user), issued.secret)


# --- over HTTP ----------------------------------------------------------------------------------------------
def _over_http(server: WebServer, asker: Asker, corpus: Corpus, wanted: BenchmarkRequest) -> dict[str, Any]:
    """Everything that is timed from outside, in one life of the server."""
    asked = questions(corpus, Random(SEED + corpus.size))
    fresh = server.memory()
    _ask(server, asker, [{"query": next(asked)} for _ in range(WARM)])
    one = _with_cost(
        server,
        lambda: _ask(server, asker, [{"query": next(asked)} for _ in range(wanted.queries)], wanted.progress),
    )
    teams = {
        slug: _ask(server, asker, [{"query": next(asked), "teams": [slug]} for _ in range(max(wanted.queries // 3, 1))])
        for slug in SHARES
    }
    warm = server.memory()
    many = _all_at_once(server, asker, [{"query": next(asked)} for _ in range(3 * wanted.queries)], wanted)
    deposits = _with_cost(server, lambda: _deposit(server, asker, min(DEPOSITS, wanted.queries)))
    memory = {"fresh": fresh.get("now"), "warm": warm.get("now"), "most": server.memory().get("most")}
    return {"query": one, "teams": teams, "sustained": many, "deposit": deposits, "memory_mb": memory}


def _with_cost(server: WebServer, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The figures of some requests, with what each cost the processor."""
    before = ProcessorTime.of(server)
    figures = work()
    return figures | ProcessorTime.of(server).since(before, figures["count"])


def _at_the_door(server: WebServer, asker: Asker, corpus: Corpus, wanted: BenchmarkRequest) -> dict[str, Any]:
    rng = Random(SEED + 4)
    repos = [rng.choice(corpus.samples).repo for _ in range(wanted.queries)]
    prompts = [question(rng, rng.choice(corpus.samples)) for _ in range(wanted.queries)]
    return hooks.time_doorway(server=server, secret=asker.secret, repos=repos, team="rest", prompts=prompts)


def questions(corpus: Corpus, rng: Random) -> Iterator[str]:
    """Questions about notes of the corpus, none of them twice: an answer from memory is not what is measured."""
    seen: set[str] = set()
    while True:
        asked = question(rng, rng.choice(corpus.samples))
        if asked not in seen:
            seen.add(asked)
            yield asked


def _ask(
    server: WebServer, asker: Asker, bodies: Sequence[dict[str, Any]], progress: Progress = lambda *_: None
) -> dict[str, Any]:
    """One caller, one question after the other."""
    caller = Caller(server.port, asker.secret)
    try:
        timed = []
        for done, body in enumerate(bodies, start=1):
            timed.append(_timed(caller, QUERY, body))
            progress("ask", done, len(bodies))
    finally:
        caller.close()
    return _figures(timed, 200)


def _all_at_once(
    server: WebServer, asker: Asker, bodies: Sequence[dict[str, Any]], wanted: BenchmarkRequest
) -> dict[str, Any]:
    """So many callers that each has a question under way all the time, until all are answered."""
    shares = [bodies[start :: wanted.clients] for start in range(wanted.clients)]

    def work(share: Sequence[dict[str, Any]]) -> list[tuple[float, int]]:
        caller = Caller(server.port, asker.secret)
        try:
            return [_timed(caller, QUERY, body) for body in share]
        finally:
            caller.close()

    begun = perf_counter()
    with ThreadPoolExecutor(wanted.clients) as callers:
        timed = [one for share in callers.map(work, shares) for one in share]
    seconds = perf_counter() - begun
    wanted.progress("ask at once", len(bodies), len(bodies))
    return _figures(timed, 200) | {"per_second": round(len(bodies) / seconds, 1), "clients": wanted.clients}


def _deposit(server: WebServer, asker: Asker, count: int) -> dict[str, Any]:
    caller = Caller(server.port, asker.secret)
    try:
        return _figures([_timed(caller, DEPOSIT, body) for body in _deposits(count, SEED + 1)], 201)
    finally:
        caller.close()


def _deposits(count: int, seed: int) -> list[dict[str, Any]]:
    """What a deposit's request says, of so many new notes."""
    rng = Random(seed)
    notes = [specimen(rng, longest=DEPOSIT_WORDS) for _ in range(count)]
    return [
        {"kind": n.kind, "title": n.title, "body": n.body, "tags": n.tags, "files": n.files, "team": "rest"}
        for n in notes
    ]


def _timed(caller: Caller, path: str, body: dict[str, Any]) -> tuple[float, int]:
    begun = perf_counter()
    status, _ = caller.post(path, body)
    return perf_counter() - begun, status


def _figures(timed: Sequence[tuple[float, int]], good: int) -> dict[str, Any]:
    errors = sum(status != good for _, status in timed)
    return asdict(Timings.of([seconds for seconds, _ in timed])) | {"errors": errors}


# --- in the database ----------------------------------------------------------------------------------------
def _statements(asker: Asker, corpus: Corpus) -> dict[str, int]:
    """SQL round trips of one question, by what is asked for, its token and its log of use included."""
    asked = questions(corpus, Random(SEED))
    _sent(asker, {"query": next(asked)})  # note of the token's use: once a minute, not once a question
    return {
        "insights": len(_sent(asker, {"query": next(asked), "include": ["insights"]})),
        "default": len(_sent(asker, {"query": next(asked)})),
    }


def _sent(asker: Asker, body: dict[str, Any]) -> list[str]:
    """The statements that one question sends to the database."""
    client = Client(SERVER_NAME="127.0.0.1", HTTP_AUTHORIZATION=f"Bearer {asker.secret}")
    with CaptureQueriesContext(connection) as captured:
        client.post(QUERY, body, content_type="application/json")
    return [query["sql"] for query in captured.captured_queries]


def _teams(timed: dict[str, Any], asker: Asker, corpus: Corpus, wanted: BenchmarkRequest) -> dict[str, Any]:
    """Of each team, and of all together: its size, the plan of its candidates, and the neighbours that are found."""
    known = {team.slug: team.id for team in asker.member.teams}
    ids = {**{slug: [known[slug]] for slug in SHARES}, "all": [known[slug] for slug in SHARES]}
    sizes = dict(Insight.objects.values_list("team_id").annotate(n=Count("pk")))
    asked = questions(corpus, Random(SEED + 3))
    near = recall(
        asked=[next(asked) for _ in range(RECALLED)],
        teams=ids,
        by=asker.member,
        now=wanted.now,
        progress=wanted.progress,
    )
    return {
        slug: {
            "insights": sum(sizes.get(team, 0) for team in teams),
            **_plans(asker, corpus, {} if slug == "all" else {"teams": [slug]}),
            "recall_at_10": near[slug],
            **({"query": timed[slug]} if slug in timed else {}),
        }
        for slug, teams in ids.items()
    }


def _plans(asker: Asker, corpus: Corpus, named: dict[str, Any]) -> dict[str, Any]:
    """How the candidates are come by: the indexes, the milliseconds, and whether all insights are ever read."""
    asked = questions(corpus, Random(SEED + 2))
    used: dict[str, None] = {}
    times, whole = [], False
    for _ in range(EXPLAINED):
        sent = _sent(asker, {"query": next(asked), **named})
        found = [bulk.explain(statement) for statement in sent if statement.startswith("SELECT")]
        slowest = max(found, key=lambda plan: plan["Execution Time"])
        used |= dict.fromkeys(plans.indexes(slowest))
        times.append(slowest["Execution Time"] + slowest["Planning Time"])
        whole = whole or any(plans.reads_whole(plan, INSIGHTS) for plan in found)
    return {
        "hnsw": HNSW in used,
        "indexes": list(used),
        "candidates_ms": round(float(np.median(times)), 2),
        "sequential_scan": whole,
    }
