"""How many of the true neighbours of a question are among its candidates, in teams of different sizes.

The true ones are found by measuring every vector once for all questions and teams, in pages: a million vectors are
never in memory together.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import numpy as np

from accounts.rules.rights import Member
from knowledge.adapters.embedder import current
from knowledge.models import Insight
from knowledge.retrieval.actions.retrieve import ranked
from knowledge.retrieval.rules.ask import Ask
from knowledge.rules.vectors import units
from sessions_app.lab.corpora.synthetic_corpus import Progress

# Neighbours looked for, and vectors measured in one go.
NEAREST = 10
PAGE = 20_000
# Cosines of one row differ by so much, as the database computes with 32 bits and from a question of 16.
ROUNDED = 1e-6


def recall(
    *, asked: Sequence[str], teams: Mapping[str, Sequence[int]], by: Member, now: datetime, progress: Progress
) -> dict[str, float]:
    """The share of the ten nearest that are candidates, by name of a set of teams; 1 where there is nothing to find.
    `teams`: ids by name; a name that is a team's slug is asked of that team, any other of all.
    """
    vectors = np.array([current().embed([text])[0].astype(np.float16) for text in asked], np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    true = _true_cosines(vectors, teams, progress)
    slugs = {team.slug for team in by.teams}
    found = {}
    for name in teams:
        named = [name] if name in slugs else []
        wanted = hit = 0
        for text, vector, nearest in zip(asked, vectors, true[name], strict=True):
            there = nearest[np.isfinite(nearest)]
            brought = _candidates(Ask(text, teams=named), vector, by, now)
            wanted += len(there)
            hit += min(len(there), int((brought >= there.min(initial=1.0) - ROUNDED).sum()))
        found[name] = round(hit / wanted, 4) if wanted else 1.0
    return found


def _candidates(ask: Ask, vector: np.ndarray, by: Member, now: datetime) -> np.ndarray:
    refs = ranked(ask=ask, by=by, now=now).refs
    rows = Insight.objects.with_ref(refs).filter(embedding__isnull=False)
    return units([bytes(meant) for _, _, meant in rows.with_vector_bytes()]) @ vector if refs else np.zeros(0)


def _true_cosines(vectors: np.ndarray, teams: Mapping[str, Sequence[int]], progress: Progress) -> dict[str, np.ndarray]:
    """By name (questions, NEAREST), greatest last; -inf where there are fewer."""
    best = {name: np.full((len(vectors), NEAREST), -np.inf) for name in teams}
    total, done = Insight.objects.count(), 0
    for of_teams, page in _pages():
        cosines = vectors @ page.T
        for name, ids in teams.items():
            mine = cosines[:, np.isin(of_teams, ids)]
            both = np.concatenate([best[name], mine], axis=1)
            best[name] = np.sort(np.partition(both, -NEAREST, axis=1)[:, -NEAREST:], axis=1)
        done += len(page)
        progress("measure all vectors", min(done, total), total)
    return best


def _pages() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Teams and vectors of what a query may return."""
    last = 0
    while rows := list(Insight.objects.retrievable().filter(pk__gt=last).order_by("pk").with_vector_bytes()[:PAGE]):
        last = rows[-1][0]
        yield np.array([team for _, team, _ in rows]), units([bytes(meant) for _, _, meant in rows])
