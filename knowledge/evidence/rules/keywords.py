"""What to search for: the words of a question, from coarse to fine, and the pattern that finds them in raw text.

Theory of operation. There is no index, so a search must name its words before it reads. There are three levels, each
more specific than the one before: single words (stems, so that `listing` meets `lists`), whole identifiers
(`search_type`, `django.db.models`, text in backticks), and phrases of neighbouring words. How rare each is comes from
one pass of ripgrep over the searched files (`Census`), not from a table of another language.

The pattern is wider than the word on purpose: it matches the whole compound around a stem. `bm25.terms`, the only
tokeniser, then decides which of the wanted words the compound contains. So `URLField` counts for `field` and `afield`
does not, as if the files had been indexed.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import Any

from knowledge.evidence.rules.languages import (
    COMPOUNDING,
    ENGLISH,
    fold,
    language_of,
    plain_words,
    splits,
    stem,
    with_marks,
    without_function_words,
    without_particles,
)
from knowledge.retrieval.rules import bm25

# The largest number of terms. Longer questions are logs and issue texts, whose first words name the subject. A pattern
# of more alternatives is no faster than reading every file, so the rarest are kept.
MOST_TERMS = 60
MOST_IDENTIFIERS = 16
MOST_PHRASES = 12

# A name with an inner joint: dotted, snake, camel, with slashes or a call's parentheses; or anything in backticks.
# Parts of more than 80 letters are looked for from every letter of theirs, and are no names.
_IDENTIFIER = re.compile(
    r"[A-Za-z_][\w-]{0,80}(?:(?:[./]|::)[\w-]+)+|\w{0,80}[a-z0-9][A-Z]\w*|\w{1,80}_\w+|(?<!\w)--?[a-z][\w-]+"
)
_QUOTED = re.compile(r"`([^`\n]{2,80})`|\"([^\"\n]{2,60})\"")
_WORD = re.compile(r"[^\W_]+(?:['_.-][^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
# Scripts without spaces have no stems.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Keywords:
    """A question's words by level. `weights` are of `words`: 1, or less for added ones (synonyms, a model's).
    `language`: of its stems, ENGLISH or another; `marked`: whether its letters may have marks that its words lack.
    """

    words: tuple[str, ...]
    identifiers: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    language: str = ENGLISH
    marked: bool = False
    # Compound → the pairs of stems it may be made of; all of them are among `words` until `with_real_parts`.
    parts: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The words from coarse to fine, as text."""
        return self.words, self.identifiers, tuple(" ".join(phrase) for phrase in self.phrases)

    @property
    def beginnings(self) -> tuple[str, ...]:
        """The common beginning of all forms of each word, and the identifiers: plain text, no patterns."""
        return (*(_beginning(word) for word in self.words), *self.identifiers)

    def weight(self, word: str) -> float:
        return self.weights.get(word, 1.0)


def extract(question: str) -> Keywords:
    """Return the keywords of a question. All levels may be empty: a question of stop words has none."""
    named = [name.strip("-./") for name in _IDENTIFIER.findall(question)]
    named += [a or b for a, b in _QUOTED.findall(question)]
    identifiers = list(dict.fromkeys(name.lower() for name in named if 3 <= len(name) <= 80))[:MOST_IDENTIFIERS]
    language = language_of(question)
    told = question if language == ENGLISH else without_function_words(question, language)
    english = _own_stems(told, language)
    counts = Counter(english.get(term, term) for term in bm25.terms(told))
    whole = {name.replace("\\", "/") for name in identifiers}
    simple = [term for term in without_particles(counts) if not (_jointed(term) and term in whole)]
    kept = sorted(simple, key=lambda term: (-_promise(term, counts[term]), simple.index(term)))[:MOST_TERMS]
    words = tuple(term for term in simple if term in set(kept))
    phrases = [tuple(english.get(word, word) for word in pair) for pair in _phrases(told)]
    marked = language != ENGLISH or fold(question) != question
    found = Keywords(words, tuple(identifiers), tuple(phrases)[:MOST_PHRASES], {}, language, marked)
    return _with_possible_parts(found, told)


# The weight of a part of a compound, relative to a word of the question.
PART = 0.5


def _with_possible_parts(keywords: Keywords, question: str) -> Keywords:
    """Return the keywords with every pair of words that a compound of the question may be made of; the files show which
    are words.
    """
    parts: dict[str, tuple[tuple[str, str], ...]] = {}
    for word in plain_words(question):
        whole = stem(word, keywords.language) if keywords.language != ENGLISH else ""
        if whole in keywords.words and (pairs := splits(word, keywords.language)):
            parts[whole] = tuple(pairs)
    added = {part: PART for pairs in parts.values() for pair in pairs for part in pair}
    return replace(joined(keywords, added), parts=parts) if parts else keywords


