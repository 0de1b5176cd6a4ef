"""Fill a database with made-up insights of the shape of real ones, for measuring speed; go on where a run was cut off.

The texts of all are generated. Up to REAL of them are embedded; a row beyond gets a vector near those of two texts of
one subject, for 384 random numbers lie as no texts do, and an index would find them more easily, or not at all.
Keyword vectors, frequencies and anchors are what a deposit of that text would have written. Nothing about the quality
of answers may be read from it.

Each chunk of rows comes from a seed of its own and is written in one transaction with the note that it is. So chunks
can be made by several processes, and those that are there are not made again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from statistics import mean
from time import perf_counter
from uuid import UUID

import numpy as np
from django.db import transaction

from accounts.models import Team
from knowledge.adapters.embedder import CachedEmbedder, current
from knowledge.lifecycle.rules.lifecycle import SignalKind
from knowledge.models import Anchor, Insight, Lexicon, Topic
from knowledge.querysets.signals import IN_FAVOUR
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.rules import bm25
from knowledge.rules.draft import searchable
from knowledge.rules.vocabulary import AnchorKind, Stability, Status, Trust
from sessions_app.adapters import bulk
from sessions_app.adapters.steps import StepLog
from sessions_app.lab.corpora.synthetic_notes import SUBJECTS, Specimen, specimen

Progress = Callable[[str, int, int], None]

# Change it with what is written: a database that was begun by another one is not gone on with.
RECIPE = "2"
REAL = 10_000
SEED = 20_261_121
# Notes embedded in one go, and rows made before they are written.
BATCH = 64
CHUNK = 2_000
# Teams by slug, with their share of the insights: between .1 % and all the planner must change its mind, and that is
# what is to be seen.
SHARES = {"thousandth": 0.001, "hundredth": 0.01, "tenth": 0.10, "third": 0.30, "rest": 0.589}
STATUSES = {Status.DRAFT: 0.71, Status.PROMOTED: 0.20, Status.DEPRECATED: 0.07, Status.ARCHIVED: 0.02}
SUPERSEDED = 0.01
OLDEST = timedelta(days=730)
# Of a hundred insights so many were rated or used, and have files that changed. What was said of one, and when, follows
# from its key: the row has when somebody last spoke for it, and the signals themselves are written much later.
RATED, STALE = 33, 1
SIGNALS = {SignalKind.HELPFUL: 50, SignalKind.USED: 38, SignalKind.UNHELPFUL: 10, SignalKind.CORROBORATED: 2}


@dataclass(frozen=True)
class Corpus:
    """What was written: how many rows; `samples` are some of the notes, to ask about; `seconds` what each step took."""

    size: int
    samples: list[Specimen]
    seconds: dict[str, float]


@dataclass(frozen=True)
class CorpusPlan:
    """What every row is made from. `teams` and `numbers` of the row with key i + 1: its place in SHARES, and which of
    its team's it is.
    """

    real: list[Specimen]
    base: np.ndarray
    teams: np.ndarray
    numbers: np.ndarray
    topics: dict[tuple[str, str, str], UUID]
    ids: dict[str, int]
    average: float
    now: datetime

    @property
    def size(self) -> int:
        return len(self.teams)

    @property
    def chunks(self) -> int:
        return -(-self.size // CHUNK)


# Writes the chunks of a plan that are not written yet, and reports after each.
WriteChunks = Callable[[CorpusPlan, list[int], StepLog, Callable[[], None]], None]


def fill(
    *,
    size: int,
    now: datetime,
    cache: Path,
    progress: Progress,
    steps: StepLog | None = None,
    write: WriteChunks | None = None,
) -> Corpus:
    """Write `size` insights in teams of SHARES, as far as `steps` does not say that they are written; vectors of the
    real texts are kept in `cache`. `write`: how chunks are written, here if nothing is said. Raises EmbedderDown.
    """
    steps = steps or StepLog()
    rng = Random(SEED)
    real = [specimen(rng) for _ in range(min(size, REAL))]
    begun = perf_counter()
    base = _embedded(real, cache, progress)
    embedded = perf_counter() - begun
    steps.once("embed", lambda: embedded)
    if not steps.has("rows"):
        steps.once("bare", lambda: bulk.drop_indexes(Insight, Anchor))
        steps.once("rows", lambda: _write(_plan(size, real, base, now), steps, progress, write or write_here))
    built = bulk.build_indexes(Anchor, progress, steps) | bulk.build_indexes(Insight, progress, steps)
    steps.once("words", lambda: _timed(lambda: upkeep.recount(), "count words", progress))
    settled = steps.once("settled", lambda: _timed(bulk.settle, "vacuum", progress))
    index = sum(built.values()) + steps.result("words") + settled
    return Corpus(
        size, real, {"embed": round(steps.result("embed"), 1), "load": steps.result("rows"), "index": round(index, 1)}
    )


def _timed(work: Callable[[], object], what: str, progress: Progress) -> float:
    progress(what, 0, 1)
    begun = perf_counter()
    work()
    progress(what, 1, 1)
    return round(perf_counter() - begun, 1)


def _embedded(notes: list[Specimen], cache: Path, progress: Progress) -> np.ndarray:
    embedder = CachedEmbedder(current(), cache)
    vectors = []
    for start in range(0, len(notes), BATCH):
        vectors.append(embedder.embed([_text(note) for note in notes[start : start + BATCH]]))
        progress("embed", min(start + BATCH, len(notes)), len(notes))
    return np.concatenate(vectors)


def _text(note: Specimen) -> str:
    return searchable(note.title, note.body, "")


def _plan(size: int, real: list[Specimen], base: np.ndarray, now: datetime) -> CorpusPlan:
    """The same for every run: teams and topics that are there are taken as they are."""
    teams = np.random.default_rng(SEED).choice(len(SHARES), size, p=list(SHARES.values()))
    numbers = np.zeros(size, np.int64)
    for at in range(len(SHARES)):
        mine = teams == at
        numbers[mine] = np.arange(1, mine.sum() + 1)
    rows = {slug: _team(slug) for slug in SHARES}
    return CorpusPlan(
        real=real,
        base=base,
        teams=teams,
        numbers=numbers,
        topics=_topics(rows, now),
        ids={slug: team.pk for slug, team in rows.items()},
        average=mean(len(bm25.terms(_text(note))) for note in real[:1_000]),
        now=now,
    )


def _team(slug: str) -> Team:
    return Team.objects.get_or_create(slug=slug, defaults={"name": slug.capitalize(), "prefix": slug[:4].upper()})[0]


def _topics(teams: dict[str, Team], now: datetime) -> dict[tuple[str, str, str], UUID]:
    """By team, subject and thing: as many as a night's grouping makes of so many notes, about one for a hundred."""
    if not Topic.objects.exists():
        wanted = {
            (slug, subject.tag, thing.split()[-1]): Topic(
                team=team, label=f"{subject.tag}, {thing}", created_at=now, updated_at=now
            )
            for slug, team in teams.items()
            for subject in SUBJECTS
            for thing in subject.things
        }
        Topic.objects.bulk_create(wanted.values())
    return {
        (slug, label.partition(", ")[0], label.split()[-1]): key
        for key, slug, label in Topic.objects.values_list("pk", "team__slug", "label")
    }


