"""Fill a database of made-up insights with made-up conversations, for measuring speed.

Each is a session of SPOKEN passages about one of the notes, a person and their agent taking turns; one team reads them
all. As of the insights, some texts are embedded and the others get vectors near those; words and their counts are what
the end of such a session would have written. Nothing about the quality of answers may be read from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from accounts.actions import session_ids
from knowledge.adapters.embedder import CachedEmbedder, current
from sessions_app.adapters import bulk
from sessions_app.conversations.rules.context import recipe
from sessions_app.lab.corpora.synthetic_corpus import BATCH, CHUNK, NEIGHBOUR, NOISE, SEED, Progress
from sessions_app.lab.corpora.synthetic_notes import Specimen, remark
from sessions_app.models import AgentSession, Passage
from sessions_app.rules.vocabulary import SessionState
from sessions_app.transcripts.rules.speakers import Speaker

# Passages of a session, as of one of sixty turns.
SPOKEN = 60
# Texts that are embedded.
REAL = 2_000
# As long as a team keeps conversations.
OLDEST = timedelta(days=180)


@dataclass(frozen=True)
class Owner:
    """Whose sessions they are, and the team that reads them."""

    user_id: int
    team_id: int


def fill_conversations(
    *, size: int, about: Sequence[Specimen], owner: Owner, now: datetime, cache: Path, progress: Progress
) -> int:
    """Write `size` passages in conversations about these notes; how many conversations. Raises EmbedderDown."""
    rng = Random(SEED + size)
    notes = [rng.choice(about) for _ in range(-(-size // SPOKEN))]
    sessions = AgentSession.objects.bulk_create(list(_sessions(notes, owner, rng, now)), batch_size=CHUNK)
    texts = [(note, remark(rng, note)) for note in notes for _ in range(SPOKEN)][:size]
    vectors = _vectors(texts, cache, progress)
    rows = (
        _passage(sessions[at // SPOKEN], at % SPOKEN, text, vector, owner)
        for at, ((_, text), vector) in enumerate(zip(texts, vectors, strict=True))
    )
    done = 0
    with bulk.indexed_afterwards(Passage):
        while chunk := list(islice(rows, CHUNK)):
            done += bulk.copy(chunk)
            progress("passages", done, size)
    bulk.settle()
    return len(sessions)


def _sessions(notes: Sequence[Specimen], owner: Owner, rng: Random, now: datetime) -> Iterator[AgentSession]:
    for note in notes:
        at = now - OLDEST * rng.random()
        yield AgentSession(
            key=session_ids.issue(user_id=owner.user_id),
            team_id=owner.team_id,
            user_id=owner.user_id,
            repo=note.repo,
            agent="benchmark",
            state=SessionState.ENDED,
            started_at=at,
            last_seen_at=at,
            ended_at=at,
        )


def _passage(session: AgentSession, position: int, text: str, vector: np.ndarray, owner: Owner) -> Passage:
    row = unembedded(session, position, text, owner)
    row.set_vector(vector, recipe(current().name))
    return row


def unembedded(session: AgentSession, position: int, text: str, owner: Owner) -> Passage:
    """A passage as the end of a session leaves it to the worker."""
    row = Passage(
        session=session,
        team_id=owner.team_id,
        user_id=owner.user_id,
        repo=session.repo,
        speaker=Speaker.AGENT if position % 2 else Speaker.USER,
        position=position,
        first_turn=position,
        last_turn=position,
        text=text,
        said_at=session.started_at + timedelta(minutes=position),
    )
    row.index_words()
    return row


def _vectors(texts: Sequence[tuple[Specimen, str]], cache: Path, progress: Progress) -> Iterator[np.ndarray]:
    """The vectors of the first texts; then made ones, each near a real one of its subject and leaning to where its
    conversation lies.
    """
    embedder = CachedEmbedder(current(), cache)
    real = texts[:REAL]
    made: list[np.ndarray] = []
    for start in range(0, len(real), BATCH):
        made.extend(embedder.embed([text for _, text in real[start : start + BATCH]]))
        progress("embed passages", len(made), len(real))
    yield from made
    rng, noise = Random(SEED), np.random.default_rng(SEED)
    of_subject: dict[str, list[int]] = {}
    for at, (note, _) in enumerate(real):
        of_subject.setdefault(note.subject.tag, []).append(at)
    everything = range(len(real))
    for at in range(len(real), len(texts)):
        one, other = (made[rng.choice(of_subject.get(texts[at][0].subject.tag, everything))] for _ in range(2))
        drawn = noise.normal(size=len(one))
        vector = one + NEIGHBOUR * other + NOISE * drawn / np.linalg.norm(drawn)
        yield vector / np.linalg.norm(vector)
