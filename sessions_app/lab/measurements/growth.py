"""Measure growth: does a team know more after a hundred sessions than after ten, and is what it is told still true?

A quarter is lived on a seeded clock through the product's own verbs: agents ask, rate what they got, deposit and change
their minds; each night what has faded falls; each week a lead settles what the machine put before people. Writes to the
database it runs in and never cleans up.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.record import Deposited
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.lifecycle.actions.fade import fade
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight, Pair
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions.combine import merge
from knowledge.review.actions.settle import dismiss, resolve
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind
from sessions_app.lab.corpora.growth import Fact, SimulatedAct, World
from sessions_app.lab.metrics.tables import Table, decimal

SESSIONS = 100
QUARTER = timedelta(days=90)
# After these many sessions everything the world holds is asked for.
LOOKS = (10, 25, 50, 100)
LEAD_COMES = timedelta(days=7)

Progress = Callable[[str, int, int], None]


@dataclass
class Quarter:
    """What has happened so far. `says`: reference → the fact and the version of it that was said there; `consulting`:
    agents ask about a subject before they deposit, as the manual tells them, and state what their note is to what they
    were told.
    """

    by: Sequence[Member]
    lead: Member
    rng: Random
    world: World
    consulting: bool = False
    says: dict[str, tuple[Fact, int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def growth(
    *,
    agents: Sequence[Member],
    lead: Member,
    start: datetime,
    seed: int,
    progress: Progress,
    sessions: int = SESSIONS,
    consulting: bool = False,
) -> dict[str, Any]:
    """Live a quarter, or as much of it as `sessions` of the hundred take. `agents` take turns, each time in a session
    of its own; `consulting`: see `Quarter`. Figures by number of sessions.
    """
    rng = Random(seed)
    quarter = Quarter(agents, lead, rng, World(rng), consulting)
    looks: dict[int, dict[str, Any]] = {}
    slept = settled = start
    for number in range(1, sessions + 1):
        now = start + QUARTER * number / SESSIONS
        while slept + timedelta(days=1) <= now:
            slept += timedelta(days=1)
            quarter.counts.update(fade(now=slept).counts)
        if now - settled >= LEAD_COMES:
            settled = now
            _settle(quarter, now)
        _session(quarter, replace(agents[number % len(agents)], session=f"session-{number}"), now)
        if number in LOOKS:
            _settle(quarter, now)
            looks[number] = _look(quarter, now)
        progress("sessions", number, sessions)
    return {
        "seed": seed,
        "consulting": consulting,
        "looks": looks,
        "deeds": dict(quarter.counts),
        **_standing(lead, now),
    }


def _session(quarter: Quarter, by: Member, now: datetime) -> None:
    for deed in quarter.world.session():
        if deed.verb == "ask":
            _ask(quarter, deed, by, now)
        else:
            _tell(quarter, deed, by, now)


def _ask(quarter: Quarter, deed: SimulatedAct, by: Member, now: datetime) -> None:
    """The agent rates what it can check: right for what it asked, or out of date."""
    assert deed.fact is not None
    found = retrieve(ask=Ask(deed.fact.asked, repo=deed.fact.repo), by=by, now=now)
    current = quarter.world.version[deed.fact]
    for hit in found.hits:
        said = quarter.says.get(hit.insight.ref)
        if said and said[0] == deed.fact:
            verdict = SignalKind.HELPFUL if said[1] == current else SignalKind.UNHELPFUL
            rate(refs=[hit.insight.ref], verdict=verdict, by=by, now=now, query_id=found.query_id)
            quarter.counts[verdict.value] += 1


def _tell(quarter: Quarter, deed: SimulatedAct, by: Member, now: datetime) -> None:
    fact = deed.fact
    draft = Draft(
        kind=Kind.DECISION if deed.verb == "overturn" else Kind.CONTEXT,
        body=deed.text,
        reasoning="It was agreed in the review." if deed.verb == "overturn" else "",
        repo=fact.repo if fact else "",
        files=[f"settings/{fact.service}.toml"] if fact else [],
        relations=_consulted(quarter, deed, by, now) if fact and quarter.consulting else (),
    )
    done = _answered(quarter, deposit(draft=draft, by=by, now=now), deed, by, now)
    quarter.counts["deposits"] += 1
    quarter.counts[f"{deed.verb}: {done.outcome}"] += 1
    if fact is None:
        return
    ref = done.insight.ref
    said = quarter.says.setdefault(ref, (fact, deed.version))
    quarter.counts["merged into something else"] += said != (fact, deed.version)
    for gone in done.superseded:
        quarter.counts["superseded something else"] += quarter.says.get(gone, (fact, 0))[0] != fact


def _consulted(quarter: Quarter, deed: SimulatedAct, by: Member, now: datetime) -> tuple[Statement, ...]:
    """What the agent's note is to those on the same fact that it is told of when it asks before it works."""
    assert deed.fact is not None
    found = retrieve(ask=Ask(deed.fact.asked, repo=deed.fact.repo), by=by, now=now)
    refs = [row.ref for hit in found.hits for row in (hit.insight, *hit.later)]
    same = [ref for ref in dict.fromkeys(refs) if quarter.says.get(ref, (None, 0))[0] == deed.fact]
    return tuple(Statement(ref, _relation(quarter, deed, ref)) for ref in same)