def _write(plan: CorpusPlan, steps: StepLog, progress: Progress, write: WriteChunks) -> float:
    """Write the chunks that are missing; the seconds of this run."""
    begun = perf_counter()
    missing = [chunk for chunk in range(plan.chunks) if not steps.has(chunk_step(chunk))]
    done = plan.chunks - len(missing)
    progress("load", min(done * CHUNK, plan.size), plan.size)

    def wrote() -> None:
        nonlocal done
        done += 1
        progress("load", min(done * CHUNK, plan.size), plan.size)

    write(plan, missing, steps, wrote)
    bulk.keep_counting(Insight)
    for at, key in enumerate(plan.ids.values()):
        Team.objects.filter(pk=key).update(last_number=int((plan.teams == at).sum()))
        Lexicon.objects.update_or_create(team_id=key, defaults={"pivot": plan.average})
    return round(perf_counter() - begun, 1)


def chunk_step(chunk: int) -> str:
    return f"chunk {chunk}"


def write_here(plan: CorpusPlan, chunks: list[int], steps: StepLog, wrote: Callable[[], None]) -> None:
    """Write the chunks one after the other, in this process."""
    subjects = of_subjects(plan)
    for chunk in chunks:
        write_chunk(plan, subjects, chunk, steps)
        wrote()


