"""Verdicts put into words, once and here: what somebody concluded about two insights, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template

from knowledge.judging.rules.relations import CueKind, Reason, Relation

register = template.Library()

WORDS: dict[str, str] = {
    Relation.DUPLICATES: "duplicates",
    Relation.SUPERSEDES: "supersedes",
    Relation.CONTRADICTS: "contradicts",
    Relation.COMPLEMENTS: "complements",
    Relation.UNRELATED: "is unrelated to",
}
# Each a sentence.
REASONS = {
    Reason.EQUAL_TEXT: "The texts are equal",
    Reason.SAME_WORDS: "The texts have the same words",
    Reason.CHANGE_ANNOUNCED: "It repeats the older text with a change",
    Reason.RETOLD: "It superseded the same text before",
    Reason.CLOSE: "Whether they agree could not be told from the texts",
    Reason.MODEL: "Judged by a language model",
    Reason.MODEL_UNSURE: "The language model was not sure whether they agree",
    Reason.MODEL_FAILED: "The language model did not answer",
    Reason.TOO_LONG: "The texts are too long to compare",
    Reason.OTHER_REPO: "They belong to different repositories",
    Reason.NOT_CURRENT: "One of the two is superseded or archived",
    Reason.PROTECTED: "The other one is promoted or pinned",
    Reason.PENDING: "The other one waits for a lead's decision on what the team has confirmed",
    Reason.REVIEWED: "It is promoted, and its team requires a second reviewer",
    Reason.DAILY_LIMIT: "The daily limit of supersessions was reached",
    Reason.OF_EVERYONE: "The other one is somebody else's, in the team of everyone",
    Reason.PUT_BACK: "Its author has restored it before",
    Reason.TOO_MANY: "The daily limit of statements about others' insights was reached",
    Reason.NOT_ALIKE: "The texts are not similar",
    Reason.FAR: "The texts are hardly similar",
    Reason.REJECTED_BEFORE: "A lead has rejected nearly the same before",
}
# Nobody has concluded anything: what is left to do, and by whom.
UNDECIDED = (Reason.CLOSE, Reason.MODEL_UNSURE, Reason.MODEL_FAILED)
NEXT = "A lead can keep one of them, merge them or keep both"
JUDGES = {"server": "the server", "agent": "the depositing agent"}
# What two texts differ in, where either has some, and where one alone has.
KINDS: dict[str, tuple[str, str]] = {
    CueKind.CHANGE: ("Different changes", "a change"),
    CueKind.NUMBER: ("Different numbers", "the number"),
    CueKind.UNIT: ("Different units", "the unit"),
    CueKind.VERSION: ("Different versions", "the version"),
    CueKind.PATH: ("Different paths", "the path"),
    CueKind.NAME: ("Different names", "the name"),
    CueKind.WORD: ("Different words", "the word"),
    CueKind.CODE: ("Different code", "the code"),
    CueKind.LENGTH: ("Different lengths", "the length"),
}
# Of these no values are shown: what is denied is known by its stems, which are no words.
BARE: dict[str, str] = {
    CueKind.NEGATION: "One denies what the other says",
    CueKind.CHANGE: "One announces a change",
    CueKind.CODE: "Their code differs",
    CueKind.LENGTH: "One is much longer than the other",
}
# What verdicts of former times took for a name.
ARTICLES = frozenset({"an", "the"})
# Kinds of difference that are shown.
SHOWN = 3


@register.filter
def verdict_words(verdict: Mapping[str, Any] | None, other: str = "") -> str:
    """A verdict as a sentence; `other`: the reference it is about, if it does not name one."""
    if not isinstance(verdict, Mapping) or "reason" not in verdict:
        return ""
    ref = str(verdict.get("ref", "") or other)
    judge = _judge(verdict)
    words = WORDS.get(str(verdict.get("relation")), "similar to")
    return _sentences([f"{words} {ref}".strip() + (f", according to {judge}" if judge else ""), *_grounds(verdict)])


@register.filter
def verdict_grounds(verdict: Mapping[str, Any] | None) -> str:
    """What a verdict rests on, where it is said already what it is."""
    if not isinstance(verdict, Mapping) or "reason" not in verdict:
        return ""
    judge = _judge(verdict)
    return _sentences([f"according to {judge}" if judge else "", *_grounds(verdict)])


def _judge(verdict: Mapping[str, Any]) -> str:
    judge = str(verdict.get("judge", ""))
    return JUDGES.get(judge, judge) if verdict.get("relation") else ""


def _grounds(verdict: Mapping[str, Any]) -> list[str]:
    reason = verdict["reason"]
    undecided = reason in UNDECIDED and not verdict.get("relation")
    return [REASONS.get(reason, ""), *_differences(verdict.get("cues")), NEXT if undecided else ""]


def _sentences(parts: Sequence[str]) -> str:
    return " ".join(f"{said[0].upper()}{said[1:]}." for said in parts if said)


@register.filter
def verdicts_of(line: Any) -> list[Mapping[str, Any]]:
    """The verdicts that a log line carries."""
    after = line.after if isinstance(line.after, Mapping) else {}
    one = after.get("verdict")
    return [
        *([one] if isinstance(one, Mapping) else []),
        *(found for found in after.get("verdicts", ()) if isinstance(found, Mapping)),
    ]


def _listed(kind: str, values: Sequence[str]) -> str:
    """ "the number 19", "the numbers 19, 2 and 3"."""
    *most, last = values
    return f"{kind}s {', '.join(most)} and {last}" if most else f"{kind} {last}"


def _differences(cues: Any) -> list[str]:
    """A sentence for each difference, with the values of both texts where both have one."""
    told = []
    for cue in list(cues or ())[:SHOWN]:
        kind, first, second = cue.get("kind", ""), ", ".join(cue.get("first", ())), ", ".join(cue.get("second", ()))
        both, one = KINDS.get(kind, ("Different", "this"))
        if kind == CueKind.NEGATION or not (first or second):
            told.append(BARE.get(kind, both))
        elif first and second:
            told.append(f"{both}: {first} and {second}")
        elif kind != CueKind.NAME or not ARTICLES.issuperset((first or second).lower().split(", ")):
            told.append(f"Only one has {_listed(one, cue.get('first') or cue.get('second'))}")
    return list(dict.fromkeys(told))
