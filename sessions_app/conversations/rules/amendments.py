"""Where a later conversation may have changed what was said in an earlier one.

Theory of operation. A question finds what was decided in its own words. Who changes it later says little of it ("we
have the new booster pump since Monday. Six after all") and shares nothing with the question. But it lies near what it
changes: so it is looked for from there, among all that was said later in the repository, not from the question. What
was said is a request with its reply, or a report with the request before it.

Of a later conversation the passage nearest to that tells, by its cosine and by how far it stands out from the middle
one, for a conversation on the same subject throughout is not one that changes something in passing:

    likeness = cosine of the nearest + (that - median of the conversation's passages) + .65 if it has one of the files

Of 46 decisions that were changed in conversations about several things, the true one is the first of some 30 later ones
for 33, and one of the first three for 38, without a file (28 Nov 2026).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

import numpy as np

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.locality import named_files
from knowledge.retrieval.rules.relevance import Floats
from sessions_app.conversations.rules.score import COMPARED, ScoredConversation, ScoredPassage, standing_out
from sessions_app.conversations.rules.subject import Exchange, exchange_of, is_file
from sessions_app.transcripts.rules.speakers import Speaker

# From this likeness on a conversation may be an amendment, and without a file if it is so far ahead of the next five;
# what fewer than these have. Of 36 changes of agreements 31 are told within 400 tokens without their file and 35 with
# it, before this 29 and 34; of 10 that share a file alone with what they change 10 by a plain question (1), with a
# file's .5 8. Most decisions are never changed, and of dialogues the next day is like the one before: of LoCoMo's
# evidence .82 is told with 1 and .25 as without any of this, .80 with 1 and 0, .77 with .85 and 0 (28 Nov 2026).
LEAST, AHEAD, NEXT = 1.0, 0.25, 0.6
OF_FILE = 0.65
# Up to so many are told, if they have this share of the likeliest one's.
MOST, SHARE = 2, 0.9
# What is nearer says the same: a resumed session begins with what was said before.
SAME = 0.97
# Of files that more passages name every later conversation may have one.
MOST_WITH_FILE = 60
# An insight is told in its author's words, so who changes it is less near to it than to what was said when it was
# agreed; where its file was edited tells. Of 10 decisions that were changed in passing, and are insights with their
# file, 3 are told anew with 0, 5 with .1, 6 with .2, 7 with .35 and .5; of four of another author 3 with .2 and 4 with
# .35 ("nine hundred, Marta measured it"). For what was said itself 0 is as good (28 Nov 2026).
HELD = 0.35
# The passages that are told with the nearest one: a report before it that is near as well, by this share of its cosine;
# what was decided and what was done behind it. With one behind it 28 of those 36 are told with their file, with two 33.
LEADS, BEHIND = 0.4, 2
MOST_FILES = 12


@dataclass(frozen=True)
class EarlierStatement:
    """What may have been changed later: what was said in a session, or (session 0) the insight `ref`, of which only its
    files tell what changed it.

    `vector` of length 1; `said_at`: only what was said after that may change it; `files`: those it is about.
    """

    vector: Floats
    said_at: datetime
    repo: str
    files: Sequence[str] = ()
    session: int = 0
    ref: str = ""

    @property
    def held(self) -> float:
        """How much nearer a passage with one of its files is."""
        return 0.0 if self.session else HELD


def statement_at(conversation: ScoredConversation, position: int) -> Exchange | None:
    """The statement at a position: a person's request with its reply, or an agent's report with the request before it;
    None without a vector.
    """
    at = {one.position: one for one in conversation.passages if one.vector is not None}
    if position not in at:
        return None
    one = at[position]
    other = at.get(position + 1 if one.speaker == Speaker.USER else position - 1)
    both = [one] if other is None or other.speaker == one.speaker else [one, other]
    return exchange_of(conversation, sorted(both, key=lambda passage: passage.position))


def files_of(said: Exchange) -> list[str]:
    """The files that the exchange names and those edited during it; otherwise those edited next."""
    named = [path for one in said.passages for path in named_files(one.text) if is_file(path)]
    edited = _edited(said.passages)
    if not named and not edited:
        last = said.passages[-1].position
        edited = _edited([one for one in said.conversation.passages if one.position > last and one.files][:1])
    return list(dict.fromkeys([*named, *edited]))[:MOST_FILES]


def _edited(passages: Iterable[ScoredPassage]) -> list[str]:
    return [path for one in passages for path in one.files.split("\n") if path]


def rare_files(files: Sequence[str], df: Mapping[str, int]) -> list[str]:
    """The files that few passages name; `df`: how many passages have each of their terms."""
    return [path for path in files if min((df.get(term, 0) for term in bm25.terms(path)), default=0) <= MOST_WITH_FILE]


class NearestLater(Protocol):
    """A later conversation: the cosine of its passage nearest to the statement, that of its middle passage, and whether
    it has one of the files.
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
    """How likely a later conversation changes the statement; from 1 on it may."""
    return 2 * later.cosine - later.middle + OF_FILE * later.of_file


Later = TypeVar("Later", bound=NearestLater)


def amendments(found: Iterable[Later]) -> list[Later]:
    """The later conversations that may change the statement, likeliest first."""
    ranked = sorted((one for one in found if one.cosine < SAME), key=lambda one: (-likeness(one), one.session))

    def is_ahead(one: Later) -> bool:
        others = [likeness(other) for other in ranked if other is not one]
        return standing_out(likeness(one), [*others, *[NEXT] * COMPARED]) >= AHEAD

    likely = [one for one in ranked if likeness(one) >= LEAST and (one.of_file or is_ahead(one))]
    return [one for one in likely[:MOST] if likeness(one) >= SHARE * likeness(likely[0])]


def around(position: int) -> range:
    """The positions that may be quoted with the nearest passage."""
    return range(max(position - 1, 0), position + BEHIND + 1)


def told_of(statement: EarlierStatement, later: ScoredConversation, position: int) -> Exchange | None:
    """What an answer quotes of a later conversation, around its nearest passage; None without vectors."""
    near = {one.position: one for one in later.passages if one.vector is not None and one.position in around(position)}
    cosine = {at: float(one.vector @ statement.vector) for at, one in near.items() if one.vector is not None}
    if position not in near:
        return None
    if cosine.get(position - 1, 1.0) < LEADS * cosine[position]:
        del near[position - 1]
    return exchange_of(later, list(near.values()))


def has_reply(said: Exchange) -> bool:
    """Whether an agent speaks in it."""
    return any(one.speaker == Speaker.AGENT for one in said.passages)


def nearest_of(later: Exchange, said: Exchange) -> ScoredPassage:
    """The passage of a later exchange that is nearest to the statement; all have vectors."""
    cosines = np.array([one.vector for one in later.passages]) @ said.middle
    return later.passages[int(np.argmax(cosines))]
