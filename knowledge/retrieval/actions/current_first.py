"""Current first: the stage of a search that puts current notes before those they replace.

Both sides of a known pair are served next to each other, even if one was trimmed. A later version of a fact comes
before an earlier one, whatever their status. Advice brings along the warning about it.
"""

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from knowledge.judging.rules.closeness import UNRELATED
from knowledge.judging.rules.nearness import BELONG, nearness
from knowledge.judging.rules.relations import Relation
from knowledge.retrieval.actions.hold_back import ONE_SUBJECT, alike, are_joined, held_back, link_of, stands_out
from knowledge.retrieval.actions.search_state import SearchState, load
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules import arrangement, bm25, currency
from knowledge.retrieval.rules.frame import ends_otherwise
from knowledge.rules.vocabulary import Kind


def trimmed_warnings(search: SearchState) -> list[int]:
    """Return the trimmed PITFALLs with the most evidence, at most MOST_WARNINGS.

    A question about something that a warning is about is usually answered best by the advice, so the warning may be
    trimmed. It is served with the advice if it is near to that (`_warns`), however little it is like the question.
    """
    rows = (row for row in np.argsort(-search.cut.evidence).tolist() if search.rows[row].kind == Kind.PITFALL)
    found = (row for row in rows if row not in search.cut.order)
    trimmed = (row for row in found if (drop := search.cut.drops.get(search.rows[row].id)) and drop.stage == "trim")
    return list(islice(trimmed, MOST_WARNINGS))


def are_paired(search: SearchState, row: int, other: int) -> bool:
    """Return whether the two are a known pair that no lead has dismissed, so that one is no mere copy of the other."""
    return any(link.other_id == search.rows[other].id and not link.dismissed for link in search.links[row])


# At this nearness or more, a warning is served with a piece of advice, even if it is much less like the question. Only
# the nearest one is: several would crowd out the advice of others.
WARNED_OF = BELONG
# Check this many of the trimmed warnings, those with the most evidence. Of 48 warnings, the one that is near enough to
# its advice and farthest from the question is the fourth of 14 trimmed ones (`evaluate truth`, agents that state no
# relation, 2026-11-25).
MOST_WARNINGS = 5
# A cosine. Below it two notes are hardly about one thing, whatever somebody states about them. For a proposed
# replacement the bound is the cosine of two unrelated notes (UNRELATED), because from there on an agent is asked about
# a note it was served (`closeness`).
ALIKE = 0.45
# In seconds. Two notes on one subject (`ONE_SUBJECT`) that nobody has paired count as a change if they were learned at
# least this far apart (docs/decisions/0014-relations.md).
A_DAY = 86_400.0


def current_first(search: SearchState) -> None:
    """Put current notes before those they replace, and the two sides of a known pair next to each other."""
    order = [row for row in search.cut.order if row in search.full]
    front = order[: search.ask.limit]
    paired = _paired(search, front)
    search.chains = arrangement.chains(_joined(search))
    companions = {
        row: [
            *paired.get(row, ()),
            *(other for other in order if other != row and _may_lead(search, row, other)),
            *(_warnings(search, row) if row in front else ()),
            *_successor(search, row),
        ]
        for row in [*order, *(row for row in paired if row not in order)]
    }
    chained = search.ask.limit >= ROOM_FOR_A_CHAIN
    arranged = arrangement.arrange(order, companions, lambda row, other: _first(search, row, other), chained=chained)
    arranged = arrangement.kept_near(
        arranged, confirmed=lambda row: _confirmed(search, row), rivals=lambda row, other: _rivals(search, row, other)
    )
    arranged = held_back(search, arranged)
    _say_why_placed(search, order, arranged, companions)
    rest = [row for row in search.cut.order if row not in search.full]
    search.cut.bring([*arranged, *(row for row in rest if row not in arranged)])


def _say_why_placed(
    search: SearchState, order: Sequence[int], arranged: Sequence[int], companions: Mapping[int, Sequence[int]]
) -> None:
    """Record for each served row that is before one with a higher score why it is. `order`: the rows by score."""
    rank = {row: at for at, row in enumerate(order)}
    front = arranged[: search.ask.limit]
    for at, row in enumerate(front):
        passed = [other for other in front[at + 1 :] if rank.get(other, len(rank)) < rank.get(row, len(rank))]
        older = next((other for other in passed if _first(search, other, row)), None)
        beside = next((other for other in reversed(front[:at]) if row in companions.get(other, ())), None)
        if older is not None:
            ref = search.full[older].ref
            search.placed[row] = f"Before {ref} despite a lower score: on the same subject, and newer or asked for."
        elif passed and beside is not None:
            search.placed[row] = f"Beside {search.full[beside].ref}, so that the two are read together."


