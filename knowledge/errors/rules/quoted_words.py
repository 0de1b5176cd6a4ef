"""How much of a question is quoted from the error of a note: who asks names a part of a message, writes the whole of it
into a sentence, or pastes what a tool printed. Nothing has to tell where in the question an error begins.

Words are letters and digits between anything else, in lower case; what stands for a value (`<num>`) is none. The
database reads the messages in the same way (`knowledge/querysets/anchors.py`): it finds those that may be quoted, and
`quoted_share` says how much is.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from knowledge.errors.rules.fingerprint import PLACEHOLDER
from knowledge.rules.vectors import lexemes

_BETWEEN = re.compile(rf"{PLACEHOLDER}|[\W_]")
# What the asker puts in quotes is quoted by itself.
_IN_QUOTES = re.compile(r"""(?<!\w)["'`“‘«„]([^"'`“”‘’«»„\n]{4,200})["'`”’»“](?!\w)""")

# A whole trace is read from its beginning; what is longer than this is no word.
MOST_READ = 400
_LONGEST = 60
# Of the words that few notes have, so many are looked up by themselves, the rarest first.
MOST_ALONE = 12
# A message stands in a question that has nine in ten of its words: a long one may lack one, as the name of the file
# that was watched. One of fewer words than three stands in too many.
WHOLE = 0.9
FEWEST = 3
# Three such words in one passage are a quotation, however much is said around it: "since this morning I get … whenever
# I start it".
VERBATIM = 0.6
# A name that a message ends in has so many words: "orjson", "tenant_id".
LONGEST_NAME = 2


@dataclass(frozen=True)
class AskedWords:
    """`parts`: what may be quoted, each text in its words: the messages of the errors beside the question, each line of
    it, and what stands in quotes there. `words`: of all, each once; `made`: those that a program made.
    """

    parts: tuple[tuple[str, ...], ...] = ()
    words: tuple[str, ...] = ()
    made: frozenset[str] = frozenset()

    def lookup(self, alone: Collection[str] = (), common: Callable[[str], bool] = lambda word: False) -> str:
        """A tsquery of the messages that may be quoted: two words of the question that stand together stand in them,
        or one of those `alone`. Two `common` words are looked up by nobody.
        """
        pairs = dict.fromkeys(tuple(sorted(pair)) for part in self.parts for pair in pairwise(part))
        telling = (pair for pair in pairs if len(set(pair)) > 1 and not all(map(common, pair)))
        some = [f"({lexemes(pair, ' & ')})" for pair in telling][:MOST_READ]
        return " | ".join([*some, *(lexemes([word]) for word in list(alone)[:MOST_ALONE])])

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.words)


def words_of(text: str) -> list[str]:
    """In their order."""
    return [word for word in _BETWEEN.split(text.lower()) if 0 < len(word) <= _LONGEST]


def asked_words(question: str, errors: Sequence[str] = (), named: Sequence[str] = ()) -> AskedWords:
    """The words of a question in the asker's words, and of the errors beside it. `named`: what those errors say."""
    whole = "\n".join((question, *errors))
    lines = [line for line in question.split("\n") if line.strip()]
    made = _made(whole)
    asked = [words_of(line)[:MOST_READ] for line in lines]
    named = [*named, *_IN_QUOTES.findall(question)]
    # One short line among others says little, unless a program made it.
    telling = [line for line in asked if len(asked) == 1 or len(line) >= FEWEST or not made.isdisjoint(line)]
    parts = dict.fromkeys(map(tuple, (*(words_of(text) for text in named), *telling)))
    told = words_of(whole)[:MOST_READ]
    return AskedWords(tuple(filter(None, parts)), tuple(dict.fromkeys(told)), made)


_WORD = re.compile(r"\w+")
# Shorter ones in capitals are as often a person's: CI, API.
_CAPITALS = 4


def _made(*texts: str) -> frozenset[str]:
    """Of some texts the words that a program made: OOMKilled, EINTEGRITY, E0502, max_connections."""
    found = {name for text in texts for name in _WORD.findall(text) if len(name) <= _LONGEST and _is_made(name)}
    return frozenset(word for name in found for word in words_of(name))


def _is_made(name: str) -> bool:
    if name.isupper():
        return len(name) >= _CAPITALS
    joined = any(sign.isdigit() or sign == "_" for sign in name) and any(sign.isalpha() for sign in name)
    return joined or any(sign.isupper() for sign in name[1:])


def quoted_share(asked: AskedWords, messages: Sequence[str], weight: Mapping[str, float]) -> float:
    """0–1: how much of the question is quoted from one error, all of whose lines are `messages`; 1 where one of them
    stands in the question. `weight`: of the question's words by rarity, those that say nothing left out.
    """
    lines = [words_of(line) for line in messages]
    theirs = _made(*messages)
    if _names_another(asked.made, theirs):
        return 0.0
    if any(_stands_in(line, asked.known) for line in lines):
        return 1.0
    made = asked.made | theirs
    return max((_covered(part, lines, made, weight) for part in asked.parts), default=0.0)


# What a device or a business system calls a fault by: f0451, e7731.
_FAULT = re.compile(r"[a-z]{1,6}\d{3,6}")


def _names_another(asked: Collection[str], said: Collection[str]) -> bool:
    """Whether both name a fault, and not the same one: the words around it are of all faults of that machine."""
    mine, theirs = (set(filter(_FAULT.fullmatch, words)) for words in (asked, said))
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def _stands_in(line: Sequence[str], asked: Collection[str]) -> bool:
    words = set(line)
    return len(words) >= FEWEST and len(words.intersection(asked)) >= WHOLE * len(words)


def _covered(
    part: Sequence[str], lines: Sequence[Sequence[str]], made: frozenset[str], weight: Mapping[str, float]
) -> float:
    """How much of one text, by the weight of its words, stands in the lines in runs of two words and more, or in words
    that a program made. Nothing where the two go on with different words: they name different things.
    """
    beside = {pair for line in lines for pair in pairwise(line)}
    all_words = {word for line in lines for word in line}
    whole = sum(weight.get(word, 0.0) for word in part)
    if not whole:
        return 0.0
    run = [False] * len(part)
    for at, pair in enumerate(pairwise(part)):
        if pair in beside:
            run[at] = run[at + 1] = True
    for at, word in enumerate(part):
        run[at] = run[at] or (word in all_words and word in made)
    if _part_ways(part, run, lines, all_words, weight):
        return 0.0
    share = sum(weight.get(word, 0.0) for word, quoted in zip(part, run, strict=True) if quoted) / whole
    told = [word for word, quoted in zip(part, run, strict=True) if quoted and weight.get(word)]
    if len(told) < FEWEST and made.isdisjoint(told) and share < WHOLE:
        return 0.0
    return max(share, VERBATIM * (_longest_run(part, beside, weight) >= FEWEST))


def _longest_run(part: Sequence[str], beside: Collection[tuple[str, str]], weight: Mapping[str, float]) -> int:
    """How many words that say something the longest passage has that stands in the lines as it is."""
    longest = told = 0
    for at, word in enumerate(part):
        follows = at > 0 and (part[at - 1], word) in beside
        says = bool(weight.get(word))
        told = told + says if follows else int(says)
        longest = max(longest, told)
    return longest


def _part_ways(
    part: Sequence[str],
    run: Sequence[bool],
    lines: Sequence[Sequence[str]],
    all_words: Collection[str],
    weight: Mapping[str, float],
) -> bool:
    """Whether after what both have the question goes on with a word that the error lacks, and the error ends in a name
    that the question lacks: "No module named orjson", "No module named lxml".
    """
    after = {pair: line[at + 2 :] for line in lines for at, pair in enumerate(pairwise(line[:-1]))}
    for at, pair in enumerate(pairwise(part[:-1])):
        follows, theirs = part[at + 2], after.get(pair, ())
        named = weight.get(pair[-1]) and weight.get(follows) and not follows.isdigit()
        if (
            0 < len(theirs) <= LONGEST_NAME
            and run[at]
            and named
            and follows not in all_words
            and not set(theirs).intersection(part)
        ):
            return True
    return False
