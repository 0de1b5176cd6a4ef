"""Decide whether a prompt is answered unasked. Gates in the order of SAME's design; the first that stops it decides.

1. *slash_command*: a command of the agent's own program. 2. *min_chars*: too short, and it names nothing known. 3.
*conversational*: only social and small words. 4. *low_signal*: it names nothing; *mode*: an instruction to continue, or
small talk. 5. *topic_change*: the last surfaced prompt was about the same. 6. *nothing_relevant*: it is no question,
and the team has no insights on what it names.

What a prompt names is its *subject*: names from code (a file, a symbol, an error), or content words. The index says
whether the team has insights on them (`known`): an instruction passes like a question if it names something known, by a
name or by two content words. The first prompt of a session passes with any subject.

A prompt that passes is searched for, and may still find nothing (`nothing_relevant`), or nothing that was not surfaced
before (`nothing_new`).
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum

from knowledge.retrieval.rules.bm25 import SHORTEST_NUMBER, terms
from sessions_app.answers.rules import gates_words as words


class Gate(StrEnum):
    """The gate that stopped a prompt; `open` if none did."""

    MIN_CHARS = "min_chars"
    SLASH_COMMAND = "slash_command"
    CONVERSATIONAL = "conversational"
    LOW_SIGNAL = "low_signal"
    MODE = "mode"
    TOPIC_CHANGE = "topic_change"
    NOTHING_RELEVANT = "nothing_relevant"
    NOTHING_NEW = "nothing_new"
    OPEN = "open"


class Mode(StrEnum):
    """The activity of somebody who types the prompt."""

    EXECUTING = "executing"
    SOCIALIZING = "socializing"
    EXPLORING = "exploring"
    DEEPENING = "deepening"
    REFLECTING = "reflecting"


@dataclass(frozen=True)
class GateVerdict:
    """The decision on a prompt. `topic`: the terms of its subject. `mode` is None if an earlier gate stopped the
    prompt.
    """

    gate: Gate
    reason: str
    mode: Mode | None = None
    topic: frozenset[str] = frozenset()

    @property
    def opens(self) -> bool:
        return self.gate is Gate.OPEN


# SAME, `minPromptChars` and `topicChangeThreshold`: at .35 and below it is a new topic.
MIN_CHARS = 20
SAME_TOPIC = 0.35
# The largest number of characters read of a prompt: its subject is at its beginning, and a pasted file is no question.
LONGEST_READ = 4_000
# A term that more than this share (and number) of the team's notes have names none of them.
COMMON_SHARE, COMMON_IN = 0.2, 5
# The number of content words that the team must know of a prompt that asks nothing: one alone is in many notes by
# chance.
LEAST_KNOWN = 2


@dataclass(frozen=True)
class PromptSubject:
    """The subject of a prompt. `names`: code names in lower case. `words`: stemmed content words, including those of
    names.
    """

    names: frozenset[str]
    words: frozenset[str]

    @property
    def terms(self) -> frozenset[str]:
        """All terms that are looked up in the index."""
        return self.names | self.words


@dataclass(frozen=True)
class PromptReading:
    """A prompt prepared for the gates. `text`: the prompt without its friendly clauses."""

    given: str
    text: str
    said: tuple[str, ...]
    subject: PromptSubject
    friendly: bool

    @property
    def is_command(self) -> bool:
        return bool(_COMMAND.match(self.given))

    @property
    def asks(self) -> bool:
        asked = words.QUESTION.search(self.text) or words.ASKS.search(self.text)
        return bool(asked) and not words.ASKED_OF_YOU.search(self.text)

    @property
    def mode(self) -> Mode:
        """The activity of somebody who types this."""
        looks_back = len(words.BACK.findall(self.text))
        if looks_back >= AT_LEAST or (looks_back and self.asks):
            return Mode.REFLECTING
        if self.asks or words.SYMPTOM.search(self.text):
            return Mode.EXPLORING
        return Mode.SOCIALIZING if self.friendly and not self.subject.words else Mode.EXECUTING


def read(prompt: str) -> PromptReading:
    """Return the prompt without its friendly clauses, and the names in it."""
    given = _SMILEY.sub(" ", prompt.strip()[:LONGEST_READ]).strip()
    clauses = [clause for clause in words.CLAUSE.split(given) if clause.strip()]
    friendly = [clause for clause in clauses if _is_friendly(clause)]
    text = given if not friendly else ". ".join(clause for clause in clauses if clause not in friendly)
    return PromptReading(given, text, tuple(_read_words(given)), _subject(text), bool(friendly))


def judge(
    reading: PromptReading, *, known: Set[str], last: Set[str] = frozenset(), first: bool = False, pasted: bool = False
) -> GateVerdict:
    """Return the verdict on a prompt.

    `known`: the terms of its subject that the team has notes on, but not most of them; `last`: the topic that was
    surfaced last in the session, empty if nothing was; `first`: it is the session's first prompt; `pasted`: it contains
    an error.
    """
    subject, mode = reading.subject, reading.mode
    named, common = subject.names & known, subject.words & known
    is_known = bool(named) or len(common) >= LEAST_KNOWN
    if reading.is_command:
        return GateVerdict(Gate.SLASH_COMMAND, "The prompt is a command of the agent's program.")
    if len(reading.given) < MIN_CHARS and not is_known:
        return GateVerdict(Gate.MIN_CHARS, f"The prompt has {len(reading.given)} characters, fewer than {MIN_CHARS}.")
    if not subject.terms and not pasted and not words.RECENT.search(reading.text):
        return _says_nothing(reading, mode)
    about = topic(reading.text)
    likeness = len(about & last) / len(about | last) if about and last else 0.0
    if likeness > SAME_TOPIC:
        reason = f"Same topic as the last surfaced one (similarity {likeness:.2f}, above {SAME_TOPIC})."
        return GateVerdict(Gate.TOPIC_CHANGE, reason, mode, about)
    if is_known:
        listed = _listed(named or common, reading.said)
        return GateVerdict(Gate.OPEN, f"The prompt names what the team has insights on: {listed}.", mode, about)
    if pasted or (words.SYMPTOM.search(reading.text) and common and not reading.friendly):
        return GateVerdict(Gate.OPEN, "The prompt describes a failure.", mode, about)
    if reading.asks or words.RECENT.search(reading.text):
        return GateVerdict(
            Gate.OPEN, "The prompt looks back." if mode is Mode.REFLECTING else "The prompt is a question.", mode, about
        )
    if first and not reading.friendly and (subject.names or len(subject.words) >= LEAST_KNOWN):
        return GateVerdict(Gate.OPEN, "First prompt of the session.", mode, about)
    return GateVerdict(Gate.NOTHING_RELEVANT, "The team has no insights on what the prompt names.", mode, about)


def telling(documents: int, frequencies: Mapping[str, int]) -> frozenset[str]:
    """Return the terms that distinguish subjects: those that few of the `documents` notes have."""
    most = max(COMMON_IN, COMMON_SHARE * documents)
    return frozenset(term for term, count in frequencies.items() if 0 < count <= most)


def _says_nothing(reading: PromptReading, mode: Mode) -> GateVerdict:
    if all(word in _UNTELLING for word in reading.said) and not words.SOCIAL.isdisjoint(reading.said):
        return GateVerdict(Gate.CONVERSATIONAL, "The prompt is only small talk.")
    if mode is Mode.EXECUTING:
        return GateVerdict(Gate.MODE, "The prompt is an instruction without specific names.", mode)
    if mode is Mode.SOCIALIZING:
        return GateVerdict(Gate.MODE, "The prompt is social and requests nothing.", mode)
    return GateVerdict(Gate.LOW_SIGNAL, "The prompt has no specific names to search for.")


def ties(reading: PromptReading, verdict: GateVerdict, text: str, known: Set[str]) -> bool:
    """Return whether a note found for an order is about what the order names, and not merely near it in meaning."""
    if reading.asks or verdict.mode is Mode.REFLECTING:
        return True
    shared = reading.subject.terms & frozenset(terms(text)) & known
    return bool(shared & reading.subject.names) or len(shared) >= min(LEAST_KNOWN, len(reading.subject.words))


def topic(text: str) -> frozenset[str]:
    """Return the terms that say what a text is about: no social and no broad words, stemmed."""
    return frozenset(term for term in terms(text[:LONGEST_READ]) if term not in _EMPTY)


_UNTELLING = words.SOCIAL | words.SMALL
_EMPTY = frozenset(term for word in _UNTELLING | words.BROAD for term in terms(word)) | _UNTELLING | words.BROAD
# An order with this many words of looking back is a look back.
AT_LEAST = 2
MOST_LISTED = 6


def _listed(found: Set[str], said: Iterable[str]) -> str:
    """Return the terms as they were typed, because people read them: no stems."""
    typed = {term: word for word in said for term in terms(word)}
    return ", ".join(sorted({typed.get(term, term) for term in found})[:MOST_LISTED])


def _subject(text: str) -> PromptSubject:
    names = {match.group().strip("`().").lower() for match in _NAME.finditer(text)}
    # A small number ("steps 3 and 4") names nothing.
    about = frozenset(
        word for word in topic(_PATH.sub(r" \1\2 ", text)) if not word.isdigit() or len(word) >= SHORTEST_NUMBER
    )
    return PromptSubject(frozenset(name for name in names if name not in _EMPTY), about)


def _is_friendly(clause: str) -> bool:
    """Return whether a clause is only friendly: it begins so, and requests nothing."""
    said = _read_words(clause)
    begins = next((word for word in said if word not in words.BEFORE_FRIENDLY), "")
    return begins in words.FRIENDLY and not words.WANTS.search(clause) and not words.QUESTION.search(clause)


# --- words --------------------------------------------------------------------------------------------------
_WORD = re.compile(r"[^\W_]+")
_DRAWN_OUT = re.compile(r"(\w)\1{2,}")
_DOUBLED = re.compile(r"(\w)\1+")
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_SMILEY = re.compile(r"(?<!\w)[:;=8][-o^']?[)(\]\[dDpP/\\|](?!\w)|<3")
_COMMAND = re.compile(r"/[\w:-]+(?:\s|$)")
# Words written like names in code: `snake_case`, camelCase, a path, a file, a call, a reference.
_NAME = re.compile(
    r"`[^`\n]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|(?<![\w-])[\w-]+[/\\][\w./\\-]+|"
    r"\b\w+\.[A-Za-z]{1,5}\b|\b\w+\(\)|\b[A-Z]\w*-\d+\b"
)

# Only the file's own name says what a prompt with a path is about: folders and endings (`scripts`, `tmp`, `py`) are in
# many unrelated notes.
_PATH = re.compile(
    r"(?:[\w.@~+-]{0,80}[/\\]){1,40}([\w@+-]{1,80})\.\w{1,8}\b|(?<![\w.])([\w-]{1,80})\.(?:py|pyi|[jt]sx?|go|rs|rb|java|kt|c|h"
    r"|cc|cpp|cs|php|sh|sql|md|json|ya?ml|toml|html?|s?css|txt|cfg|ini)\b"
)


def _read_words(text: str) -> list[str]:
    """Return the words of a text in lower case, contractions joined, without letters that draw a word out
    (`thaaanks`).
    """
    return [_plainest(word) for word in _WORD.findall(_APOSTROPHE.sub("", _SMILEY.sub(" ", text.lower())))]


def _plainest(word: str) -> str:
    """Return the word, without its accents and drawn-out letters if that makes it a social or small word."""
    if word in _UNTELLING:
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", word))
    for other in (bare, _DRAWN_OUT.sub(r"\1", bare), _DRAWN_OUT.sub(r"\1\1", bare), _DOUBLED.sub(r"\1", bare)):
        if other in _UNTELLING and (other == bare or _DRAWN_OUT.search(bare)):
            return other
    return word
