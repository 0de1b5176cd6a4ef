"""Opposing wording: whether a sentence of one text denies, ends, replaces or restricts what a sentence of another says.

Two sentences are compared only if they are about the same: they share at least half of their words, and do not name
different places or conditions ("in the shop", "in the portal"). Then four families of cues, SAME's, are looked for, and
each says in words what stands against what. Code blocks are not read.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from knowledge.rules import bm25
from knowledge.rules.stance_words import NUMBERS, OPPOSITES

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|^(?: {4}|\t)\S[^\n]*$", re.S | re.M)
# A paragraph, an item or a heading begins a sentence; a line that was only wrapped does not.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|;|:\s|\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.))|\s—\s")
_TOKEN = re.compile(r"\w[\w'./:@-]*\w|\w|[,()]")


@dataclass(frozen=True)
class Sentence:
    """`plain`: lower case, without markup; `tokens`: its words as they are, `words`: the stems of those with content;
    `denied`: what a negation takes back of them; `scope`: those that say where or under which condition; `numbers`: the
    numbers, those in words as well.
    """

    text: str
    plain: str
    tokens: frozenset[str]
    words: frozenset[str]
    denied: frozenset[str]
    scope: frozenset[str]
    numbers: frozenset[str]


# A negation reaches so many content words: "never retry the webhook" denies retrying, not the webhook.
REACH = 1
NEGATION = frozenset(
    """not no never none cannot without neither nor avoid avoids avoiding forbid forbids refuse refuses stop stopped
    don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't mustn't hasn't haven't
    needn't""".split()  # noqa: SIM905
)
# What looks like one, and is none.
_NO_NEGATION = re.compile(
    r"\bnot (?:only|just|necessarily|yet|all|sure|to mention)\b|\bno (?:matter|longer|more than|doubt|problem)\b"
    r"|\bnot any ?more\b|\bwhy not\b|\bif not\b|\bwhether or not\b|\b(?:do not|don't) forget to\b|\bnon-\w+"
)
# The other one of two is denied: "pnpm instead of npm".
_PUT_ASIDE = re.compile(r"\b(?:instead of|rather than)\b")
# What stands before it is denied.
_DENIES_SUBJECT = re.compile(
    r"\b(?:is|are|be|was|were) (?:unsafe|dangerous|forbidden|prohibited|disallowed|harmful|discouraged|unsupported|"
    r"impossible|wrong)\b"
)
# A place or a condition follows, of so many content words at most. What is denied in it is not denied of the rest.
_SCOPE = frozenset(
    "in on at for during if when whenever while unless under within as that which who".split()  # noqa: SIM905
)
SCOPE_REACH = 2

# What a text advises it has said by then; ten long ones against each other take time.
READ = 6_000

# "One" stands for things as well.
NUMBER_WORDS = frozenset(NUMBERS) - {"one", "single"}

