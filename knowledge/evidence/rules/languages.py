"""Questions in languages other than English: the language, its stems, and letters with marks.

The index's tokeniser stems English. A search has no index, so it can stem each question, and the compounds it meets, in
the question's own language. The language is the one with the most function words in the question. Function words say
nothing about files and are left out, as in English.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import Stemmer
from stop_words import get_stop_words

from knowledge.retrieval.rules import bm25

# The languages with both a list of function words and a Snowball stemmer.
LANGUAGES = (
    "german", "french", "spanish", "portuguese", "italian", "dutch", "russian", "polish", "swedish", "danish",
    "norwegian", "finnish", "hungarian", "romanian", "turkish", "catalan", "greek", "czech",
)  # fmt: skip
ENGLISH = ""

# Words between blanks; parts of identifiers and numbers do not count.
_WORDS = re.compile(r"(?<![^\s(«„“\"'¿¡])(?:[cdjlmnst]['’])?([^\W\d_]{2,})(?=[\s.,;:!?)»”“\"']|$)", re.IGNORECASE)
_LETTER = re.compile(r"(?<![^\s(«„“\"'¿¡])[^\W\d_](?=[\s.,;:!?)»”“\"']|$)")
_MARKS = re.compile(r"[\u0300-\u036f]")
_lock = threading.Lock()


@lru_cache(maxsize=len(LANGUAGES))
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language, in lower case."""
    return frozenset(get_stop_words(language))


def language_of(question: str) -> str:
    """Return the language of a question; ENGLISH if no other is likelier. One function word is enough only if letters
    have marks.
    """
    words = plain_words(question)
    english = sum(word in bm25.STOP_WORDS for word in words)
    scores = {language: sum(word in function_words(language) for word in words) for language in LANGUAGES}
    best = max(scores, key=lambda language: scores[language])
    if scores[best] > english and (scores[best] >= 2 or not question.isascii()):
        return best
    return "russian" if re.search(r"[а-яё]{3}", question.lower()) else ENGLISH


# The number of function words that identify a text's language, and how many times more of them it must have than of the
# other's.
CLEARLY, TIMES = 4, 2
# One function word of its own language in this many words is enough: no other language is counted.
OWN = 4


def is_in_another(text: str, language: str) -> bool:
    """Return whether a text is clearly in another language than this one. Code, logs and tables are in none."""
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
    """Return the words of a question in lower case, without those with digits or joints."""
    return [word.lower() for word in _WORDS.findall(question)]


def without_function_words(question: str, language: str) -> str:
    """Return the question with a blank for each function word of its language, including single letters ("à", "в")."""
    left_out = function_words(language)
    told = _WORDS.sub(lambda found: " " if found.group(1).lower() in left_out else found.group(1), question)
    return _LETTER.sub(" ", told)


@lru_cache(maxsize=20_000)
def stem(word: str, language: str) -> str:
    """Return the stem of a word in lower case, with the marks on its letters."""
    with _lock:
        return str(_stemmer(language).stemWord(unicodedata.normalize("NFC", word)))


@lru_cache(maxsize=len(LANGUAGES))
def _stemmer(language: str) -> "Stemmer.Stemmer":
    return Stemmer.Stemmer(language, 0)


# Languages that join several nouns into one word, the one that names the thing last; and the letters that may stand
# between two.
COMPOUNDING = frozenset(("german", "dutch", "swedish", "danish", "norwegian", "finnish", "hungarian"))
_JOINTS = ("", "s", "es", "n", "en", "er", "e")
# The letters of the shortest part. A compound has at least two parts.
SHORTEST_PART = 4


def splits(word: str, language: str) -> list[tuple[str, str]]:
    """Return the stems of the two parts that a word in lower case may have, the longest last part first."""
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


# A pair of characters with hiragana is an ending or a particle if its other character also stands in a word.
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}")


def without_particles(terms: Iterable[str]) -> list[str]:
    """Return the terms without Japanese ones that are grammar: "温度" and "高す" are words, "度が" is none."""
    found = list(terms)
    words = {one for term in found if _JAPANESE.fullmatch(term) and not _HIRAGANA.search(term) for one in term}
    return [
        term
        for term in found
        if not (_JAPANESE.fullmatch(term) and _HIRAGANA.search(term))
        or (term[0] not in words and not _HIRAGANA.match(term[0]))
    ]


def fold(word: str) -> str:
    """Return a word without marks on its letters, as the tokeniser has it."""
    return word if word.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", word))


_MARKED = {
    "a": "aáàâäãåā", "c": "cçćč", "e": "eéèêëęē", "i": "iíìîïī", "l": "lł", "n": "nñń", "o": "oóòôöõøō", "s": "sśš",
    "u": "uúùûüū", "y": "yýÿ", "z": "zźżž",
}  # fmt: skip


def with_marks(literal: str) -> str:
    """Return a pattern for a folded word as it may be written, with marks or without."""
    return "".join(f"[{_MARKED[one]}]" if one in _MARKED else re.escape(one) for one in literal)
