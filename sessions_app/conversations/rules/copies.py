"""Which passages of a conversation were said in another one already: a copy counts once.

The same conversation is stored several times if two members took part, or one of them on two machines. An agent that
resumes a session writes the earlier turns into its new transcript. Without this rule copies would take each other's
room in an answer, stand beside each other in the shortlist, and keep their original from standing out.

People also ask the same question in several sessions ("who owns the staging kiln?") and get the same reply. Such an
exchange adds nothing, but it makes two sessions that share nothing else look like one subject. So it counts in one of
the sessions only. A repeated statement counts each time: after "ok, 60" a second "ok, 30" is a change.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Protocol

from sessions_app.conversations.rules.context import SHORT, SpokenText
from sessions_app.conversations.rules.spread import PassagePlace
from sessions_app.transcripts.rules.speakers import Speaker

# Shared passages are copies if they have this many words together. Every conversation has an "ok" and a "run the
# tests".
LEAST_SHARED = 20


@dataclass(frozen=True)
class Copies:
    """The passages that are copies. `passages`: by session, its passages that another session owns. `sessions`: by
    owning session, the sessions that have copies of its passages.
    """

    passages: Mapping[int, frozenset[Hashable]] = field(default_factory=dict)
    sessions: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def has(self, session: int, passage: Hashable) -> bool:
        """Return whether a session's passage is a copy."""
        return passage in self.passages.get(session, ())


def find_copies(said: Mapping[int, Mapping[Hashable, int]]) -> Copies:
    """Return the copies among these sessions. `said`: by session, its passages, as keys that are equal for equal
    passages, with their number of words.
    """
    if len(set().union(*said.values())) == sum(map(len, said.values())):
        return Copies()
    having: dict[Hashable, list[int]] = defaultdict(list)
    for session in sorted(said):
        for passage in said[session]:
            having[passage].append(session)
    shared: dict[tuple[int, int], set[Hashable]] = defaultdict(set)
    for passage, sessions in having.items():
        if len(sessions) > 1:
            owner = _owner(sessions, said)
            for session in sessions:
                if session != owner:
                    shared[session, owner].add(passage)
    passages: dict[int, frozenset[Hashable]] = {}
    copies: dict[int, frozenset[int]] = {}
    for (session, owner), some in shared.items():
        if sum(said[session][passage] for passage in some) >= LEAST_SHARED:
            passages[session] = passages.get(session, frozenset()) | some
            copies[owner] = copies.get(owner, frozenset()) | {session}
    return Copies(passages, copies)


def _owner(sessions: Sequence[int], said: Mapping[int, Mapping[Hashable, int]]) -> int:
    """Return the longest of the sessions, because the others may be parts of it; of equally long ones the earliest."""
    return max(sessions, key=lambda session: (len(said[session]), -session))


class SpokenLine(SpokenText, Protocol):
    """A passage with its place."""

    @property
    def session(self) -> int: ...
    @property
    def position(self) -> int: ...


def asked_again(passages: Sequence[SpokenLine], session: int) -> set[PassagePlace]:
    """Return the places of questions and replies in other sessions that `session` has too, word for word, ignoring
    spacing and case. An exchange followed by a short passage is left out: that passage is about the reply ("no, ops
    does").

    `passages`: those of each session in order.
    """
    exchanges = [
        (question, reply)
        for question, reply, after in zip_longest(passages, passages[1:], passages[2:])
        if reply and question.speaker == Speaker.USER and is_question(question.text) and _follows(reply, question)
        if question.session == session or not after or after.session != reply.session or not _is_short(after)
    ]
    known = {_words(both) for both in exchanges if both[0].session == session}
    again = [both for both in exchanges if both[0].session != session and _words(both) in known]
    return {PassagePlace(one.session, one.position) for both in again for one in both}


def is_question(text: str) -> bool:
    """Return whether a passage ends with a question mark, in any script that has one."""
    return text.rstrip().endswith(("?", "？", "؟"))


def _follows(reply: SpokenLine, question: SpokenLine) -> bool:
    return (reply.session, reply.position, reply.speaker) == (question.session, question.position + 1, Speaker.AGENT)


def _is_short(passage: SpokenLine) -> bool:
    return len(passage.text.split()) < SHORT


def _words(exchange: tuple[SpokenLine, SpokenLine]) -> str:
    # Compare texts, not terms: the terms of a reply include the files that were edited then.
    return "\n".join(" ".join(one.text.casefold().split()) for one in exchange)
