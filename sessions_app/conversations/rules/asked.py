"""What a question is about, without the words that only say that it asks for a decision.

"What did we decide on retries of the carrier API?" is answered by a sentence on retries in which nothing is "decided":
the framing is in no answer, and turns the question's meaning away from its subject.
"""

import re

_SUBJECT = r"(?:we|you|they|i|people|(?:the|our|my)\s+(?:team|others?|colleagues?|agents?))"
_SAID = r"(?:deci\w+|agree\w*|settl\w+|conclu\w+|choose|chose\w*|sa(?:y|id)|discuss\w*|talk\w*|figure\w*\s+out)"
_FRAMED = re.compile(
    rf"^\W*+(?:so\s+|and\s+)?(?:what|which|how|why|where|did|do)\b(?:\s+\w+)?\s+(?:(?:did|have|has|do)\s+)?"
    rf"(?:{_SUBJECT}\s+)?(?:been\s+|ever\s+|already\s+)?{_SAID}\b(?:\s+to\s+do)?"
    rf"\s+(?:on|about|for|regarding|concerning|with|in|that|when|if|whether)\s+(?=\S)",
    re.IGNORECASE,
)
# What is left must still be a question about something.
LEAST_WORDS = 2


def subject_of(question: str) -> str:
    """The question without such a beginning; as it came where nothing would be left."""
    rest = _FRAMED.sub("", question, count=1)
    return rest if len(rest.split()) >= LEAST_WORDS else question
