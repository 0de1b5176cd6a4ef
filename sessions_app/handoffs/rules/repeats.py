"""Remove sentences that repeat what a handoff has said above. An agent states a decision in its first message, in its
last, and again when asked for decisions; a reader with 400 tokens should read it once.

Only sentences that are repeated word for word are removed, so that nothing is lost: with another figure it is another
sentence.
"""

import re
from collections.abc import Sequence

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_BETWEEN = re.compile(r"[\W_]+")
# A sentence with fewer characters ("Done.", "All green.") is hardly longer than the word that would replace it.
LEAST = 12
# A sentence counts as repeated if at most this many characters of it are left besides its statement and its reason: "We
# decided to", "because", "so from now on".
JOINTS = 30


def without(text: str, told: Sequence[Sequence[str]], instead: str = "") -> str:
    """Return the text without the sentences that `told` contains; `instead` is put in their place. Each item of `told`
    is a text, or the parts of one: a statement and its reason.
    """
    known = [tuple(filter(None, (_plain(part) for part in parts))) for parts in told]
    said = [instead if _is_repeated(sentence, known) else sentence for sentence in _SENTENCE.split(text)]
    return " ".join(filter(None, said))


def _is_repeated(sentence: str, known: Sequence[tuple[str, ...]]) -> bool:
    plain = _plain(sentence)
    return len(plain) >= LEAST and any(_holds(parts, plain) for parts in known)


def _holds(parts: tuple[str, ...], plain: str) -> bool:
    """Return whether a text of these parts says the sentence: it is within one of them, or consists of all of them."""
    padded = f" {plain} "
    if any(padded in f" {part} " for part in parts):
        return True
    if sum(map(len, parts)) < LEAST or not all(f" {part} " in padded for part in parts):
        return False
    for part in parts:
        padded = padded.replace(f" {part} ", "  ", 1)
    return len(padded.strip()) <= JOINTS and not any(character.isdigit() for character in padded)


def _plain(text: str) -> str:
    return _BETWEEN.sub(" ", text).strip().casefold()
