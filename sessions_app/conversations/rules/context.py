"""What a passage is embedded as: its own words, and if they are few, the words said before it.

"No, 90" means nothing by itself, and experts type little else. So a passage of fewer than SHORT words is embedded
together with the words before it, up to WITH_CONTEXT in all. Its terms, and what an answer quotes of it, are its own
words only. An agent's passage takes only words of agents: it may be shared where its user's words are not, and a vector
reveals something of the words it is made of.
"""

from collections.abc import Sequence
from typing import Protocol

from sessions_app.transcripts.rules.speakers import Speaker

# Longer turns need no context: with all passages of fewer than 30 words in context .761 of LoCoMo's evidence is quoted,
# with those of fewer than 8, 7 and 6 words .785, .788 and .791, without context .790. Of twelve decisions of people who
# type little 8, 7, 7 and 7 are answered, without context 6 (docs/decisions/0019-searching-conversations.md).
SHORT = 6
# Of twelve decisions of people who type little 10 are found among themselves with 30, 9 with 60 and 8 with 100.
WITH_CONTEXT = 30
# The number of preceding passages that may give context: this many one-word answers have as many words.
MOST_BEFORE = 12
# The worker makes vectors of another recipe again. The column holds 80 characters.
_RECIPE, _LONGEST = "+context-2", 80


class SpokenText(Protocol):
    """A passage, of a transcript or from the database."""

    @property
    def speaker(self) -> str: ...
    @property
    def text(self) -> str: ...


def in_context(passages: Sequence[SpokenText]) -> list[str]:
    """Return the text that each passage is embedded as. The passages are of one session, in order."""
    return [_after(passages[max(at - MOST_BEFORE, 0) : at], one) for at, one in enumerate(passages)]


def _after(before: Sequence[SpokenText], one: SpokenText) -> str:
    own = len(one.text.split())
    missing = WITH_CONTEXT - own if own < SHORT else 0
    words: list[str] = []
    for other in reversed(before):
        if len(words) >= missing:
            break
        if other.speaker == Speaker.AGENT or one.speaker != Speaker.AGENT:
            words = [*other.text.split(), *words]
    return f"{' '.join(words[-missing:])}\n{one.text}" if words else one.text


def recipe(model: str) -> str:
    """Return the name of the recipe of a passage's vector: the model, and the version of this rule."""
    return f"{model[: _LONGEST - len(_RECIPE)]}{_RECIPE}"
