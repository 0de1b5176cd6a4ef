"""The question that a deposit asks its agent about its neighbours, in their current words and within a small budget;
and the notes it names if none stands out enough to be asked about.

Two notes on one fact are often too unlike to stand out as a pair, but the older one is nearly always among the three
nearest (docs/decisions/0032-later-notes.md). The agent that wrote the note can tell which one is about the same thing.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.rules.rights import Member
from knowledge.judging.actions.record import Deposited
from knowledge.judging.rules.careful import cues_between, same_ground
from knowledge.judging.rules.dedup import MOST_ASKED
from knowledge.judging.rules.relations import Relation
from knowledge.models import Insight, Pair

# The number of words of each neighbour, by the number of neighbours: the question takes at most 250 tokens.
WORDS = {1: 60, 2: 40, 3: 24}
# The number of words of a note that is only named.
NAMED_WORDS = 25
# The number of cues shown of each neighbour.
CUES = 3


@dataclass(frozen=True)
class AskedNeighbours:
    """One neighbour. `text`: its first words; `repo`: "" if it is of the deposit's repository, or of none."""

    ref: str
    title: str
    text: str
    kind: str
    status: str
    pinned: bool
    author: str | None
    source_type: str
    age_days: float
    similarity: float
    cues: list[dict[str, Any]]
    repo: str


@dataclass(frozen=True)
class RelationQuestion:
    neighbours: list[AskedNeighbours]
    relations: list[str]


@dataclass(frozen=True)
class NamedNeighbour:
    """A note near a deposit that its agent is not asked about. `text`: its first words that its title does not have; ""
    if there are none.
    """

    ref: str
    title: str
    text: str
    kind: str
    status: str
    age_days: float


def with_question(done: Deposited, *, by: Member, now: datetime) -> Deposited:
    """Return the answer to a deposit with its question, if there is one and its neighbours still exist; otherwise with
    the nearest notes named.
    """
    if not done.asking:
        return replace(done, near=_named(done, by, now)) if done.nearest else done
    asking = _with_paired(done, _with_successors(done, by), by)
    refs = [str(one["ref"]) for one in asking]
    rows = Insight.objects.visible_to(by).retrievable().filter(ref__in=refs).select_related("author")
    found = {row.ref: row for row in rows}
    asked = [one for one in asking if one["ref"] in found]
    if not asked:
        return done
    neighbours = [_asked(found[one["ref"]], one, WORDS[len(asked)], now, done.insight.repo) for one in asked]
    return replace(done, question=RelationQuestion(neighbours, [relation.value for relation in Relation]))


def _named(done: Deposited, by: Member, now: datetime) -> tuple[NamedNeighbour, ...]:
    """Return the nearest notes, nearest first, except those that the agent has related its own to."""
    related = {one["ref"] for one in done.related}
    rows = Insight.objects.visible_to(by).retrievable().in_bulk(done.nearest)
    found = (rows[pk] for pk in done.nearest if pk in rows)
    return tuple(
        NamedNeighbour(
            ref=row.ref,
            title=row.title,
            text=beginning(behind_title(row.title, row.body), NAMED_WORDS),
            kind=row.kind,
            status=row.standing,
            age_days=round((now - row.learned_at).total_seconds() / 86_400, 2),
        )
        for row in found
        if row.ref not in related
    )


def _with_successors(done: Deposited, by: Member) -> list[dict[str, Any]]:
    """Return the notes to ask about. A note that is already proposed to be replaced gives way to its successor, if the
    successor is near the deposit too; otherwise the agent would have to answer again for the successor.
    """
    near = {str(one["ref"]): one for one in done.neighbours}
    proposed = Pair.objects.visible_to(by).open().current().proposed_successors([one["ref"] for one in done.asking])
    once: dict[str, dict[str, Any]] = {}
    for one in done.asking:
        row = next((row for row in proposed.get(one["ref"], ()) if row.ref in near), None)
        if row is None:
            once.setdefault(one["ref"], one)
        else:
            once.setdefault(row.ref, _about(row, near, done))
    return list(once.values())


def _with_paired(done: Deposited, asking: list[dict[str, Any]], by: Member) -> list[dict[str, Any]]:
    """Return the notes to ask about, plus those in an open pair with one of them and near the deposit: if a fact
    changed before and nobody has settled it, the new note relates to both.
    """
    near = {str(one["ref"]): one for one in done.neighbours}
    refs = {str(one["ref"]) for one in asking}
    mates = sorted(
        (ref for ref in Pair.objects.visible_to(by).paired_with(refs) if ref in near and ref not in refs),
        key=lambda ref: (-near[ref]["similarity"], ref),
    )
    rows = {row.ref: row for row in Insight.objects.visible_to(by).filter(ref__in=mates)}
    return [*asking, *(_about(rows[ref], near, done) for ref in mates if ref in rows)][:MOST_ASKED]


def _about(row: Insight, near: dict[str, dict[str, Any]], done: Deposited) -> dict[str, Any]:
    cues = [cue.as_data() for cue in cues_between(row.text, done.insight.text)]
    return {"ref": row.ref, "similarity": near[row.ref]["similarity"], "cues": cues}


def _asked(row: Insight, one: dict[str, Any], words: int, now: datetime, repo: str) -> AskedNeighbours:
    return AskedNeighbours(
        ref=row.ref,
        title=row.title,
        text=beginning(row.body, words),
        kind=row.kind,
        status=row.standing,
        pinned=row.pinned,
        author=row.author.username if row.author else None,
        source_type=row.source_type,
        age_days=round((now - row.learned_at).total_seconds() / 86_400, 2),
        similarity=one["similarity"],
        cues=list(one["cues"])[:CUES],
        repo="" if same_ground(row.repo, repo) else row.repo,
    )


def beginning(text: str, words: int) -> str:
    """Return the first words of a text in one line, marked if it was cut."""
    found = text.split()
    return " ".join(found) if len(found) <= words else f"{' '.join(found[:words])} …"


# The markup that a title drops from its text, and the characters that end a title.
_MARKUP, _END = "`*_#>-", " \n\t.!?:`*"


def behind_title(title: str, body: str) -> str:
    """Return the rest of a body that begins with its title; otherwise the whole body."""
    if title.endswith("…"):
        return body
    at = 0
    for place, sign in enumerate(body):
        if at == len(title):
            return body[place:].lstrip(_END)
        if sign == title[at] or (sign.isspace() and title[at] == " "):
            at += 1
        elif not (sign in _MARKUP or sign.isspace()):
            return body
    return "" if at == len(title) else body
