"""Search: the conversations that match a person's search, each with the sentences that say it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from accounts.rules.rights import Member
from knowledge.retrieval.rules.ask import Ask
from sessions_app.conversations.actions.find import ConversationAnswer, find
from sessions_app.conversations.rules.choose import choose, refused
from sessions_app.conversations.rules.found import Amendment, FoundConversation
from sessions_app.conversations.rules.sentences import PassageSentence, sentences
from sessions_app.models import ServedPassage
from sessions_app.transcripts.rules.speakers import Speaker

# What a page shows below the insights: as many conversations as an agent receives, and this many characters of each.
MOST, ROOM = 4, 360


@dataclass(frozen=True)
class PassageMatch:
    """A found conversation: whose, where and when, with its sentences as (speaker, text) from the passage at `position`
    on. `changed_by`: a later conversation that is, or may be, on the same subject.
    """

    ref: str
    who: str
    agent: str
    repo: str
    said_at: datetime
    position: int
    said: Sequence[tuple[str, str]]
    changed_by: Amendment | None


def matches(*, ask: Ask, vector: np.ndarray | None, by: Member, query_id: UUID | None = None) -> list[PassageMatch]:
    """Return the conversations that an agent with this question would receive, with a few sentences of each, among
    those the member may see. `vector`: of the question. `query_id`: the passages are recorded as answers of this query.
    """
    answer = find(ask=ask, vector=vector, by=by)
    told = [(one, _sentences_to_show(one, ask.text, clear=answer.stands_out)) for one in answer.found[:MOST]]
    told = [(one, some) for one, some in told if some]
    if query_id and told:
        ServedPassage.objects.all().keep(query_id, [pk for one, some in told for pk in _passages(one, some)])
    return [_match(one, some, answer) for one, some in told]


def _sentences_to_show(one: FoundConversation, question: str, *, clear: bool) -> list[PassageSentence]:
    """Return the sentences to show: those that carry the decision if the conversation stands out, otherwise its nearest
    passage.
    """
    if clear:
        return choose(one.passages, question, ROOM, one.relevance)
    best = max(one.passages, key=lambda row: one.weights.get(row.position, 0.0), default=None)
    if best is None:
        return []
    room = ROOM
    kept: list[PassageSentence] = []
    shown = [row for row in one.passages if row.position in (best.position, refused(one.passages).get(best.position))]
    for sentence in [said for row in shown for said in sentences(row.position, Speaker(row.speaker), row.text)]:
        room -= len(sentence.text)
        if kept and room < 0:
            break
        kept.append(sentence)
    return kept


def _passages(one: FoundConversation, some: Sequence[PassageSentence]) -> list[int]:
    positions = {sentence.position for sentence in some}
    return [row.pk for row in one.passages if row.position in positions]


def _match(one: FoundConversation, some: Sequence[PassageSentence], answer: ConversationAnswer) -> PassageMatch:
    line = answer.lines[one.ref][0]
    said = [(sentence.speaker.value, sentence.text) for sentence in some]
    return PassageMatch(one.ref, one.who, one.agent, line.repo, line.said_at, some[0].position, said, one.changed_by)
