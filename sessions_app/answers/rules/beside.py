"""The notes of an insight in a text for agents: one line about each insight that it forms a pair with."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.rules.fence import inert_line


@dataclass(frozen=True)
class Other:
    """The other insight of a pair.

    `sentence`: its first sentence, empty if it is in the same answer itself. `relation`: the relation of the served
    insight to it. `proposed`: a replacement waits for a lead; `refused`: a lead has refused or undone one; `replaces`:
    the replacement is this other insight. `upheld`: a person has confirmed the older one since the newer came.
    `reported_by`: who reported the contradiction. `shown_above`: it comes earlier in the same answer, with a line about
    the two.
    """

    ref: str
    kind: str
    status: str
    date: str
    who: str
    by_person: bool
    sentence: str
    newer: bool
    relation: str
    proposed: bool
    replaces: bool
    refused: bool = False
    upheld: bool = False
    reported_by: str = ""
    shown_above: bool = False


# More lines would say less about the insight than about who wrote most about it.
MOST_LINES = 3


def lines(others: Sequence[Other]) -> tuple[str, ...]:
    """Return a line for each, the most important first; of many, the first few and how many more."""
    bearing = sorted(others, key=lambda one: (not one.proposed, one.relation != "contradicts", not one.newer))
    # Two may have several pairs, each with its question: what bears most on them says enough.
    first: dict[str, Other] = {}
    for one in bearing:
        first.setdefault(one.ref, one)
    ranked = list(first.values())
    shown = ranked[:MOST_LINES]
    more = len(ranked) - len(shown)
    return (
        *filter(None, map(beside, shown)),
        *([f"And {more} more on the same subject that nobody has settled."] if more else ()),
    )


def beside(other: Other) -> str:
    """Return the line; a short one, or "", if the answer has a line about the two already."""
    said = f": {inert_line(other.sentence)}" if other.sentence else ""
    source = f"{other.ref} ({other.date}, {_who(other)}{', promoted' if other.status == 'promoted' else ''})"
    named = f"{source}{said}"
    if other.shown_above and not (other.refused or other.upheld):
        return _again(other, source)
    if other.relation == "complements":
        return f"See also {other.ref} ({other.kind}){said}"
    if other.refused:
        return f"A lead kept this over {_ended(named)}" if other.replaces else f"A lead kept {_ended(named)}"
    if other.proposed:
        if other.replaces:
            told = "a person has confirmed this since" if other.upheld else "not reviewed"
            return f"Newer: {_ended(named)} Proposed to replace this; {told}."
        told = "A person has confirmed that one since" if other.upheld else "Not reviewed"
        return f"Proposed to replace {_ended(named)} {told}."
    if other.relation == "contradicts":
        age = "newer" if other.newer else "older"
        who = inert_line(other.reported_by) or "Somebody"
        return f"{who} says that the {age} one contradicts this: {_ended(named)} Not settled: check which holds."
    if other.newer:
        return f"Newer on the same subject: {_ended(named)} Nobody has said yet whether it replaces this."
    return f"Older on the same subject: {_ended(named)} Nobody has said yet whether this replaces it."


def _again(other: Other, source: str) -> str:
    if other.relation == "complements":
        return ""
    if other.proposed:
        return f"Newer: {source}, proposed to replace this." if other.replaces else f"Proposed to replace {source}."
    if other.relation == "contradicts":
        return f"Said to contradict {source}."
    return f"{'Newer' if other.newer else 'Older'} on the same subject: {source}."


def _who(other: Other) -> str:
    who = inert_line(other.who)
    return f"by {who}" if other.by_person or other.who == "you" else f"by {who}'s agent"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
