"""Names that few conversations have: two that have one are probably about the same thing.

Who changes a decision in passing, among other work, names what is changed and nothing else of it: "the payment events
prune, make it 400 days". No middle and no exchange of that conversation is near the one in which 90 days were agreed,
but `prune-payment-events` is in these two alone. A name is a word that is written together with another one
(`event_seq`, `deckhand/ais/dedupe.py`), since those are given once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from sessions_app.conversations.rules.score import ScoredConversation
from sessions_app.conversations.rules.subject import NEARLY, Exchange

# What joins words to a name; a shorter one is a figure or an abbreviation.
JOINTS, SHORTEST = "_-./", 6
# In so many passages a name stands: in one it is nobody else's; what is in more is a subject of its own.
FEWEST, MOST = 2, 12
# So many are looked up, the rarest first, and so many of the conversations that have one are read, the latest first.
LOOKED_UP, MOST_READ = 8, 5


def names(words: Iterable[str]) -> set[str]:
    """Those of the terms that are names."""
    return {word for word in words if len(word) >= SHORTEST and any(joint in word for joint in JOINTS)}


def rare(df: Mapping[str, int]) -> list[str]:
    """The names that are looked up; `df`: in how many passages each is."""
    few = [name for name, count in df.items() if FEWEST <= count <= MOST]
    return sorted(few, key=lambda name: (df[name], name))[:LOOKED_UP]


def sharing(best: ScoredConversation, said: Sequence[Exchange], rare: Collection[str]) -> list[Exchange]:
    """What was said on the question together with a rare name of the best conversation, and is nearly as relevant as
    what that says; most relevant first.
    """
    mine = best.words.intersection(rare)
    if not mine or not said:
        return []
    least = NEARLY * next((one.relevance for one in said if one.conversation.session == best.session), 0.0)
    return [
        one
        for one in said
        if one.conversation.session != best.session
        and one.relevance >= least
        and not mine.isdisjoint(" ".join(passage.words for passage in one.passages).split())
    ]
