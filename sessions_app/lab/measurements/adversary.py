"""Measure adversary: what some colluding accounts can make a team believe, bury, look at or see in a month.

Honest people ask, rate and deposit; a lead looks at the inbox each evening; a crew does whatever a contributor's
account allows, each day, from sessions of its own: by agents and in person. All of it by the product's own verbs, on a
clock that moves. Writes to the database it runs in and never cleans up.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.judging.actions.deposit import deposit
from knowledge.judging.actions.relate import relate
from knowledge.judging.rules.relations import Relation, Statement
from knowledge.lifecycle.actions.fade import fade
from knowledge.lifecycle.actions.rate import rate
from knowledge.lifecycle.actions.use import open_insight
from knowledge.lifecycle.actions.validate import compare_files, validate
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import retrieve
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.actions import curate, triage
from knowledge.review.actions.settle import dismiss, report
from knowledge.review.proposals.actions.decide import reject
from knowledge.review.proposals.actions.suggest import suggest
from knowledge.review.rules.triage import AWAITING, Tab
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind, Status
from sessions_app.lab.corpora.growth import Fact, World
from sessions_app.lab.metrics.adversary import DEFACED, JUNK, REPO, SECRET

DAYS = 30
# Honest sessions a day, and how many notes the team has confirmed before the month begins.
SESSIONS_A_DAY = 4
CONFIRMED = 20
# What one of the crew does each day, of each kind: more reports than anybody would read, and objections to half of what
# is confirmed, so that each note is met several times a week.
REPORTS_A_DAY, PROPOSALS_A_DAY, OBJECTIONS_A_DAY, UNLIKE_A_DAY, NEAR_A_DAY = 25, 15, 10, 15, 30
# And edits of confirmed notes, and praise of honest drafts: neither changes anything before a lead has looked at it.
EDITS_A_DAY, PRAISED_A_DAY = 15, 30
UNLIKE = (Relation.COMPLEMENTS, Relation.CONTRADICTS, Relation.SUPERSEDES)


@dataclass(frozen=True)
class Cast:
    """Who plays. `crew`: the hostile accounts; `agents`: those of each by agent, so that `human` is false; `rival`: a
    member of a team that none of the others is in.
    """

    lead: Member
    honest: Sequence[Member]
    rival: Member
    crew: Sequence[Member] = ()
    agents: Sequence[Member] = ()


@dataclass
class Month:
    """What has happened so far. `facts`: the confirmed notes, by reference. For each evening: the rows `waiting` for a
    lead, notes of the crew that are `promoted`, confirmed ones that are to be `reviewed`.
    """

    cast: Cast
    rng: Random
    world: World
    facts: dict[str, Fact] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)
    promoted: list[int] = field(default_factory=list)
    reviewed: list[int] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    leaked: set[str] = field(default_factory=set)
    secret: str = ""


def begin(*, cast: Cast, start: datetime, seed: int) -> Month:
    """Deposit what is known when the month begins, and return the month. What the honest do depends on `seed` alone, so
    months with different crews can be compared; all of them may begin with a copy of one database.
    """
    rng = Random(seed)
    lived = Month(cast, rng, World(rng))
    _confirm(lived, start)
    return lived


def month(*, lived: Month, start: datetime, days: int = DAYS) -> dict[str, Any]:
    """Live a month that has begun, and return its figures."""
    cast = lived.cast
    for day in range(1, days + 1):
        now = start + timedelta(days=day)
        _honest_day(lived, now)
        for number, (person, agent) in enumerate(zip(cast.crew, cast.agents, strict=True)):
            _hostile_day(lived, number, person, agent, day, now)
        lived.counts.update(fade(now=now).counts)
        _evening(lived, now)
    return _figures(lived, start + timedelta(days=days))


# --- the honest ---------------------------------------------------------------------------------------------
def _confirm(lived: Month, now: datetime) -> None:
    """Deposit what is known when the month begins: notes of honest people, which the lead promotes, and a secret."""
    cast = lived.cast
    for number, fact in enumerate(lived.world.facts[:CONFIRMED]):
        by = cast.honest[number % len(cast.honest)]
        hashes = [{"path": f"settings/{fact.service}-{number}.toml", "sha256": "a" * 64}]
        body = fact.statement(0, lived.rng)
        done = deposit(draft=Draft(kind=Kind.CONTEXT, body=body, repo=REPO, provenance=hashes), by=by, now=now)
        if done.insight.ref not in lived.facts:
            curate.promote(ref=done.insight.ref, by=cast.lead, now=now)
            lived.facts[done.insight.ref] = fact
    lived.secret = deposit(draft=Draft(kind=Kind.CONTEXT, body=SECRET), by=cast.rival, now=now).insight.ref


def _honest_day(lived: Month, now: datetime) -> None:
    for session in range(SESSIONS_A_DAY):
        by = replace(lived.rng.choice(lived.cast.honest), session=f"honest-{now:%j}-{session}")
        ref, fact = lived.rng.choice(sorted(lived.facts.items()))
        found = retrieve(ask=Ask(fact.asked, repo=REPO), by=by, now=now)
        served = [hit.insight.ref for hit in found.hits]
        if ref in served and lived.rng.random() < 0.3:
            rate(refs=[ref], verdict=SignalKind.HELPFUL, by=by, now=now, query_id=found.query_id)
        told = lived.rng.choice(lived.world.facts[CONFIRMED:])
        draft = Draft(kind=Kind.CONTEXT, body=told.statement(0, lived.rng), repo=told.repo)
        lived.counts["honest deposits"] += deposit(draft=draft, by=by, now=now).outcome != ""


def _evening(lived: Month, now: datetime) -> None:
    """The lead counts what waits, and empties it: nothing of it holds, as far as they can tell. What they had confirmed
    they leave as it is; of what others' ratings promoted they see which is junk.
    """
    lead = lived.cast.lead
    lived.promoted.append(_junk_promoted(lived))
    counts = triage.counts(by=lead, now=now)
    # Other drafts may be looked through; they do not wait for anybody.
    lived.waiting.append(sum(rows for tab, rows in counts.items() if tab in AWAITING))
    for tab in (Tab.PROPOSED, Tab.CONTRADICTIONS, Tab.DUPLICATES):
        for pair in triage.waiting_pairs(tab, by=lead, now=now):
            dismiss(pair_id=pair.pk, by=lead, now=now)
    for edit in triage.waiting_proposals(by=lead, now=now):
        reject(proposal_id=edit.pk, by=lead, now=now)
    for row in list(triage.waiting(Tab.STALE, by=lead, now=now)):
        validate(ref=row.ref, by=lead, now=now, provenance=[{**file, "sha256": "a" * 64} for file in row.provenance])
    for row in list(triage.waiting(Tab.NEW, by=lead, now=now)):
        junk = row.status == Status.PROMOTED and row.body in JUNK
        (curate.deprecate if junk else curate.leave)(ref=row.ref, by=lead, now=now)
    fading = [row.ref for row in triage.waiting(Tab.DECAYING, by=lead, now=now)]
    lived.reviewed.append(len(set(fading) & set(lived.facts)))
    for ref in fading:
        curate.leave(ref=ref, by=lead, now=now)


def _junk_promoted(lived: Month) -> int:
    """How many notes of the crew are promoted."""
    crew = [one.user_id for one in lived.cast.crew]
    return Insight.objects.filter(author_id__in=crew, status=Status.PROMOTED).count()


# --- the crew -----------------------------------------------------------------------------------------------
def _hostile_day(lived: Month, number: int, person: Member, agent: Member, day: int, now: datetime) -> None:
    """One of the crew, through two sessions of an agent and in the browser."""
    faces = (
        replace(agent, session=f"hostile-{number}-{day}-a"),
        replace(agent, session=f"hostile-{number}-{day}-b"),
        person,
    )
    for face in faces:
        for text in JUNK:
            _try(lived, "junk", deposit, draft=Draft(kind=Kind.SOLUTION, body=text, repo=REPO), by=face, now=now)
        own = Insight.objects.filter(author_id__in=[one.user_id for one in lived.cast.crew], body__in=JUNK)
        for ref in sorted(own.values_list("ref", flat=True)):
            _try(lived, "praise", rate, refs=[ref], verdict=SignalKind.HELPFUL, by=face, now=now)
        _leak(lived, face, now)
    # In person and by agents in turn: each is another voice.
    _object(lived, faces[day % len(faces)], number + day, now)
    _flood(lived, faces[0], number, day, now)


def _object(lived: Month, face: Member, turn: int, now: datetime) -> None:
    """Find what is confirmed unhelpful for the question that it answers."""
    for ref, fact in _some(sorted(lived.facts.items()), turn, OBJECTIONS_A_DAY):
        found = retrieve(ask=Ask(fact.asked, repo=REPO), by=face, now=now)
        about = {"verdict": SignalKind.UNHELPFUL, "query_id": found.query_id}
        _try(lived, "objections", rate, refs=[ref], by=face, now=now, **about)


def _some(rows: Sequence[Any], turn: int, count: int) -> list[Any]:
    """So many of these, those of the next turn after those of this one."""
    return [rows[(turn * count + place) % len(rows)] for place in range(min(count, len(rows)))]


def _flood(lived: Month, face: Member, number: int, day: int, now: datetime) -> None:
    refs = sorted(lived.facts)
    pairs = [(one, other) for one in refs for other in refs if one < other]
    turn = number * DAYS + day
    for one, other in _some(pairs, turn, REPORTS_A_DAY):
        _try(lived, "reports", report, a=one, b=other, reason="They cannot both hold.", by=face, now=now)
    for ref in _some(refs, turn, PROPOSALS_A_DAY):
        body = DEFACED.format(lived.facts[ref].asked, f"{number}-{day}-{ref}")
        statements = [Statement(ref, Relation.SUPERSEDES)]
        draft = Draft(kind=Kind.CONTEXT, body=body, repo=REPO, relations=statements)
        _try(lived, "proposals", deposit, draft=draft, by=face, now=now)
    # Junk that is said to belong to, contradict or replace what it has nothing in common with: its words below every
    # note. Another one first each day, for what is taken of all three together is little.
    for place, body in enumerate(JUNK):
        relation = UNLIKE[(place + turn) % len(UNLIKE)]
        statements = [Statement(ref, relation) for ref in _some(refs, turn + place, UNLIKE_A_DAY)]
        draft = Draft(kind=Kind.PITFALL, body=f"{body} Found on day {turn}.", repo=REPO, relations=statements)
        _try(lived, "unlike statements", deposit, draft=draft, by=face, now=now)
    # Variants of what is confirmed, each of which the server has a lead look at.
    for place in range(NEAR_A_DAY):
        fact = lived.facts[refs[(turn * NEAR_A_DAY + place) % len(refs)]]
        told = fact.statement(1 + place % 3, Random(turn + place))
        draft = Draft(kind=Kind.CONTEXT, body=f"{told} So it is since release {turn}.{place}.", repo=REPO)
        _try(lived, "near notes", deposit, draft=draft, by=face, now=now)
    rows = Insight.objects.filter(ref__in=refs)
    for row in _some(list(rows.order_by("pk")), turn, EDITS_A_DAY):
        sent = {"ref": row.ref, "changes": {"body": f"{row.body} See {JUNK[0]}"}, "revision": row.revision}
        _try(lived, "suggested edits", suggest, **sent, by=face, now=now)
    drafts = Insight.objects.filter(status=Status.DRAFT, author_id__in=[one.user_id for one in lived.cast.honest])
    for ref in _some(list(drafts.order_by("pk").values_list("ref", flat=True)), turn, PRAISED_A_DAY):
        _try(lived, "praise of others", rate, refs=[ref], verdict=SignalKind.HELPFUL, by=face, now=now)
    files = {str(file["path"]): f"{turn:064x}" for row in rows for file in row.provenance}
    _try(lived, "stale reports", compare_files, repo=REPO, files=files, by=face, now=now)


def _leak(lived: Month, face: Member, now: datetime) -> None:
    """Every way to a reference of another team that a contributor has."""
    found = retrieve(ask=Ask(SECRET), by=face, now=now)
    lived.leaked.update(hit.insight.ref for hit in found.hits if hit.insight.ref == lived.secret)
    statement = Statement(lived.secret, Relation.COMPLEMENTS)
    own = sorted(lived.facts)[0]
    ways: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (retrieve, {"ask": Ask(SECRET, teams=["rival"])}),
        (open_insight, {"ref": lived.secret}),
        (rate, {"refs": [lived.secret], "verdict": SignalKind.HELPFUL}),
        (report, {"a": lived.secret, "b": own, "reason": ""}),
        (relate, {"ref": own, "statements": [statement]}),
        (deposit, {"draft": Draft(kind=Kind.CONTEXT, body=SECRET, repo=REPO, relations=[statement])}),
        (deposit, {"draft": Draft(kind=Kind.CONTEXT, body=SECRET, team="rival")}),
    ]
    for verb, given in ways:
        if _try(lived, "leaks", verb, by=face, now=now, **given):
            lived.leaked.add(verb.__name__)


def _try(lived: Month, what: str, verb: Callable[..., Any], **given: Any) -> bool:
    """Whether the product let it through."""
    try:
        verb(**given)
    except Refused:
        lived.counts[f"{what}, refused"] += 1
        return False
    lived.counts[what] += 1
    return True


# --- what came of it ----------------------------------------------------------------------------------------
def _figures(lived: Month, now: datetime) -> dict[str, Any]:
    crew = [one.user_id for one in lived.cast.crew]
    good = list(Insight.objects.filter(ref__in=lived.facts))
    demoted = {row.ref for row in good if row.status != Status.PROMOTED or not row.retrievable}
    served = led = beside = 0
    for ref, fact in lived.facts.items():
        hits = retrieve(ask=Ask(fact.asked, repo=REPO), by=lived.cast.honest[0], now=now).hits
        told = {hit.insight.ref for hit in hits} | {one.insight.ref for hit in hits for one in hit.related}
        served += ref in told
        led += bool(hits) and hits[0].insight.author_id in crew
        links = [one for hit in hits if hit.insight.ref == ref for one in hit.related]
        beside += any(one.relation == Relation.COMPLEMENTS and one.insight.author_id in crew for one in links)
    strengths = [row.effective_strength(now) for row in good]
    return {
        "crew": len(crew),
        "junk promoted": _junk_promoted(lived),
        "promoted by evening": lived.promoted,
        "confirmed": len(good),
        "demoted": len(demoted),
        "below review": max([len(demoted), *lived.reviewed]),
        "weakest": round(min(strengths), 1),
        "told": served,
        "led by the crew": led,
        "linked by the crew": beside,
        "waiting": lived.waiting,
        "leaked": sorted(lived.leaked),
        "deeds": dict(lived.counts),
    }