def _answered(quarter: Quarter, done: Deposited, deed: SimulatedAct, by: Member, now: datetime) -> Deposited:
    """The agent says how its note relates to what it is asked about: it knows what it learned, and reads the others."""
    if not done.asking:
        return done
    quarter.counts["asked"] += 1
    statements = [Statement(one["ref"], _relation(quarter, deed, one["ref"])) for one in done.asking]
    return relate(ref=done.insight.ref, statements=statements, by=by, now=now)


def _relation(quarter: Quarter, deed: SimulatedAct, ref: str) -> Relation:
    fact, version = quarter.says.get(ref, (None, 0))
    if fact is None or fact != deed.fact:
        return Relation.UNRELATED
    return Relation.DUPLICATES if version == deed.version else Relation.SUPERSEDES


def _settle(quarter: Quarter, now: datetime) -> None:
    """The lead knows what is true: of two values the newer stays, the same twice is merged, the rest is nothing."""
    # Each is read when its turn comes: what was settled before it may have settled it too, or changed its sides.
    for pk in list(Pair.objects.open().order_by("pk").values_list("pk", flat=True)):
        pair = Pair.objects.open().select_related("a", "b").filter(pk=pk).first()
        if pair is None:
            continue
        one, other = quarter.says.get(pair.a.ref), quarter.says.get(pair.b.ref)
        both_stand = pair.a.is_current and pair.b.is_current
        if one and other and one[0] == other[0] and both_stand:
            if one[1] == other[1]:
                merge(ref=pair.b.ref, into=pair.a.ref, by=quarter.lead, now=now, why="said twice")
            else:
                keep = pair.a.ref if one[1] > other[1] else pair.b.ref
                resolve(pair_id=pair.pk, keep=keep, by=quarter.lead, now=now)
            quarter.counts["settled"] += 1
        else:
            dismiss(pair_id=pair.pk, by=quarter.lead, now=now)
            quarter.counts["dismissed"] += 1


def _look(quarter: Quarter, now: datetime) -> dict[str, Any]:
    """Ask for everything the world holds, unlike a session without touching anything but the log of questions.

    `answered`: of all facts, those whose present value is first. `reciprocal`: the mean of 1 / its rank, 0 if it is not
    among those served. `stale`: of the facts that were told, those with an outdated value first.
    """
    first = stale = told = 0
    reciprocal = 0.0
    for fact, version in quarter.world.version.items():
        found = retrieve(ask=Ask(fact.asked, repo=fact.repo), by=quarter.lead, now=now)
        said = [quarter.says.get(hit.insight.ref) for hit in found.hits]
        right = [rank for rank, one in enumerate(said, start=1) if one == (fact, version)]
        wrong = [rank for rank, one in enumerate(said, start=1) if one and one[0] == fact and one[1] != version]
        told += fact in quarter.world.told
        first += right[:1] == [1]
        reciprocal += 1 / right[0] if right else 0.0
        stale += bool(wrong) and wrong[0] < (right[0] if right else 99)
    asked = len(quarter.world.version)
    rows = Insight.objects.filter(team_id=quarter.lead.teams[0].id)
    return {
        "asked": asked,
        "told": told,
        "answered": first / asked,
        "reciprocal": reciprocal / asked,
        "stale": stale,
        "rows": rows.filter(retrievable=True).count(),
        "deposits": quarter.counts["deposits"],
    }


# Bounds of the bars of the distribution, 0–100.
BARS = (0, 10, 20, 35, 50, 65, 80, 101)


def _standing(lead: Member, now: datetime) -> dict[str, Any]:
    rows = list(Insight.objects.filter(team_id=lead.teams[0].id, retrievable=True))
    strengths = [row.effective_strength(now) for row in rows]
    bars = {f"{low}–{min(high, 100)}": sum(low <= one < high for one in strengths) for low, high in pairwise(BARS)}
    return {"strength": bars, "status": dict(Counter(row.status for row in rows))}


def tables(figures: dict[str, Any]) -> list[Table]:
    """Growth by sessions, and where the team stands at the end."""
    looks = figures["looks"]
    columns = [
        "sessions",
        "deposits",
        "insights",
        "current answer first",
        "mean reciprocal rank",
        "stale first",
    ]
    lines = [
        [
            str(number),
            str(one["deposits"]),
            str(one["rows"]),
            decimal(one["answered"]),
            decimal(one["reciprocal"]),
            f"{one['stale']} of {one['told']}",
        ]
        for number, one in looks.items()
    ]
    ends = [[name, str(n)] for part in ("status", "strength", "deeds") for name, n in figures[part].items()]
    note = (
        f"A world of {next(iter(looks.values()))['asked']} facts, seed {figures['seed']}, agents "
        f"{'that consult' if figures['consulting'] else 'that do not consult'}; its sentences are Loam's own."
    )
    return [Table("A quarter of a team", columns, lines, note), Table("At the end", ["", "count"], ends)]