# Follow at most this many unsettled replacements of one fact. After more changes, only those are served that the search
# has found.
MOST_CHANGES = 4
# Chains of replacements are followed only in answers with at least this many results. The first and the last of a chain
# have no pair and do not name each other, so both need room, and one result may be left out as ambiguous.
ROOM_FOR_A_CHAIN = 3


def _paired(search: SearchState, front: Sequence[int]) -> dict[int, list[int]]:
    """Return, by row, the rows that come into the answer with it, and load them.

    If one of these replaces a row of the front, the row that replaces it follows in turn, and so on.
    """
    place = {row.id: at for at, row in enumerate(search.rows)}
    paired: dict[int, list[int]] = {}
    rows = list(front)
    for _ in range(MOST_CHANGES):
        linked = {
            row: [(link, place[link.other_id]) for link in search.links[row] if link.other_id in place and _bears(link)]
            for row in rows
        }
        load(search, sorted({other for some in linked.values() for _, other in some} - search.full.keys()))
        found = {
            row: [other for link, other in some if _together(search, row, link, other)] for row, some in linked.items()
        }
        paired |= found
        later = {other for row, some in found.items() for other in some if _first(search, row, other)}
        rows = sorted(later - paired.keys())
        if not rows:
            break
    return paired


def _joined(search: SearchState) -> dict[int, list[int]]:
    """Return, by loaded row, the loaded rows in an open pair with it."""
    place = {search.rows[row].id: row for row in search.full}
    return {
        row: [place[link.other_id] for link in search.links[row] if link.open and link.other_id in place]
        for row in search.full
    }


def _bears(link: currency.Link) -> bool:
    """Return whether the other side matters if this one is served.

    A rejected note brings along the note that it was to replace, but not the other way round: a confirmed note may have
    hundreds of rejected replacements.
    """
    return not link.dismissed or (link.rejected and link.successor_id != link.other_id)


def _together(search: SearchState, row: int, link: currency.Link, other: int) -> bool:
    """Return whether the other side comes into the answer too. Anybody may call any two notes a contradiction, so if
    they do not read alike the other one is only named.
    """
    if not (link.open or link.refused or link.rejected or link.relation is Relation.COMPLEMENTS):
        return False
    least = UNRELATED if link.proposed else ALIKE
    return link.question == "duplicate" or alike(search, row, other) >= least


def _successor(search: SearchState, row: int) -> list[int]:
    """Return the later note found for this row (`later_notes.successor`), even if trimmed, if it comes first."""
    other = search.successors.get(row)
    return [other] if other is not None and _one_subject(search, row, other) and _first(search, row, other) else []


def _confirmed(search: SearchState, row: int) -> bool:
    return is_confirmed(search.full[row])


def _rivals(search: SearchState, row: int, other: int) -> bool:
    """Return whether `other` is about the same thing as `row`, so that nothing but this may have put it first.

    Notes that read alike are rivals even if the author of `other` says that the two are unrelated.
    """
    link = link_of(search, row, other)
    if link is None:
        return are_joined(search, row, other) or _one_subject(search, row, other)
    own_word = link.unrelated and link.claimed_by == search.full[other].author_id
    return link.open or (own_word and alike(search, row, other) >= ONE_SUBJECT)


def _warnings(search: SearchState, row: int) -> list[int]:
    """Return the nearest warning about what `row` advises, or nothing."""
    found = [other for other in search.full if _warns(search, row, other)]
    return sorted(found, key=lambda other: -nearness_of_rows(search, row, other))[:1]


def _warns(search: SearchState, row: int, other: int) -> bool:
    """Return whether `other` is a warning about what `row` advises, judged by their vectors and words."""
    if search.rows[row].kind == Kind.PITFALL or search.rows[other].kind != Kind.PITFALL:
        return False
    return nearness_of_rows(search, row, other) >= WARNED_OF


def nearness_of_rows(search: SearchState, row: int, other: int) -> float:
    """Return the nearness of two candidates by their vectors and words (`nearness`)."""
    advice, warning = _telling(search, row), _telling(search, other)
    terms, phrases = (advice.terms, warning.terms), (advice.phrases, warning.phrases)
    return nearness(alike(search, row, other), terms, phrases)


