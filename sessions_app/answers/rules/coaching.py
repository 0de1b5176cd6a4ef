"""Explanations for a member about working with the memory, and how they fade.

Proficiency is counted for each concept, not for the person: an expert who meets a convention for the first time gets
its full explanation, once. The first explanation is full, those up to the fifth are one line, and later ones are empty.
A member who has done something knows it, and gets none. A person may choose less, or full explanations for longer
(`accounts.rules.settings`). An answer has one explanation at most, within MOST_TOKENS.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from accounts.rules.settings import Machinery
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface


class Concept(StrEnum):
    """A concept that can be explained."""

    SURFACING = "surfacing"
    RATING = "rating"
    DEPOSITING = "depositing"
    DRAFTS = "drafts"
    HANDOFFS = "handoffs"


class CoachingMoment(StrEnum):
    """The moment of an explanation: what the answer is about."""

    SURFACED = "surfaced"
    ANSWERED = "answered"
    NOTHING_KNOWN = "nothing_known"


@dataclass(frozen=True)
class CoachingLesson:
    """`full` is for the first time, `line` for the next ones."""

    full: str
    line: str


# Calls are named in the terms of the reader's interface (`rules.calls`).
LESSONS: Mapping[Concept, CoachingLesson] = {
    Concept.SURFACING: CoachingLesson(
        "Loam put these notes before you because the prompt names something the team has notes on. Each comes once in "
        "a session; {query} asks for more.",
        "Notes come once in a session; {query} asks for more.",
    ),
    Concept.RATING: CoachingLesson(
        "Ratings by several people promote a note and let a wrong one fade; unrated notes fade by themselves.",
        "Unrated notes fade: rate what helped.",
    ),
    Concept.DEPOSITING: CoachingLesson(
        "When you have found it out, save it with {deposit}: one lesson, why, and the files it is about. What is "
        "already known does no harm: it strengthens the note.",
        "Save what you find out with {deposit}.",
    ),
    Concept.DRAFTS: CoachingLesson(
        "A draft is one person's word; a promoted note was confirmed by a lead or by several people. Check a draft "
        "against the code before you rely on it; of two that disagree, rate the wrong one unhelpful, with the reason.",
        "Check a draft against the code, also where it is the newer one; promoted notes were confirmed by the team.",
    ),
    Concept.HANDOFFS: CoachingLesson(
        "The next session starts from what yours leaves: {checkpoint} before the context is compacted, {end} with a "
        "summary and what is left to do.",
        "Leave a note for the next session with {end}.",
    ),
}
# In the order of their importance.
AT: Mapping[CoachingMoment, Sequence[Concept]] = {
    CoachingMoment.SURFACED: (Concept.SURFACING, Concept.RATING, Concept.DRAFTS),
    CoachingMoment.ANSWERED: (Concept.RATING, Concept.DRAFTS, Concept.HANDOFFS),
    CoachingMoment.NOTHING_KNOWN: (Concept.DEPOSITING,),
}

# SAME, "Teach, don't tell": in full at the first encounter, a line by the fifth, silent for members who know it.
IN_FULL, UNTIL = 1, 5
# SAME: "Budget cap at 100 tokens."
MOST_TOKENS = 100


def next_concept(moment: CoachingMoment, told: Mapping[Concept, int], known: Collection[Concept]) -> Concept | None:
    """Return the concept to explain now. `told`: how often each was explained. `known`: concepts that the member knows,
    as shown by what they did.
    """
    return next((one for one in AT[moment] if one not in known and told.get(one, 0) < UNTIL), None)


def words_for(concept: Concept, told: int, machinery: str = Machinery.FULL, via: Interface = Interface.REST) -> str:
    """Return the explanation for a member who has had `told` explanations before; "" if those were enough, or they want
    none.
    """
    lesson = lesson_for(concept, via)
    if machinery == Machinery.SILENT or told >= UNTIL:
        return ""
    if machinery == Machinery.TEACHING:
        return lesson.full
    return lesson.full if told < IN_FULL and machinery != Machinery.BRIEF else lesson.line


def lesson_for(concept: Concept, via: Interface) -> CoachingLesson:
    """Return the lesson with the calls of an interface in it."""
    names = {
        "query": calls.QUERY[via],
        "deposit": calls.DEPOSIT[via],
        "checkpoint": calls.CHECKPOINT[via],
        "end": calls.END[via],
    }
    lesson = LESSONS[concept]
    return CoachingLesson(lesson.full.format(**names), lesson.line.format(**names))
