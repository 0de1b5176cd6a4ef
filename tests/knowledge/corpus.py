"""Thousands of rows at once, for plans and recall: random words, and vectors that lie in clusters as real ones do."""

from collections.abc import Iterator
from datetime import datetime

import numpy as np
from django.db import connection

from accounts.models import Team
from knowledge.adapters.embedder import NAME
from knowledge.models import Lexicon
from knowledge.models.insight import DIMENSIONS
from knowledge.retrieval.rules import bm25
from knowledge.rules.vectors import half, lexemes, sparse

SEED = 7
# Some 30 words of prose a row out of 4,000, the common ones far more often (Zipf), as in any text.
WORDS = [f"w{number}" for number in range(4_000)]
LENGTH = 30
# How far a vector lies from the centre of its cluster: neighbours of a real text have cosines of .5 to .8.
SPREAD = 0.9
CLUSTERS = 100
COLUMNS = (
    "team_id", "number", "ref", "kind", "title", "body", "reasoning", "repo", "stability", "provenance", "source_type",
    "source_url", "session_key", "status", "strength", "strength_at", "pinned", "trust", "corroboration_count",
    "revision", "created_at", "updated_at", "embedding", "embedded_by", "lexemes", "bm25", "bm25_recipe", "length",
    "prose", "quality", "heard", "unweighed",
)  # fmt: skip


def clusters(seed: int) -> np.ndarray:
    """(CLUSTERS, DIMENSIONS): the middles."""
    return np.random.default_rng(seed).standard_normal((CLUSTERS, DIMENSIONS))


def near(middles: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, DIMENSIONS), of length 1, each near one of the middles."""
    points = middles[rng.integers(0, len(middles), count)] + SPREAD * rng.standard_normal((count, DIMENSIONS))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def fill(sizes: dict[Team, int], now: datetime, seed: int = SEED) -> None:
    """So many insights for each team, the index built after and statistics gathered. Inside one transaction."""
    rng = np.random.default_rng(seed)
    rows = [row for team, size in sizes.items() for row in _rows(team, size, rng, now)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'insight_near'")
        [(definition,)] = cursor.fetchall()
        cursor.execute("DROP INDEX insight_near")
        with cursor.copy(f"COPY knowledge_insight ({', '.join(COLUMNS)}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        # No index is made while foreign keys are still to be checked, which Django leaves to the end.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute(definition)
        cursor.execute("ANALYZE knowledge_insight, knowledge_term")
        # A vacuum, which no transaction may run, would note that what is in an index need not be looked up in the row.
        cursor.execute("UPDATE pg_class SET relallvisible = relpages WHERE oid = 'knowledge_insight'::regclass")


def _rows(team: Team, size: int, rng: np.random.Generator, now: datetime) -> Iterator[tuple[object, ...]]:
    chosen = np.minimum(rng.zipf(1.3, (size, LENGTH)), len(WORDS)) - 1
    texts = [[WORDS[word] for word in row] for row in chosen]
    Lexicon.of(team.pk).count(added=texts)
    for number, (words, vector) in enumerate(zip(texts, near(clusters(SEED), size, rng), strict=True), start=1):
        kind = "DECISION" if number % 10 == 0 else "CONTEXT"
        yield (
            team.pk, number, f"{team.prefix}-{number}", kind, f"Note {number}", " ".join(words), "Because.", "",
            "stable", "[]", "agent", "", "", "draft", 50, now, False, "unknown", 1, 1, now, now,
            half(vector).to_text(), NAME, lexemes(words), sparse(bm25.document_weights(words, LENGTH)).to_text(),
            bm25.RECIPE, len(words), 1.0, 1.0, "{}", False,
        )  # fmt: skip
