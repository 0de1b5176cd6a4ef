"""Whether a saved answer answers another wording of its question: vectors hardly show it, the evidence does.

`mail that comes in on Monday` and `… on Thursday` are as near as paraphrases, and so are inbound and outbound. No list
says which of two words may replace the other, so none is used. Words that both questions share distinguish nothing. A
new word must occur in the saved answer. A missing word must not occur in the cited passages, or it may be the one that
made the difference. If the two questions are nearer than one other word leaves them, it is a synonym. Everything else
is searched, which only costs time.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from knowledge.evidence.rules.languages import ENGLISH, language_of, stem
from knowledge.retrieval.rules import bm25

# Words of a question that say nothing about its subject. Any other function word must be in both: `from`, `before`,
# `who`, `only`.
_ASKING = """
a an the i we you it its my our your us me he she they them their do does doing can could should would will is are be
being am has have having get of for in into at by with to on and as that there so if then now how what whats which hows
please tell explain describe steps way need want mean meaning
"""
_LIGHT = frozenset(_ASKING.split())
_NOT = frozenset("not no nor never without cannot except zero nothing none neither".split())  # noqa: SIM905
# The standard form of words that are grammatical variants of another.
_SAME = {"whose": "who", "whom": "who", "whos": "who", "wheres": "where", "whens": "when", "whys": "why"}
_SAME |= dict.fromkeys(("was", "were", "did", "had", "been"), "was")
# Words that ask for the same on any subject.
_ALIKE = """
find see list show get view identify look, delete remove purge, set setup configure, repo repository,
error failure problem, last latest newest, fix repair
"""
_FAMILY = {word: number for number, line in enumerate(_ALIKE.split(",")) for word in line.split()}
_VALUE = re.compile(r"(?<![\w.])v?\d+(?:\.\d+)*(?![\w.])|[A-Z]{2,}[A-Z0-9_]*|\w{1,80}[._/-]\w+(?:[._/-]\w+)*|`[^`]+`")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TOKEN = re.compile(r"\w+")
# Scripts beyond Latin.
_FOREIGN = re.compile(r"[\u0370-\uffff]")


@dataclass(frozen=True)
class Saved:
    """A saved answer: `told`, its briefing with the paths of the files it cites; `cited`, the passages."""

    told: str
    cited: str


# A synonym ("biggest" for "largest") moves a question less than a word that asks for something else. The measure is 1 -
# cosine, times the number of words that say what is asked, because one word moves a short question more. Of three such
# pairs the greatest is .09; of 45 questions with one word exchanged the least is .13 (27 Nov 2026).
SYNONYM = 0.1


def asks_the_same(asked: str, before: str, saved: Saved, cosine: float = 0.0) -> bool:
    """Return whether the answer to an earlier question answers this one. `cosine`: of the two questions, 0 if
    unknown.
    """
    language = language_of(asked)
    if language != ENGLISH or language_of(before) != ENGLISH or _FOREIGN.search(asked + before):
        # In other languages vectors say little, and so does half a word: only the same words count, in any order.
        return _all_words(asked, language) == _all_words(before, language)
    if _values(asked) != _values(before) or _is_reversed(asked, before):
        return False
    mine, theirs = _parts(asked), _parts(before)
    if mine.grammar != theirs.grammar:
        return False
    new = {stem: word for stem, word in mine.content.items() if stem not in theirs.content}
    gone = {stem: word for stem, word in theirs.content.items() if stem not in mine.content}
    for here, word in list(new.items()):
        there = next((one for one in gone if _FAMILY.get(gone[one], -1) == _FAMILY.get(word)), None)
        if there is not None:
            del new[here], gone[there]
    if not new and not gone:
        return True
    names = any(_is_name(word, text) for some, text in ((new, asked), (gone, before)) for word in some.values())
    if not names and (1 - cosine) * max(len(mine.content), len(theirs.content)) <= SYNONYM:
        return True
    told = _terms(saved.told)
    return new.keys() <= told and not gone.keys() & (told | _terms(saved.cited))


@dataclass(frozen=True)
class _Parts:
    """`grammar`: function words that matter and the measure that is asked for; `content`: stem → word."""

    grammar: frozenset[str]
    content: dict[str, str]


@lru_cache(maxsize=1_000)
def _parts(text: str) -> _Parts:
    grammar: set[str] = set()
    content: dict[str, str] = {}
    previous = ""
    for word in (found.lower().replace("’", "'") for found in _WORD.findall(text)):
        plain = word.replace("'", "")
        if plain in _NOT or word.endswith("n't") or (plain.endswith("nt") and plain in bm25.STOP_WORDS):
            grammar.add("not")
        elif plain not in _LIGHT:
            terms = bm25.terms(word.removesuffix("'s"))
            if not terms:
                grammar.add(_SAME.get(plain, plain))
            elif previous == "how":  # how long, how often
                grammar.add(f"how {terms[0]}")
            else:
                content.setdefault(terms[0] if plain not in _SAME else _SAME[plain], word)
        previous = plain
    who = {one for one in content if one in _SAME.values()}
    return _Parts(frozenset(grammar | who), {one: word for one, word in content.items() if one not in who})


def _terms(text: str) -> set[str]:
    return set(bm25.terms(text))


def _is_name(word: str, text: str) -> bool:
    """Return whether a word, given in lower case, stands in the text with a capital and not at its beginning."""
    return f" {word.capitalize()}" in text


def _all_words(text: str, language: str) -> list[str]:
    words = [word.lower() for word in _TOKEN.findall(text)]
    return sorted(words if language == ENGLISH else (stem(word, language) for word in words))


_DIRECTION = re.compile(r"\b(?:to|into|in)\b")


def _is_reversed(asked: str, before: str) -> bool:
    """Return whether two questions reverse a direction, as in `csv to json` and `json to csv`: a word before the `to`
    of one stands behind that of the other, and another one the other way round.
    """
    sides = []
    for text in (asked, before):
        parts = _DIRECTION.split(re.sub(r"^how (?:do \w+ )?to\b|^how to\b", "", text.lower()), maxsplit=1)
        if len(parts) < 2:
            return False
        sides.append((set(bm25.terms(parts[0])), set(bm25.terms(parts[1]))))
    (left, right), (other_left, other_right) = sides
    return bool(left & other_right) and bool(right & other_left)


def _values(text: str) -> set[str]:
    return {found.strip("`").lower() for found in _VALUE.findall(text)}
