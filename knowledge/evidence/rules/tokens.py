"""Exact terms of a question: text that a person copied from somewhere and expects to find unchanged.

They are identifiers, numbers from three digits on, codes, addresses, paths, options, and quoted text. They are
recognised by their form, not by a list: a term has a digit, an inner joint, an inner capital, or is a long word in
capitals. A word of prose has none of these.
"""

import re

from knowledge.evidence.rules.languages import function_words
from knowledge.retrieval.rules.bm25 import STOP_WORDS

MOST_TERMS = 8
SHORTEST, LONGEST = 3, 120

_QUOTED = re.compile(
    r"`([^`\n]{3,120})`|\"([^\"\n]{3,120})\"|“([^”\n]{3,120})”|«\s?([^»\n]{3,120}?)\s?»|„([^“”\n]{3,120})[“”]"
)
_OUTER = ".,;:!?()[]{}<>'\"`“”„«»…"
_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th|s|x|%)?", re.IGNORECASE)
_NAME = re.compile(r"[\w-]{2,}")
_HUMP = re.compile(r"[a-z0-9][A-Z]")
# A word of this many capitals is a name: ENOTEMPTY, and not HTTP.
CAPITALS = 6


def exact_terms(question: str) -> tuple[str, ...]:
    """Return the terms in their order in the question, as they are written there."""
    found = [next(filter(None, groups)).strip() for groups in _QUOTED.findall(question)]
    rest = _QUOTED.sub(" ", question)
    found += [word for word in (raw.strip(_OUTER) for raw in rest.split()) if is_exact(word)]
    unique = {term.lower(): term for term in reversed(found) if SHORTEST <= len(term) <= LONGEST}
    return tuple(reversed(unique.values()))[:MOST_TERMS]


def is_exact(word: str) -> bool:
    """Return whether a word of a question has the form of an identifier, a number or a code."""
    if not SHORTEST <= len(word) <= LONGEST or _ORDINAL.fullmatch(word):
        return False
    if any(letter.isdigit() for letter in word):  # WB00412207, E-7731, 10.31.7.204, 8f3c1d77-…
        return True
    if _NAME.fullmatch(word):  # CUSTOMS_RETRY_LIMIT, URLField, ENOTEMPTY, --ignore-missing
        humped = _HUMP.search(word) is not None and "-" not in word
        capitals = len(word) >= CAPITALS and word.isupper() and word.isalpha()
        return "_" in word.strip("_") or humped or capitals or word.startswith("--")
    parts = re.split(r"\.|::", word)  # django.db.models, std::vector
    if len(parts) > 1 and all(_NAME.fullmatch(part) for part in parts):
        return True
    return sum(letter in "/\\" for letter in word) > 1 and not word.startswith(("http:", "https:"))  # /etc/fstab


_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
_PLAIN = re.compile(r"[^\W\d_]+")
# The language in which every noun has a capital.
CAPITAL_NOUNS = "german"


def named_things(question: str, language: str) -> tuple[str, ...]:
    """Return the names in a question, in lower case: words with a capital that begins no sentence, and figures that
    number something. A figure behind a noun is part of a name ("hall 5"), one behind a preposition a quantity ("above
    100").
    """
    found: list[str] = []
    no_nouns = function_words(language) if language else STOP_WORDS
    for sentence in _SENTENCE.split(_QUOTED.sub(" ", question)):
        before = ""
        for place, raw in enumerate(sentence.split()):
            word = raw.strip(f"{_OUTER}’").removesuffix("'s").removesuffix("’s")
            has_capital = place > 0 and word[:1].isupper() and len(word) > 1 and language != CAPITAL_NOUNS
            shaped = _HUMP.search(word) is not None or (len(word) > 1 and word.isupper() and word.isalpha())
            numbers = word.isdigit() and _PLAIN.fullmatch(before) is not None and before.lower() not in no_nouns
            if has_capital or shaped or numbers:
                found.append(word.lower())
            before = raw
    return tuple(dict.fromkeys(found))


def as_written(question: str, name: str) -> str:
    """Return a name of a question with its capitals."""
    at = question.lower().find(name)
    return question[at : at + len(name)] if at >= 0 else name


# A number of fewer digits is a year, a port or a size, which stands for many things.
FEWEST_DIGITS = 5


def names_one_thing(term: str) -> bool:
    """Return whether an exact term is unique: somebody who pastes it looks for the place where it stands."""
    return any(letter.isalpha() for letter in term) or sum(letter.isdigit() for letter in term) >= FEWEST_DIGITS


def share_held(terms: tuple[str, ...], text: str) -> float | None:
    """Return the share of the terms that the text contains unchanged, ignoring case; None without terms."""
    if not terms:
        return None
    lowered = text.lower()
    return sum(holds(lowered, term) for term in terms) / len(terms)


def holds(lowered: str, term: str) -> bool:
    """Return whether a text in lower case has a term that is not part of a longer word."""
    wanted = term.lower()
    at = lowered.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_joins(lowered, at - 1) and _joins(lowered, at)) and not (
            _joins(lowered, end - 1) and _joins(lowered, end)
        ):
            return True
        at = lowered.find(wanted, at + 1)
    return False


def _joins(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")
