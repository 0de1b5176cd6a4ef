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
REASONS = {
    Reason.EQUAL_TEXT: "the texts are equal",
    Reason.SAME_WORDS: "the texts have the same words",
    Reason.CHANGE_ANNOUNCED: "it repeats the older text with a change",
    Reason.RETOLD: "it superseded the same text before",
    Reason.CLOSE: "how they relate is not decided",
    Reason.MODEL: "judged by a language model",
    Reason.MODEL_UNSURE: "the language model was not sure",
    Reason.MODEL_FAILED: "the language model failed",
    Reason.TOO_LONG: "the texts are too long to compare",
    Reason.OTHER_REPO: "they belong to different repositories",
    Reason.NOT_CURRENT: "one of the two is superseded or archived",
    Reason.PROTECTED: "the other one is promoted or pinned",
    Reason.REVIEWED: "it is promoted, and its team requires a second reviewer",
    Reason.DAILY_LIMIT: "above the daily limit of supersessions",
    Reason.OF_EVERYONE: "the other one is somebody else's, in the team of everyone",
    Reason.NOT_ALIKE: "the texts are not similar",
    Reason.REJECTED_BEFORE: "a lead has rejected nearly the same before",
}
JUDGES = {"server": "the server", "agent": "the depositing agent"}
# What two texts differ in, as "they differ in …" goes on.
DIFFER_IN: dict[str, str] = {
    CueKind.NEGATION: "a negation",
    CueKind.CHANGE: "an announced change",
    CueKind.NUMBER: "a number",
    CueKind.UNIT: "a unit",
    CueKind.VERSION: "a version",
    CueKind.PATH: "a path",
    CueKind.NAME: "a name",
    CueKind.WORD: "a word",
    CueKind.CODE: "code",
    CueKind.LENGTH: "length",
}
# Kinds of difference that are shown.
SHOWN = 3


@register.filter
def verdict_words(verdict: Mapping[str, Any] | None, other: str = "") -> str:
    """A verdict as a sentence; `other`: the reference it is about, if it does not name one."""
    if not isinstance(verdict, Mapping) or "reason" not in verdict:
        return ""
    ref = str(verdict.get("ref", "") or other)
    relation = WORDS.get(str(verdict.get("relation")), "is similar to")
    return _sentence([f"{relation} {ref}".strip(), *_grounds(verdict)])


@register.filter
def verdict_grounds(verdict: Mapping[str, Any] | None) -> str:
    """What a verdict rests on, where it is said already what it is."""
    return _sentence(_grounds(verdict)) if isinstance(verdict, Mapping) and "reason" in verdict else ""


def _grounds(verdict: Mapping[str, Any]) -> list[str]:
    judge = str(verdict.get("judge", ""))
    differing = _differing(verdict.get("cues"))
    return [
        f"according to {JUDGES.get(judge, judge)}" if judge and verdict.get("relation") else "",
        REASONS.get(verdict["reason"], ""),
        f"they differ in {differing}" if differing else "",
    ]


def _sentence(parts: Sequence[str]) -> str:
    said = "; ".join(filter(None, parts))
    return f"{said[0].upper()}{said[1:]}." if said else ""


@register.filter
def verdicts_of(line: Any) -> list[Mapping[str, Any]]:
    """The verdicts that a log line carries."""
    after = line.after if isinstance(line.after, Mapping) else {}
    one = after.get("verdict")
    return [
        *([one] if isinstance(one, Mapping) else []),
        *(found for found in after.get("verdicts", ()) if isinstance(found, Mapping)),
    ]


def _differing(cues: Any) -> str:
    told = []
    for cue in list(cues or ())[:SHOWN]:
        kind, first, second = cue.get("kind", ""), ", ".join(cue.get("first", ())), ", ".join(cue.get("second", ()))
        # What is denied is known by its stems, which are no words.
        told.append(f"{DIFFER_IN.get(kind, kind)}{_sides(kind, first, second)}")
    return ", ".join(dict.fromkeys(told))


def _sides(kind: str, first: str, second: str) -> str:
    """What stands on each side, or which of it one side alone has. What is denied is known by its stems: no words."""
    if kind == CueKind.NEGATION or not (first or second):
        return ""
    return f" ({first} / {second})" if first and second else f" ({first or second}, in one of them)"
