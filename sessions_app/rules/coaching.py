"""What is explained to a member about working with the memory, and how the explanations fade.

Proficiency is kept for each concept, not for the person: an expert who meets a convention for the first time is told
all of it, once. The first time in full, up to the fifth in one line, then not at all; and not at all to whoever has
shown that they know it, by doing it. A person may want less of it, or all of it longer (`accounts.rules.settings`).
An answer carries one explanation at most, within MOST_TOKENS.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from accounts.rules.settings import Machinery


class Concept(StrEnum):
    """What can be explained."""

    SURFACING = "surfacing"
    RATING = "rating"
    DEPOSITING = "depositing"
    DRAFTS = "drafts"
    HANDOFFS = "handoffs"


class Moment(StrEnum):
    """When something is explained: what the answer is about."""

    SURFACED = "surfaced"
    ANSWERED = "answered"
    NOTHING_KNOWN = "nothing_known"
    STARTED = "started"


@dataclass(frozen=True)
class Lesson:
    """`full` is for the first time, `line` for the next ones."""

    full: str
    line: str


LESSONS: Mapping[Concept, Lesson] = {
    Concept.SURFACING: Lesson(
        "These notes were put before you because the prompt opened a new topic the team has met before. Most prompts "
        "pass without: short ones, small talk, orders and the same topic again. Each insight comes once in a session. "
        "Ask for more with query_insights; `GET surface/` says why something came or did not.",
        "Notes come once in a session, at a new topic; query_insights asks for more.",
    ),
    Concept.RATING: Lesson(
        "When a note has helped, or has not, say so with rate_insight and the query id. Ratings from several sessions "
        "promote an insight, unhelpful ones let it fade, and like questions are answered better. An insight that "
        "nobody rates fades by itself.",
        "Tell with rate_insight whether a note helped: it is what keeps the good ones alive.",
    ),
    Concept.DEPOSITING: Lesson(
        "The team knows nothing about this yet. When you have found it out, deposit_insight keeps it: one lesson, the "
        "files it is about, and why. Repetition is no harm: what is known already is strengthened, what it contradicts "
        "is superseded. Secrets are refused.",
        "Nothing known here: deposit_insight what you find out.",
    ),
    Concept.DRAFTS: Lesson(
        "A draft is one voice; a promoted note has helped in several sessions or has a lead's word. Check a draft "
        "against the code before you rely on it, and report_contradiction where two notes disagree.",
        "Check drafts against the code; promoted notes stand for the team.",
    ),
    Concept.HANDOFFS: Lesson(
        "A session leaves a handoff for the next one: end_session with a summary and what is left to do; "
        "checkpoint_session before the context is compacted. A session that is killed is put together"
        " from its events and its transcript, so report edits and test runs as you go.",
        "Leave a note with end_session; checkpoint_session before the context is compacted.",
    ),
}
# In the order they are worth telling.
AT: Mapping[Moment, Sequence[Concept]] = {
    Moment.SURFACED: (Concept.SURFACING, Concept.RATING, Concept.DRAFTS),
    Moment.ANSWERED: (Concept.RATING, Concept.DRAFTS),
    Moment.NOTHING_KNOWN: (Concept.DEPOSITING,),
    Moment.STARTED: (Concept.HANDOFFS,),
}

# SAME, "Teach, don't tell": in full at the first encounter, a line by the fifth, silent for whom it is nothing new.
IN_FULL, UNTIL = 1, 5
# SAME: "Budget cap at 100 tokens."
MOST_TOKENS = 100


def next_concept(moment: Moment, told: Mapping[Concept, int], known: Collection[Concept]) -> Concept | None:
    """The concept to tell of now; `told`: how often each was told, `known`: those that were shown to be known."""
    return next((one for one in AT[moment] if one not in known and told.get(one, 0) < UNTIL), None)


def words_for(concept: Concept, told: int, machinery: str = Machinery.FULL) -> str:
    """The explanation for somebody who was told `told` times before; "" when that was enough, or they want none."""
    lesson = LESSONS[concept]
    if machinery == Machinery.SILENT or told >= UNTIL:
        return ""
    if machinery == Machinery.TEACHING:
        return lesson.full
    return lesson.full if told < IN_FULL and machinery != Machinery.BRIEF else lesson.line
