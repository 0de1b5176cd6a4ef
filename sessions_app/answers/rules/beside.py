"""The notes of an insight in a text for agents: one line about each insight that it forms a pair with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from accounts.rules.fence import inert_line
from knowledge.rules.draft import shortened


@dataclass(frozen=True)
class Other:
    """The other insight of a pair.

    `sentence`: its statement on the same subject, empty if it is in the same text itself. `relation`: the relation of
    the served insight to it. `proposed`: a replacement waits for a lead; `refused`: a lead has refused or undone one;
    `rejected`: a lead has dismissed the proposal; `replaces`: the replacement is this other insight. `confirmed`: who
    has confirmed the older one since the newer came, and when. `reported_by`: who reported the contradiction.

    `unlike`: the two have nothing in common, and no lead has reviewed their relation. Then the line names who stated it
    and quotes no words of an unconfirmed note; otherwise anybody could speak below everybody's notes. `shown_above`: it
    comes earlier in the same answer, with a line about the two. `decided`: a lead's words (`decided_by`, with the day)
    on the two, when settling that `question`; `scoped`: they say in which scope each holds. `same_day`: both were
    learned within a day, so their order says little.
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
    rejected: bool = False
    unlike: bool = False
    confirmed: str = ""
    reported_by: str = ""
    shown_above: bool = False
    scoped: bool = False
    decided: str = ""
    decided_by: str = ""
    question: str = ""
    warns: bool | None = None
    older: bool = False
    same_day: bool = False


# The largest number of lines, and the characters quoted of the second and third other. More or longer lines would say
# less about the insight than about the author who wrote most about it.
MOST_LINES = 3
QUOTED_OF_MORE = 100


def lines(others: Sequence[Other]) -> tuple[str, ...]:
    """Return a line for each, the most important first, the latest first among equals; of many, the first few and the
    number of the others. If a fact changed twice, the words of its latest note are quoted.
    """
    latest = sorted(others, key=lambda one: one.date, reverse=True)
    bearing = sorted(latest, key=_importance)
    # Two insights may have several pairs, each with its question: the most important one is enough.
    first: dict[str, Other] = {}
    for one in bearing:
        first.setdefault(one.ref, one)
    ranked = list(first.values())
    # One line for all unlike notes, however many there are.
    unlike = [one for one in ranked if one.unlike]
    ranked = [one for one in ranked if one not in unlike[1:]]
    ranked = _one_of_each(ranked)
    shown = ranked[:1] + [
        replace(one, sentence=shortened(one.sentence, QUOTED_OF_MORE)) for one in ranked[1:MOST_LINES]
    ]
    more = sum(1 for one in ranked[MOST_LINES:] if not one.decided)
    return (
        *filter(None, map(beside, shown)),
        *([f"And {more} more on the same subject that nobody has settled."] if more else ()),
    )


def _one_of_each(ranked: Sequence[Other]) -> list[Other]:
    """Return the ranked others. Of several unreviewed notes of one person that nobody has settled, all except the first
    come last and without their words, so that one author does not fill a note's lines.
    """
    met: set[tuple[str, bool]] = set()
    again = []
    for one in ranked:
        who = (one.who, one.by_person)
        settled = one.decided or one.rejected or one.refused or one.confirmed or one.relation == "complements"
        if settled or one.status == "promoted" or one.who == "you":
            continue
        if who in met:
            again.append(one)
        met.add(who)
    return [one for one in ranked if one not in again] + [replace(one, sentence="") for one in again]


def standing(others: Sequence[Other]) -> str:
    """Return the few words behind a title without room for the lines: that it is only proposed to replace another, or
    that a lead has rejected it; "" for any other.
    """
    rejected = [one.ref for one in others if one.rejected and not one.decided]
    proposed = [one.ref for one in others if one.proposed and not one.replaces and one.status == "promoted"]
    if rejected:
        return f"a lead kept {rejected[0]}"
    return f"proposed to replace {proposed[0]}, not reviewed" if proposed else ""


def _importance(one: Other) -> tuple[bool, ...]:
    return one.unlike, bool(one.decided), not one.proposed, one.relation != "contradicts", not one.newer


