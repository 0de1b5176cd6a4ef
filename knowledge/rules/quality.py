"""Score the quality of an insight from 0 to 1, without a model: specificity, actionability and completeness.

Theory of operation. Length proves nothing: "Port 8102 is staging only." is worth storing, a page of advice on clean
code is not. The difference is whether the words name something. So

- specificity: how many concrete things are named (identifiers, code, numbers, paths, versions, proper names), and how
  many of the other words are more than what is said of any software (`GENERIC`);
- actionability: whether it says what to do, what follows from what, or a fact or limit to rely on;
- completeness: whether it is a statement, with a circumstance, a reason, an example, something it is anchored to.

An instruction about nothing in particular is a platitude, so the latter two count only as far as the text is specific.
Everything saturates: the third number adds little, the thirtieth nothing. Text in a language other than English has no
word on any of the lists, and passes by its specificity.

The score is a sum of named parts. It is compared with GATE when an insight is written; `rank_factor` is its weight in
ranking.
"""

import re
from collections.abc import Iterable
from functools import cache
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.score import Part, Score

# An insight below it starts weak (Surchin's threshold); it is stored all the same, and ratings may strengthen it.
GATE = 0.15

# Specificity carries the score, as the other two are measured by it.
SPECIFICITY = 0.5
ACTIONABILITY = 0.25
COMPLETENESS = 0.25

# Words that apply to any code: an insight made of these alone says nothing.
GENERIC = """
ok okay yes yeah yep nope fine good great nice awesome cool bad wrong right correct perfect done finished complete
work worked fix fixed bug issue problem error fail failed test tested code coding program programming programmer
software thing stuff something everything anything nothing someone everyone everybody people always never ever make
made sure important carefully remember note todo fixme wip tmp temp asdf foo bar baz lorem ipsum update change add
remove improve improvement better best worse practice clean cleaner cleanup simple simpler simplify easy easier hard
need needed use used useful get got getting set new old see look know known learn learned think thought try tried
check way time lot many much please thank thanks hello hi hey bye lol wow hmm write writing written read readable
readability understand maintain maintainable maintainability file project app application developer dev team user
data system quality performance document documentation comment keep kept help helpful proper properly really
actually basically maybe probably various several different refactor refactored refactoring review reviewed follow
handle handling consider avoid ensure able possible possibly within without also still like first last next one two
three go going goes come want take give say said tell let feature function method class variable value name part
case example general generally specific implementation implement version misc minor small big little couple today
yesterday now later soon again key success successful communication idea solution answer question reason result
believe effort focus world matter seem begin end debug debugging scalable robust efficient efficiency secure
security modern powerful flexible elegant standard principle rule careful cleanly well n/a 123 ai assistant task
requirement met summary typo process development tool real whole successfully completely
""".split()  # noqa: SIM905


@cache
def _generic() -> frozenset[str]:
    """The stems of GENERIC, made once: the stemmer is slow."""
    return frozenset(bm25.terms(" ".join(GENERIC)))


# What names one thing and no other. In order: what an earlier pattern took, a later one does not see.
CONCRETE = (
    ("code", r"`[^`\n]+`"),
    ("address", r"\bhttps?://\S+"),
    ("path", r"(?<![\w.@~-])[\w.@~-]*(?:/[\w.@*-]+)+"),
    ("flag", r"(?<![\w-])--?[A-Za-z][\w-]*"),
    ("call", r"(?<![\w.])[\w.]+\(\)"),
    ("dotted", r"\b\w+(?:\.\w+)+\b"),
    ("snake_case", r"\b\w*[^\W_]_[^\W_]\w*\b"),
    ("camelCase", r"\b[A-Za-z]+[a-z][A-Z]\w*\b"),
    ("CAPITALS", r"\b[A-Z][A-Z\d_]+\b"),
    ("number", r"\b\w*\d\w*\b"),
)
_CONCRETE = re.compile("|".join(f"(?:{pattern})" for _, pattern in CONCRETE))
# A capital after a small word; in a Title Like This One it means nothing.
_PROPER_NAME = re.compile(r"(?<![\w'])[a-z]+[,;]? ([A-Z][a-z]{2,})\b")
# "pnpm, not npm": a choice names both.
_CHOICE = re.compile(r"\b(\w+),? (?:not|instead of|rather than) (\w+)\b")

# Half of what there is to gain by naming things is gained with the first, half of the rest with the second. Words get
# half as far with three: "the export job waits for the nightly lock" is specific, but less so than with names.
NAMED_SHARE = 0.7
WORDS_SHARE = 0.55
WORDS_HALF = 3.0


def specificity(text: str) -> Part:
    named = _named(text)
    words = set(bm25.terms(_CONCRETE.sub(" ", text)))
    telling = len(words - _generic())
    share = telling / len(words) if words else 0.0
    by_names = NAMED_SHARE * _saturated(len(named), 1.0)
    by_words = WORDS_SHARE * share * _saturated(telling, WORDS_HALF)
    said = f"names {', '.join(named[:3])}" if named else "no specific names"
    why = f"{said}; {telling} of {len(words)} other words are specific"
    return Part("specificity", 1 - (1 - by_names) * (1 - by_words), SPECIFICITY, why)


def _named(text: str) -> list[str]:
    """The concrete things in the text, each once, without those that only look it (TODO, n/a)."""
    found = [match.strip("`") for match in _CONCRETE.findall(text)]
    found += _PROPER_NAME.findall(text)
    for pair in _CHOICE.findall(text):
        found += pair if all(_tells(word) for word in pair) else ()
    return [name for name in dict.fromkeys(map(str.lower, found)) if _tells(name)]


