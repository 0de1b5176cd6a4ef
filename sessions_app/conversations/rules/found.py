"""The conversations found for a question: those that may be quoted, and those that are only named.

Conversations are only named if none is near enough to the question to be quoted, but one may answer it.

An embedder cannot distinguish a question in the asker's own words from one about something else. Of 26 short questions
on decisions in 44 conversations 11 were below the least strength of an answer, as were 31 of 60 on other work in the
same repositories. For ten of the 11 the right conversation is among the three nearest. The asking agent can judge them,
so each is named in a line with its nearest sentence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest

from accounts.rules.fence import inert_line
from accounts.rules.spoken_names import spoken_name
from knowledge.rules.draft import shortened
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.rules.choose import Spoken, choose
from sessions_app.conversations.rules.score import ScoredPassage
from sessions_app.conversations.rules.sentences import PassageSentence
from sessions_app.transcripts.rules.speakers import Speaker

# The characters quoted of each.
LONGEST_NAMED = 160


@dataclass(frozen=True)
class Amendment:
    """Another conversation on the same subject; `sure`: what was said in both shows that they share it."""

    ref: str
    date: str
    sure: bool


@dataclass(frozen=True)
class FoundConversation:
    """A conversation that may be quoted.

    `relevance`: by position, how near each passage is to the point, 0 to 1 (`score.to_the_point`). `weights`: how
    relevant each passage is to the question (`spread.weights`), for those nearly as relevant as the best. `where`: its
    repository and branch if they are not the asker's. `readable`: whether the asker may read its session.

    `subject`: equal for conversations on one subject. `changed_by`: the latest conversation on the subject, None if
    this is the latest; `changes`: the next earlier one. `sure`: no note is needed that it may not be an answer.
    `perhaps`: it may be on the subject of the best conversation with the same number, or on another one. `likely`: how
    likely it is meant, if sentences are chosen from it: 1 for the best, 0 for conversations that none are chosen from.
    `after`: the reference of an insight that it may have changed; `for_note`: it was found only because of that
    insight. `is_change`: it may change what was said before, by its passages with relevance.
    """

    ref: str
    date: str
    who: str
    agent: str
    where: str
    passages: Sequence[ScoredPassage]
    relevance: Mapping[int, float]
    weights: Mapping[int, float] = field(default_factory=dict)
    subject: int = 0
    changed_by: "Amendment | None" = None
    changes: "Amendment | None" = None
    readable: bool = True
    sure: bool = True
    perhaps: bool = False
    likely: float = 0.0
    after: str = ""
    for_note: bool = False
    is_change: bool = False

    @property
    def files(self) -> frozenset[str]:
        """The files that were edited in it, of the passages that were read."""
        return frozenset(file for one in self.passages for file in one.files.split("\n") if file)

    @property
    def has_answer(self) -> bool:
        """Whether an agent speaks in it. A prompt alone does not say what came of it."""
        return any(one.speaker == Speaker.AGENT for one in self.passages)


def surely_changes(one: FoundConversation, other: FoundConversation) -> bool:
    """Return whether `one` is surely a later conversation on the subject of `other`."""
    later = one.date >= other.date and one.subject == other.subject
    return later and not one.perhaps and one.changes is not None and one.changes.sure


@dataclass(frozen=True)
class NamedConversation:
    """A conversation, and its nearest passage to a question. `readable`: the asker may read it."""

    ref: str
    date: str
    who: str
    agent: str
    nearest: Spoken
    question: str
    readable: bool = True

    @cached_property
    def sentences(self) -> list[PassageSentence]:
        """The sentences of the passage that carry most; computed on first use, because many answers have no room for
        them.
        """
        return choose([self.nearest], self.question, LONGEST_NAMED)


def tell_named(named: Sequence[NamedConversation], room: int, via: Interface) -> str:
    """Return the lines that name the conversations, as many as fit; "" for none."""
    text = ""
    for one in (one for one in named if one.sentences):
        whose = f"{inert_line(one.who)} with {spoken_name(one.agent)}" if one.agent else inert_line(one.who)
        said = shortened(inert_line(" ".join(each.text for each in one.sentences)), LONGEST_NAMED)
        call = f" ({calls.read_conversation(one.ref, via)} reads the first)" if one.readable else ""
        head = "" if text else f"\nPerhaps said in a conversation{call}:\n"
        line = f"[{one.ref}] {one.date}, {whose}: ({one.sentences[0].speaker}) {said}\n"
        if len(text) + len(head) + len(line) > room:
            break
        text += head + line
    return text


def chained(found: Sequence[FoundConversation]) -> list[FoundConversation]:
    """Return conversations on one subject, the latest first, each linked to the next earlier one and to the latest."""
    latest = found[0] if found else None

    def relate(one: FoundConversation, other: FoundConversation | None) -> Amendment | None:
        return Amendment(other.ref, other.date, not (one.perhaps or other.perhaps)) if other else None

    return [
        replace(one, changed_by=relate(one, latest if place else None), changes=relate(one, earlier))
        for place, (one, earlier) in enumerate(zip_longest(found, found[1:]))
        if one
    ]
