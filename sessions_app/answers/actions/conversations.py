"""The conversations of an answer, beside its insights: their room, and their text."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from uuid import UUID

from accounts.adapters.disk_space import lacking_room
from accounts.adapters.replica import primary
from knowledge.retrieval.actions.retrieve import Retrieved
from knowledge.retrieval.rules.ask import Ask
from sessions_app.answers.rules import calls
from sessions_app.answers.rules.calls import Interface
from sessions_app.answers.rules.parts import Item
from sessions_app.answers.rules.shown import ShownConversations
from sessions_app.conversations.actions.find import ConversationAnswer
from sessions_app.conversations.rules.excerpts import SURE, UNSURE, Excerpt, tell
from sessions_app.conversations.rules.found import FoundConversation, surely_changes, tell_named
from sessions_app.models import ServedPassage

# The bounds of the conversations' share of the insights' room. They get most beside drafts read from transcripts, which
# say no more than the conversation itself.
LEAST_BESIDE, MOST_BESIDE = 0.3, 0.85
# If a conversation is this much nearer by cosine, insights take no room from it. Of 136 notes and 244 conversations
# this holds for 12 of 19 questions that are answered by a conversation and also find notes, and for none of 69 that a
# note answers (26 Nov 2026). An insight with a cosine of LIKE may answer beside it.
OUTDONE, LIKE = 0.12, 0.5
# A conversation on a file of the question counts as this much nearer by cosine: half of what the file adds to the
# relevance of its passages. Without it notes on other subjects (cosines of .38 to .52) took three quarters of the room
# from the conversation that answers, for three of 22 bug reports (26 Nov 2026).
HELD = 0.15


class Conversations:
    """The conversations of one answer. `shown`: the excerpts that fit into the packed text. `named`: the references of
    the conversations that the text names. `told_above`: the reference of the conversation that answers, if the session
    was quoted it before.
    """

    def __init__(self, answer: ConversationAnswer, question: str, via: Interface) -> None:
        self.answer, self._question, self._via = answer, question, via
        self.shown: list[Excerpt] = []
        self.named: list[str] = []
        self._told_above: FoundConversation | None = None

    @property
    def writer(self) -> Callable[[int], str] | None:
        """The function that writes the excerpts within a number of characters; None if no conversation was found."""
        return self._write if self.answer.found else None

    @property
    def namer(self) -> Callable[[int], str] | None:
        """The function that names conversations that may answer, if none was found; None if there are none to name."""
        return self._name if self.answer.named else None

    def _name(self, room: int) -> str:
        text = tell_named(self.answer.named, room, self._via)
        self.named = [one.ref for one in self.answer.named if f"[{one.ref}]" in text]
        return text

    def _write(self, room: int) -> str:
        found = self.answer.found
        head = SURE if found[0].sure else UNSURE
        self.shown = tell(found, self._question, room - len(head), self._via)
        return head + "".join(one.text for one in self.shown) if self.shown else ""

    @property
    def refs(self) -> list[str]:
        """The references of the conversations that were found."""
        return [one.ref for one in self.answer.found]

    @property
    def all_refs(self) -> list[str]:
        """The references of the conversations that were found, or may be named instead."""
        return [*self.refs, *(one.ref for one in self.answer.named)]

    @property
    def have_own(self) -> bool:
        """Whether any was found, or may be named, by the question and not by an insight that it may have changed."""
        return any(not one.for_note for one in self.answer.found) or bool(self.answer.named)

    @property
    def shown_refs(self) -> list[str]:
        return [one.found.ref for one in self.shown]

    @property
    def told_above(self) -> list[str]:
        return [self._told_above.ref] if self._told_above else []

    @property
    def above_line(self) -> str:
        """The line that says which conversation answers, where it was quoted before; "" where none was."""
        one = self._told_above
        if not one:
            return ""
        call = f": {calls.read_conversation(one.ref, self._via)} reads all of it" if one.readable else ""
        return f"({one.ref}, quoted above, answers this as well{call})"

    def leave_out_unanswered(self) -> None:
        """Leave out the conversations in which no agent says anything."""
        self.answer = replace(self.answer, found=[one for one in self.answer.found if one.has_answer])

    def leave_out_changes(self, shown: Collection[str]) -> None:
        """Leave out conversations found only because they may have changed an insight, unless that insight is shown."""
        found = [one for one in self.answer.found if not one.for_note or one.after in shown]
        self.answer = replace(self.answer, found=found)

    def leave_out(self, before: ShownConversations) -> None:
        """Leave out what the session received before: a quoted conversation is not quoted again, a named one may be.

        If the conversation that answers was quoted before, only sure changes of it are quoted, because lesser ones
        would look like the answer. The line that it stands above is given once, until it is quoted again.
        """
        answer = self.answer
        found = [one for one in answer.found if one.ref not in before.quoted]
        if answer.best in before.quoted:
            best = next((one for one in answer.found if one.ref == answer.best), None)
            found = [one for one in found if best and surely_changes(one, best)]
            self._told_above = best if answer.best not in before.reminded else None
        named = [one for one in answer.named if one.ref not in before.told]
        self.answer = replace(answer, found=found, find_named=lambda: named)

    def store_shown(self, query_id: UUID | None) -> None:
        """Store which passages were shown."""
        served = [pk for one in self.shown for pk in one.passage_ids]
        if served and query_id and not lacking_room():
            with primary():
                ServedPassage.objects.all().keep(query_id, served)


def conversations_share(items: Sequence[Item], done: Retrieved, answer: ConversationAnswer) -> float:
    """Return the conversations' share of the insights' room; 1 without insights.

    It is computed from the squared cosines of the nearest insight and the nearest passage: a cosine of .4 is a
    likeness, one of .8 an answer.
    """
    if not items:
        return 1.0
    if all(item.found for item in items):
        return MOST_BESIDE
    near = max((max(hit.similarity, 0.0) ** 2 for hit in done.hits), default=0.0)
    nearest = max(answer.nearest + HELD * answer.held, 0.0) ** 2
    return min(max(nearest / (near + nearest), LEAST_BESIDE), MOST_BESIDE) if nearest else LEAST_BESIDE


def outdone(found: Retrieved, answer: ConversationAnswer, ask: Ask) -> bool:
    """Return whether a conversation is so much nearer to the question than every insight that the insights are probably
    no answer. An insight with the error or the file that was asked for is one, in any wording.
    """
    if not answer.found or ask.error or any(hit.of_named_file or hit.insight.ref in ask.text for hit in found.hits):
        return False
    near = max((hit.similarity for hit in found.hits), default=0.0)
    return near < LIKE and answer.nearest + HELD * answer.held - near >= OUTDONE
