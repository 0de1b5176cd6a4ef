"""The integrity audit: check that everything accepted is still stored, and that nothing hidden can be found.

It reads; it is not one of the sweeps, and trusts none of them. `audit` finds faults and records them with its run,
`mend` mends those that need no decision. What each fault means stands in `rules/integrity`.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, QuerySet

from accounts.actions.jobs import Work, run_job
from accounts.models import JobRun, LogEntry, Team
from accounts.rules.rights import SYSTEM
from knowledge.adapters.embedder import current
from knowledge.jobs.rules.integrity import SHOWN, Check, Fault, Mend
from knowledge.models import FormerRef, Insight, Lexicon, Pair, Signal, Term
from knowledge.models.insight import WORD_FIELDS
from knowledge.querysets.moderation import invalid_indexes
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.rules import bm25
from knowledge.rules.vocabulary import Status, Trust

NAME = "knowledge.audit"
# The sweep gives vectors every minute; an hour without one is no delay any more.
WAITED = timedelta(hours=1)
# Rows whose words are compared with their text, and hidden rows that are searched for: the newest, where a fault of
# today's would be. All 100,000 would take minutes.
SAMPLE = 500
PROBES = 20


@dataclass(frozen=True)
class Audited:
    """What the last audit found: when, in how many faults, and each in words. `at` is None before the first."""

    at: datetime | None
    faults: int
    lines: tuple[str, ...]


def audit(*, now: datetime) -> list[Fault]:
    """Every fault there is. Reads only, and some minutes of a large store: for the night."""
    checks = (
        _numbers,
        _find_lost_insights,
        _find_unlogged_removals,
        _hidden,
        _circles,
        _indexes,
        _vectors,
        _corroborations,
        _favours,
        _statistics,
        _words,
        _marks,
    )
    return [fault for check in checks for fault in check(now) if fault.count]


def audited(*, clock: Callable[[], datetime]) -> tuple[JobRun, list[Fault]]:
    """Audit, and record what was found: counts by check, and each fault in words."""
    faults: list[Fault] = []

    def work() -> Work:
        faults.extend(audit(now=clock()))
        counts = {"faults": len(faults), **{fault.check.value: fault.count for fault in faults}}
        return Work(counts, found="\n".join(map(str, faults)))

    return run_job(name=NAME, work=work, clock=clock), faults


def last_audit() -> Audited:
    """For readiness and for a page: what the last finished run found."""
    run = JobRun.objects.filter(name=NAME, outcome=JobRun.Outcome.DONE).order_by("-pk").first()
    if run is None:
        return Audited(None, 0, ())
    return Audited(run.finished_at, int(run.counts.get("faults", 0)), tuple(run.detail.splitlines()))


def mend(*, faults: Collection[Fault], now: datetime) -> list[Fault]:
    """Mend what needs no decision, each fault looked for again; returns what was mended."""
    mended = [fault for fault in faults if fault.explained.mend]
    wanted = {fault.explained.mend for fault in mended}
    # Words first: what is recounted is counted from them.
    for kind in (kind for kind in MENDS if kind in wanted):
        MENDS[kind](now)
    return mended


# --- finding ------------------------------------------------------------------------------------------------
def _fault(check: Check, rows: QuerySet[Insight]) -> Fault:
    return Fault(check, rows.count(), tuple(rows.order_by("pk").values_list("ref", flat=True)[:SHOWN]))


def _places(check: Check, where: Iterable[str]) -> Fault:
    found = list(where)
    return Fault(check, len(found), tuple(found[:SHOWN]))


def _numbers(now: datetime) -> list[Fault]:
    missing, beyond = [], []
    for team in Team.objects.order_by("pk"):
        numbers = Insight.objects.all().missing_numbers(team.pk, team.last_number, SHOWN + 1)
        missing += [f"{team.prefix}-{number}" for number in numbers]
        if _highest(team) > team.last_number:
            beyond.append(team.slug)
    return [_places(Check.NUMBERS, missing), _places(Check.BEYOND, beyond)]


def _highest(team: Team) -> int:
    return max(
        rows.filter(team=team).aggregate(n=Max("number"))["n"] or 0 for rows in (Insight.objects, FormerRef.objects)
    )


def _find_lost_insights(now: datetime) -> list[Fault]:
    # A cluster that was deposited is named by its own reference; the line says which insight it became.
    told = LogEntry.objects.filter(verb="deposited").exclude(after__has_key="insight")
    lines = told.of_nothing(Insight.objects.all(), FormerRef.objects.all())
    vanished = lines.order_by("subject").values_list("subject", flat=True).distinct()
    return [_places(Check.VANISHED, vanished), _fault(Check.EMPTY, Insight.objects.all().empty())]


def _find_unlogged_removals(now: datetime) -> list[Fault]:
    """What disappeared from sight says so in its log."""
    rows, lines = Insight.objects.all(), LogEntry.objects.all()
    untold = [
        rows.filter(superseded_by__isnull=False, erased_at__isnull=True).without_log_line(lines, "superseded"),
        rows.filter(status=Status.ARCHIVED).without_log_line(lines, "archived"),
        rows.filter(forgotten_at__isnull=False).without_log_line(lines, "forgotten"),
        rows.filter(quarantined_at__isnull=False).without_log_line(lines, "quarantined"),
    ]
    return [_places(Check.UNLOGGED, (ref for some in untold for ref in some.values_list("ref", flat=True)))]


def _hidden(now: datetime) -> list[Fault]:
    """By the column, and by searching for what must not be found, as a query would."""
    probes = Insight.objects.all().out_of_retrieval().filter(embedding__isnull=False).order_by("-updated_at")[:PROBES]
    seen = Insight.objects.all().retrievable()
    found = [row.ref for row in probes if row.pk in {near.pk for near in seen.near(row.embedding)[:3].only("pk")}]
    return [_fault(Check.RETRIEVABLE, Insight.objects.all().slipped()), _places(Check.FOUND, found)]


def _circles(now: datetime) -> list[Fault]:
    heirs = Insight.objects.all().heirs()
    safe: set[int] = set()
    circles: list[int] = []
    for start in heirs:
        path: list[int] = []
        at = start
        while at in heirs and at not in safe and at not in path:
            path.append(at)
            at = heirs[at]
        if at in path:
            circles += path[path.index(at) :]
        safe.update(path)
    return [_fault(Check.CIRCLE, Insight.objects.filter(pk__in=circles))]


def _indexes(now: datetime) -> list[Fault]:
    return [_places(Check.INDEX, invalid_indexes())]


def _vectors(now: datetime) -> list[Fault]:
    rows = Insight.objects.all()
    waiting = rows.waiting_since(now - WAITED)
    return [_fault(Check.VECTORS, rows.foreign(current().name)), _fault(Check.WAITING, waiting)]


def _corroborations(now: datetime) -> list[Fault]:
    lost = Insight.objects.all().missing_corroborations(LogEntry.objects.all())
    return [_fault(Check.CORROBORATIONS, Insight.objects.all().miscounted()), _fault(Check.LOST, lost)]


def _favours(now: datetime) -> list[Fault]:
    return [_fault(Check.UNNOTICED, Insight.objects.all().unnoticed(Signal.objects.all()))]


def _statistics(now: datetime) -> list[Fault]:
    wrong, terms = [], []
    for row in Lexicon.objects.select_related("team").order_by("pk"):
        extent = Insight.objects.filter(team_id=row.pk).extent()
        if (row.documents, row.length) != (extent["documents"], extent["length"]):
            wrong.append(row.team.slug)
        if Term.objects.all().miscounted(row.pk):
            terms.append(row.team.slug)
    return [_places(Check.STATISTICS, wrong), _places(Check.TERMS, terms)]


def _words(now: datetime) -> list[Fault]:
    rows = Insight.objects.all()
    wrong = set(rows.unsearchable(bm25.RECIPE).values_list("ref", flat=True))
    for row in rows.shown().order_by("-updated_at", "-pk")[:SAMPLE]:
        if row.length != len(row.words):
            wrong.add(row.ref)
    return [_places(Check.WORDS, sorted(wrong)), _fault(Check.LEFT, rows.still_searchable())]


def _marks(now: datetime) -> list[Fault]:
    return [_fault(Check.CONTRADICTED, _wrongly_marked())]


def _wrongly_marked() -> QuerySet[Insight]:
    open_ones = Pair.objects.all().open().filter(question=Pair.Question.CONTRADICTION)
    rows: QuerySet[Insight] = Insight.objects.all().contradicted_by_nothing(open_ones)
    return rows


# --- mending ------------------------------------------------------------------------------------------------
def _take_out_words(now: datetime) -> None:
    Insight.objects.all().still_searchable().update(lexemes=None, bm25=None, length=0)
    upkeep.recount()


def _rebuild_keyword_vectors(now: datetime) -> None:
    """All teams: which rows are wrong is known of a sample only."""
    for team_id in Insight.objects.order_by().values_list("team_id", flat=True).distinct():
        _recollect(team_id)
        upkeep.rebuild_keyword_vectors(team_id=team_id)
    upkeep.recount()


@transaction.atomic
def _recollect(team_id: int) -> None:
    """What was heard from others, again from what they said."""
    Team.objects.select_for_update(no_key=True).get(pk=team_id)
    for row in Insight.objects.all().shown().filter(team_id=team_id).exclude(heard=[], corroboration_count=1):
        row.recollect()
        row.save(update_fields=WORD_FIELDS)


def _recount(now: datetime) -> None:
    upkeep.recount()


def _embed(now: datetime) -> None:
    upkeep.embed_waiting()


@transaction.atomic
def _recount_corroborations(now: datetime) -> None:
    for row in Insight.objects.all().miscounted():
        line = f"{row.ref} recounted: {row.actual_count} corroborations, not {row.corroboration_count}"
        changes = {"corroboration_count": row.actual_count}
        row.count_people()
        row.save(update_fields=["people"])
        row.change(changes, verb="mended", line=line, by=SYSTEM, at=now)


@transaction.atomic
def _notice(now: datetime) -> None:
    for row in Insight.objects.all().unnoticed(Signal.objects.all()).select_for_update(no_key=True, of=("self",)):
        row.favoured_at = row.heard_at
        row.save(update_fields=["favoured_at"])


@transaction.atomic
def _give_out_after(now: datetime) -> None:
    for team in Team.objects.order_by("pk").select_for_update(no_key=True):
        if _highest(team) > team.last_number:
            team.take_numbers(_highest(team) - team.last_number)


@transaction.atomic
def _unmark(now: datetime) -> None:
    for row in _wrongly_marked():
        line = f"{row.ref} no longer contradicted"
        row.change({"trust": Trust.UNKNOWN.value}, verb="settled", line=line, by=SYSTEM, at=now, why="no open pair")


# In this order.
MENDS: dict[Mend, Callable[[datetime], None]] = {
    Mend.GIVE_OUT_AFTER: _give_out_after,
    Mend.RECOUNT_CORROBORATIONS: _recount_corroborations,
    Mend.NOTICE: _notice,
    Mend.UNMARK: _unmark,
    Mend.TAKE_OUT_WORDS: _take_out_words,
    Mend.KEYWORD_VECTORS: _rebuild_keyword_vectors,
    Mend.RECOUNT: _recount,
    Mend.EMBED: _embed,
}
