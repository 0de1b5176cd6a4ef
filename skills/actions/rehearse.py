"""Rehearse: which questions of before would have called for a skill as it is being written."""

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

# The last questions that are held against it: a lead's work of some weeks.
MOST_ASKED = 300
# What a person reads of them: those that were met, and those that came nearest to it.
SHOWN = 25


@dataclass(frozen=True)
class Tried:
    """One question, what the skill is worth to it, and whether it would have been served. `at` is None for one that
    was only typed to try it.
    """

    text: str
    at: datetime | None
    match: SkillMatch
    served: bool


@dataclass(frozen=True)
class Rehearsal:
    """`asked`: how many questions were held against it; `down`: why meaning was left out, if it was."""

    tried: list[Tried]
    asked: int
    served: int
    down: str = ""


def rehearse(*, sheet: Sheet, by: Member, question: str = "") -> Rehearsal:
    """Hold a sheet, stored or not, against the member's own last questions, and against `question`. Stores nothing.

    Other people's questions are theirs to read, a lead's no less than anybody's.
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
    """Cosine distance of the skill's meaning and the question's; None without a vector of the same model on both."""
    if own is None or row.embedding is None or row.embedded_by != current().name:
        return None
    return 1.0 - float(unit(row.embedding) @ own)


def _tried(sheet: Sheet, question: Question, text: str, at: datetime | None, distance: float | None) -> Tried:
    triggers = [f"{kind}:{value}" for kind, value in sheet.triggers.pairs()]
    found = match(SkillCandidate(0, sheet.name, 0, distance, triggers), question)
    return Tried(text, at, found, bool(best([found], meaning=distance is not None)))
