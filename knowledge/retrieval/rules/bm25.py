"""Split text into terms, and compute the two halves of a BM25 score.

Theory of operation. BM25 (Robertson and Zaragoza, 2009) is a sum over the words of a question. Each summand is the
product of something the document knows (how often it has the word, how long it is) and something only the collection
knows (how rare the word is). So the document's half is stored with the row as a sparse vector, the question's half is a
sparse vector of rarities, and their inner product is the exact score, computed by one SQL operator:

    document:  tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length))
    question:  ln(1 + (n - df + .5) / (df + .5))      (Lucene's form, never negative)

A vector needs positions instead of words, so the position of a word is its hash.

`terms` is the only tokeniser. Documents and questions must go through the same one to match. It is made for text that
is half prose and half code: words of prose are stemmed, identifiers are kept whole and also split. Any change to it
needs a new RECIPE, and rows of another recipe must be indexed again.
"""

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import log

import Stemmer

# Stored with the words of every row. Change it with any change to `terms`, `position` or `document_weights`.
RECIPE = "bm25-en-1"

# Snowball's English list, with contractions as they are once the apostrophe is removed.
_STOP = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is
are was were be been being have has had having do does did doing would should could ought im youre hes
shes theyre ive youve weve theyve isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt wont
wouldnt shouldnt cant cannot couldnt mustnt lets thats whos whats heres theres whens wheres whys hows a
an the and but if or because as until while of at by for with about against between into through during
before after above below to from up down in out on off over under again further then once here there
when where why how all any both each few more most other some such no nor not only own same so than too
very s t can will just don should now
"""
STOP_WORDS = frozenset(_STOP.split())

# In characters. Longer terms are keys, hashes and minified code that nobody types, and PostgreSQL limits a lexeme to 2
# kB.
LONGEST_TERM = 64

# The most values a sparsevec holds. Only texts of about 200 kB reach it.
MOST_TERMS = 16_000

# Runs of letters and digits, with the characters that join identifiers, paths, versions and contractions; also C++ and
# C#.
_COMPOUND = re.compile(r"[^\W_]+(?:(?:[./\\'-]|::|_+)[^\W_]+)*(?:(?:\+\+|#)(?!\w))?")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\WA-Za-z\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_ACCENTS = re.compile(r"[\u0300-\u036f]")

# In digits. Shorter numbers are no terms by themselves: the 4 of `ipv4`, the 3 and 11 of `3.11`; but the 8080 of
# `localhost:8080` and the 404 of `error-404` are. Single letters are none either, as in `a.b` or `x-y`.
SHORTEST_NUMBER = 3

# A stemmer has one buffer, so two threads in it at once would mix their words.
_stemmer = Stemmer.Stemmer("english", 0)
_stemmer_lock = threading.Lock()


def terms(text: str) -> list[str]:
    """Return the terms of a text in reading order, repeated as often as they occur.

    Terms are in lower case, without accents and stop words, and stemmed. `read_csv`, `readCsv`, `read-csv` and
    `a/read.csv` are kept whole and also split. A term has no spaces, quotes or backslashes and at most LONGEST_TERM
    characters.
    """
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).replace("’", "'")
    found: list[str] = []
    for compound in _COMPOUND.findall(text):
        found.extend(_expanded(compound) if len(compound) <= LONGEST_TERM else _long(compound))
    return found


def _long(compound: str) -> list[str]:
    """Return the terms of a compound that is too long for a term. Such compounds are too rare to be cached."""
    parts = (part for part in _PART.findall(compound) if len(part) <= LONGEST_TERM)
    return [term for part in parts for term in _expanded(part)]


# Text repeats itself: with 30,000 entries, nine of ten compounds are found in the cache. About 10 MB when full.
@lru_cache(maxsize=30_000)
def _expanded(compound: str) -> tuple[str, ...]:
    """Return the terms of one compound."""
    plain = compound.replace("'", "")
    if plain.isalpha() and (plain.islower() or plain.isupper() or plain.istitle()):
        return _words([plain.lower()])
    if _UNSPACED.search(plain):
        return tuple(_pairs(plain))
    whole = plain.lower().replace("\\", "/")
    humps = [hump.lower() for hump in _HUMP.findall(plain)]
    if humps == [whole]:
        return _words(humps)
    return whole, *_words(hump for hump in humps if len(hump) >= (SHORTEST_NUMBER if hump.isdigit() else 2))


def _words(words: Iterable[str]) -> tuple[str, ...]:
    with _stemmer_lock:
        return tuple(_stemmer.stemWord(word) for word in words if word not in STOP_WORDS)


def _pairs(text: str) -> list[str]:
    """Return the terms of a text in a script without spaces: each two adjacent characters, and other
    runs as they are.
    """
    found = []
    for run in re.findall(rf"{_UNSPACED.pattern}|[a-z0-9]+", text.lower()):
        spaced = not _UNSPACED.match(run) or len(run) == 1
        found.extend([run] if spaced else [run[at : at + 2] for at in range(len(run) - 1)])
    return found


# The largest dimension of pgvector. In a collection of 100,000 different words, the odds that a given word of a
# question shares its position with one of them are 1 in 10,000. It then also matches documents that have only the other
# word.
POSITIONS = 1_000_000_000


@lru_cache(maxsize=30_000)
def position(term: str) -> int:
    """Return the position of a term in the vectors, 1 to POSITIONS; the same in every process and release."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest()) % POSITIONS + 1


