"""Whether a prompt is worth interrupting for: six gates, in the order of SAME's design; the first to stop it decides.

1. *min_chars*: too short to be about something. 2. *slash_command*: meant for the agent's own program.
3. *conversational*: nothing but social and small words, however they are combined. 4. *low_signal*: nothing in it names
anything (no specific word, no name out of code); broad words alone do only when they tell of something that goes wrong;
a question for the latest passes. 5. *mode*: who gives an order wants it carried out, who is friendly wants nothing; who
explores, goes deeper or looks back may be helped. 6. *topic_change*: what was surfaced last was about the same.

What comes through all six is asked of the memory, and may still find nothing there (`nothing_relevant`), or nothing
that was not surfaced before (`nothing_new`). The words are in `rules/gates_words`.
"""

import re
import unicodedata
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from knowledge.rules.bm25 import terms
from sessions_app.rules import gates_words as words


class Gate(StrEnum):
    """What stopped a prompt; `open` when nothing did."""

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
    """What somebody who types this is doing."""

    EXECUTING = "executing"
    SOCIALIZING = "socializing"
    EXPLORING = "exploring"
    DEEPENING = "deepening"
    REFLECTING = "reflecting"


@dataclass(frozen=True)
class Verdict:
    """`topic`: the terms of what the prompt is about. `mode` is None when a gate before it stopped the prompt."""

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
# Longer prompts are read so far: what one is about stands at its beginning, and a pasted file is no question.
LONGEST_READ = 4_000


def judge(prompt: str, last: Set[str] = frozenset()) -> Verdict:
    """The verdict on a prompt. `last`: the topic that was surfaced last in the session; none when nothing was."""
    text = prompt.strip()[:LONGEST_READ]
    if len(text) < MIN_CHARS:
        return Verdict(Gate.MIN_CHARS, f"It has {len(text)} characters, fewer than {MIN_CHARS}.")
    if text.startswith("/"):
        return Verdict(Gate.SLASH_COMMAND, "It is a command to the agent's own program.")
    said = _said(text)
    if all(word in _UNTELLING for word in said) and not words.SOCIAL.isdisjoint(said):
        return Verdict(Gate.CONVERSATIONAL, "It is made of social words alone.")
    if not (_names_something(text, said) or words.RECENT.search(text)):
        return Verdict(Gate.LOW_SIGNAL, "Nothing in it names anything that could be looked for.")
    mode, why = mode_of(text, said)
    if mode in (Mode.EXECUTING, Mode.SOCIALIZING):
        return Verdict(Gate.MODE, why, mode)
    about = topic(text)
    likeness = len(about & last) / len(about | last) if about and last else 0.0
    if likeness > SAME_TOPIC:
        reason = f"It is about what was surfaced last (likeness {likeness:.2f}, above {SAME_TOPIC})."
        return Verdict(Gate.TOPIC_CHANGE, reason, mode, about)
    return Verdict(Gate.OPEN, why, mode, about)


def topic(text: str) -> frozenset[str]:
    """The terms that say what a text is about: no social and no broad words, stemmed."""
    return frozenset(term for term in terms(text[:LONGEST_READ]) if term not in _EMPTY)


_UNTELLING = words.SOCIAL | words.SMALL
_EMPTY = frozenset(term for word in _UNTELLING | words.BROAD for term in terms(word)) | _UNTELLING | words.BROAD


# --- words --------------------------------------------------------------------------------------------------
_WORD = re.compile(r"[^\W_]+")
_DRAWN_OUT = re.compile(r"(\w)\1{2,}")
_DOUBLED = re.compile(r"(\w)\1+")
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_SMILEY = re.compile(r"(?<!\w)[:;=8][-o^']?[)(\]\[dDpP/\\|](?!\w)|<3")
# Written like a name of something in code: `snake_case`, camelCase, a path, a version, an abbreviation, a call.
_NAME = re.compile(
    r"`[^`\n]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|(?<![\w-])[\w-]+[/\\][\w./\\-]+|\b\w+\.(?:\w{1,5})\b(?!\s)|\b\d+\.\d+|"
    r"\b[A-Z]{2,}\b(?=.{0,400}?[a-z])|\b\w+\(\)|\b[A-Z]\w*-\d+\b"
)


def _said(text: str) -> list[str]:
    """The words of a text in lower case, contractions joined, without what draws a word out (`thaaanks`)."""
    return [_plainest(word) for word in _WORD.findall(_APOSTROPHE.sub("", _SMILEY.sub(" ", text.lower())))]


def _plainest(word: str) -> str:
    """The word; or, if that makes a social or small one of it, without its accents and drawn-out letters."""
    if word in _UNTELLING:
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", word))
    for other in (bare, _DRAWN_OUT.sub(r"\1", bare), _DRAWN_OUT.sub(r"\1\1", bare), _DOUBLED.sub(r"\1", bare)):
        if other in _UNTELLING and (other == bare or _DRAWN_OUT.search(bare)):
            return other
    return word


def _names_something(text: str, said: list[str]) -> bool:
    """Whether it has a specific word or a name out of code, or tells in broad words of something that goes wrong."""
    if any(match.group().strip("`").lower() not in _UNTELLING for match in _NAME.finditer(text)):
        return True
    telling = {word for word in said if word not in _UNTELLING}
    if any(word not in words.BROAD and len(word) > 1 for word in telling):
        return True
    return len(telling) > 1 and bool(words.SYMPTOM.search(text))


# --- modes --------------------------------------------------------------------------------------------------
# SAME scores by patterns: executing at 2, reflecting at 2 or 1 with a question, exploring at 1, else deepening up to 15
# words. An order at the beginning counts 2 here, one further on 1; a question at the beginning takes the order back.
AT_LEAST = 2
SHORT_ENOUGH = 15
# A prompt of which so much is social is, with what is left over, still small talk.
MOSTLY_SOCIAL = 0.75
_FRIENDLY = """
thanks thank thx cheers appreciate appreciated morning afternoon evening hello hi hey hope weekend love loved great
awesome amazing brilliant sorry congrats danke merci gracias
"""
FRIENDLY = frozenset(_FRIENDLY.split())


def mode_of(text: str, said: list[str]) -> tuple[Mode, str]:
    """What somebody who types this is doing, and by what that is told."""
    asks = bool(words.QUESTION.search(text) or words.ASKS.search(text))
    orders = AT_LEAST * bool(words.ORDER.search(text)) + len(words.LATER_ORDER.findall(text))
    looks_back = len(words.BACK.findall(text))
    if words.ORDER.search(text) or (orders >= AT_LEAST and not asks):
        return Mode.EXECUTING, "It gives an order: what is wanted is that it be carried out."
    if looks_back >= AT_LEAST or (looks_back and asks):
        return Mode.REFLECTING, "It looks back."
    if asks:
        return Mode.EXPLORING, "It asks."
    if _mostly_social(said):
        return Mode.SOCIALIZING, "It is friendly, and wants nothing."
    if words.SYMPTOM.search(text):
        return Mode.EXPLORING, "It tells of something that goes wrong."
    if len(said) <= SHORT_ENOUGH:
        return Mode.DEEPENING, "It goes on about something."
    return Mode.EXPLORING, "It tells of something at length."


def _mostly_social(said: list[str]) -> bool:
    social = sum(word in _UNTELLING for word in said)
    return social >= MOSTLY_SOCIAL * len(said) and not FRIENDLY.isdisjoint(said)