# A sentence says nothing with fewer content words; in one with more, two are bound to be shared with anything.
SHORTEST = 2
LONGEST = 40


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text that can be compared. Its first line is taken for its title."""
    title, _, body = text[:READ].partition("\n")
    parts = _SENTENCE_END.split(title) + _SENTENCE_END.split(_CODE_BLOCK.sub("\n\n", body))
    read = (_sentence(" ".join(part.split()).lstrip("-*#>| \t")) for part in parts)
    return tuple(sentence for sentence in read if SHORTEST <= len(sentence.words) <= LONGEST)


def _sentence(text: str) -> Sentence:
    plain = text.lower().replace("’", "'").replace("`", "")
    meant = _PUT_ASIDE.sub("not", _NO_NEGATION.sub(" ", plain))
    denies_subject = _DENIES_SUBJECT.search(meant)
    words: set[str] = set()
    denied: set[str] = set()
    scope: set[str] = set()
    reach = scoped = 0
    for token in _TOKEN.findall(meant):
        stems = _stems(token)
        if token in NEGATION:
            reach = 0 if scoped else REACH
        elif token in _SCOPE:
            reach, scoped = 0, SCOPE_REACH
        elif token in ",()":
            reach = scoped = 0
        elif stems:
            words.update(stems)
            denied.update(stems if reach else ())
            scope.update(stems if scoped else ())
            reach, scoped = max(reach - 1, 0), max(scoped - 1, 0)
    if denies_subject:
        denied.update(bm25.terms(meant[: denies_subject.start()]))
    tokens = frozenset(_TOKEN.findall(plain))
    numbers = {stem for token in tokens if token[0].isdigit() or token in NUMBER_WORDS for stem in _stems(token)}
    return Sentence(text, plain, tokens, *map(frozenset, (words, denied, scope, numbers)))


# Texts of one team repeat their words; a remembered one saves the stemmer's lock.
@lru_cache(maxsize=20_000)
def _stems(token: str) -> tuple[str, ...]:
    return tuple(bm25.terms(token))


@dataclass(frozen=True)
class Cue:
    """`family`: negation, temporal, preference or context; `why`: what stands against what, in words."""

    family: str
    why: str


FAMILIES = ("negation", "temporal", "preference", "context")

# Two sentences are about the same if they share half of their words (Dice), and two at least. Counted of the shorter
# one alone, every title would be about the same as every longer sentence.
OVERLAP = 0.5
SHARED = 2


def opposing(one: tuple[Sentence, ...], other: tuple[Sentence, ...]) -> list[Cue]:
    """The cues that set one text against the other, one of each family."""
    found: dict[str, Cue] = {}
    for a, b in product(one, other):
        if _overlap(a.words, b.words) >= OVERLAP and _same_scope(a, b):
            for cue in _cues(a, b):
                found.setdefault(cue.family, cue)
    return [found[family] for family in FAMILIES if family in found]


# From here on two sentences say the same, unless something speaks against it.
AGREEMENT = 0.8


def agreeing(one: tuple[Sentence, ...], other: tuple[Sentence, ...]) -> bool:
    """Whether a sentence of each says the same: both deny the same, or they have nearly the same words."""
    return any(
        _overlap(a.words, b.words) >= (OVERLAP if a.denied & b.denied else AGREEMENT) and _same_scope(a, b)
        for a, b in product(one, other)
    )


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    shared = len(a & b)
    return 2 * shared / (len(a) + len(b)) if shared >= SHARED else 0.0


def _same_scope(a: Sentence, b: Sentence) -> bool:
    return not a.scope or not b.scope or bool(a.scope & b.scope)


def _cues(a: Sentence, b: Sentence) -> Iterator[Cue]:
    against = f"“{_short(a.text)}” against “{_short(b.text)}”"
    for family, stands_against in (("negation", _negation), ("temporal", _temporal), ("context", _context)):
        if stands_against(a, b) or stands_against(b, a):
            yield Cue(family, against)
    if pair := _opposite(a, b):
        yield Cue("negation", f"{pair[0]} against {pair[1]}: {against}")
    if pair := _preferred(a, b) or _preferred(b, a) or _number(a, b) or _choice(a, b):
        yield Cue("preference", f"{pair[0]} against {pair[1]}: {against}")


# Enough to recognise a sentence by; a warning is one line.
QUOTED = 80


def _short(text: str) -> str:
    return text if len(text) <= QUOTED else text[: QUOTED - 1].rsplit(" ", 1)[0] + "…"


def _negation(a: Sentence, b: Sentence) -> bool:
    """One takes back what the other says, and the other takes back nothing else."""
    return bool((a.denied - b.denied) & b.words) and b.denied <= a.denied


# Opposites may stand in two sentences and mean two things; these must say nearly the same otherwise.
OPPOSITES_OVERLAP = 0.6


def _opposite(a: Sentence, b: Sentence) -> tuple[str, str] | None:
    """A word of one whose opposite is in the other, with neither having both, and not turned round by a negation."""
    if bool(a.denied) != bool(b.denied) or _overlap(a.words, b.words) < OPPOSITES_OVERLAP:
        return None
    mine, theirs = a.tokens - b.tokens, b.tokens - a.tokens
    turned = (pair for x, y in OPPOSITES for pair in ((x, y), (y, x)))
    return next(((x, y) for x, y in turned if x in mine and y in theirs), None)


_ENDED = re.compile(
    r"\b(?:no longer|not any ?more|deprecated|obsolete|superseded|retired|discontinued|stopped using|got rid of|"
    r"(?:was|were|been) (?:replaced|removed|dropped|abolished)|until recently|"
    r"(?:switched|moved|migrated)\b[^.,]{0,60}?\b(?:from|to|away))\b"
    r"|(?<!be )(?<!is )(?<!are )(?<!was )(?<!get )\bused to\b"
)


def _temporal(a: Sentence, b: Sentence) -> bool:
    """One says that it is over, and the other says it."""
    return bool(_ENDED.search(a.plain)) and not _ENDED.search(b.plain)


_CHOSEN = r"(?:prefer|use|using|choose|chose|pick|take|recommend|favou?r|go with|went with|stick to)"
_THING = r"[\w.+#@/-]+"
_PREFERRED = re.compile(
    rf"\b{_CHOSEN} (?:the |an? )?({_THING}(?: {_THING})?),? "
    rf"(?:over|instead of|rather than|not) (?:the |an? )?({_THING})"
)


def _preferred(a: Sentence, b: Sentence) -> tuple[str, str] | None:
    """One chooses x over y, the other chooses y."""
    for x, y in _PREFERRED.findall(a.plain):
        chosen = re.search(rf"\b{_CHOSEN}s? (?:the |an? )?{re.escape(y)}(?![\w-])", b.plain)
        if chosen and b.denied.isdisjoint(_stems(y)):
            return x, y
    return None


# Two sentences that differ in what stands in one place, and in hardly anything else.
PLACE_OVERLAP = 0.75


def _number(a: Sentence, b: Sentence) -> tuple[str, str] | None:
    """The same with another number."""
    x, y = a.numbers, b.numbers
    if not x or not y or x & y or _overlap(a.words - x, b.words - y) < PLACE_OVERLAP:
        return None
    return _listed(x), _listed(y)


_CHOICE = re.compile(rf"\b(?:{_CHOSEN}|uses|set|keep|with|via) (?:the |an? )?({_THING})")


def _choice(a: Sentence, b: Sentence) -> tuple[str, str] | None:
    """The same with another thing used."""
    x, y = ({stem for thing in _CHOICE.findall(s.plain) for stem in _stems(thing)} for s in (a, b))
    x, y = x - b.words, y - a.words
    if not x or not y or a.denied or b.denied or _overlap(a.words - x, b.words - y) < PLACE_OVERLAP:
        return None
    return _listed(x), _listed(y)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))


_ALWAYS = re.compile(r"\b(?:always|everywhere|every|all|any|whenever|in all cases|must)\b")
_ONLY_HERE = re.compile(
    r"\b(?:only (?:in|on|for|when|if|with|during)|except|unless|but not (?:in|on|for)|outside of)\b"
)


def _context(a: Sentence, b: Sentence) -> bool:
    """One holds it under a condition, the other always."""
    return bool(_ONLY_HERE.search(a.plain) and _ALWAYS.search(b.plain) and not _ONLY_HERE.search(b.plain))