def write_chunk(plan: CorpusPlan, subjects: dict[str, list[int]], chunk: int, steps: StepLog) -> None:
    """Write one chunk with its anchors, in one transaction with the note that it is written."""
    notes, insights, slugs = [], [], list(SHARES)
    name = current().name
    for at, note, vector, rng in _rows(plan, subjects, chunk):
        slug = slugs[plan.teams[at]]
        insight = _insight(at, note, slug, plan, rng)
        insight.topic_id = plan.topics[slug, note.subject.tag, note.tags[1]]
        insight.schedule_fade()
        insight.index_words(insight.words, plan.average)
        insight.set_vector(vector, name)
        insights.append(insight)
        notes.append((at, note))
    with transaction.atomic():
        bulk.copy(insights)
        bulk.copy_values(Anchor, ANCHOR, (anchor for at, note in notes for anchor in _anchors(at + 1, note)))
        steps.record(chunk_step(chunk))


def _rows(
    plan: CorpusPlan, subjects: dict[str, list[int]], chunk: int
) -> Iterator[tuple[int, Specimen, np.ndarray, Random]]:
    """Key - 1, note and vector of each row of a chunk, and what draws the rest of it."""
    rng, noise = Random(f"{SEED} {chunk}"), np.random.default_rng([SEED, chunk])
    for at in range(chunk * CHUNK, min((chunk + 1) * CHUNK, plan.size)):
        if at < len(plan.real):
            yield at, plan.real[at], plan.base[at], rng
        else:
            yield at, specimen(rng), _made_vector(plan, subjects, rng, noise), rng


def of_subjects(plan: CorpusPlan) -> dict[str, list[int]]:
    """The places of the real notes, by their subject."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, note in enumerate(plan.real):
        found[note.subject.tag].append(at)
    return found


# A made vector has a cosine of about .9 to the one it comes from and .4 to the other; what is left of it is noise.
NEIGHBOUR = 0.3
NOISE = 0.3


def _made_vector(
    plan: CorpusPlan, subjects: dict[str, list[int]], rng: Random, noise: np.random.Generator
) -> np.ndarray:
    """One near two real ones of one subject, whatever the note it goes to is about."""
    one = rng.randrange(len(plan.real))
    other = rng.choice(subjects[plan.real[one].subject.tag])
    drawn = noise.normal(size=plan.base.shape[1])
    made = plan.base[one] + NEIGHBOUR * plan.base[other] + NOISE * drawn / np.linalg.norm(drawn)
    return np.asarray(made / np.linalg.norm(made))


def _insight(at: int, note: Specimen, slug: str, plan: CorpusPlan, rng: Random) -> Insight:
    written = plan.now - OLDEST * rng.random()
    # By one of its own chunk, for another may not be there yet.
    first = at - at % CHUNK
    over = at > first and rng.random() < SUPERSEDED
    number = int(plan.numbers[at])
    favours = [moment for kind, moment in said_of(at + 1, written, plan.now) if kind in IN_FAVOUR]
    return Insight(
        pk=at + 1,
        team_id=plan.ids[slug],
        number=number,
        ref=f"{slug[:4].upper()}-{number}",
        kind=note.kind,
        title=note.title,
        body=note.body,
        repo=note.repo,
        stability=rng.choice(list(Stability)),
        source_date=written,
        status=rng.choices(list(STATUSES), list(STATUSES.values()))[0],
        strength=round(rng.uniform(10, 100), 1),
        strength_at=written,
        trust=Trust.STALE if rng.randrange(100) < STALE else Trust.UNKNOWN,
        favoured_at=max(favours, default=None),
        superseded_by_id=rng.randint(first + 1, at) if over else None,
        created_at=written,
        updated_at=written,
    )


def said_of(key: int, written: datetime, now: datetime) -> list[tuple[SignalKind, datetime]]:
    """What people said of an insight by now, and when."""
    rng = Random(f"{SEED} said {key}")
    if rng.randrange(100) >= RATED:
        return []
    kinds = rng.choices(list(SIGNALS), list(SIGNALS.values()), k=rng.randint(1, 4))
    return [(kind, written + (now - written) * rng.random()) for kind in kinds]


ANCHOR = ("insight_id", "kind", "value", "recipe", "detail")


def _anchors(key: int, note: Specimen) -> Iterator[tuple[int, str, str, str, str]]:
    for kind, values in (
        (AnchorKind.TAG, note.tags),
        (AnchorKind.FILE, note.files),
        (AnchorKind.SYMBOL, note.symbols),
    ):
        for value in dict.fromkeys(values):
            yield key, str(kind), value, "", ""
