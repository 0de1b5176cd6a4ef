"""Hold back: the stage of a search that moves an unreviewed note behind a confirmed one, if the standing of its author
or a lead's decision about the two does not let it come first.
"""

from collections.abc import Iterable, Mapping, Sequence

from accounts.rules.rights import TeamKind
from knowledge.retrieval.actions.search_state import SearchState
from knowledge.retrieval.actions.standings import Key, is_confirmed, records
from knowledge.retrieval.rules import arrangement, currency, relevance
from knowledge.retrieval.rules.repeated import repeats
from knowledge.retrieval.rules.standing import Record, Rivalry
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import Kind, Status

# Two notes of one answer with at least this cosine are taken for notes on one subject, whether they are a known pair or
# not (docs/decisions/0014-relations.md).
ONE_SUBJECT = 0.55


def link_of(search: SearchState, row: int, other: int) -> currency.Link | None:
    """Return the pair of the two notes: the open one if there is one, else the one created last; None without one."""
    found = [link for link in search.links.get(row, ()) if link.other_id == search.rows[other].id]
    return max(found, key=lambda link: (link.open, link.pair_id), default=None)


def are_joined(search: SearchState, row: int, other: int) -> bool:
    """Return whether a chain of open pairs links the two, so that both are, or were, about one thing."""
    return row in search.chains and search.chains[row] == search.chains.get(other)


def alike(search: SearchState, row: int, other: int) -> float:
    """Return the cosine of the two; 0 if one has no vector."""
    first, second = search.full[row].meant, search.full[other].meant
    return 0.0 if first is None or second is None else float(unit(first) @ unit(second))


def stands_out(search: SearchState, row: int, other: int) -> bool:
    """Return whether `other` is the later note found for `row` (`later_notes.successor`)."""
    return search.successors.get(row) == other


def held_back(search: SearchState, order: Sequence[int]) -> list[int]:
    """Return the rows, with each unreviewed one that may not come first behind the confirmed one; record why in
    `search.held`.

    The records of the authors are looked up in one statement, and only if there are confirmed and unreviewed notes on
    one subject.
    """
    rivals = _rivals(search, order)
    known = _records(search, rivals)
    behind: dict[int, list[int]] = {}
    for late, rows in rivals.items():
        for row in rows:
            why = _rivalry(search, row, late, known).held_back
            link = link_of(search, row, late)
            # An unreviewed note is held behind every confirmed one it is paired with, and behind the best of those it
            # is only similar to.
            if why and (link is not None or not behind.get(late)):
                behind.setdefault(late, []).append(row)
                search.held.setdefault(late, f"Behind {search.full[row].ref}: {why}.")
    behind = _warnings(search, order) | _with_them(search, order, behind) | behind
    quoted = _only_quoted(search, order)
    for late, row in quoted.items():
        search.held.setdefault(
            late, f"Behind {search.full[row].ref}: unreviewed, and found only by the words of its error message."
        )
    return arrangement.brought_before(arrangement.held_behind(order, behind), quoted)


