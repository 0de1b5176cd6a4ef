"""Which passages only ask what is asked now.

Theory of operation. What a person typed is a passage, too, and who asks the same thing again finds it nearer than any
answer. If nobody answered then, it tells nothing now; still it led an answer, let others through with it, and was said
to be the later one on the subject. So a passage of a user is an *echo* if it is nearly the question, has no figure or
name that the question lacks, and the agent's reply to it says nothing ("Looking."). Where an answer followed it counts:
it is by the question that one finds a short answer.

What says nothing is measured, and is not in a list of words: a reply of fewer than four words that the question has
not, without a figure or a name of its own. So "No." after a question that is asked again is lost, if the agent said no
more than that.

Who replies to their agent decides: "No, use Postgres." has no word that the agent, or a later question, has not, and so
few of its own that its vector is made of what was said before it. So what replies is no echo unless it asks: where it
refuses, where the agent had asked, or where it is that short.
"""

import re

from knowledge.retrieval.rules.bm25 import terms
from sessions_app.conversations.rules.context import SHORT
from sessions_app.conversations.rules.sentences import LEAST_WORDS, names_of, refuses

# Cosines from which on a passage is looked at, and is nearly the question however it is worded.
LOOKED_AT, NEARLY = 0.7, 0.85
# Else it is, if no greater share of its words is new.
NEW_WORDS = 1 / 3
# If no passage of an agent in a session has so many terms, the agent never said anything in it.
LEAST_REPLY = 5
# "I'll" and "that's" say nothing of a subject.
_CONTRACTION = re.compile(r"(?<!\w)\w{1,20}['’]\w+")


def is_echo(typed: str, reply: str, question: str, cosine: float, *, before: str = "") -> bool:
    """Whether a user's passage only asks the question, and `reply`, what the agent said next, is no answer. `before`:
    what the agent said last, if the user replied to that.
    """
    if cosine < LOOKED_AT or names_of(typed) - names_of(question) or decides(typed, before):
        return False
    said, asked = set(terms(typed)), set(terms(question))
    if cosine < NEARLY and len(said - asked) > NEW_WORDS * len(said):
        return False
    return not says_more(reply, f"{question}\n{typed}")


def decides(typed: str, before: str) -> bool:
    """Whether a user's reply to what the agent said is a word on that, and no question."""
    if not before or _asks(typed):
        return False
    return refuses(typed) or _asks(before) or len(typed.split()) < SHORT


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’)*_ \n").endswith("?")


def says_more(reply: str, asked: str) -> bool:
    """Whether a reply has a figure or a name that the question lacks, or a few other words."""
    words = set(terms(_CONTRACTION.sub(" ", reply))).difference(terms(asked))
    return bool(names_of(reply) - names_of(asked)) or len(words) >= LEAST_WORDS
