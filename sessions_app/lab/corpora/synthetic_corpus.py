"""Fill an empty database with made-up insights of the shape of real ones, for measuring speed.

The texts of all are generated. Up to REAL of them are embedded; a row beyond gets a vector near those of two texts of
one subject, for 384 random numbers lie as no texts do, and an index would find them more easily, or not at all.
Keyword vectors, frequencies and anchors are what a deposit of that text would have written. Nothing about the quality
of answers may be read from it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean
from time import perf_counter
from uuid import UUID

import numpy as np

from accounts.models import Team
from knowledge.adapters.embedder import CachedEmbedder, current
from knowledge.models import Anchor, Insight, Lexicon, Topic
from knowledge.retrieval.actions import upkeep
from knowledge.retrieval.rules import bm25
from knowledge.rules.draft import searchable
from knowledge.rules.vocabulary import AnchorKind, Stability, Status
from sessions_app.adapters import bulk
from sessions_app.lab.corpora.synthetic_notes import SUBJECTS, Specimen, specimen

Progress = Callable[[str, int, int], None]

REAL = 10_000
SEED = 20_261_121
# Notes embedded in one go, and rows made before they are written.
BATCH = 64
CHUNK = 2_000
# Teams by slug, with their share of the insights: between 1 % and all the planner must change its mind, and that is
# what is to be seen.
SHARES = {"hundredth": 0.01, "tenth": 0.10, "third": 0.30, "rest": 0.59}
STATUSES = {Status.DRAFT: 0.71, Status.PROMOTED: 0.20, Status.DEPRECATED: 0.07, Status.ARCHIVED: 0.02}
SUPERSEDED = 0.01
OLDEST = timedelta(days=730)


@dataclass(frozen=True)
class Corpus:
    """What was written: of the insight with key i + 1 the vector, the team, and whether a query may return it.

    `samples` are some of the notes, to ask about; `seconds` what each step of making it took.
    """

    vectors: np.ndarray
    teams: np.ndarray
    served: np.ndarray
    samples: list[Specimen]
    seconds: dict[str, float]


def fill(*, size: int, now: datetime, cache: Path, progress: Progress) -> Corpus:
    """Write `size` insights in teams of SHARES. Vectors that were made are kept in `cache`. Raises EmbedderDown."""
    rng = Random(SEED)
    real = [specimen(rng) for _ in range(min(size, REAL))]
    begun = perf_counter()
    base = _embedded(real, cache, progress)
    embedded = perf_counter()
    corpus = Corpus(
        vectors=np.empty((size, base.shape[1]), np.float16),
        teams=np.empty(size, np.int64),
        served=np.empty(size, bool),
        samples=real,
        seconds={},
    )
    with bulk.indexed_afterwards(Insight):
        _write(corpus, real, base, rng, now, progress)
        written = perf_counter()
        progress("index", 0, 1)
    upkeep.recount()
    bulk.settle()
    progress("index", 1, 1)
    corpus.seconds.update(
        embed=round(embedded - begun, 1), load=round(written - embedded, 1), index=round(perf_counter() - written, 1)
    )
    return corpus


def _embedded(notes: list[Specimen], cache: Path, progress: Progress) -> np.ndarray:
    embedder = CachedEmbedder(current(), cache)
    vectors = []
    for start in range(0, len(notes), BATCH):
        vectors.append(embedder.embed([_text(note) for note in notes[start : start + BATCH]]))
        progress("embed", min(start + BATCH, len(notes)), len(notes))
    return np.concatenate(vectors)


def _text(note: Specimen) -> str:
    return searchable(note.title, note.body, "")


def _write(
    corpus: Corpus, real: list[Specimen], base: np.ndarray, rng: Random, now: datetime, progress: Progress
) -> None:
    size = len(corpus.teams)
    average = mean(len(bm25.terms(_text(note))) for note in real[:1_000])
    teams = _teams()
    topics = _topics(teams, now)
    numbers = dict.fromkeys(teams, 0)
    rows = zip(range(size), _notes(real, rng), _vectors(real, base, rng), strict=False)
    while chunk := list(islice(rows, CHUNK)):
        insights = []
        for at, note, vector in chunk:
            slug = rng.choices(list(teams), list(SHARES.values()))[0]
            numbers[slug] += 1
            insight = _insight(at, note, teams[slug], numbers[slug], rng, now)
            insight.topic_id = topics[slug, note.subject.tag, note.tags[1]]
            insight.schedule_fade()
            insight.index_words(insight.words, average)
            insight.set_vector(vector, current().name)
            corpus.vectors[at], corpus.teams[at] = vector, insight.team_id
            corpus.served[at] = insight.status != Status.ARCHIVED and insight.superseded_by_id is None
            insights.append(insight)
        bulk.copy(insights)
        bulk.copy(anchor for at, note, _ in chunk for anchor in _anchors(at + 1, note))
        progress("load", chunk[-1][0] + 1, size)
    bulk.keep_counting(Insight)
    for slug, team in teams.items():
        Team.objects.filter(pk=team.pk).update(last_number=numbers[slug])
        Lexicon.objects.create(team=team, pivot=average)


def _teams() -> dict[str, Team]:
    return {slug: Team.objects.create(slug=slug, name=slug.capitalize(), prefix=slug[:4].upper()) for slug in SHARES}


def _topics(teams: dict[str, Team], now: datetime) -> dict[tuple[str, str, str], UUID]:
    """By team, subject and thing: as many as a night's grouping makes of so many notes, about one for a hundred."""
    wanted = {
        (slug, subject.tag, thing.split()[-1]): Topic(
            team=team, label=f"{subject.tag}, {thing}", created_at=now, updated_at=now
        )
        for slug, team in teams.items()
        for subject in SUBJECTS
        for thing in subject.things
    }
    Topic.objects.bulk_create(wanted.values())
    return {key: topic.pk for key, topic in wanted.items()}


