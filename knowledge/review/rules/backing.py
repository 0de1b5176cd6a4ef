"""Who besides its author relies on an insight. If anybody does, its author alone can no longer delete it.

A note belongs to its author alone as long as nobody else has said the same, found it helpful, confirmed it or edited
its text. From then on others rely on it, or it contains what they said
(docs/decisions/0027-forgetting-by-an-author.md).
"""

from collections.abc import Collection
from dataclasses import dataclass

# Verbs of the log by which another person confirms an insight, and how a refusal names them.
CONFIRMED_BY = {"promoted": "confirmed", "restored": "confirmed", "pinned": "pinned", "validated": "confirmed"}
WORKED_ON_BY = {"edited": "edited"}


@dataclass(frozen=True)
class Backing:
    """What others did for an insight. `people`: those who said the same, whose texts are part of it; `favoured`:
    somebody did, or found it helpful; `acts`: the verbs of log lines by anybody but the author; `promoted`, `pinned`:
    its present state, no matter who set it.
    """

    people: int
    favoured: bool
    promoted: bool
    pinned: bool
    acts: Collection[str] = ()

    @property
    def reasons(self) -> list[str]:
        """Return each reason as the end of a sentence, the strongest first; [] if it is its author's alone."""
        named = CONFIRMED_BY | WORKED_ON_BY
        acts = {named[verb] for verb in self.acts if verb in named}
        found = {
            "it is promoted": self.promoted,
            "it is pinned": self.pinned,
            "a lead confirmed it": "confirmed" in acts and not self.promoted,
            "a lead pinned it": "pinned" in acts and not self.pinned,
            f"{_people(self.people)} said the same": self.people > 0,
            "somebody else found it helpful": self.favoured and self.people == 0,
            "somebody else edited it": "edited" in acts,
        }
        return [reason for reason, holds in found.items() if holds]


def _people(count: int) -> str:
    return "another person" if count == 1 else f"{count} other people"
