"""Draft a skill from a topic's insights, without a model; a lead edits it.

Each insight is quoted in full under the heading of its kind, decisions and procedures first, pitfalls last, with its
reference, so that the editor sees where every sentence came from. The triggers are the anchors that more than one of
the insights have.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowledge.retrieval.rules.locality import folder
from knowledge.rules.vocabulary import Kind
from skills.rules.sheet import (
    LONGEST_DESCRIPTION,
    LONGEST_INSTRUCTIONS,
    LONGEST_NAME,
    Sheet,
    Triggers,
    tidy_description,
    tidy_instructions,
)

# "A topic with several promoted insights": two may be the same thought stated twice.
SEVERAL = 3
# In reading order: what was decided and how it is done, then what to know and what goes wrong.
HEADINGS = {
    Kind.DECISION: "Decided",
    Kind.WORKFLOW: "How it is done",
    Kind.PATTERN: "Patterns",
    Kind.SOLUTION: "When it fails",
    Kind.PITFALL: "Do not",
    Kind.DEPENDENCY: "Versions and dependencies",
    Kind.CONTEXT: "Background",
}
# Anchors of at least this many insights become triggers, and at most this many of each kind.
SHARED_BY, MOST_SHARED = 2, 8
_NO_NAME = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class InsightLesson:
    """One promoted insight."""

    ref: str
    kind: Kind
    title: str
    body: str
    reasoning: str
    tags: Sequence[str]
    files: Sequence[str]


def distilled(label: str, terms: Sequence[str], lessons: Sequence[InsightLesson]) -> Sheet:
    """Return a sheet for a topic of that label and those terms. Lessons that do not fit are left out, of the sources
    too.
    """
    kept: list[InsightLesson] = []
    for lesson in lessons:
        if len(_instructions(label, [*kept, lesson])) <= LONGEST_INSTRUCTIONS:
            kept.append(lesson)
    return Sheet(
        name=name_of(label),
        description=_description(label, terms, kept),
        instructions=tidy_instructions(_instructions(label, kept)),
        triggers=_triggers(kept),
        sources=tuple(lesson.ref for lesson in kept),
    )


def name_of(label: str) -> str:
    """`Celery beat & workers` → `celery-beat-workers`."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = _NO_NAME.sub("-", plain).strip("-")
    return name[:LONGEST_NAME].rstrip("-") or "distilled-skill"


def _description(label: str, terms: Sequence[str], lessons: Sequence[InsightLesson]) -> str:
    about = ", ".join(dict.fromkeys(terms)) or label
    titles = "; ".join(lesson.title.rstrip(".") for lesson in lessons)
    text = tidy_description(f"What the team knows about {label}. Use when working on {about}. Covers: {titles}")
    if len(text) < LONGEST_DESCRIPTION:
        return f"{text}."
    return text[: LONGEST_DESCRIPTION - 1].rsplit(" ", 1)[0].rstrip(";,") + "…"


def _instructions(label: str, lessons: Sequence[InsightLesson]) -> str:
    parts = [f"# {' '.join(label.split())}"]
    for kind, heading in HEADINGS.items():
        of_kind = [lesson for lesson in lessons if lesson.kind is kind]
        parts += [f"## {heading}", *(_quoted(lesson) for lesson in of_kind)] if of_kind else []
    return "\n\n".join(parts)


def _quoted(lesson: InsightLesson) -> str:
    body = lesson.body.strip()
    said_already = body.startswith(lesson.title.rstrip("…"))
    why = f"\n\nWhy: {lesson.reasoning.strip()}" if lesson.reasoning.strip() else ""
    text = body if said_already else f"**{lesson.title}**\n\n{body}"
    return f"{text}{why}\n\n({lesson.ref})"


def _triggers(lessons: Sequence[InsightLesson]) -> Triggers:
    folders = ({f"{folder(path)}/**" for path in lesson.files if folder(path)} for lesson in lessons)
    return Triggers.made(tags=_shared(lesson.tags for lesson in lessons), files=_shared(folders))


def _shared(values: Iterable[Iterable[str]]) -> list[str]:
    counts = Counter(value for some in values for value in set(some))
    common = [(n, value) for value, n in counts.items() if n >= SHARED_BY]
    return [value for _, value in sorted(common, key=lambda pair: (-pair[0], pair[1]))][:MOST_SHARED]
