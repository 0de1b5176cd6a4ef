"""Which sentences of a conversation to quote within some room.

Theory of operation. A decision is spread over a conversation: the figure in one sentence, the exception in another, the
reason in a reply, and perhaps a summary of most of it at the end. So sentences are not ranked but chosen one by one:
each time the one that adds most to the chosen ones, for its length. New figures and names count most, other words less,
and words of the question least, because the asker has them. A repeated word counts a tenth. So a summary is quoted
instead of the dialogue it sums up, and a detail that it lacks is quoted beside it.

A person's sentences count most, because people decide in few words what an agent explains in many; questions and code
count less. An agent's proposal that its user refused counts half, and is never quoted without the refusal.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Protocol

from knowledge.retrieval.rules.bm25 import terms
from sessions_app.conversations.rules.sentences import PassageSentence, names_of, refuses, says_something, sentences
from sessions_app.transcripts.rules.speakers import Speaker

# Chosen on 17 recorded decisions and 30 written ones. Halving or doubling any of them changes the facts served by .02
# (docs/decisions/0019-searching-conversations.md).
NAME, WORD, ASKED_WORD = 2.0, 0.5, 0.2
AGAIN = 0.1
BINDING, MOST_BINDING = 0.15, 3
# Of 26 decisions in conversations with long turns of an agent (80 to 250 words, tables, code) .49 of the facts are
# quoted within 400 tokens with 1.2 for a person's sentence, .57 with 1.8, .67 with 2.6; in terse conversations all
# three quote the same share.
OF_USER, QUESTION, CODE, REFUSED, REFUSAL = 2.5, 0.6, 0.5, 0.5, 1.2
# A person's short answer decides what an agent asked ("round on the total only?" "on total"), in words that the asker
# has anyway. So it is worth what both are, with the question ANSWERED times. Of sde-bench's facts .964 are quoted
# within 400 tokens without this rule and with 2, 2.5 and 3.5, and within 800 1.00, 1.00, 1.00 and .964 (28 Nov 2026).
ANSWERED = 2.5
# The cost of a sentence beside its characters: its speaker, the gap before it, the reader's attention.
FLAT = 60
# An answer of up to this many characters is quoted with the question before it.
SHORT_ANSWER = 60
# The characters that a sentence takes in the text beside its own.
JOINED = 8


class Spoken(Protocol):
    """A passage, of a search or from the database."""

    @property
    def position(self) -> int: ...
    @property
    def speaker(self) -> str: ...
    @property
    def text(self) -> str: ...


def choose(
    passages: Sequence[Spoken], question: str, room: int, relevance: Mapping[int, float] | None = None
) -> list[PassageSentence]:
    """Return the sentences to quote of one conversation within `room` characters, in their order.

    `passages` are in order. `relevance`: by position, how near each passage is to the point, 0 to 1
    (`score.to_the_point`); of a passage with 0 only a refusal is quoted.
    """
    return _Chooser(passages, question, relevance or {}).choose(room)


# Offset between the positions of two conversations in one list; a session has at most 600 passages.
_APART = 10_000


def choose_together(
    conversations: Sequence[tuple[Sequence[Spoken], Mapping[int, float], float]], question: str, room: int
) -> list[list[PassageSentence]]:
    """Return the sentences to quote of several conversations within `room` characters, those of each in their order.

    Each conversation: its passages, how near each of them is to the point, and how likely the conversation is meant, 0
    to 1. The nearness of a passage is reduced by the likelihood of its conversation.
    """
    passages = [
        _Placed(number * _APART + one.position, one.speaker, one.text)
        for number, (some, _, _) in enumerate(conversations)
        for one in some
    ]
    worth = {
        number * _APART + one.position: likely * near.get(one.position, 1.0)
        for number, (some, near, likely) in enumerate(conversations)
        for one in some
    }
    found: list[list[PassageSentence]] = [[] for _ in conversations]
    for one in choose(passages, question, room, worth):
        number, position = divmod(one.position, _APART)
        found[number].append(replace(one, position=position))
    return found


@dataclass(frozen=True)
class _Placed:
    """A passage of one of several conversations."""

    position: int
    speaker: str
    text: str


class _Chooser:
    """Picks the sentences of one conversation one by one, and keeps track of what is quoted."""

    def __init__(self, passages: Sequence[Spoken], question: str, relevance: Mapping[int, float]) -> None:
        self.refused = refused(passages)
        self.refusals = frozenset(self.refused.values())
        each = [sentences(one.position, Speaker(one.speaker), one.text) for one in passages]
        self.first = {some[0].position: some[0] for some in each if some}
        # The first sentence after a question, with the question.
        self.questions = {
            after[0].place: some[-1]
            for some, after in pairwise(filter(None, each))
            if some[-1].asks and _follows(some[-1].position, after[0].position)
        }
        # A single word says something if it answers a question.
        self.sentences = [one for some in each for one in some if says_something(one) or one.place in self.questions]
        self.relevance = relevance
        self.asked = names_of(question) | frozenset(terms(question))
        self.names, self.words = Counter[str](), Counter[str]()
        self.chosen: dict[tuple[int, int], PassageSentence] = {}

    def choose(self, room: int) -> list[PassageSentence]:
        # The gain of a sentence only falls as others are chosen, so an earlier gain is an upper bound, and few are
        # recomputed.
        near = (one for one in self.sentences if self.relevance.get(one.position, 1.0) > 0)
        heap = [(-self.gain(one), one.place, one) for one in near]
        heapify(heap)
        while heap:
            _, place, best = heappop(heap)
            if place in self.chosen:
                continue
            gain = self.gain(best)
            if heap and gain < -heap[0][0]:
                heappush(heap, (-gain, place, best))
                continue
            needed = [one for one in self.with_context(best) if one.place not in self.chosen]
            cost = sum(len(one.text) + JOINED for one in needed)
            if cost <= room:
                room -= cost
                for one in needed:
                    self.tell(one)
        return [self.chosen[place] for place in sorted(self.chosen)]

    def with_context(self, one: PassageSentence) -> list[PassageSentence]:
        """Return the sentence with the one needed to understand it: the refusal of a proposal, or the question of a
        short answer.
        """
        refusal = self.first.get(self.refused.get(one.position, -1))
        asked = self.questions.get(one.place) if len(one.text) <= SHORT_ANSWER else None
        return [one, *filter(None, [refusal, asked])]

    def tell(self, one: PassageSentence) -> None:
        self.chosen[one.place] = one
        self.names.update(one.names)
        self.words.update(one.words)

    def gain(self, one: PassageSentence) -> float:
        """Return how much the sentence adds to the chosen ones, for its length."""
        asked = self.questions.get(one.place)
        if asked is None or asked.place in self.chosen or not _decides(one, asked):
            return self._worth(one) / (len(one.text) + FLAT)
        return (ANSWERED * self._worth(asked) + self._worth(one)) / (len(asked.text) + len(one.text) + FLAT)

    def _worth(self, one: PassageSentence) -> float:
        """Return how much the sentence adds to the chosen ones."""
        worth = sum(NAME * AGAIN ** self.names[name] for name in one.names - self.asked)
        if self.chosen:
            worth += sum((ASKED_WORD if word in self.asked else WORD) * AGAIN ** self.words[word] for word in one.words)
        else:  # the same, where no word is told yet: every sentence is scored so once
            asked = len(one.words & self.asked)
            worth += ASKED_WORD * asked + WORD * (len(one.words) - asked)
        worth *= 1 + BINDING * min(one.binding, MOST_BINDING)
        if one.speaker is Speaker.USER:
            worth *= OF_USER * (REFUSAL if one.position in self.refusals else 1)
        worth *= (QUESTION if one.asks else 1) * (CODE if one.code else 1)
        worth *= REFUSED if one.position in self.refused else 1
        return worth * self.relevance.get(one.position, 1.0)


def _decides(one: PassageSentence, asked: PassageSentence) -> bool:
    """Return whether a person's sentence is a short answer to an agent's question."""
    return one.speaker is Speaker.USER and asked.speaker is Speaker.AGENT and len(one.text) <= SHORT_ANSWER


def _follows(position: int, after: int) -> bool:
    """Return whether the first position is of the same conversation as the second."""
    return position // _APART == after // _APART


def refused(passages: Sequence[Spoken]) -> dict[int, int]:
    """Return the passages of an agent that its user refused, each with the position of the refusal, which is the next
    one.
    """
    found = {}
    for one, after in pairwise(passages):
        turned = one.speaker == Speaker.AGENT and after.speaker == Speaker.USER
        if turned and after.position == one.position + 1 and refuses(after.text):
            found[one.position] = after.position
    return found