def _tells(text: str) -> bool:
    return not _generic().issuperset(bm25.terms(text))


def _saturated(count: float, half: float) -> float:
    return 1.0 - 2.0 ** (-count / half)


# name, what it is worth by itself, pattern. Each counts once; together they approach 1.
ACTS = (
    (
        "an instruction",
        0.5,
        r"(?:^|[.:;!?]\s+|[-*]\s+|\bto |\band |, |\bthen )(?:use|run|set|call|add|put|pass|keep|check|prefer|avoid|"
        r"install|remove|delete|restart|wrap|move|pin|write|read|give|send|start|stop|rebuild|enable|disable|make|"
        r"configure|create|open|turn|switch|replace|retry|ask|store|save|return|raise|increase|lower|do not|don't)\b"
        r"|\b(?:must|should|need(?:s|ed)? to|ha(?:s|ve) to|never|always|instead of|rather than|make sure|can be|"
        r"you can|we use|in order to|how to)\b",
    ),
    ("a command or code", 0.4, r"```|`[^`\n]+`|^[ \t]*[$>] \S|^(?: {4}|\t)\S|\w\([^)\n]{0,200}\)|\s--?\w"),
    (
        "a cause or effect",
        0.4,
        r"\b(?:because|since|so that|therefore|otherwise|unless|causes?|leads? to|results? in|due to|which means|so|"
        r"prevents?|breaks?|fails?|failed|crash(?:es)?|hangs?|returns?|raises?|throws?|works? by|depends on|allows?)\b",
    ),
    (
        "a fact or limit",
        0.4,
        r"\b(?:is|are|was|were|has|have|means|requires?|needs?|expects?|supports?|runs|lives|belongs|contains|holds|"
        r"takes|uses|owns|only|once|twice|not|no longer|at most|at least|until|default|limit|maximum|minimum)\b"
        r"|\b[a-z]{3,} (?:the|a|an|its|our|their|every|each|all|any)\b",
    ),
)
_ACTS = [(name, worth, re.compile(pattern, re.I | re.M)) for name, worth, pattern in ACTS]

# An instruction about half-named things is half an instruction; from here on it is a whole one.
SPECIFIC_ENOUGH = 0.5


def actionability(text: str, specific: float) -> Part:
    """`specific`: the value of the specificity."""
    return _part("actionability", ACTIONABILITY, specific, [(n, w) for n, w, p in _ACTS if p.search(text)])


CIRCUMSTANCE = re.compile(r"\b(?:when(?:ever)?|if|while|on|in|for|at|during|after|before|from|with|as of)\b", re.I)
REASON = re.compile(r"\b(?:because|since|so|so that|therefore|otherwise|as|due to|means|reason)\b", re.I)
_WORD = re.compile(r"[^\W\d_]\w*")
# The shortest statement there is: who does what.
STATEMENT_WORDS = 3


def completeness(title: str, body: str, reasoning: str, anchors: int, specific: float) -> Part:
    text = f"{title}\n{body}\n{reasoning}"
    facts = (
        ("a statement", 0.4, len(_WORD.findall(text)) >= STATEMENT_WORDS),
        ("the circumstances", 0.3, CIRCUMSTANCE.search(text)),
        ("the reason", 0.3, reasoning.strip() or REASON.search(body)),
        ("an example", 0.3, re.search(r"```|^(?: {4}|\t)\S|^[ \t]*[$>] \S", body, re.M)),
        ("anchors", 0.3, anchors),
        ("more than the title", 0.2, len(body.strip()) > 2 * len(title)),
    )
    return _part("completeness", COMPLETENESS, specific, [(name, worth) for name, worth, is_so in facts if is_so])


def _part(name: str, weight: float, specific: float, found: Iterable[tuple[str, float]]) -> Part:
    marks = list(found)
    value = (1.0 - prod(1.0 - worth for _, worth in marks)) * min(specific / SPECIFIC_ENOUGH, 1.0)
    return Part(name, value, weight, f"has {', '.join(mark for mark, _ in marks)}" if marks else "none found")


# As far as the embedder reads. What a text has not said by then does not make it better.
READ = 20_000


def quality(title: str, body: str, reasoning: str = "", anchors: int = 0) -> Score:
    """The quality of an insight: a score of three parts, total 0–1. `anchors`: how many files, symbols, tags it has."""
    body = body[:READ]
    own = "" if body.lstrip().startswith(title.rstrip("…").rstrip()) else title
    text = "\n".join(part for part in (own, body, reasoning[:READ]) if part)
    specific = specificity(text)
    return Score(
        (
            specific,
            actionability(text, specific.value),
            completeness(title, body, reasoning, anchors, specific.value),
        )
    )


# A text below the gate can lose up to 15 %; above it, it can gain 2 %, so that of two that answer alike the one that
# says more stands first. Steeper, and it is held against short answers that they are short: with .8 to 1 up to the
# quality .5, shell commands and short snippets lose .010 of nDCG@10; with this, no set of seven more than .002.
FACTOR_AT = (0.0, GATE, 0.85)
FACTOR = (0.85, 0.98, 1.0)


def rank_factor(quality: ArrayLike) -> NDArray[np.float64]:
    """What the rank is multiplied by, for each quality (0–1)."""
    return np.interp(np.asarray(quality, float), FACTOR_AT, FACTOR)
