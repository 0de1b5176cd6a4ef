"""Passages as read from the database, in the form that the rules score."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import chain, groupby

import numpy as np

from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.rules.vectors import half, units
from sessions_app.conversations.rules.context import in_context
from sessions_app.conversations.rules.copies import find_copies, is_question
from sessions_app.conversations.rules.score import ScoredConversation, ScoredPassage
from sessions_app.conversations.rules.sentences import refuses
from sessions_app.conversations.rules.spread import PassagePlace
from sessions_app.querysets.passage_search import PassageLine
from sessions_app.transcripts.rules.speakers import Speaker

# The largest number of passages embedded while the question waits, at some 10 ms each.
MOST_EMBEDDED = 32


def with_vectors(lines: Sequence[PassageLine]) -> list[PassageLine]:
    """Return the passages, with vectors made on the spot for the first few that the worker has not embedded yet. People
    ask for what was just said, and a conversation without vectors cannot stand out.
    """
    waiting = [at for at, line in enumerate(lines) if line.meant is None][:MOST_EMBEDDED]
    if not waiting:
        return list(lines)
    texts = [*chain(*(in_context(list(some)) for _, some in groupby(lines, key=lambda line: line.session)))]
    try:
        vectors = current().embed([texts[at] for at in waiting])
    except EmbedderDown:
        return list(lines)
    made = {at: half(vector).to_binary() for at, vector in zip(waiting, vectors, strict=True)}
    return [line._replace(meant=made[at]) if at in made else line for at, line in enumerate(lines)]


def distinct(lines: Sequence[PassageLine]) -> list[PassageLine]:
    """Return the passages without those that repeat another conversation's, ignoring spaces, case and punctuation."""
    said: dict[int, dict[Hashable, int]] = defaultdict(dict)
    for line in lines:
        said[line.session][line.speaker, line.words] = line.words.count(" ") + 1
    copies = find_copies(said)
    return [line for line in lines if not copies.has(line.session, (line.speaker, line.words))]


def unread_replies(lines: Sequence[PassageLine], places: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the places after agents' passages where a refusal may stand that was not read; `places` are read next. A
    session that was read whole has none.
    """
    known = {*places, *((line.session, line.position) for line in lines)}
    said = [(line.session, line.position) for line in lines if line.speaker == Speaker.AGENT and not line.whole]
    return {(session, position + 1) for session, position in (*said, *places)} - known


def without_replies(rows: Sequence[PassageLine], replies: Collection[tuple[int, int]]) -> list[PassageLine]:
    """Return the passages without those at `replies` that refuse nothing."""
    return [row for row in rows if (row.session, row.position) not in replies or _is_refusal(row)]


def or_replies(rows: Sequence[PassageLine], places: Sequence[tuple[int, int]]) -> list[PassageLine]:
    """Return the passages at these places, with the refusal in place of a refused proposal and the reply in place of a
    question. `rows`: the passages, and those that follow them.
    """
    at = {(row.session, row.position): row for row in rows}
    found = []
    for place in places:
        if one := at.get(place):
            after = at.get((one.session, one.position + 1))
            replied = after is not None and after.speaker != one.speaker
            found.append(after if after and replied and (is_question(one.text) or _is_refusal(after)) else one)
    return found


def _is_refusal(row: PassageLine) -> bool:
    """Return whether a person refuses in this passage what was said before it."""
    return row.speaker == Speaker.USER and refuses(row.text)


def vectors_of(lines: Sequence[PassageLine]) -> dict[int, np.ndarray]:
    """Return the vectors of the passages that have one, by key."""
    found = {line.pk: line.meant for line in lines if line.meant is not None}
    return dict(zip(found, units(list(found.values())), strict=True)) if found else {}


def conversation_of(
    session: int, lines: Sequence[PassageLine], vectors: Mapping[int, np.ndarray]
) -> ScoredConversation:
    """Return the passages of one session that were read, as a conversation to be scored."""
    return ScoredConversation(session, [_passage(line, vectors.get(line.pk)) for line in lines])


def _passage(line: PassageLine, vector: np.ndarray | None) -> ScoredPassage:
    return ScoredPassage(line.pk, line.position, line.speaker, line.text, line.words, vector, line.said_at, line.files)


def narrowed_to(
    conversations: Sequence[ScoredConversation], places: Collection[PassagePlace], whole: Collection[int]
) -> list[ScoredConversation]:
    """Return the conversations reduced to these passages, except the sessions of `whole`. Conversations without any of
    the passages are dropped.
    """
    kept = [
        one
        if one.session in whole
        else ScoredConversation(
            one.session, [row for row in one.passages if PassagePlace(one.session, row.position) in places]
        )
        for one in conversations
    ]
    return [one for one in kept if one.passages]
