"""Labelled cases of what a team learns one after the other, and what is counted of how they are told.

A case is a note, and a later note of a colleague that says the same in other words, replaces it, warns of it, or is
about a sibling (another service, code, file). Four labels, as in the files: same, contra, pitfall, sib.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from accounts.rules.refused import Refused
from knowledge.judging.rules.relations import Relation
from knowledge.rules.vocabulary import Kind
from sessions_app.lab.metrics.pairs import Share
from sessions_app.lab.metrics.tables import Table


class TruthLabel(StrEnum):
    SAME = "same"
    CHANGED = "contra"
    PITFALL = "pitfall"
    SIBLING = "sib"


# What an agent that has read both says of them.
TRUE = {
    TruthLabel.SAME: Relation.DUPLICATES,
    TruthLabel.CHANGED: Relation.SUPERSEDES,
    TruthLabel.PITFALL: Relation.COMPLEMENTS,
    TruthLabel.SIBLING: Relation.UNRELATED,
}


class BadCase(Refused):
    code = "invalid"


@dataclass(frozen=True)
class Question:
    """`older` and `newer`: which of the two notes its answer must hold; with one of them, that one first."""

    text: str
    older: bool = False
    newer: bool = False


@dataclass(frozen=True)
class TruthCase:
    name: str
    label: TruthLabel
    length: str
    kind: Kind
    older: str
    newer: str
    questions: tuple[Question, ...]

    @property
    def newer_kind(self) -> Kind:
        return Kind.PITFALL if self.label is TruthLabel.PITFALL else self.kind


def case(row: Mapping[str, Any]) -> TruthCase:
    """A row of a file: id, label, length (short, paragraph), kind, a, b, and question; question_a and question_b where
    each of two siblings has one of its own. Raises BadCase.
    """
    try:
        label = TruthLabel(row["label"])
        return TruthCase(row["id"], label, row["length"], Kind(row["kind"]), row["a"], row["b"], _questions(label, row))
    except (KeyError, ValueError) as error:
        raise BadCase(f"No case: {error!r}") from error


def _questions(label: TruthLabel, row: Mapping[str, Any]) -> tuple[Question, ...]:
    match label:
        case TruthLabel.CHANGED:
            return (Question(row["question"], newer=True),)
        case TruthLabel.SIBLING:
            return (Question(row["question_a"], older=True), Question(row["question_b"], newer=True))
        case TruthLabel.PITFALL:
            # Who is about to follow the advice, or asks with its very words, is warned.
            return (Question(row["question"] or row["a"], older=True, newer=True),)
        case _:
            return ()


@dataclass(frozen=True)
class CaseResult:
    """What became of a case. `merged`, `superseded`: the newer note into the older, or in its place; `asked`: its agent
    was asked about the older one; `right`: for each question, whether its answer led with, or held, what it must.
    """

    case: TruthCase
    merged: bool
    superseded: bool
    asked: bool
    right: tuple[bool, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """What went wrong, worst first."""
        label = self.case.label
        gone = label in (TruthLabel.SIBLING, TruthLabel.PITFALL) and (self.merged or self.superseded)
        found = {
            "swallowed": label is TruthLabel.CHANGED and self.merged,
            "merged or superseded": gone,
            "outdated first": label is TruthLabel.CHANGED and not all(self.right),
            "one of the two not told": label is TruthLabel.PITFALL and not all(self.right),
            "the sibling first": label is TruthLabel.SIBLING and not all(self.right),
            "not merged": label is TruthLabel.SAME and not self.merged,
        }
        return tuple(fault for fault, is_so in found.items() if is_so)


def leads(question: Question, served: Sequence[str], older: str, newer: str) -> bool:
    """Whether an answer that serves these references, in this order, is right. One that two notes were merged into
    stands for both.
    """
    if question.older and question.newer:
        return {older, newer} <= set(served)
    own, other = (older, newer) if question.older else (newer, older)
    return own in served and (other not in served or served.index(own) <= served.index(other))


def figures(told: Sequence[CaseResult]) -> dict[str, Share]:
    def share(label: TruthLabel, holds: Callable[[CaseResult], bool]) -> Share:
        those = [one for one in told if one.case.label is label]
        return Share(sum(map(holds, those)), len(those))

    def current(length: str) -> Share:
        those = [one for one in told if one.case.label is TruthLabel.CHANGED and one.case.length == length]
        return Share(sum(all(one.right) for one in those), len(those))

    siblings = [answer for one in told if one.case.label is TruthLabel.SIBLING for answer in one.right]
    return {
        "swallowed": share(TruthLabel.CHANGED, lambda one: one.merged),
        "current first": share(TruthLabel.CHANGED, lambda one: all(one.right)),
        "of sentences": current("short"),
        "of paragraphs": current("paragraph"),
        "rewordings merged": share(TruthLabel.SAME, lambda one: one.merged),
        "siblings gone": share(TruthLabel.SIBLING, lambda one: one.merged or one.superseded),
        "sibling by its own word": Share(sum(siblings), len(siblings)),
        "warnings merged": share(TruthLabel.PITFALL, lambda one: one.merged or one.superseded),
        "advice and warning told": share(TruthLabel.PITFALL, lambda one: all(one.right)),
        "asked": Share(sum(one.asked for one in told), len(told)),
    }


# So many of those that went wrong are shown.
WORST = 10


def tables(title: str, runs: Mapping[str, Sequence[CaseResult]]) -> list[Table]:
    """The figures of each run, a line each; and the ten cases that went worst in any of them."""
    lines = {name: figures(told) for name, told in runs.items()}
    columns = ["", *next(iter(lines.values()))]
    rows = [[name, *(str(share) for share in line.values())] for name, line in lines.items()]
    return [Table(title, columns, rows), _worst(runs)]


def _worst(runs: Mapping[str, Sequence[CaseResult]]) -> Table:
    """Swallowed before hidden before misled before merely double; among equals the one that failed in most runs."""
    found: dict[str, list[tuple[str, str]]] = {}
    for run, told in runs.items():
        for one in told:
            if _tells(one, run):
                found.setdefault(one.case.name, []).append((one.faults[0], run))
    order = list(_ORDER)
    ranked = sorted(found.items(), key=lambda one: (min(order.index(fault) for fault, _ in one[1]), -len(one[1])))
    rows = [[name, faults[0][0], ", ".join(run for _, run in faults)] for name, faults in ranked[:WORST]]
    return Table("The ten worst", ["case", "what went wrong", "in"], rows)


_ORDER = (
    "swallowed",
    "merged or superseded",
    "outdated first",
    "one of the two not told",
    "the sibling first",
    "not merged",
)


def _tells(told: CaseResult, run: str) -> bool:
    """A rewording that a mute agent's server does not merge is no fault: it is careful on purpose."""
    return bool(told.faults) and not (told.faults == ("not merged",) and run.startswith("mute"))
