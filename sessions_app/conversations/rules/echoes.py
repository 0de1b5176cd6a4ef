"""Which passages only ask what is asked now.

Theory of operation. What a person typed is a passage too, so an earlier copy of the question is nearer to it than any
answer. If nobody answered the copy, it must not count: it would lead the answer, admit other passages with it, and be
called the later one on the subject. So a user's passage is an *echo* if it is nearly the question, has no figure or
name that the question lacks, and the agent's reply to it says nothing ("Looking."). If an answer followed, the passage
counts, because a short answer is found by its question.

A reply says nothing if it has fewer than four words that the question lacks, and no figure or name of its own. This is
measured, without a list of words. So "No." after a question that is asked again is lost if the agent said no more than
that.

A user's reply to the agent may decide something: "No, use Postgres." has no word that the agent, or a later question,
lacks, and so few words that its vector is mostly made of the words before it. So a reply is no echo if it refuses, if
the agent had asked, or if it is that short, unless it asks something itself.
"""

import re

from knowledge.retrieval.rules.bm25 import terms
from sessions_app.conversations.rules.context import SHORT
from sessions_app.conversations.rules.sentences import LEAST_WORDS, names_of, refuses

# The cosine from which on a passage is checked, and the one from which on it is nearly the question in any wording.
LOOKED_AT, NEARLY = 0.7, 0.85
# Below NEARLY a passage is nearly the question if no greater share of its words is new.
NEW_WORDS = 1 / 3
# If no passage of an agent in a session has this many terms, the session is without a reply.
LEAST_REPLY = 5
# "I'll" and "that's" say nothing of a subject.
_CONTRACTION = re.compile(r"(?<!\w)\w{1,20}['’]\w+")


def is_echo(typed: str, reply: str, question: str, cosine: float, *, before: str = "") -> bool:
    """Return whether a user's passage only asks the question, and `reply`, what the agent said next, is no answer.
    `before`: what the agent said last, if the user replied to it.
    """
    if cosine < LOOKED_AT or names_of(typed) - names_of(question) or decides(typed, before):
        return False
    said, asked = set(terms(typed)), set(terms(question))
    if cosine < NEARLY and len(said - asked) > NEW_WORDS * len(said):
        return False
    return not says_more(reply, f"{question}\n{typed}")


def decides(typed: str, before: str) -> bool:
    """Return whether a user's reply to the agent decides something and asks nothing."""
    if not before or _asks(typed):
        return False
    return refuses(typed) or _asks(before) or len(typed.split()) < SHORT


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’)*_ \n").endswith("?")


def says_more(reply: str, asked: str) -> bool:
    """Return whether a reply has a figure or a name that the question lacks, or a few other words."""
    words = set(terms(_CONTRACTION.sub(" ", reply))).difference(terms(asked))
    return bool(names_of(reply) - names_of(asked)) or len(words) >= LEAST_WORDS