def _with_them(search: SearchState, order: Sequence[int], behind: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """Return, by unreviewed row, the confirmed rows to put it behind because it accompanies a row of `behind`.

    Such a row is the other side of an open pair with that row, is no rival of the confirmed rows, and answers the
    question less well than they do.
    """
    found: dict[int, list[int]] = {}
    for row in order:
        if row in behind or is_confirmed(search.full[row]):
            continue
        for late, before in behind.items():
            link = link_of(search, late, row)
            weaker = [one for one in before if search.cut.evidence[row] < search.cut.evidence[one]]
            if link is not None and link.open and weaker and not any(_is_rival(search, one, row) for one in weaker):
                found.setdefault(row, []).extend(weaker)
                why = f"unreviewed, and in an open pair with {search.full[late].ref}, which is held back"
                search.held.setdefault(row, f"Behind {search.full[weaker[0]].ref}: {why}.")
    return found


def _warnings(search: SearchState, order: Sequence[int]) -> dict[int, list[int]]:
    """Return, by unreviewed warning, the confirmed advice of somebody else to put it behind.

    This is the next confirmed insight in the order, if it answers the question better and nobody has linked the two. A
    warning that is served only along with some advice must not come before that advice. It keeps its place if it is
    behind confirmed advice that it is nearer to.
    """
    found: dict[int, list[int]] = {}
    for at, late in enumerate(order):
        if search.rows[late].kind != Kind.PITFALL or is_confirmed(search.full[late]):
            continue
        row = next((one for one in order[at + 1 :] if is_confirmed(search.full[one])), None)
        if row is None or search.rows[row].kind == Kind.PITFALL or not _others(search, row, late):
            continue
        nearness = alike(search, row, late)
        if any(is_confirmed(search.full[one]) and alike(search, one, late) >= nearness for one in order[:at]):
            continue
        if link_of(search, row, late) is None and search.cut.evidence[late] < search.cut.evidence[row]:
            found[late] = [row]
            search.held.setdefault(
                late, f"Behind {search.full[row].ref}: an unreviewed warning, which fits the question less well."
            )
    return found


def _only_quoted(search: SearchState, order: Sequence[int]) -> dict[int, int]:
    """Return, by unreviewed row, the first confirmed row of somebody else that answers the question, if the question
    matches the unreviewed row by a quoted error only.

    Only for questions in plain words. Otherwise a contributor could lead the answer to any question by storing its
    words as an error.
    """
    if search.ask.question.errors:
        return {}
    answering = relevance.floor(search.searched) + relevance.WEAK
    confirmed = [row for row in order if is_confirmed(search.full[row]) and search.cut.evidence[row] >= answering]
    quoted = [row for row in order if 0 < search.exact[row] < 1 and row not in confirmed]
    found = {late: next((row for row in confirmed if _others(search, row, late)), None) for late in quoted}
    return {late: row for late, row in found.items() if row is not None}


def _others(search: SearchState, row: int, late: int) -> bool:
    return bool(search.full[row].author_id != search.full[late].author_id)


def _rivals(search: SearchState, order: Sequence[int]) -> dict[int, list[int]]:
    """Return, by unreviewed row, the confirmed rows of others on the same subject."""
    confirmed = [row for row in order if is_confirmed(search.full[row])]
    rest = [row for row in order if confirmed and row not in confirmed]
    found = {late: [row for row in confirmed if _is_rival(search, row, late)] for late in rest}
    return {late: rows for late, rows in found.items() if rows}


def _is_rival(search: SearchState, row: int, late: int) -> bool:
    mine, theirs = search.full[row], search.full[late]
    if theirs.author_id == mine.author_id or theirs.team.kind == TeamKind.PERSONAL:
        return False
    link = link_of(search, row, late)
    if link is not None and (link.open or link.rejected or not (link.dismissed or _only_says(link, theirs.author_id))):
        return link.open or (link.rejected and link.successor_id == theirs.pk)
    # A pair without anything to settle, or one that only the author calls unrelated, must not let a note come first.
    if mine.repo and theirs.repo and mine.repo != theirs.repo:
        return False
    joined = are_joined(search, row, late) or stands_out(search, row, late)
    return joined or alike(search, row, late) >= ONE_SUBJECT


def _only_says(link: currency.Link, author_id: int | None) -> bool:
    """Return whether the author alone has stated the relation of the two, and no lead has decided it."""
    return link.relation is not None and link.claimed_by == author_id and not link.decided


def _records(search: SearchState, rivals: Iterable[int]) -> dict[Key, Record]:
    """Return the records of the authors of these rows."""
    return records_of(search, {_key(search, late) for late in rivals if search.full[late].author_id})


def records_of(search: SearchState, keys: Iterable[Key]) -> dict[Key, Record]:
    """Return the records of these contributors, each looked up once per question."""
    wanted = set(keys)
    missing = sorted(wanted - search.standings.keys())
    if missing and search.asked_at:
        search.standings |= records(missing, search.asked_at)
    return {key: record for key, record in search.standings.items() if key in wanted}


def _key(search: SearchState, row: int) -> Key:
    return search.full[row].team_id, search.full[row].author_id


def _rivalry(search: SearchState, row: int, late: int, known: dict[Key, Record]) -> Rivalry:
    insight, link = search.full[late], link_of(search, row, late)
    return Rivalry(
        confirmed_id=search.full[row].pk,
        author=known.get(_key(search, late)),
        claimed=link is not None and link.open and link.claimed_by == insight.author_id,
        rejected=link is not None and link.rejected,
        rejected_before=link is not None and link.rejected_before,
        deprecated=insight.status == Status.DEPRECATED,
        repeats=repeats(insight.body, search.full[row].body),
    )
