"""What a passage states as decided, so that a team can learn it; nothing if it only asks, plans or reports.

Theory of operation. The speaker matters most. What a person types is a request to their agent, unless it replies to the
agent: it refuses a proposal, or answers a question. What an agent says it will do, or names as its next step, is a
plan. A question, code and a tool's activity state nothing.

At least one of the remaining sentences must state a rule: it names something (a figure, a name) and binds or gives its
reason. Otherwise the reader of transcripts must find a decision in the text. Precision comes first, because the
conversation itself is found in any case.
"""

import re

from knowledge.rules.draft import derive_title
from knowledge.rules.quality import GATE, quality
from sessions_app.conversations.rules.choose import Spoken, refused
from sessions_app.conversations.rules.sentences import PassageSentence, refuses, says_something, sentences
from sessions_app.transcripts.rules.decisions import extract
from sessions_app.transcripts.rules.plans import names_steps
from sessions_app.transcripts.rules.speakers import Speaker
from sessions_app.transcripts.rules.turn import ASSISTANT, Turn

# A passage is proposed to a lead once it helped as often as it takes to promote an insight, and helped two people, so
# that nobody proposes their own words by asking twice (product design: three times for two people).
TIMES, PEOPLE = 3, 2
# A shorter passage is only useful with its neighbours.
FEWEST_WORDS = 8
# A first person with a modal verb expresses an intention or a wish.
_INTENT = re.compile(
    r"\b(?:I|we)(?:['’](?:ll|d)|\s+(?:will|would|could|might|may|can|should|shall|plan\s+to|want\s+to)|"
    r"(?:['’]m|['’]re|\s+am|\s+are)\s+going\s+to)\b",
    re.IGNORECASE,
)


def decided_statement(passage: Spoken, *, before: Spoken | None, after: Spoken | None) -> str:
    """Return the sentences of a passage that state something, if it states a decision; otherwise "".

    `before` and `after`: the neighbouring passages of the session, whether or not others may read them.
    """
    if after and refused([passage, after]):
        return ""
    said = sentences(passage.position, Speaker(passage.speaker), passage.text)
    if not said or said[-1].asks:
        return ""
    is_decided = bool(extract([Turn(ASSISTANT, passage.text)]))
    if passage.speaker == Speaker.USER and not is_decided and not _replies(passage, before):
        return ""
    stated = [one for one in said if _states(one, passage)]
    body = " ".join(one.text for one in stated)
    if len(body.split()) < FEWEST_WORDS or not (is_decided or any(one.names and one.binding for one in stated)):
        return ""
    return body if quality(derive_title(body), body).total >= GATE else ""


def _replies(passage: Spoken, before: Spoken | None) -> bool:
    """Return whether a person refuses what their agent said before, or answers its question."""
    if before is None or before.speaker != Speaker.AGENT:
        return False
    last = sentences(before.position, Speaker.AGENT, before.text)[-1:]
    return refuses(passage.text) or any(one.asks for one in last)


def _states(one: PassageSentence, passage: Spoken) -> bool:
    if one.asks or one.code or one.text.startswith("[") or not says_something(one):
        return False
    return passage.speaker == Speaker.USER or not (_INTENT.search(one.text) or names_steps(one.text))
