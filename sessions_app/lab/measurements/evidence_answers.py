"""Evaluate: whether an answer cites the right file, says when no file answers, and is as sure as it is right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from accounts.actions.members import create_team, member_of
from accounts.models import User
from accounts.rules.rights import Member
from knowledge.evidence.actions.search import EvidenceAnswer, search
from knowledge.evidence.actions.sources import register
from knowledge.evidence.rules.ask import EvidenceQuestion
from knowledge.evidence.rules.confidence import Signs, confidence, features
from knowledge.evidence.rules.reuse import ReuseMode
from sessions_app.lab.corpora.evidence_answers import LabelledQuestion

MODES = (ReuseMode.FAST, ReuseMode.DEEP)
BINS = 10

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AnsweredQuestion:
    """`cites`: whether a file that answers is cited; `shows`: or is among what was shown as nearest."""

    question: LabelledQuestion
    mode: ReuseMode
    answer: EvidenceAnswer
    cites: bool
    shows: bool

    @property
    def abstained(self) -> bool:
        return not self.answer.cited

    @property
    def confidence(self) -> float:
        return self.answer.confidence


def register_sources(*, root: Path, folders: dict[str, Path], by: Member, now: datetime) -> Member:
    """A member who sees exactly these sources, each named as in the questions."""
    team = create_team(name="Answers", slug="answers", prefix="ANSWERS", by=by, now=now)
    for name, folder in folders.items():
        register(slug=name, team_slug=team.slug, path=str(folder.relative_to(root)), by=by, now=now)
    return member_of(user=User.objects.get(pk=by.user_id), only=frozenset({team.pk}))


def ask_all(
    *, questions: Sequence[LabelledQuestion], by: Member, now: datetime, progress: Progress
) -> list[AnsweredQuestion]:
    """Every question of its source in every mode, nothing reused and nothing kept."""
    found = []
    for mode in MODES:
        for done, question in enumerate(questions, start=1):
            ask = EvidenceQuestion(question.text, mode, sources=(question.source,), reuse=False, beside=False)
            answer = search(ask=ask, by=by, now=now)
            cites, nearest = (_names(question, some) for some in (answer.cited, answer.nearest))
            found.append(AnsweredQuestion(question, mode, answer, cites, cites or nearest))
            progress(f"answers: {mode}", done, len(questions))
    return found


def _names(question: LabelledQuestion, cited: Sequence[object]) -> bool:
    return any(question.answered_by(str(getattr(one, "path", ""))) for one in cited)


def figures(rows: Sequence[AnsweredQuestion]) -> dict[str, float]:
    """Of one mode: the share answered rightly, the share abstained, how far the confidence is off."""
    known = [row for row in rows if row.question.files]
    unknown = [row for row in rows if not row.question.files]
    return {
        "answered": len(known),
        "unanswerable": len(unknown),
        "right_file_cited": float(np.mean([row.cites for row in known])) if known else 0.0,
        "right_file_shown": float(np.mean([row.shows for row in known])) if known else 0.0,
        "abstained": float(np.mean([row.abstained for row in unknown])) if unknown else 0.0,
        "expected_calibration_error": calibration_error([row.confidence for row in rows], [row.shows for row in rows]),
        "p50_ms": float(np.median([row.answer.took_ms for row in rows])) if rows else 0.0,
    }


def calibration_error(confidences: Sequence[float], right: Sequence[bool], bins: int = BINS) -> float:
    """The mean distance of confidence and share right over bins of equal width, by their sizes (Naeini et al. 2015)."""
    sure, true = np.asarray(confidences, float), np.asarray(right, float)
    at = np.minimum((sure * bins).astype(int), bins - 1)
    parts = [(at == number) for number in range(bins)]
    return float(
        sum(abs(sure[part].mean() - true[part].mean()) * part.sum() for part in parts if part.any()) / len(sure)
    )


# The strength of the penalty that keeps weights small; see docs/decisions/0010-evidence.md.
PENALTY = 1 / 8
# The questions that are near to what the files are about and all in the fitted half count so much: it then has about
# the same share of questions without an answer as the other.
NEAR = 0.5


def fit(rows: Sequence[AnsweredQuestion]) -> dict[str, float | list[float]]:
    """The intercept and weights of `rules/confidence.py` that these questions give in FAST: a logistic regression of
    whether the right file is shown on the features of the surest passage.
    """
    seen = [(max(_signs(row), key=confidence), row) for row in rows if row.mode is ReuseMode.FAST and _signs(row)]
    model = LogisticRegression(C=1 / PENALTY, max_iter=5_000)
    model.fit(
        np.asarray([features(signs) for signs, _ in seen]),
        np.asarray([row.shows for _, row in seen]),
        sample_weight=[NEAR if row.question.is_near else 1.0 for _, row in seen],
    )
    weights = [round(float(weight), 2) for weight in model.coef_[0]]
    return {"questions": len(seen), "intercept": round(float(model.intercept_[0]), 2), "weights": weights}


def _signs(row: AnsweredQuestion) -> list[Signs]:
    return [one.signs for one in (*row.answer.cited, *row.answer.nearest) if one.signs is not None]
