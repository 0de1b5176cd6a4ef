"""Score how well a skill fits a question: 0.6 · similarity + 0.4 · triggers, with two thresholds.

Similarity is the cosine of the question's vector and that of the skill's name and description. The trigger share is, of
those kinds of trigger (tags, files, errors) that both the skill and the question have, the share that match: a question
that names no file says nothing against a skill with globs.

A skill's text is long and is shown before notes, so a wrong one costs more than a missing one. Hence the thresholds: a
trigger alone (`*.py`) is not enough for a skill that the question is not about, and without a trigger the similarity
must be clear.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from knowledge.rules.draft import clean_paths, clean_tags
from skills.rules.globs import contains, first_match
from skills.rules.vocabulary import TriggerKind

# Surchin's published weights (product.md, section 4).
MEANING, OVERLAP = 0.6, 0.4


@dataclass(frozen=True)
class Question:
    """The question to match. Texts are as received; `error` includes the question, because errors are often pasted into
    it.
    """

    tags: frozenset[str]
    files: tuple[str, ...]
    error: str

    @classmethod
    def asked(cls, *, text: str, tags: Sequence[str], files: Sequence[str], error: str) -> "Question":
        words = " ".join(f"{error}\n{text}".lower().split())
        return cls(frozenset(clean_tags(tags)), tuple(clean_paths(files)), words)


@dataclass(frozen=True)
class SkillCandidate:
    """A published version found by the search. `distance`: cosine, None if either has no vector."""

    version_id: int
    name: str
    team_id: int
    distance: float | None
    triggers: Sequence[str]

    def of(self, kind: TriggerKind) -> list[str]:
        mark = f"{kind}:"
        return [text.removeprefix(mark) for text in self.triggers if text.startswith(mark)]


@dataclass(frozen=True)
class SkillMatch:
    """`met`: the triggers that matched, in words."""

    candidate: SkillCandidate
    similarity: float
    overlap: float
    met: tuple[str, ...]

    @property
    def score(self) -> float:
        """The score, 0 to 1."""
        return MEANING * self.similarity + OVERLAP * self.overlap

    @property
    def why(self) -> str:
        return "; ".join((f"meaning {self.similarity:.2f}", *self.met))


def match(candidate: SkillCandidate, question: Question) -> SkillMatch:
    """Return the match of a candidate. Without a vector its similarity is 0."""
    similarity = 0.0 if candidate.distance is None else max(0.0, 1.0 - candidate.distance)
    met: list[str] = []
    asked = 0
    for kind, brought in (
        (TriggerKind.TAG, bool(question.tags)),
        (TriggerKind.FILE, bool(question.files)),
        (TriggerKind.ERROR, bool(question.error)),
    ):
        values = candidate.of(kind)
        found = _met(kind, values, question) if values and brought else ""
        met += [f"{kind} {found}"] if found else []
        # Every question has text, and most texts are no error: an error that matches counts, one that does not is
        # ignored.
        asked += bool(values and brought and (found or kind is not TriggerKind.ERROR))
    return SkillMatch(candidate, similarity, len(met) / asked if asked else 0.0, tuple(met))


def _met(kind: TriggerKind, values: Sequence[str], question: Question) -> str:
    if kind is TriggerKind.TAG:
        return next((value for value in values if value in question.tags), "")
    if kind is TriggerKind.FILE:
        return first_match(values, question.files)
    return next((value for value in values if contains(value.lower(), question.error)), "")


# Measured with 172 public skills, 66 questions written for them and some 1,500 that no skill is for (Stack Overflow
# titles, shell requests, notes' titles, bug reports, talk). Meaning alone reaches the floor at a cosine of .40: the
# right skill is then served for 83 % of its questions, and some skill for 0 to 7 % of the others, half of them not
# unfitting. At .35 it is 91 % and up to 12 %, at .45 76 % and 2 %.
FLOOR = 0.24
# With a matching trigger a skill is over the floor at once. All those questions have a cosine of .2 or more with their
# skill; of unrelated pairs 1.5 % do (at .15 4 %, at .1 10 %).
LEAST_SIMILARITY = 0.2
# The most skills in one answer. Two are already several pages.
MOST = 2
# A second skill is served if its score is at least this share of the first one's.
TRIM = 0.8


def best(matches: Collection[SkillMatch], *, meaning: bool) -> list[SkillMatch]:
    """Return the matches over the thresholds, best first, each name once, at most MOST. `meaning`: whether the question
    has a vector.
    """
    good = [m for m in matches if m.score >= FLOOR and (m.similarity >= LEAST_SIMILARITY or not meaning)]
    good.sort(key=lambda m: (-m.score, m.candidate.name, m.candidate.version_id))
    return [m for m in good[:MOST] if m.score >= TRIM * good[0].score]
