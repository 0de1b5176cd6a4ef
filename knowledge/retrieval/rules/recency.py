"""Recognise questions about what is new: "what did we decide last week", "the latest decision on caching".

Such a question has both a time relative to now and a word for what the team did or knows. "Find files modified in the
last 7 days" has only a time, and asks for a command. For a question about what is new, freshness is one more term of
the score: full within the time asked for, and lower the longer before it. If the question names nothing but a time, an
insight answers it by its age alone.
"""

import re
from dataclasses import dataclass

from knowledge.retrieval.rules import bm25


@dataclass(frozen=True)
class Recency:
    """The time a question asks for. `days`: how far back; `decisions`: it asks for decisions; `alone`: it asks for
    nothing else.
    """

    days: float
    decisions: bool
    alone: bool

    def freshness(self, age_days: float) -> float:
        """Return the freshness of an insight of that age, 0–1: 1 within `days`, 0.5 at twice as long, and so on."""
        return float(0.5 ** (max(age_days - self.days, 0.0) / self.days))


# Days meant by words without a number: "recently", and "latest".
RECENTLY = 14.0
LATEST = 31.0

_NUMBERS = {"": 1, "a": 1, "one": 1, "two": 2, "couple": 2, "couple of": 2, "three": 3, "few": 3}
_NUMBERS |= {"four": 4, "several": 4}
_UNITS = {"hour": 1 / 24, "day": 1.0, "night": 1.0, "sprint": 14.0, "week": 7.0, "month": 31.0, "quarter": 92.0}
_NUMBER = r"(?P<number>\d{1,3}|couple of|couple|one|two|three|four|few|several|a)"
_UNIT = r"(?P<unit>hour|day|night|sprint|week|month|quarter)s?"
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

# The factor of each pattern. "Last week" means all of the week before this one, so it reaches two units back.
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
# Words that say only that the question is about the team's activity.
_EMPTY = frozenset(
    bm25.terms(
        "team decide decided decision decisions agree agreed chose chosen settled learn learned learnt lesson insight"
        " find found figure figured discuss discussed happen happened deposit deposited new change changed make made"
        " take taken know tell show list give get got say said us anything everything something thing things stuff"
    )
)


def recency(question: str) -> Recency | None:
    """Return the time that a question asks for; None if it is not about what is new."""
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
    """Return the days of a time given with a unit, and the matched words; None without one."""
    for pattern, reach in _SPANS:
        if match := pattern.search(text):
            number = match["number"]
            many = int(number) if number.isdigit() else _NUMBERS[number]
            return max(many, 1) * reach * _UNITS[match["unit"]], match.group()
    return None


def _word(text: str) -> tuple[float, str] | None:
    return next(((days, match.group()) for pattern, days in _WORDS if (match := pattern.search(text))), None)
