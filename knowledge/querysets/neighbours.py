"""Queries for deduplication: the neighbours of a note that is about to be stored, in one statement."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from django.db import connection
from pgvector import HalfVector, SparseVector
from pgvector.django import CosineDistance

from knowledge.querysets.moderation import ModeratedQuerySet


@dataclass(frozen=True)
class NeighbourQuery:
    """What to search the neighbours of one note by. Everything but the vector may be empty.

    `repo`: only rows of this repository or of none are searched, or all if it is "". `words`: a tsquery of rare words.
    `weights`: the weights of the words. `consulted`: references that the depositing session consulted. `itself`: the id
    of a row that is not its own neighbour.
    """

    vector: HalfVector
    repo: str = ""
    words: str = ""
    weights: SparseVector | None = None
    error: str = ""
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    consulted: Sequence[str] = ()
    decision: bool = False
    itself: int = 0


@dataclass(frozen=True)
class NearestRow:
    """A row near a probe. `probe`: the index of the probe among those given. `leg`: one of vector, words, error, place,
    consulted, topic, team. The leg `team` searches the whole team, whatever the repository.
    """

    probe: int
    pk: int
    similarity: float
    leg: str


# One branch per leg, so that each uses its own index. The condition on the probe comes first, so that an unused leg
# costs nothing. `_STANDS` is repeated, because a partial index is used only if its condition is in the same branch. Of
# two notes that both wait for deduplication, only the later one is compared with the earlier one.
_OF_TEAM = """n.team_id = %(team)s AND n.number > %(since)s AND n.retrievable
   AND n.id <> p.itself AND (p.itself = 0 OR n.id < p.itself OR NOT n.unweighed)"""
_STANDS = f"{_OF_TEAM} AND (p.repo = '' OR n.repo = '' OR n.repo = p.repo)"
_NEAREST = "ORDER BY n.embedding <=> p.vector LIMIT %(most)s"
_SURROUNDING = "ORDER BY n.embedding <=> p.vector LIMIT %(nearest)s"
_NEIGHBOURS = f"""
WITH asked AS MATERIALIZED (
  SELECT place, vector::halfvec AS vector, repo, words::tsquery AS words, weights::sparsevec AS weights, error,
    ARRAY(SELECT jsonb_array_elements_text(files::jsonb)) AS files,
    ARRAY(SELECT jsonb_array_elements_text(symbols::jsonb)) AS symbols,
    ARRAY(SELECT jsonb_array_elements_text(consulted::jsonb)) AS consulted, decision, itself
  FROM unnest(%(vectors)s::text[], %(repos)s::text[], %(words)s::text[], %(weights)s::text[], %(errors)s::text[],
  %(files)s::text[],
    %(symbols)s::text[], %(consulted)s::text[], %(decisions)s::bool[], %(itself)s::bigint[])
    WITH ORDINALITY AS t(vector, repo, words, weights, error, files, symbols, consulted, decision, itself, place)
)
SELECT p.place, f.id, COALESCE(1 - (f.embedding <=> p.vector), 0), f.leg
FROM asked p CROSS JOIN LATERAL (
  (SELECT n.id, n.embedding, 'vector' AS leg FROM knowledge_insight n
   WHERE {_STANDS} AND n.embedding IS NOT NULL {_SURROUNDING})
  UNION ALL
  (SELECT n.id, n.embedding, 'team' FROM knowledge_insight n
   WHERE p.repo <> '' AND {_OF_TEAM} AND n.embedding IS NOT NULL {_NEAREST})
  UNION ALL
  (SELECT n.id, n.embedding, 'words' FROM knowledge_insight n
   WHERE p.weights IS NOT NULL AND {_STANDS} AND n.lexemes @@ p.words ORDER BY n.bm25 <#> p.weights LIMIT %(most)s)
  UNION ALL
  (SELECT n.id, n.embedding, 'error' FROM knowledge_insight n
   WHERE p.error <> '' AND {_STANDS} AND n.id IN (
     SELECT a.insight_id FROM knowledge_anchor a WHERE a.kind = 'error' AND a.value = p.error) {_NEAREST})
  UNION ALL
  (SELECT n.id, n.embedding, 'place' FROM knowledge_insight n
   WHERE p.files <> '{{}}' AND p.symbols <> '{{}}' AND {_STANDS} AND n.id IN (
     SELECT a.insight_id FROM knowledge_anchor a WHERE a.kind = 'file' AND a.value = ANY(p.files)
     INTERSECT
     SELECT a.insight_id FROM knowledge_anchor a WHERE a.kind = 'symbol' AND a.value = ANY(p.symbols)) {_NEAREST})
  UNION ALL
  (SELECT n.id, n.embedding, 'consulted' FROM knowledge_insight n
   WHERE p.consulted <> '{{}}' AND {_STANDS} AND n.embedding IS NOT NULL AND n.ref = ANY(p.consulted) {_NEAREST})
  UNION ALL
  (SELECT n.id, n.embedding, 'topic' FROM knowledge_insight n
   WHERE p.decision AND {_STANDS} AND n.kind = 'DECISION' AND n.topic_id IN (
     SELECT o.topic_id FROM (SELECT n.topic_id FROM knowledge_insight n
       WHERE {_STANDS} AND n.embedding IS NOT NULL {_NEAREST}) o) {_NEAREST})
) f
"""

_SURROUNDINGS = """
SELECT y.id, ARRAY(
  SELECT 1 - (n.embedding <=> y.embedding) FROM knowledge_insight n
  WHERE n.team_id = %(team)s AND n.retrievable AND n.embedding IS NOT NULL AND n.id <> y.id AND n.id <> %(without)s
    AND (y.repo = '' OR n.repo = '' OR n.repo = y.repo)
  ORDER BY n.embedding <=> y.embedding LIMIT %(most)s)
FROM knowledge_insight y WHERE y.id = ANY(%(ids)s) AND y.embedding IS NOT NULL
"""


class WeighedQuerySet(ModeratedQuerySet):
    def neighbours(
        self, probes: Sequence[NeighbourQuery], team_id: int, *, most: int, nearest: int, since: int = 0
    ) -> list[NearestRow]:
        """Return, for each probe, the nearest retrievable rows of one team by each leg, in one statement: at most
        `nearest` by vector and `most` by each other leg.

        `since`: only rows with a greater number. A row that several legs find is returned once for each.
        """
        if not probes:
            return []
        with connection.cursor() as cursor:
            cursor.execute(
                _NEIGHBOURS,
                {
                    "team": team_id,
                    "since": since,
                    "most": most,
                    "nearest": nearest,
                    "vectors": [probe.vector.to_text() for probe in probes],
                    "repos": [probe.repo for probe in probes],
                    "words": [probe.words for probe in probes],
                    "weights": [probe.weights.to_text() if probe.weights else None for probe in probes],
                    "errors": [probe.error for probe in probes],
                    "files": [json.dumps(list(probe.files)) for probe in probes],
                    "symbols": [json.dumps(list(probe.symbols)) for probe in probes],
                    "consulted": [json.dumps(list(probe.consulted)) for probe in probes],
                    "decisions": [probe.decision for probe in probes],
                    "itself": [probe.itself for probe in probes],
                },
            )
            return [NearestRow(place - 1, pk, similarity, leg) for place, pk, similarity, leg in cursor.fetchall()]

    def surroundings(self, ids: Sequence[int], team_id: int, *, most: int, without: int = 0) -> dict[int, list[float]]:
        """Return, by row, the cosines of its nearest neighbours in the team and repository, at most `most`, nearest
        first, in one statement.

        `without`: the id of a row to leave out.
        """
        if not ids:
            return {}
        with connection.cursor() as cursor:
            cursor.execute(_SURROUNDINGS, {"ids": list(ids), "team": team_id, "most": most, "without": without})
            return {pk: [float(cosine) for cosine in cosines] for pk, cosines in cursor.fetchall()}

    def cosines_to(
        self, vector: HalfVector, refs: Collection[str], team_id: int, repo: str
    ) -> list[tuple[int, str, float]]:
        """Return (id, reference, cosine with the vector) of the retrievable rows with one of these references in a
        team. If `repo` is not "", only those of this repository or of none.
        """
        rows = self.filter(team_id=team_id, ref__in=refs, retrievable=True, embedding__isnull=False)
        rows = rows.filter(repo__in=("", repo)) if repo else rows
        measured = rows.annotate(cosine=1 - CosineDistance("embedding", vector)).order_by("pk")
        return [(pk, ref, float(cosine)) for pk, ref, cosine in measured.values_list("pk", "ref", "cosine")]

    def texts(self, ids: Iterable[int]) -> Self:
        """Return the rows with their texts and no other columns. Runs no query without ids."""
        return self.filter(pk__in=set(ids)).only("title", "body", "reasoning", "questions", "heard")

    def to_weigh(self) -> Self:
        """Return the rows that were stored without a vector, have one now, and have not been compared
        with others yet.
        """
        return self.filter(unweighed=True, embedding__isnull=False, retrievable=True).order_by("pk")
