"""Where a later conversation may have changed what was said in an earlier one.

Theory of operation. A question finds a decision in the words of the decision. A later change says little of it ("we
have the new booster pump since Monday. Six after all") and shares no word with the question. But the change is near the
decision in meaning. So the search for changes starts from the earlier statement, not from the question, and covers all
that was said later in the repository. A statement is a request with its reply, or a report with the request before it.

A later conversation is scored by its passage nearest to the statement: by the cosine of that passage, and by how far it
stands out from the middle one, because a conversation on the same subject throughout changes nothing in passing:

    likeness = cosine of the nearest + (that - median of the conversation's passages) + .65 if it has one of the files

46 decisions were changed in conversations about several things. Without a file the true later conversation is the first
of some 30 for 33 decisions, and one of the first three for 38 (28 Nov 2026).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

import numpy as np

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.locality import named_files
from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.context import SHORT
from sessions_app.conversations.rules.score import COMPARED, ScoredConversation, ScoredPassage, standing_out
from sessions_app.conversations.rules.subject import Exchange, exchange_of, is_file
from sessions_app.transcripts.rules.speakers import Speaker

# LEAST: the least likeness of an amendment. AHEAD: without a file it must also be this far ahead of the next five; NEXT
# stands for each missing one. Of 36 changes of agreements 31 are quoted within 400 tokens without their file and 35
# with it (29 and 34 before). Of 10 that share only a file with the decision they change, 10 are quoted for a plain
# question (1 before), 8 if a file counts .5. Most decisions are never changed, and in dialogues one day is like the day
# before: of LoCoMo's evidence .82 is quoted with 1 and .25, as without this rule, .80 with 1 and 0, .77 with .85 and 0
# (28 Nov 2026).
LEAST, AHEAD, NEXT = 1.0, 0.25, 0.6
OF_FILE = 0.65
# At most this many are quoted, if they have this share of the likeliest one's likeness.
MOST, SHARE = 2, 0.9
# A nearer passage repeats the statement: a resumed session begins with what was said before.
SAME = 0.97
# A file that more passages name tells nothing, because any later conversation may name it.
MOST_WITH_FILE = 60
# What a file adds to the cosine with an insight. An insight is in its author's words, so a change is less near to it
# than to what was said when it was agreed. Of 10 decisions that were changed in passing, and are insights with their
# file, the new value is quoted for 3 with 0, 5 with .1, 6 with .2, 7 with .35 and .5; of four of another author for 3
# with .2 and 4 with .35 ("nine hundred, she measured it"). For statements in conversations 0 is as good (28 Nov 2026).
HELD = 0.35
# The passages quoted with the nearest one: the report before it if its cosine has this share, and this many behind it,
# which say what was decided and done. With one behind it 28 of the 36 changes are quoted with their file, with two 33.
LEADS, BEHIND = 0.4, 2
# A short passage is embedded after the words that lead to it, so it is an echo of them; at most this many passages are
# quoted up to it. Without it 33 and 36 of the 36 changes are quoted, with it 32 and 35, and one of the four of
# test_amended.py that is not otherwise ("Shall I keep half up?"). Before, the echo was taken for the change: 31 and 35.
MOST_TO_ECHO = 4
MOST_FILES = 12


@dataclass(frozen=True)
class EarlierStatement:
    """A statement that later conversations may have changed: an exchange in a session, or (session 0) the insight
    `ref`, for which only its files point to a change.

    `vector` has length 1. Only what was said after `said_at` may change it. `files`: the files it is about.
    `deposited_in`: the key of the session whose agent deposited the insight.
    """

    vector: Floats
    said_at: datetime
    repo: str
    files: Sequence[str] = ()
    session: int = 0
    ref: str = ""
    deposited_in: str = ""

    @property
    def held(self) -> float:
        """How much nearer a passage with one of its files counts."""
        return 0.0 if self.session else HELD


def statement_at(conversation: ScoredConversation, position: int) -> Exchange | None:
    """Return the statement at a position: a person's request with its reply, or an agent's report with the request
    before it; None without a vector.
    """
    at = {one.position: one for one in conversation.passages if one.vector is not None}
    if position not in at:
        return None
    one = at[position]
    other = at.get(position + 1 if one.speaker == Speaker.USER else position - 1)
    both = [one] if other is None or other.speaker == one.speaker else [one, other]
    return exchange_of(conversation, sorted(both, key=lambda passage: passage.position))


def files_of(said: Exchange) -> list[str]:
    """Return the files that the exchange names and those edited during it; without any, those edited next."""
    named = [path for one in said.passages for path in named_files(one.text) if is_file(path)]
    edited = _edited(said.passages)
    if not named and not edited:
        last = said.passages[-1].position
        edited = _edited([one for one in said.conversation.passages if one.position > last and one.files][:1])
    return list(dict.fromkeys([*named, *edited]))[:MOST_FILES]


def _edited(passages: Iterable[ScoredPassage]) -> list[str]:
    return [path for one in passages for path in one.files.split("\n") if path]


def rare_files(files: Sequence[str], df: Mapping[str, int]) -> list[str]:
    """Return the files that a few passages name; `df`: the number of passages that have each of their terms."""
    return [
        path for path in files if 0 < min((df.get(term, 0) for term in bm25.terms(path)), default=0) <= MOST_WITH_FILE
    ]


class NearestLater(Protocol):
    """A later conversation: the cosine of its passage nearest to the statement, the median cosine of its passages, and
    whether it has one of the files.
    """

    @property
    def session(self) -> int: ...
    @property
    def cosine(self) -> float: ...
    @property
    def middle(self) -> float: ...
    @property
    def of_file(self) -> bool: ...


def likeness(later: NearestLater) -> float:
    """Return how likely a later conversation changes the statement; from LEAST on it may."""
    return 2 * later.cosine - later.middle + OF_FILE * later.of_file


Later = TypeVar("Later", bound=NearestLater)


def amendments(found: Iterable[Later]) -> list[Later]:
    """Return the later conversations that may change the statement, the likeliest first."""
    ranked = sorted((one for one in found if one.cosine < SAME), key=lambda one: (-likeness(one), one.session))

    def is_ahead(one: Later) -> bool:
        others = [likeness(other) for other in ranked if other is not one]
        return standing_out(likeness(one), [*others, *[NEXT] * COMPARED]) >= AHEAD

    likely = [one for one in ranked if likeness(one) >= LEAST and (one.of_file or is_ahead(one))]
    return [one for one in likely[:MOST] if likeness(one) >= SHARE * likeness(likely[0])]


def around(position: int, echo: int = -1) -> range:
    """Return the positions that may be quoted with the nearest passage, up to the `echo`: a short passage behind it,
    nearer because it is embedded after these words.
    """
    last = echo if position < echo <= position + MOST_TO_ECHO else position
    return range(max(position - 1, 0), last + BEHIND + 1)


def told_of(statement: EarlierStatement, later: ScoredConversation, position: int, echo: int = -1) -> Exchange | None:
    """Return the exchange to quote of a later conversation, around its nearest passage; None without vectors."""
    places = around(position, echo)
    near = {one.position: one for one in later.passages if one.vector is not None and one.position in places}
    cosine = {at: float(one.vector @ statement.vector) for at, one in near.items() if one.vector is not None}
    if position not in near:
        return None
    if cosine.get(position - 1, 1.0) < LEADS * cosine[position]:
        del near[position - 1]
    return exchange_of(later, list(near.values()))


def has_reply(said: Exchange) -> bool:
    """Return whether an agent speaks in the exchange."""
    return any(one.speaker == Speaker.AGENT for one in said.passages)


def nearest_of(later: Exchange, said: Exchange) -> ScoredPassage:
    """Return the passage of a later exchange that is nearest to the statement, a short one only if all are short. All
    must have vectors.
    """
    cosines = np.array([one.vector for one in later.passages]) @ said.middle
    is_long = [len(one.text.split()) >= SHORT for one in later.passages]
    return later.passages[max(range(len(cosines)), key=lambda at: (is_long[at], float(cosines[at])))]
