"""Questions about what is new: "what did we decide last week", "the latest decision on caching".

Two things must be in the question: a time that counts back from now, and a word that says it is about what the team
did or knows. "Find files modified in the last 7 days" has only the first, and asks for a command. Then freshness is one
more term of the rank: full within the time asked about, and less the longer before it. Where nothing is asked but the
time, it alone says what answers.
"""

import re
from dataclasses import dataclass

from knowledge.retrieval.rules import bm25


@dataclass(frozen=True)
class Recency:
    """`days`: how far back is meant; `decisions`: decisions are meant; `alone`: nothing else is asked about."""

    days: float
    decisions: bool
    alone: bool

    def freshness(self, age_days: float) -> float:
        """0–1 for an insight of that age: 1 within the time meant, a half when it is as long ago again."""
        return float(0.5 ** (max(age_days - self.days, 0.0) / self.days))


# Without a number, "recently" means about two weeks, and the latest is seldom older than a month.
RECENTLY = 14.0
LATEST = 31.0

_NUMBERS = {"": 1, "a": 1, "one": 1, "two": 2, "couple": 2, "couple of": 2, "three": 3, "few": 3}
_NUMBERS |= {"four": 4, "several": 4}
_UNITS = {"hour": 1 / 24, "day": 1.0, "night": 1.0, "sprint": 14.0, "week": 7.0, "month": 31.0, "quarter": 92.0}
_NUMBER = r"(?P<number>\d{1,3}|couple of|couple|one|two|three|four|few|several|a)"
_UNIT = r"(?P<unit>hour|day|night|sprint|week|month|quarter)s?"
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

# In "last week" on a Friday the week before this one is meant, all of it: two units back.
_SPANS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(rf"\b(?:in |over |during |within |from )?(?:the )?(?:last|past|previous) {_NUMBER} {_UNIT}\b"), 1.0),
    (re.compile(rf"\b{_NUMBER} {_UNIT} ago\b"), 1.5),
    (re.compile(rf"\b(?:the )?(?:last|past|previous) (?P<number>){_UNIT}\b"), 2.0),
    (re.compile(rf"\bthis (?P<number>){_UNIT}\b"), 1.0),
)
_WORDS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"\btoday\b|\bthis (?:morning|afternoon|evening)\b"), 1.0),
    (re.compile(r"\byesterday\b"), 2.0),
    (re.compile(rf"\b(?:since|on|last|this) {_WEEKDAYS}\b"), 7.0),
    (re.compile(r"\b(?:recent|recently|lately|just now|newly|these days)\b"), RECENTLY),
    (re.compile(r"\bwhat(?:'s|s| is| has) (?:new|changed)\b"), RECENTLY),
    (re.compile(r"\b(?:latest|newest|most recent)\b"), LATEST),
)
_OURS = re.compile(
    r"\b(?:we|we've|our|ours|us|team|teams|decid\w+|decision\w*|agree|agreed|chose|chosen|learn|learned|learnt|lessons?|"
    r"insights?|found out|figured out|discuss\w*|happened|deposited|what(?:'s|s| is| has) (?:new|changed))\b"
)
_DECISIONS = re.compile(r"\b(?:decide|decided|decision|decisions|agree|agreed|chose|chosen|settled)\b")
# Words that only say that the question is about the team's activity.
_EMPTY = frozenset(
    bm25.terms(
        "team decide decided decision decisions agree agreed chose chosen settled learn learned learnt lesson insight"
        " find found figure figured discuss discussed happen happened deposit deposited new change changed make made"
        " take taken know tell show list give get got say said us anything everything something thing things stuff"
    )
)


def recency(question: str) -> Recency | None:
    """How far back a question looks; None if it is not about what is new."""
    text = " ".join(question.lower().replace("’", "'").split())
    if not _OURS.search(text):
        return None
    found = _span(text) or _word(text)
    if found is None:
        return None
    days, said = found
    rest = [term for term in bm25.terms(text.replace(said, " ")) if term not in _EMPTY]
    return Recency(days, decisions=bool(_DECISIONS.search(text)), alone=not rest)


def _span(text: str) -> tuple[float, str] | None:
    """The days of a time given with a unit, and the words that gave it."""
    for pattern, reach in _SPANS:
        if match := pattern.search(text):
            number = match["number"]
            many = int(number) if number.isdigit() else _NUMBERS[number]
            return max(many, 1) * reach * _UNITS[match["unit"]], match.group()
    return None


def _word(text: str) -> tuple[float, str] | None:
    return next(((days, match.group()) for pattern, days in _WORDS if (match := pattern.search(text))), None)