def with_real_parts(keywords: Keywords, df: Mapping[str, int]) -> Keywords:
    """Return the keywords with only the parts of compounds that are words of these files: both, or the last one, which
    names the thing. `df`: the number of files that have each word.
    """
    parts: dict[str, tuple[tuple[str, str], ...]] = {}
    for whole, pairs in keywords.parts.items():
        real = [pair for pair in pairs if all(df.get(part) for part in pair)]
        if real := real or [pair for pair in pairs if df.get(pair[1]) and len(pair[1]) >= SHORTEST_HEAD]:
            parts[whole] = (max(real, key=lambda pair: (len(pair[1]), len(pair[0]))),)
    possible = {part for pairs in keywords.parts.values() for pair in pairs for part in pair}
    real_parts = {part for pairs in parts.values() for pair in pairs for part in pair if df.get(part)}
    words = [w for w in keywords.words if w in real_parts or w not in possible or keywords.weight(w) >= 1.0]
    return replace(keywords, words=tuple(words), parts=parts)


def _own_stems(question: str, language: str) -> dict[str, str]:
    """Return the tokeniser's term → the stem in the question's own language, of its plain words."""
    if language == ENGLISH:
        return {}
    stems = {}
    for word in plain_words(question):
        terms = bm25.terms(word)
        if len(terms) == 1 and not _UNSPACED.search(word):
            stems[terms[0]] = stem(word, language)
    return stems


def joined(base: Keywords, more: Mapping[str, float], identifiers: Iterable[str] = ()) -> Keywords:
    """Return the keywords with further words at a weight below 1 each; existing ones stay unchanged."""
    added = {word: weight for word, weight in more.items() if word not in base.words}
    names = tuple(dict.fromkeys((*base.identifiers, *identifiers)))[:MOST_IDENTIFIERS]
    words = (*base.words, *list(added)[: max(0, MOST_TERMS - len(base.words))])
    return replace(base, words=words, identifiers=names, weights={**base.weights, **added})


# A tag goes with another if it is on this many of its insights, and on this share of them.
FEWEST_TOGETHER = 3
MOSTLY = 0.5


def companions(having: Sequence[tuple[str, int]], all_tags: Sequence[tuple[str, int]]) -> list[str]:
    """Return tags that mostly come with one of the asked ones. `having`: (asked tag, insight); `all_tags`: (tag,
    insight) of the same insights.
    """
    asked = {tag for tag, _ in having}
    tags_of: dict[int, set[str]] = {}
    for tag, insight in all_tags:
        tags_of.setdefault(insight, set()).add(tag)
    found = set()
    for one in asked:
        insights = {insight for tag, insight in having if tag == one}
        beside = Counter(tag for insight in insights for tag in tags_of.get(insight, set()) - asked)
        least = max(FEWEST_TOGETHER, MOSTLY * len(insights))
        found |= {tag for tag, times in beside.items() if times >= least}
    return sorted(found)


def _jointed(term: str) -> bool:
    return not term.isalnum()


def _promise(term: str, times: int) -> float:
    """Return the expected value of a term before anything was counted: long words say more than short ones, and
    repeated words are meant.
    """
    return min(len(term), 10) / 10 + log(1 + times)


def _phrases(question: str) -> list[tuple[str, ...]]:
    """Return two or three content words that follow each other with only stop words between."""
    found: list[tuple[str, ...]] = []
    for sentence in re.split(r"[.!?;:,()\[\]{}\n]\s", question):
        stems = [bm25.terms(word) for word in _WORD.findall(sentence)]
        flat = [stem[0] for stem in stems if stem]
        found += [pair for pair in pairwise(flat) if pair[0] != pair[1]]
    return list(dict.fromkeys(found))


# --- the pattern ------------------------------------------------------------------------------------------------
def pattern(keywords: Keywords) -> str:
    """Return a regular expression (for ripgrep and Python alike) for any compound that may contain a keyword; "" for
    none.
    """
    literal = _marked if keywords.marked else _literal
    stems = {literal(word) for word in keywords.words} | {re.escape(name) for name in keywords.identifiers}
    return rf"[\w.]*(?:{'|'.join(_shortest(stems))})[\w.]*" if stems else ""