def beside(other: Other) -> str:
    """Return the line; a short one, or "", if the answer has a line about the two already."""
    said = f": {inert_line(other.sentence)}" if other.sentence else ""
    source = f"{other.ref} ({other.date}, {_who(other)}{', promoted' if other.status == 'promoted' else ''})"
    named = f"{source}{said}"
    if other.rejected and not other.decided:
        return _ended(f"Proposed to replace {other.ref}; a lead kept {other.ref}{said}")
    if other.decided:
        return "" if other.shown_above else _settled(other)
    if other.unlike and other.status != "promoted" and other.who != "you":
        return _unlike(other)
    if other.shown_above and not (other.refused or other.confirmed):
        return _again(other, source)
    if other.relation == "complements":
        # Name the author below a note that the team has confirmed.
        unseen = "" if other.status == "promoted" or other.who == "you" else f", {_who(other)}, not reviewed"
        return f"See also {other.ref} ({other.kind}{unseen}){said}"
    if other.refused:
        return f"A lead kept this over {_ended(named)}" if other.replaces else f"A lead kept {_ended(named)}"
    if other.proposed and (other.older if other.replaces else other.newer):
        if other.replaces:
            return f"Superseded before by {_ended(named)} Said again since; not reviewed."
        return f"This superseded the very words that were said again since: {_ended(named)} Not reviewed."
    if other.proposed:
        if other.replaces:
            told = f"this was {_since(other, other.ref)}" if other.confirmed else "not reviewed"
            return f"Newer: {_ended(named)} Proposed to replace this; {told}."
        told = f"That one was {_since(other, 'this')}" if other.confirmed else "Not reviewed"
        return f"Proposed to replace {_ended(named)} {told}."
    if other.relation == "contradicts":
        who = inert_line(other.reported_by) or "Somebody"
        told = "Not settled: check which holds."
        if other.confirmed:
            told = f"{'This' if other.newer else 'That one'} was {_since(other, other.ref if other.newer else 'this')}."
        if other.newer:
            return f"{who} says that the newer one contradicts this: {_ended(named)} {told}"
        return f"{who} says that this contradicts the older one: {_ended(named)} {told}"
    if other.warns is not None:
        # A warning replaces no advice.
        return f"May warn about {_ended(named)}" if other.warns else f"Warning close to this: {_ended(named)}"
    if other.newer and other.confirmed:
        return f"Newer on the same subject: {_ended(named)} This was {_since(other, other.ref)}."
    if other.confirmed:
        return f"Older on the same subject: {_ended(named)} It was {_since(other, 'this')}."
    if other.same_day:
        return f"Close to this, of the same day: {_ended(named)} One may correct the other or be about something else."
    # Nobody has stated the relation of the two: one may be an earlier version of the other, or about something else.
    if other.newer:
        return f"Newer and close to this: {_ended(named)} It may replace this or be about something else."
    return f"Older and close to this: {_ended(named)} This may replace it or be about something else."


def _unlike(other: Other) -> str:
    what = "replaces" if other.proposed else "contradicts"
    who = inert_line(other.reported_by) or _who(other).removeprefix("by ")
    return f"{who} says that {other.ref} {what} this. The two have nothing in common, and nobody has looked at it."


def _since(other: Other, newer: str) -> str:
    """Return the end of the line about the older of the two."""
    return f"confirmed by {inert_line(other.confirmed)}, after {newer}"


def _settled(other: Other) -> str:
    """Return the line about a lead's decision, which is short because nothing is open."""
    by, words = inert_line(other.decided_by), _ended(inert_line(other.decided))
    if other.scoped:
        return f"Both hold ({by}): {words} The other one: {other.ref}."
    if other.question == "supersession":
        what = f"Not replaced by {other.ref}" if other.replaces else f"Does not replace {other.ref}"
    else:
        what = f"Nothing to settle with {other.ref}"
    return f"{what} ({by}): {words}"


def _again(other: Other, source: str) -> str:
    if other.relation == "complements":
        return ""
    if other.proposed and (other.older if other.replaces else other.newer):
        return f"Superseded before by {source}." if other.replaces else f"Said again since: {source}, not reviewed."
    if other.proposed:
        return f"Newer: {source}, proposed to replace this." if other.replaces else f"Proposed to replace {source}."
    if other.relation == "contradicts":
        return f"Said to contradict {source}."
    if other.warns is not None:
        return f"May warn about {source}." if other.warns else f"Warning close to this: {source}."
    if other.same_day:
        return f"Close to this, of the same day: {source}."
    return f"{'Newer' if other.newer else 'Older'} and close to this: {source}."


def _who(other: Other) -> str:
    who = inert_line(other.who)
    return f"by {who}" if other.by_person or other.who == "you" else f"by {who}'s agent"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