def _may_lead(search: SearchState, row: int, other: int) -> bool:
    """Return whether `other`, which answers the question itself, is considered as one that might come before `row`.

    It is if it is a later version, if somebody has stated that it replaces or contradicts `row` (however unlike they
    are), or if it is a known sibling that the question asks for.
    """
    links = [link for link in search.links[row] if link.other_id == search.rows[other].id]
    if any(link.open and link.relation is not None for link in links):
        return True
    siblings = any(link.unrelated for link in links)
    return (siblings and bool(_first(search, row, other))) or _one_subject(search, row, other)


def _one_subject(search: SearchState, row: int, other: int) -> bool:
    """Return whether two notes that nobody has paired read like versions of one fact, `other` being the later one."""
    mine, theirs = search.rows[row], search.rows[other]
    if theirs.learned_at < mine.learned_at + A_DAY or (mine.repo and theirs.repo and mine.repo != theirs.repo):
        return False
    if link_of(search, row, other) is not None or Kind.PITFALL in (mine.kind, theirs.kind):
        return False
    if alike(search, row, other) >= ONE_SUBJECT or stands_out(search, row, other):
        return True
    return ends_otherwise(search.full[row].body, search.full[other].body)


def _first(search: SearchState, row: int, other: int) -> bool | None:
    """Return whether `other` comes before `row`; None if neither is newer, or if they only belong together."""
    link = link_of(search, row, other)
    asked = currency.Asked(search.words, search.searched, search.df, search.ask.text)
    if link is not None and (link.refused or link.rejected):
        return link.successor_id == search.rows[row].id
    if link is not None and not link.open:
        # Of two known siblings, the one that the question names comes first.
        return asked.speaks_of(_telling(search, other), _telling(search, row)) if link.unrelated else None
    mine, theirs = search.rows[row].learned_at, search.rows[other].learned_at
    if mine == theirs:
        return None
    newer, older = (other, row) if theirs > mine else (row, other)
    if link is not None and link.proposed and link.successor_id == search.rows[older].id:
        # The older one has superseded the exact words that the newer one repeats.
        return older == other
    stated = link is not None and link.relation is not None
    # A reported contradiction does not say that the two are about one thing, let alone which one is current.
    told_of_one = are_told_of_one(search, row, other) if link is None else link.question != "contradiction"
    paired = stated or (told_of_one and not _one_sitting(search, row, other))
    beside = _words_beside(search, older, newer) if link is None and paired else frozenset[str]()
    later, earlier = _telling(search, newer), _telling(search, older)
    apart = stands_out(search, older, newer)
    ahead = currency.leads(later, earlier, asked, stated=stated, paired=paired, beside=beside, stands_out=apart)
    return (newer if ahead else older) == other


def are_told_of_one(search: SearchState, row: int, other: int) -> bool:
    """Return whether two unpaired notes are versions of one fact that has changed more than once: open pairs link them
    through others, and the two are near each other.

    In such a chain each note stands out next to the first version, but the third seldom does next to the second.
    """
    return are_joined(search, row, other) and alike(search, row, other) >= ALIKE


def _words_beside(search: SearchState, older: int, newer: int) -> frozenset[str]:
    """Return the terms of all other notes that open pairs link with the two."""
    rest = (row for row in search.full if row not in (older, newer) and are_joined(search, older, row))
    return frozenset().union(*(_telling(search, row).terms for row in rest))


def _one_sitting(search: SearchState, row: int, other: int) -> bool:
    """Return whether one author learned both within a day.

    An author who knows one note when writing the other seldom means a change, and says so if it is one. Without this
    check, notes on neighbouring subjects from one sitting were taken for changes, and the one asked for came last of
    three.
    """
    mine, theirs = search.full[row], search.full[other]
    apart = abs(search.rows[row].learned_at - search.rows[other].learned_at)
    return apart < A_DAY and mine.author_id is not None and mine.author_id == theirs.author_id


def _telling(search: SearchState, row: int) -> currency.Telling:
    if row not in search.tellings:
        search.tellings[row] = _read(search, row)
    return search.tellings[row]


def _read(search: SearchState, row: int) -> currency.Telling:
    assert search.ranking is not None
    full = search.full[row]
    return currency.Telling(
        learned_at=search.rows[row].learned_at,
        came_at=full.created_at.timestamp(),
        confirmed_at=full.confirmed_at.timestamp() if full.confirmed_at else 0.0,
        relevance=float(search.ranking.relevance[row]),
        terms=frozenset(bm25.terms(full.text)),
        text=full.text,
    )
