"""A deposit on its way in: what was said, cleaned, before it is a row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from knowledge.judging.rules.relations import Statement
from knowledge.retrieval.rules.locality import clean_path
from knowledge.rules.vocabulary import Kind, Source, Stability

# What a line of a list shows without wrapping; a title longer than this is a body.
TITLE_LENGTH = 90
# Of the questions that a note answers: as long as what agents ask for by a line, and no list of search words.
LONGEST_QUESTION, MOST_QUESTIONS = 200, 5
_MARKUP = re.compile(r"^[\s#>*\-`]+(?:\d{1,3}[.)]\s)?|^\d{1,3}[.)]\s|[`*]+")
# The code that a text begins with, and a line that opens or closes some.
_FIRST_CODE = re.compile(r"\A\s*(`{3,}|~{3,}).*?(?:^[ ]{0,3}\1[ ]*$|\Z)", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,}).*$", re.MULTILINE)
# A full stop before a small letter, or of one of these abbreviations, ends no sentence; a colon never does.
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\bvs\.)(?<!\bcf\.)\s+(?![a-z])|(?<=[。！？])")
# A line that ends in a colon is a title by itself from so many words on.
LEAD_WORDS = 3
# A heading or lead of one or two words that says what kind of text follows, and nothing of it.
_LABEL = re.compile(
    r"(?:the |root )?(?:fix|problem|solution|summary|context|notes?|causes?|issue|symptoms?|bug|error|lesson|insight"
    r"|tip|workaround|background|decision|why|what|how|tl;?dr|todo|warning|pitfall|pattern|workflow|dependency|result)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Draft:
    """An insight as it was sent. `team` is a slug, or empty for the member's own default; paths as they came."""

    kind: Kind
    body: str
    title: str = ""
    reasoning: str = ""
    tags: Sequence[str] = ()
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    repo: str = ""
    error: str = ""
    stability: Stability = Stability.STABLE
    team: str = ""
    source_type: Source = Source.AGENT
    source_date: datetime | None = None
    source_url: str = ""
    provenance: Sequence[dict[str, Any]] = field(default_factory=tuple)
    idempotency_key: str = ""
    relations: Sequence[Statement] = ()
    questions: Sequence[str] = ()

    @property
    def headline(self) -> str:
        """The title given, or one derived from the body."""
        return self.title.strip() or derive_title(self.body)

    @property
    def text(self) -> str:
        """What it says, as one text."""
        return searchable(self.headline, self.body, self.reasoning)


def searched(text: str, questions: Sequence[str]) -> str:
    """What is embedded and searched by keyword: a text and the questions that it answers, in the words of those who
    ask (docs/decisions/0035-questions.md).
    """
    return "\n".join([text, *questions])


def searchable(title: str, body: str, reasoning: str) -> str:
    """Title, body and reasoning as one text. A title that only repeats the body's beginning is not said twice. They are
    paragraphs, for a title has no full stop: read on, "don't fetch it by hand" denied what the body begins with.
    """
    stem = title.rstrip("…").rstrip()
    parts = [body if body.lstrip().startswith(stem) else f"{title}\n\n{body}", reasoning]
    return "\n\n".join(part for part in parts if part)


def derive_title(body: str) -> str:
    """The first sentence, without its full stop, cut between words if it is too long."""
    return shortened(first_sentence(body).rstrip(".:;。"), TITLE_LENGTH) or "Untitled"


def first_sentence(text: str) -> str:
    """The first sentence of the first line that says something, without Markdown; where a text begins with code,
    of what comes after it. A label (`Fix:`, `## Problem`) is joined with the line below it.
    """
    after = _FIRST_CODE.sub("", text)
    said = _FENCE.sub("", after if after.strip() else text)
    lines = (clean for raw in said.splitlines() if (clean := _MARKUP.sub("", raw).strip()))
    line = next(lines, "")
    label = line.rstrip(":")
    if _LABEL.fullmatch(label) or (label != line and len(label.split()) < LEAD_WORDS):
        below = next(lines, "")
        line = f"{label}: {below}" if below else line
    return _SENTENCE_END.split(line, maxsplit=1)[0]


def shortened(text: str, length: int) -> str:
    """The text within `length` characters: whole, or cut between words with an ellipsis."""
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def clean_tags(tags: Sequence[str]) -> list[str]:
    """Lower case, single spaces, each once, in the order given."""
    return list(dict.fromkeys(" ".join(tag.lower().split()) for tag in tags if tag.strip()))


def clean_questions(questions: Sequence[str]) -> list[str]:
    """Single spaces, each once, in the order given."""
    return list(dict.fromkeys(" ".join(question.split()) for question in questions if question.strip()))


def clean_paths(paths: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(clean for path in paths if (clean := clean_path(path))))


def clean_symbols(symbols: Sequence[str]) -> list[str]:
    """As they are written, without the spaces around them, each once."""
    return list(dict.fromkeys(clean for symbol in symbols if (clean := symbol.strip())))
