"""The sentences of a passage, and what in each could be a decision: figures, names, limits, refusals.

A sentence ends at a full stop before a capital, a figure or a quotation. A list item and a table row are one sentence
each. A long sentence, as in an agent's summary, is split at its semicolons, so that each clause can be quoted alone.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from knowledge.retrieval.rules.bm25 import terms
from knowledge.rules.pieces import CODE_BLOCK, SENTENCE_END
from sessions_app.transcripts.rules.speakers import Speaker

# A sentence of fewer words that names nothing is a courtesy: an agent's ("Noted on both."), or a person's ("Thanks.").
LEAST_WORDS, LEAST_OF_USER = 4, 2
# Sentences longer than LONG characters are split at semicolons, and parts longer than LONGEST between words.
LONG, LONGEST = 180, 600
# A command on a line of its own, as agents announce what they run; and the line of a tool's activity (`tool_lines`).
_COMMAND = re.compile(r"`[^`\s]+(?: [^`]*)`[.:]?|\[(?:edited|ran) .+\]")
_MARK = re.compile(r"\+\+\+ |--- |@@|… \d+ more lines|\.\.\.$")
_CLAUSE = re.compile(r"(?<=;)\s+")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^#{1,6}\s+")
# Terms that name one particular thing: figures, code names, acronyms, quoted words.
_QUOTED = re.compile(r"[`\"“”]([^`\"“”\n]{1,60})[`\"“”]")
_QUOTED_ONCE = re.compile(r"(?<!\w)['‘]([^'’\n]{1,40})['’](?!\w)")
_NAMED = re.compile(
    r"(?<![\w.])[-+]?\d[\w%]*(?:[.,:/]\d[\w%]*)*%?|\b\w+(?:[_./\\]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}[A-Z0-9]*\b"
    r"|\b\w+(?:-\w+)+\b|\b[A-Z][a-z]+(?:[A-Z]\w*)+\b"
)
# Binding words: obligation, prohibition, limit, exclusion, retention. A closed class of the grammar.
_BINDING = re.compile(
    r"\b(?:must|never|always|only|exactly|at (?:most|least)|no (?:more|less|fewer)|not|no|none|nothing|cannot|can['’]t|"
    r"don['’]t|doesn['’]t|won['’]t|shall|may|should|every|each|all|any|both|neither|instead|rather|unless|until|before|"
    r"after|without|except|stays?|remains?|keeps?|under|over|above|below|between|first|last)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|so that|otherwise|therefore|due to|which is why|the reason)\b", re.IGNORECASE)
# Beginnings of a refusal. Only the beginning of a turn is read.
_REFUSAL = re.compile(
    r"\W*(?:no|nope|not|don['’]?t|do not|never|neither|almost|hold on|wait|stop|wrong|actually|rather|instead|"
    r"that['’]s (?:not|wrong)|that (?:is|would be) (?:not|wrong)|too \w+|other way|please don['’]?t|sorry)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PassageSentence:
    """The `number`th sentence of the passage at `position`. Its content is computed on first use, because many
    sentences are quoted without it.
    """

    position: int
    number: int
    speaker: Speaker
    text: str
    code: bool = False

    @cached_property
    def names(self) -> frozenset[str]:
        """The figures and names in it, lower case."""
        return names_of(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its terms, without the stop words."""
        return frozenset(terms(self.text))

    @cached_property
    def binding(self) -> int:
        """How many of its words bind or give a reason."""
        return len(_BINDING.findall(self.text)) + len(_REASON.findall(self.text))

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"'”’)*_ ").endswith("?")

    @property
    def place(self) -> tuple[int, int]:
        return self.position, self.number


def sentences(position: int, speaker: Speaker, text: str) -> list[PassageSentence]:
    """Return the sentences of one passage, in order."""
    parts: list[tuple[str, bool]] = []
    at = 0
    for block in CODE_BLOCK.finditer(text):
        parts += [(part, False) for part in _parted(text[at : block.start()])]
        parts += [(code, True)] if (code := _without_marks(block.group())) else []
        at = block.end()
    parts += [(part, False) for part in _parted(text[at:])]
    parts = [(part, code or bool(_COMMAND.fullmatch(part))) for part, code in parts]
    return [_sentence(position, number, speaker, part, code) for number, (part, code) in enumerate(parts)]


def _without_marks(block: str) -> str:
    """Return the lines of a block of code on one line, without its fence and the marks of a diff."""
    lines = block.strip().split("\n")[1:-1]
    return " ".join(line.strip() for line in lines if line.strip() and not _MARK.match(line))


def _parted(text: str) -> list[str]:
    found: list[str] = []
    for piece in SENTENCE_END.split(text):
        said = _ITEM.sub("", piece).strip()
        if not any(map(str.isalnum, said)):
            continue
        found += [said] if len(said) <= LONG else [part.strip() for part in _CLAUSE.split(said) if part.strip()]
    return found


def _sentence(position: int, number: int, speaker: Speaker, text: str, code: bool) -> PassageSentence:
    text = text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(None, 1)[0]} …"
    return PassageSentence(position, number, speaker, text, code)


def names_of(text: str) -> frozenset[str]:
    """Return the figures, names and quotations of a text, in lower case."""
    quoted = {one.strip().lower() for one in (*_QUOTED.findall(text), *_quoted_once(text))}
    return frozenset(quoted.union(*map(_named, set(text.split())))) - {""}


def _quoted_once(text: str) -> list[str]:
    """Return the texts in single quotation marks. The marks are tested first: matching the pattern in a text without
    any, as most are, takes as long as the rest of `names_of`. An apostrophe follows a letter.
    """
    opens = "‘" in text or any(not one[-1:].isalnum() for one in text.split("'")[:-1])
    return _QUOTED_ONCE.findall(text) if opens else []


# No name contains a space, so a text is split at spaces and the pieces are cached; most occur again. Without the cache
# a text takes some 120 µs, and a question reads hundreds. About 5 MB when full.
@lru_cache(maxsize=20_000)
def _named(piece: str) -> frozenset[str]:
    """Return the figures and names in a piece between two spaces, in lower case."""
    return frozenset(name.lower() for name in _NAMED.findall(piece))


def refuses(text: str) -> bool:
    """Return whether a turn begins by refusing the previous statement."""
    return bool(_REFUSAL.match(text))


def says_something(one: PassageSentence) -> bool:
    """Return whether a sentence is more than a courtesy."""
    least = LEAST_WORDS if one.speaker is Speaker.AGENT else LEAST_OF_USER
    return bool(one.names) or len(one.words) >= least
