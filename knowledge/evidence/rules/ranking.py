"""Which files to read: content and structure, each a score, and their fusion.

Theory of operation. *Content* is BM25 over what ripgrep counted: term and document frequencies are exact, and a file's
length is its size. Length counts less than usual (b .4), because a long file of a repository is long because it is
important. *Structure* is the promise of a path before anything is read: the words of its name, weighted by how rare
they are among the names of this source and by how much of the name they are, and to a lesser part those of its folders;
and whether the question spells the path out, as tracebacks and imports do. Both are added. Files that machines wrote,
and tests, count a little less, unless the question names them.

Chosen on one half of the questions of three collections (documentation, many small files, source code), reported on the
other: `manage.py evaluate evidence`.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter

from knowledge.evidence.rules.generated import asks_for, is_generated_name
from knowledge.evidence.rules.keywords import Census, Keywords
from knowledge.retrieval.rules import bm25

K1 = 1.2
B = 0.4
# A rare word that is the whole name of a file (idf 8 among thousands) is worth .4 of the best content.
STRUCTURE = 0.05
FOLDERS = 0.4
_score = attrgetter("score")
# The question spells the file out.
MENTIONED = 0.4
# What the head of a file adds, by the share of the question it has (`rules/heads.py`). Of 300 questions in the words of
# tldr pages the manual page is among the first three for .597, with .3 for .583, with .45 for .617. But with .45 two of
# 50 issues of Django lose a place, and with .6 the half of tldr that constants are chosen on loses .009 nDCG.
HEAD = 0.35
# A file that has what was copied into the question, letter for letter, precedes all that only have its words.
EXACT = 1.0
# Generated files come last.
GENERATED = 0.02
# Tests quote what they test, and translations and fixtures repeat it. With .7, source files come first on 50 issues of
# Django (.58 → .64), and hand-written documentation keeps its place.
SECONDARY = 0.7
_SECONDARY = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|spec|fixtures?|locale|vendor|third_party|dist|build)/|\.min\."
)


@dataclass(frozen=True)
class RankedFile:
    """A file of a source with its scores, each part in the unit of the sum."""

    source: str
    path: str
    score: float
    content: float = 0.0
    structure: float = 0.0
    mentioned: float = 0.0
    exact: float = 0.0
    head: float = 0.0
    window: float = 0.0

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path


def content_scores(census: Census, rarity: Mapping[str, float], sizes: Mapping[str, int]) -> dict[str, float]:
    """Return path → BM25 of the files that the census and the scan both know."""
    if not sizes:
        return {}
    average = max(1.0, sum(sizes.values()) / len(sizes))
    scores = {}
    for path, counts in census.counts.items():
        size = sizes.get(path)
        if size is not None:
            norm = K1 * (1 - B + B * size / average)
            scores[path] = sum(rarity.get(word, 0.0) * tf * (K1 + 1) / (tf + norm) for word, tf in counts.items())
    return scores


def window_score(counts: Mapping[str, int], rarity: Mapping[str, float], size: int, average: float) -> float:
    """Return the score that a window would have as a file by itself, which compares long files with short ones."""
    norm = K1 * (1 - B + B * size / max(1.0, average))
    return sum(rarity.get(word, 0.0) * tf * (K1 + 1) / (tf + norm) for word, tf in counts.items())


@lru_cache(maxsize=60_000)
def path_words(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a file's name without its ending, and those of its folders."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return tuple(dict.fromkeys(_words(stem))), tuple(dict.fromkeys(_words(folder)))


def _words(text: str) -> list[str]:
    return bm25.terms(re.sub(r"[/\\_.-]+", " ", text))


def structure_scores(paths: Collection[str], keywords: Keywords) -> dict[str, float]:
    """Return path → how much its name says about the question; only those above 0."""
    wanted = set(keywords.words)
    df: Counter[str] = Counter()
    for path in paths:
        name, folder = path_words(path)
        df.update({*name, *folder})
    n = len(paths)
    idf = {word: bm25.idf(n, count) for word, count in df.items()}
    scores = {}
    for path in paths:
        name, folder = path_words(path)
        hit = sum(idf[word] * keywords.weight(word) for word in name if word in wanted)
        score = hit * hit / sum(idf[word] for word in name) if hit else 0.0
        score += FOLDERS * sum(idf[word] * keywords.weight(word) for word in folder if word in wanted)
        if score > 0:
            scores[path] = score
    return scores


_PATHLIKE = re.compile(r"(?<![\w-])[\w-]+(?:[./\\][\w-]+)+")


def mentions(question: str, paths: Collection[str]) -> dict[str, float]:
    """Return path → 1 if the question spells it, .8 as a dotted module, .7 by its name alone."""
    spelled = {word.replace("\\", "/") for word in _PATHLIKE.findall(question)}
    names = {word.rpartition("/")[2] for word in spelled}
    modules = _modules(spelled)
    found = {}
    for path in paths:
        name = path.rpartition("/")[2]
        bare = path.rpartition(".")[0]
        if name in names:
            ends = [word for word in spelled if word.endswith(name)]
            full = any("/" in w and (path.endswith(f"/{w}") or w.endswith(f"/{path}") or w == path) for w in ends)
            found[path] = 1.0 if full or path in spelled else 0.7 * (name in spelled)
        if found.get(path, 0.0) < 0.8 and any(bare.endswith(f"/{m}") or bare == m for m in _tails(bare, modules)):
            found[path] = 0.8
    return {path: worth for path, worth in found.items() if worth}


# An exact term in more files than this names none of them.
SPECIFIC = 10


def exact_scores(
    held: Mapping[str, Collection[str]], terms: Sequence[str], files: int, asked: float = 1.0
) -> dict[str, float]:
    """Return path → how much of the exact terms it has, 0 to 1: each counts by how few files have it. `asked`: the
    share of these terms in the question. An issue of four hundred words names much in passing: with 1.0 instead, the
    mean over 50 issues of Django fell from .632 to .609.
    """
    df = Counter(term for some in held.values() for term in some)
    worth = {
        term: bm25.idf(files, df[term]) / bm25.idf(files, 1) if 0 < df[term] <= SPECIFIC else 0.0 for term in terms
    }
    total = sum(max(worth[term], 0.0) for term in terms)
    if not total:
        return {}
    scores = {path: asked * sum(worth[term] for term in some) / total for path, some in held.items()}
    return {path: score for path, score in scores.items() if score > 0}


def _modules(spelled: Collection[str]) -> dict[str, set[str]]:
    """Return dotted names as paths, by their last part: `django.forms.fields.URLField` may be django/forms/fields."""
    found: dict[str, set[str]] = {}
    for word in spelled:
        parts = word.split(".")
        for cut in range(2, len(parts) + 1):
            found.setdefault(parts[cut - 1], set()).add("/".join(parts[:cut]))
    return found


def _tails(bare: str, modules: Mapping[str, set[str]]) -> set[str]:
    return modules.get(bare.rpartition("/")[2], set())


def fused(
    source: str,
    question: str,
    content: Mapping[str, float],
    structure: Mapping[str, float],
    mentioned: Mapping[str, float],
    exact: Mapping[str, float] | None = None,
) -> list[RankedFile]:
    """Return every file with any score, best first."""
    best = max(content.values(), default=0.0) or 1.0
    exact = exact or {}
    spared = _SECONDARY.search(question) is not None or re.search(r"\btests?\b", question, re.I) is not None
    ranked = []
    for path in sorted({*content, *structure, *mentioned, *exact}):
        parts = (
            content.get(path, 0.0) / best,
            STRUCTURE * structure.get(path, 0.0),
            MENTIONED * mentioned.get(path, 0.0),
            EXACT * exact.get(path, 0.0),
        )
        held = SECONDARY if not spared and _is_secondary(path) else 1.0
        held = GENERATED if is_generated_name(path) and not asks_for(path, question) else held
        ranked.append(RankedFile(source, path, held * sum(parts), *parts))
    ranked.sort(key=_score, reverse=True)  # those of one score stay in the order of their paths
    return ranked


@lru_cache(maxsize=60_000)
def _is_secondary(path: str) -> bool:
    return _SECONDARY.search(path) is not None


def with_heads(files: Sequence[RankedFile], shares: Mapping[tuple[str, str], float]) -> list[RankedFile]:
    """Return the files in the order with their heads. `shares`: the share of the question in the head of each."""
    told = [replace(one, score=one.score + HEAD * shares[one.key], head=HEAD * shares[one.key]) for one in files]
    return sorted(told, key=lambda one: (-one.score, one.source, one.path))


# In languages other than English stems and parts of compounds match more words by chance, most in long files. So once
# files are read, words anywhere in them count half, and words of their heads twice. Of 27 questions in four languages,
# none of them held out, the right file was among the first three of 21 for 19 in FAST, of 22 for 20 in DEEP.
OTHER_CONTENT, OTHER_HEAD = 0.5, 2.0


# The factor for a file whose best passage is in another language than the question: names and borrowed words matched by
# chance, or a translation, which follows its original page.
ELSEWHERE = 0.8


def in_other_language(file: RankedFile) -> float:
    """Return the score of a file that was read for a question in a language other than English."""
    return file.score - (1 - OTHER_CONTENT) * file.content + (OTHER_HEAD - 1) * file.head


# Of 86 questions that may be looked at, words alone put the right file among the first three of 78, and the meaning of
# heads of 80 (of the 97 held out: 82, 88). If the first file that is not shown is as near as this to the best one, the
# meaning is asked, for .57 of the questions: 80 and 88 again. From .8 on (.53) it is one less.
CLOSE = 0.7


def is_close(files: Sequence[RankedFile], shown: int) -> bool:
    """Return whether words do not separate the files that are `shown` from the next one."""
    return len(files) > shown and files[shown].score >= CLOSE * files[0].score


def with_meaning(files: Sequence[RankedFile], near: Mapping[tuple[str, str], float]) -> list[RankedFile]:
    """Return the files in the order with the scores of their meaning added."""
    told = [
        replace(one, score=one.score + by, window=one.window + by) for one in files for by in [near.get(one.key, 0.0)]
    ]
    return sorted(told, key=lambda one: (-one.score, one.source, one.path))


# Two texts that share nine of ten words: copies, and pages of one text for two programs.
SAME = 0.9


def distinct(files: Sequence[RankedFile], texts: Mapping[tuple[str, str], str], count: int) -> list[RankedFile]:
    """Return the first files with a text, without those whose text repeats that of one before them: a copy would take
    the place of a file that says something else. `texts`: the best passage of each that may be cited. An original, by
    the names of both, takes the place of its copy.
    """
    first: list[RankedFile] = []
    said: list[frozenset[str]] = []
    for file in files:
        words = frozenset(texts.get(file.key, "").split())
        if not words:
            continue
        same = next((at for at, other in enumerate(said) if len(words & other) >= SAME * len(words | other)), None)
        if same is None and len(first) < count:
            first.append(file)
            said.append(words)
        elif same is not None and said[same] == words and _is_copy(first[same], file):
            first[same] = file
    return first


def _is_copy(one: RankedFile, of: RankedFile) -> bool:
    """Return whether a file has another one's name with an addition: "Copy of x.md", "x (1).md", "x_old.md"."""
    stem, _, kind = one.path.rpartition("/")[2].rpartition(".")
    original, _, other = of.path.rpartition("/")[2].rpartition(".")
    return kind == other and original != stem and bool(original) and original in stem


def few_of_each(owners: Sequence[object], each: int, most: int) -> list[int]:
    """Return the places of at most `most` things of these owners, in order: at most `each` of one, and a second of none
    before the first of another.
    """
    turns: list[list[int]] = [[] for _ in range(each)]
    seen: Counter[object] = Counter()
    for place, owner in enumerate(owners):
        if seen[owner] < each:
            turns[seen[owner]].append(place)
            seen[owner] += 1
    return sorted([place for turn in turns for place in turn][:most])


def merged(lists: Sequence[Sequence[RankedFile]]) -> list[RankedFile]:
    """Return the files of several sources in one list."""
    if len(lists) == 1:
        return list(lists[0])
    return sorted((one for some in lists for one in some), key=lambda one: (-one.score, one.source, one.path))
