"""Compute the scores of the candidates from their raw signals.

The weight of each part is in `score`; the parts themselves are in `relevance`, `locality`, `decay`, `quality` and
`feedback`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np

from knowledge.lifecycle.rules.decay import effective
from knowledge.retrieval.rules import relevance, score
from knowledge.retrieval.rules.feedback import Feedback, feedback
from knowledge.retrieval.rules.locality import Context, Locality
from knowledge.retrieval.rules.recency import Recency
from knowledge.retrieval.rules.score import Column, Floats, Ranking
from knowledge.rules.quality import rank_factor
from knowledge.rules.vocabulary import AnchorKind, Status


class Candidate(NamedTuple):
    """One row of the candidate statement: what ranking and topics need, and nothing else.

    `distance`: cosine distance, None without a vector. `keyword`: −BM25. `anchored`: "kind:value" of each anchor.
    `errors`: the messages of its errors, if the question may quote one. `rated`: "verdict:distance:epoch seconds:user"
    of each rating; the distance is that of the rating's question to this one, empty without a vector. `of_parts`:
    distance and keyword for each part of the question. Times are epoch seconds, because 200 rows of them are read in a
    tenth of the time of timestamps.
    """

    id: int
    ref: str
    repo: str
    status: str
    stability: str
    pinned: bool
    trust: str
    strength: float
    strength_since: float
    distance: float | None
    keyword: float
    prose: float
    quality: float
    anchored: list[str]
    errors: list[str]
    rated: list[str]
    kind: str
    topic_id: UUID | None
    learned_at: float
    of_parts: list[float | None]

    @property
    def files(self) -> list[str]:
        """The paths it is anchored to."""
        return [value for kind, value in map(_anchor, self.anchored) if kind == AnchorKind.FILE]

    def age_days(self, now: datetime) -> float:
        """Return how many days ago it was learned; if nobody said when, how many days ago it was stored."""
        return (now.timestamp() - self.learned_at) / 86_400


@dataclass(frozen=True)
class Ranked:
    """The ranking, with the two columns that abstaining and trimming need."""

    ranking: Ranking
    cosine: Floats
    keyword: Floats


def rank(
    rows: Sequence[Candidate], exact: Floats, context: Context, now: datetime, latest: Recency | None = None
) -> Ranked:
    """Return the scores of all candidates of one question.

    `exact`: by candidate, 1 for an exact error, reference or time, SAME_MESSAGE for an error with the same message,
    less for a message quoted in part, else 0. `latest`: set if the question is about what is new.
    """
    cosine = np.array([np.nan if row.distance is None else 1.0 - row.distance for row in rows])
    keyword = np.array([-row.keyword for row in rows])
    terms = (*_relevance(rows, cosine, keyword, exact), _locality(rows, context), *_standing(rows, now))
    terms += _freshness(rows, now, latest) if latest else ()
    return Ranked(Ranking(terms, _factors(rows, now)), cosine, keyword)


EXACTLY, SAID_THE_SAME = "exact error, reference or time", "same error message from another place"


def _relevance(rows: Sequence[Candidate], cosine: Floats, keyword: Floats, exact: Floats) -> tuple[Column, ...]:
    fused = relevance.fuse(cosine, keyword, np.array([row.prose for row in rows]))
    weight = score.SIMILARITY * fused.weight
    return (
        Column("similarity", fused.similarity, score.SIMILARITY, lambda i: f"meaning {fused.similarity[i]:.2f}"),
        Column("keywords", fused.keywords, weight, lambda i: f"keywords {keyword[i]:.1f} (BM25)"),
        Column("exact", exact, score.EXACT, lambda i: EXACTLY if exact[i] >= 1 else SAID_THE_SAME),
    )


def _locality(rows: Sequence[Candidate], context: Context) -> Column:
    place = Locality(context)
    found = [place.of([_anchor(text) for text in row.anchored], row.repo) for row in rows]
    values = np.array([value for value, _ in found])
    return Column("locality", values, score.LOCALITY, lambda i: found[i][1] or "elsewhere")


def _anchor(text: str) -> tuple[str, str]:
    kind, _, value = text.partition(":")
    return kind, value


def _standing(rows: Sequence[Candidate], now: datetime) -> tuple[Column, ...]:
    moment = now.timestamp()
    strength = np.array([_strength(row, moment) for row in rows])
    trust = np.array([score.trust(row.status, row.trust) for row in rows])
    return (
        Column("strength", strength / 100, score.STRENGTH, lambda i: f"strength {strength[i]:.0f} of 100"),
        Column("trust", trust, score.TRUST, lambda i: f"{rows[i].status}, {rows[i].trust}"),
    )


def _freshness(rows: Sequence[Candidate], now: datetime, latest: Recency) -> tuple[Column, ...]:
    days = [row.age_days(now) for row in rows]
    fresh = np.array([latest.freshness(age) for age in days])
    return (Column("freshness", fresh, score.FRESHNESS, lambda i: f"{days[i]:.0f} days old"),)


def _strength(row: Candidate, moment: float) -> float:
    days = (moment - row.strength_since) / 86_400
    return effective(row.strength, days, row.status, row.stability, row.pinned, row.kind)


def _factors(rows: Sequence[Candidate], now: datetime) -> tuple[Column, ...]:
    quality = np.array([row.quality for row in rows])
    rated = _feedback(rows, now)
    return (
        Column("quality", rank_factor(quality), 1.0, lambda i: f"quality {quality[i]:.2f}"),
        Column("feedback", rated.factors, 1.0, rated.why),
    )


def _feedback(rows: Sequence[Candidate], now: datetime) -> Feedback:
    """Return the factors from the ratings of each candidate for similar questions."""
    place = [index for index, row in enumerate(rows) for _ in row.rated]
    said = [text.split(":") for row in rows for text in row.rated]
    helpful = [verdict == "helpful" for verdict, *_ in said]
    cosine = [1 - float(distance) if distance else np.nan for _, distance, *_ in said]
    days = [(now.timestamp() - float(epoch)) / 86_400 for _, _, epoch, *_ in said]
    who = [one[3] if len(one) > 3 else "" for one in said]
    confirmed = [row.status == Status.PROMOTED for row in rows]
    return feedback(len(rows), place, helpful, cosine, days, who=who, confirmed=confirmed)
