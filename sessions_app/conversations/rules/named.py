"""Where something may have been said on a question, when no conversation is near enough to be quoted.

An embedder cannot tell a question in words of the asker's own from one about something else: of 26 short questions on
what was decided in 44 conversations 11 were below the least strength of an answer, as were 31 of 60 on other work in
the same repositories. For ten of the 11 the right conversation is among the three nearest. The agent that asked can
tell, so these are named with what is nearest in each, in a line.
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

# Characters of what was said in each.
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
    """The lines that name them, as many as find room; "" for none."""
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