def _notes(real: list[Specimen], rng: Random) -> Iterator[Specimen]:
    yield from real
    while True:
        yield specimen(rng)


# A made vector has a cosine of about .9 to the one it comes from and .4 to the other; what is left of it is noise.
NEIGHBOUR = 0.3
NOISE = 0.3


def _vectors(real: list[Specimen], base: np.ndarray, rng: Random) -> Iterator[np.ndarray]:
    """The real ones, then made ones, each near two real ones of one subject, whatever the note it goes to is about."""
    yield from base
    noise = np.random.default_rng(SEED)
    subjects: dict[str, list[int]] = defaultdict(list)
    for at, note in enumerate(real):
        subjects[note.subject.tag].append(at)
    while True:
        one = rng.randrange(len(real))
        other = rng.choice(subjects[real[one].subject.tag])
        drawn = noise.normal(size=base.shape[1])
        made = base[one] + NEIGHBOUR * base[other] + NOISE * drawn / np.linalg.norm(drawn)
        yield made / np.linalg.norm(made)


def _insight(at: int, note: Specimen, team: Team, number: int, rng: Random, now: datetime) -> Insight:
    written = now - OLDEST * rng.random()
    over = at > 0 and rng.random() < SUPERSEDED
    return Insight(
        pk=at + 1,
        team_id=team.pk,
        number=number,
        ref=f"{team.prefix}-{number}",
        kind=note.kind,
        title=note.title,
        body=note.body,
        repo=note.repo,
        stability=rng.choice(list(Stability)),
        source_date=written,
        status=rng.choices(list(STATUSES), list(STATUSES.values()))[0],
        strength=round(rng.uniform(10, 100), 1),
        strength_at=written,
        superseded_by_id=rng.randint(1, at) if over else None,
        created_at=written,
        updated_at=written,
    )


def _anchors(key: int, note: Specimen) -> Iterator[Anchor]:
    for kind, values in (
        (AnchorKind.TAG, note.tags),
        (AnchorKind.FILE, note.files),
        (AnchorKind.SYMBOL, note.symbols),
    ):
        for value in dict.fromkeys(values):
            yield Anchor(insight_id=key, kind=kind, value=value)
