"""Rehearse: find the earlier questions for which a draft of a skill would have been served."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from accounts.rules.rights import Member
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.models import Query
from knowledge.rules.vectors import unit
from skills.rules.match import Question, SkillCandidate, SkillMatch, best, match
from skills.rules.sheet import Sheet

# The number of latest questions that are tried: some weeks of a lead's work.
MOST_ASKED = 300
# The number of results shown: questions that match, and those that came nearest.
SHOWN = 25


@dataclass(frozen=True)
class Tried:
    """One question, its score for the skill, and whether the skill would have been served. `at` is None for a question
    that was only typed to try it.
    """

    text: str
    at: datetime | None
    match: SkillMatch
    served: bool


@dataclass(frozen=True)
class Rehearsal:
    """`asked`: the number of questions that were tried; `down`: why vectors were left out, if they were."""

    tried: list[Tried]
    asked: int
    served: int
    down: str = ""


def rehearse(*, sheet: Sheet, by: Member, question: str = "") -> Rehearsal:
    """Compare a sheet, stored or not, with the member's own latest questions and with `question`. Stores nothing.

    Other people's questions are not used: a lead may not read them either.
    """
    rows = list(Query.objects.all().asked_by(by).order_by("-at")[:MOST_ASKED])
    seen = {row.text: row for row in reversed(rows)}
    own: np.ndarray | None = None
    typed: np.ndarray | None = None
    down = ""
    try:
        vectors = current().embed([sheet.meaning, *([question] if question else [])])
        own, typed = vectors[0], vectors[1] if question else None
    except EmbedderDown as error:
        down = str(error)
    tried = [_tried(sheet, _question(row), row.text, row.at, _distance(own, row)) for row in seen.values()]
    tried.sort(key=lambda one: (not one.served, -one.match.score, one.text))
    served = sum(one.served for one in tried)
    if question:
        asked = Question.asked(text=question, tags=(), files=(), error="")
        distance = None if own is None or typed is None else 1.0 - float(own @ typed)
        tried.insert(0, _tried(sheet, asked, question, None, distance))
    return Rehearsal(tried[:SHOWN], len(seen), served, down)


def _question(row: Query) -> Question:
    def words(name: str) -> Sequence[str]:
        found = row.ask.get(name) or ()
        return [str(one) for one in found] if isinstance(found, list | tuple) else ()

    return Question.asked(
        text=row.text, tags=words("tags"), files=words("files"), error=str(row.ask.get("error") or "")
    )


def _distance(own: np.ndarray | None, row: Query) -> float | None:
    """Return the cosine distance of the skill and the question; None unless both have a vector of the same model."""
    if own is None or row.embedding is None or row.embedded_by != current().name:
        return None
    return 1.0 - float(unit(row.embedding) @ own)


def _tried(sheet: Sheet, question: Question, text: str, at: datetime | None, distance: float | None) -> Tried:
    triggers = [f"{kind}:{value}" for kind, value in sheet.triggers.pairs()]
    found = match(SkillCandidate(0, sheet.name, 0, distance, triggers), question)
    return Tried(text, at, found, bool(best([found], meaning=distance is not None)))
