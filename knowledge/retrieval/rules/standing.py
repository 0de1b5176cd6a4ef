"""Whether a note that nobody has reviewed may come before what the team has confirmed: that depends on its author.

A changed fact is to be seen at once, so the newer of two notes comes first (`currency`), and the author of the newer
one needs no permission. It is a matter of trust in people, and it can be lost: an author whose proposals leads keep
rejecting does not come first any more, and nobody comes before any number of confirmed notes in a day. Such a
note is served behind the confirmed one until it is confirmed itself (docs/decisions/0024-standing.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

# As long as an objection is held against an insight (`feedback.WINDOW_DAYS`): a season's work, and a hostile account
# that waits for it to pass comes first for one more day of a quarter.
WINDOW = timedelta(days=90)
# Proposals rejected, less those accepted. One is a mistake, two are bad luck. A lead who rejects what one contributor
# proposed on one day rejects more.
MOST_REJECTED = 3
# Confirmed notes of others that the unreviewed ones a contributor deposits in a day may come before. A day, and not at
# a time: leads who do not get to the inbox for a week would silence a newcomer after an afternoon, while a campaign
# costs its author the standing on the first evening that a lead looks. Somebody of whom the team has confirmed notes
# has that much again for each: of 90 facts that one colleague corrects in a day (`evaluate truth`) all are to be seen.
# `evaluate adversary`, 27 Nov 2026: one, two and five hostile accounts lead 1, 0 and 6 of 20 answers at the end of a
# month, as with 10 at a time.
ROOM = 20
# A note that only reads like another forms no pair, so no lead sees and rejects it. An author without a confirmed note
# leads with such a note only while they have at most this many unreviewed ones of LATELY.
MOST_UNREVIEWED = 30
LATELY = timedelta(days=7)


@dataclass(frozen=True)
class Record:
    """The review history of a contributor's notes in one team.

    `rejected`, `accepted`: their claims against confirmed notes of others that leads settled within WINDOW.
    `confirmed`: their notes that the team has confirmed. `unreviewed`: their unconfirmed notes of LATELY, counted up to
    one more than MOST_UNREVIEWED. `claims`: by id of a confirmed note of others, the number of its author's open claim
    of that day, from 1.
    """

    name: str
    rejected: int = 0
    accepted: int = 0
    confirmed: int = 0
    unreviewed: int = 0
    claims: Mapping[int, int] = field(default_factory=dict)

    @property
    def trusted(self) -> bool:
        return self.rejected - self.accepted < MOST_REJECTED

    @property
    def room(self) -> int:
        """How many confirmed notes of others their unreviewed ones of a day may come before."""
        return ROOM * (1 + self.confirmed)

    @property
    def why_not_trusted(self) -> str:
        """Why notes of theirs do not come first; "" if they may."""
        if self.trusted:
            return ""
        of = f"{self.rejected} proposals of {self.name} were rejected in the last {WINDOW.days} days"
        return f"{of}, {self.accepted} accepted"

    def why_not_before(self, confirmed_id: int) -> str:
        """Why a claim of theirs does not put a note before this confirmed one; "" if it may."""
        if self.why_not_trusted:
            return self.why_not_trusted
        if self.claims.get(confirmed_id, 1) > self.room:
            return f"not reviewed, and {self.room} notes of {self.name} of that day are beside confirmed ones already"
        return ""

    @property
    def why_not_unpaired(self) -> str:
        """Why a note of theirs that only reads like a confirmed one does not come before it; "" if it may."""
        if self.why_not_trusted:
            return self.why_not_trusted
        if not self.confirmed and self.unreviewed > MOST_UNREVIEWED:
            of = f"more than {MOST_UNREVIEWED} unreviewed notes of the last {LATELY.days} days"
            return f"{self.name} has {of}, and none that was confirmed"
        return ""


@dataclass(frozen=True)
class Rivalry:
    """An unreviewed note and a confirmed one of somebody else on the same subject. `rejected`: a lead has rejected that
    the one replaces the other; `rejected_before`: that another one does, which says the same; `deprecated`: the
    unreviewed one; `repeats`: it has every sentence of the other, so that nothing of that has changed; `claimed`:
    whether an open claim of its author says that it bears on the other. What others claim of it changes nothing.
    """

    confirmed_id: int
    author: Record | None
    claimed: bool = False
    rejected: bool = False
    rejected_before: bool = False
    deprecated: bool = False
    repeats: bool = False

    @property
    def held_back(self) -> str:
        """Why the unreviewed note stands behind the confirmed one; "" if it may come first."""
        if self.rejected:
            return "a lead has rejected that it replaces that one"
        if self.rejected_before:
            return "a lead has rejected the same in other words"
        if self.deprecated:
            return "it is deprecated"
        if self.repeats:
            return "it repeats that one and adds to it"
        if self.author is None:
            return ""
        return self.author.why_not_before(self.confirmed_id) if self.claimed else self.author.why_not_unpaired
