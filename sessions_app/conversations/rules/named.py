"""The conversations that are only named: none is near enough to the question to be quoted, but one may answer it.

An embedder cannot distinguish a question in the asker's own words from one about something else. Of 26 short questions
on decisions in 44 conversations 11 were below the least strength of an answer, as were 31 of 60 on other work in the
same repositories. For ten of the 11 the right conversation is among the three nearest. The asking agent can judge them,
so each is named in a line with its nearest sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from accounts.rules.fence import inert_line
from accounts.rules.spoken_names import spoken_name
from knowledge.rules.draft import shortened
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.conversations.rules.choose import Spoken, choose
from sessions_app.conversations.rules.sentences import PassageSentence

# The characters quoted of each.
LONGEST_NAMED = 160


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