# k1: how much a second and third occurrence add. b: how much longer texts are penalised. Short notes repeat little, and
# 0.6 beat the usual 1.2 on the data sets of docs/decisions/0003-relevance.md.
K1 = 0.6
B = 0.75


def document_weights(terms: Iterable[str], average_length: float) -> dict[int, float]:
    """Return the document's half: by position, the saturated and length-normalised frequency. `average_length`: the
    average number of terms of the team's documents.
    """
    counts = Counter(terms)
    length = counts.total()
    norm = K1 * (1 - B + B * length / max(average_length, 1.0))
    weights: dict[int, float] = {}
    for term, tf in counts.most_common(MOST_TERMS):
        at = position(term)
        weights[at] = weights.get(at, 0.0) + tf * (K1 + 1) / (tf + norm)
    return weights


def idf(n: int, df: int) -> float:
    """Return the rarity of a word that `df` of `n` documents have. `df` may exceed `n`, since the two are counted
    separately.
    """
    return log(1 + (max(n, df) - df + 0.5) / (df + 0.5))


def query_weights(terms: Iterable[str], n: int, df: Mapping[str, int]) -> dict[int, float]:
    """Return the question's half: by position, the rarity of each word that occurs in the collection; twice for a word
    that the question repeats.
    """
    weights: dict[int, float] = {}
    for term, times in Counter(terms).items():
        if df.get(term, 0) > 0:
            at = position(term)
            weights[at] = weights.get(at, 0.0) + times * idf(n, df[term])
    return weights


def total_idf(terms: Iterable[str], n: int, df: Mapping[str, int]) -> float:
    """Return the score of a document of average length that has every word of the question once. Words that no document
    has are included, and count most.
    """
    return sum(times * idf(n, df.get(term, 0)) for term, times in Counter(terms).items())


# How many times as much it costs to find a row by a word and discard it as another team's (1.5 µs) as to list it from
# the index by team (30 ns). Measured at 100,000 insights (decision 0002).
THROWN_AWAY = 50


def narrows(found: int, here: int, everywhere: int) -> bool:
    """Return whether to intersect with the index of the searched teams' rows, instead of checking the team of each row
    found.

    `found`: the estimated number of rows of these teams with the words. `here`: the number of all their rows.
    `everywhere`: the number of rows of all teams. PostgreSQL cannot decide this: it treats the teams as independent
    conditions, and underestimates the rows that pass if nearly all do.
    """
    if not here:
        return False
    others = found * (everywhere - here) / here
    return others * THROWN_AWAY > here


def rarest(df: Mapping[str, int], budget: int) -> list[str]:
    """Return the words to look candidates up by: the rarest first, while their document frequencies sum to at most
    `budget`.

    At least one word that occurs is returned, however common, if there is one. Words that no document is counted for
    cost nothing and are always included.
    """
    chosen: list[str] = []
    spent = 0
    for term, count in sorted(df.items(), key=lambda item: (item[1], item[0])):
        if spent and spent + count > budget:
            break
        spent += count
        chosen.append(term)
    return chosen


def budget_of(rows: int, least: int, beside: float) -> float:
    """Return how many rows of the searched teams to look up at the cost of `rows`, at least `least`. `beside`: the
    added cost per row for entries of other teams, relative to the cost of the row itself.
    """
    return max(rows / (1 + beside), least)


# Combine only this many of a question's rarest words, because a long question has thousands of pairs.
MOST_TOGETHER = 8


def lookup(df: Mapping[str, int], n: int, budget: int) -> dict[tuple[str, ...], float]:
    """Return the words to look candidates up by, each a tuple of words that a row must all have, with the estimated
    number of such rows among `n`.

    They are the words of `rarest`, or pairs of words if even the rarest word is in more rows than `budget`. A row with
    a single common word is not among the best by keyword if enough rows have two, and it costs as much to score. In a
    million rows, half of all questions have no word that fewer than 5,000 rows have (docs/decisions/0033).
    """
    alone: dict[tuple[str, ...], float] = {(term,): df[term] for term in rarest(df, budget)}
    if sum(alone.values()) <= budget:
        return alone
    uncounted = {words: rows for words, rows in alone.items() if not rows}
    common = sorted((term for term in df if df[term] > 0), key=lambda term: (df[term], term))
    return uncounted | _together(common[:MOST_TOGETHER], {term: df[term] / max(n, 1) for term in common}, n, budget)


def _together(terms: Sequence[str], share: Mapping[str, float], n: int, budget: int) -> dict[tuple[str, ...], float]:
    """Return the rarest pairs of words whose estimated rows sum to at most `budget`; if no pair is that rare, one tuple
    with as many of the rarest words as needed.

    The estimate assumes that words occur independently. `share`: of the rows that have each word.
    """
    pairs = {pair: n * share[pair[0]] * share[pair[1]] for pair in combinations(terms, 2)}
    chosen: dict[tuple[str, ...], float] = {}
    for pair, rows in sorted(pairs.items(), key=lambda item: (item[1], item[0])):
        if sum(chosen.values()) + rows > budget:
            break
        chosen[pair] = rows
    if chosen:
        return chosen
    size, rows = 1, n * share[terms[0]]
    while rows > budget and size < len(terms):
        rows *= share[terms[size]]
        size += 1
    return {tuple(terms[:size]): rows}
