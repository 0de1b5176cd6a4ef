"""What of a conversation was said in another one already: copies of a transcript count once.

The same conversation is stored several times where two members were in it, or one of them on two machines; and an agent
that resumes a session writes what was said before into its new transcript. Copies would take each other's room in an
answer, stand beside each other in the shortlist, and hide that the one they are copies of stands out.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

# Two conversations are copies as far as they have the same passages, if these have so many words together: people say
# "ok" and "run the tests" in every one.
LEAST_SHARED = 20


@dataclass(frozen=True)
class Copies:
    """Which passages are copies. `passages`: by session, its passages that another session owns. `sessions`: by owning
    session, the sessions that have copies of it.
    """

    passages: Mapping[int, frozenset[Hashable]] = field(default_factory=dict)
    sessions: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def has(self, session: int, passage: Hashable) -> bool:
        """Whether a session's passage is a copy."""
        return passage in self.passages.get(session, ())


def find_copies(said: Mapping[int, Mapping[Hashable, int]]) -> Copies:
    """Find the copies among these sessions. `said`: by session, its passages; equal passages have equal keys, and the
    value is their number of words.
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
    """The longest of the sessions, because the others may be parts of it; the earliest of equally long ones."""
    return max(sessions, key=lambda session: (len(said[session]), -session))
