"""Questions in other languages than English: which one it is, its stems, and letters with their marks.

The tokeniser of the index stems English. A search has no index, so it may stem each question in the question's own
language, and the compounds it meets likewise. The language is the one whose function words the question has most of;
these say nothing about files and are left out, as English ones are.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import Stemmer
from stop_words import get_stop_words

from knowledge.retrieval.rules import bm25

# Those that both lists know: function words and Snowball stems.
LANGUAGES = (
    "german", "french", "spanish", "portuguese", "italian", "dutch", "russian", "polish", "swedish", "danish",
    "norwegian", "finnish", "hungarian", "romanian", "turkish", "catalan", "greek", "czech",
)  # fmt: skip
ENGLISH = ""

# Words as they stand between blanks: no part of an identifier or a number is one.
_WORDS = re.compile(r"(?<![^\s(«„“\"'¿¡])(?:[cdjlmnst]['’])?([^\W\d_]{2,})(?=[\s.,;:!?)»”“\"']|$)", re.IGNORECASE)
_LETTER = re.compile(r"(?<![^\s(«„“\"'¿¡])[^\W\d_](?=[\s.,;:!?)»”“\"']|$)")
_MARKS = re.compile(r"[\u0300-\u036f]")
_lock = threading.Lock()


@lru_cache(maxsize=len(LANGUAGES))
def function_words(language: str) -> frozenset[str]:
    """The function words of a language, in lower case."""
    return frozenset(get_stop_words(language))


def language_of(question: str) -> str:
    """The language of a question, ENGLISH when no other is likelier. One function word is enough only where letters
    have marks.
    """
    words = plain_words(question)
    english = sum(word in bm25.STOP_WORDS for word in words)
    scores = {language: sum(word in function_words(language) for word in words) for language in LANGUAGES}
    best = max(scores, key=lambda language: scores[language])
    if scores[best] > english and (scores[best] >= 2 or not question.isascii()):
        return best
    return "russian" if re.search(r"[а-яё]{3}", question.lower()) else ENGLISH


# Function words of a text that tell its language, and by how many times it must have more of them than of the other.
CLEARLY, TIMES = 4, 2
# One word of so many: nothing else need be looked at.
OWN = 4


def is_in_another(text: str, language: str) -> bool:
    """Whether a text is clearly in another language than this one. Code, logs and tables are in none."""
    words = plain_words(text)
    own = _count_function_words(words, language)
    if own * OWN >= len(words):
        return False
    others = max(_count_function_words(words, other) for other in (ENGLISH, *LANGUAGES) if other != language)
    return others >= CLEARLY and others > TIMES * own


def _count_function_words(words: Sequence[str], language: str) -> int:
    known = bm25.STOP_WORDS if language == ENGLISH else function_words(language)
    return sum(word in known for word in words)


def plain_words(question: str) -> list[str]:
    """The words of a question in lower case, without what has digits or joints."""
    return [word.lower() for word in _WORDS.findall(question)]


def without_function_words(question: str, language: str) -> str:
    """The question with a blank for each function word of its language, single letters ("à", "в") among them."""
    left_out = function_words(language)
    told = _WORDS.sub(lambda found: " " if found.group(1).lower() in left_out else found.group(1), question)
    return _LETTER.sub(" ", told)


@lru_cache(maxsize=20_000)
def stem(word: str, language: str) -> str:
    """The stem of a word in lower case, with the marks on its letters."""
    with _lock:
        return str(_stemmer(language).stemWord(unicodedata.normalize("NFC", word)))


@lru_cache(maxsize=len(LANGUAGES))
def _stemmer(language: str) -> "Stemmer.Stemmer":
    return Stemmer.Stemmer(language, 0)


# Languages that write several nouns as one word, the one that names the thing last, and what may stand between two.
COMPOUNDING = frozenset(("german", "dutch", "swedish", "danish", "norwegian", "finnish", "hungarian"))
_JOINTS = ("", "s", "es", "n", "en", "er", "e")
# Letters of the shortest part. A compound has two at least.
SHORTEST_PART = 4


def splits(word: str, language: str) -> list[tuple[str, str]]:
    """The stems of the two parts that a word in lower case may have, the longest last part first."""
    if language not in COMPOUNDING:
        return []
    found = []
    for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
        for joint in _JOINTS:
            first = word[: cut - len(joint)]
            pair = stem(first, language), stem(word[cut:], language)
            if word[:cut].endswith(joint) and min(map(len, pair)) >= SHORTEST_PART:
                found.append(pair)
    return found


# A pair of characters with hiragana in it is an ending or a particle, as far as its other one stands in a word besides.
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}")


def without_particles(terms: Iterable[str]) -> list[str]:
    """The terms without those of Japanese that are grammar: "温度" and "高す" are words, "度が" is none."""
    found = list(terms)
    words = {one for term in found if _JAPANESE.fullmatch(term) and not _HIRAGANA.search(term) for one in term}
    return [
        term
        for term in found
        if not (_JAPANESE.fullmatch(term) and _HIRAGANA.search(term))
        or (term[0] not in words and not _HIRAGANA.match(term[0]))
    ]


def fold(word: str) -> str:
    """Without marks on its letters, as the tokeniser has them."""
    return word if word.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", word))


_MARKED = {
    "a": "aáàâäãåā", "c": "cçćč", "e": "eéèêëęē", "i": "iíìîïī", "l": "lł", "n": "nñń", "o": "oóòôöõøō", "s": "sśš",
    "u": "uúùûüū", "y": "yýÿ", "z": "zźżž",
}  # fmt: skip


def with_marks(literal: str) -> str:
    """A pattern for a folded word as it may be written, with marks or without."""
    return "".join(f"[{_MARKED[one]}]" if one in _MARKED else re.escape(one) for one in literal)