def _shortest(stems: Iterable[str]) -> list[str]:
    """Return the stems that begin with no other stem."""
    shortest: list[str] = []
    for one in sorted(stems, key=lambda text: (len(text), text)):
        if not any(one.startswith(short) for short in shortest):
            shortest.append(one)
    return shortest


_PLAIN = re.compile(r"[\w.]+", re.ASCII)


def plain_beginnings(keywords: Keywords) -> tuple[list[str], list[str]] | None:
    """Return texts of which one stands in each compound that `pattern` matches, in lower case: those of letters, digits
    and dots, and the others. None if letters may have marks.
    """
    if keywords.marked:
        return None
    beginnings = _shortest({one.lower() for one in keywords.beginnings})
    plain = [one for one in beginnings if _PLAIN.fullmatch(one)]
    return plain, [one for one in beginnings if one not in plain]


# With a shorter stem the pattern would match half the file.
SHORTEST_STEM = 3


def _literal(word: str) -> str:
    """Return the common beginning of all forms of a stem: `queri` stands for query, `name` for naming."""
    return re.escape(_beginning(word))


def _marked(word: str) -> str:
    """Return the same for a word whose letters may have marks."""
    return with_marks(_beginning(word))


def _beginning(word: str) -> str:
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] in "ie" else word


class Reader:
    """Determines which keywords a matched compound contains. Compounds repeat, so results are cached."""

    def __init__(self, keywords: Keywords) -> None:
        self._words = frozenset(keywords.words)
        self._names = keywords.identifiers
        self._language = keywords.language
        asked = (word for word in keywords.words if keywords.weight(word) >= 1.0)
        self._parts = tuple(word for word in asked if len(word) >= SHORTEST_HEAD)
        # The keywords of one compound.
        self.of: Callable[[str], tuple[str, ...]] = lru_cache(maxsize=50_000)(self._read)

    def __call__(self, compound: str) -> tuple[str, ...]:
        return self.of(compound)

    def _read(self, compound: str) -> tuple[str, ...]:
        terms = bm25.terms(compound)
        found = [term for term in terms if term in self._words]
        lowered = compound.lower()
        if self._language != ENGLISH:
            stems = [stem(part, self._language) for part in _LETTERS.findall(lowered) if part not in bm25.STOP_WORDS]
            found = [*(term for term in stems if term in self._words), *(one for one in found if one not in stems)]
            if self._language in COMPOUNDING:
                found += [word for term in stems for word in self._parts if _is_part(word, term)]
        return (*found, *(name for name in self._names if name in lowered))


# The least letters of a question's word within a longer one, and of the rest of that one.
SHORTEST_HEAD = 5
BESIDE = 3


def _is_part(word: str, compound: str) -> bool:
    return len(compound) >= len(word) + BESIDE and (compound.endswith(word) or compound.startswith(word))


# --- rarity -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Census:
    """The result of one pass: how often each file has each keyword, by its path or (source, path). `files`: the number
    of files searched.
    """

    counts: dict[Any, dict[str, int]]
    files: int

    @property
    def df(self) -> Counter[str]:
        return Counter(word for found in self.counts.values() for word in found)

    def counted(self, word: str) -> int:
        """Return how often all files together have a keyword."""
        return sum(found.get(word, 0) for found in self.counts.values())

    def rarity(self, keywords: Keywords) -> dict[str, float]:
        """Return keyword → idf times its weight, for keywords that occur at all."""
        df = self.df
        names = (*keywords.words, *keywords.identifiers)
        return {name: keywords.weight(name) * bm25.idf(self.files, df[name]) for name in names if df[name]}

    def missing(self, keywords: Keywords) -> tuple[str, ...]:
        """Return the words that no file has, which the exploration tries to replace."""
        df = self.df
        return tuple(word for word in keywords.words if not df[word] and keywords.weight(word) == 1.0)


def census(blocks: Iterable[tuple[str, Mapping[str, int] | Sequence[str]]], keywords: Keywords, files: int) -> Census:
    """Return the counts of keywords in (path, matched compounds, or how often each was matched) as ripgrep returns
    them.
    """
    read = Reader(keywords).of
    counts: dict[str, dict[str, int]] = {}
    for path, compounds in blocks:
        found: dict[str, int] = {}
        times_of = compounds if isinstance(compounds, Mapping) else Counter(compounds)
        for compound, times in times_of.items():
            for word in read(compound):
                found[word] = found.get(word, 0) + times
        if found:
            counts[path] = found
    return Census(counts, files)
