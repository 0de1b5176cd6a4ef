"""Decide whether an unreviewed note may come before a confirmed one, from the record of its author.

A changed fact must be seen at once, so the newer of two notes comes first (`currency`), and its author needs no
permission. This trust can be lost: an author whose proposals leads keep rejecting no longer comes first, and nobody
comes before an unlimited number of confirmed notes in one day. Such a note is served behind the confirmed one until it
is confirmed itself (docs/decisions/0024-standing.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

# How long a rejection counts: as long as an objection to an insight (`feedback.WINDOW_DAYS`). A hostile account that
# waits until it has passed comes first for one more day per quarter.
WINDOW = timedelta(days=90)
# An author loses standing at this many rejected proposals, minus the accepted ones. One is a mistake and two are bad
# luck. A lead who rejects what a contributor proposed on one day rejects more.
MOST_REJECTED = 3
# How many confirmed notes of others the unreviewed notes that a contributor deposits in a day may come before; as many
# again for each of the contributor's own confirmed notes. The limit is per day and not a total: if leads did not open
# the inbox for a week, a total would stop a newcomer after an afternoon, while a campaign loses its standing on the
# first evening that a lead looks. A colleague who corrects 90 facts in a day (`evaluate truth`) must be seen with all
# of them. `evaluate adversary`, 27 Nov 2026: one, two and five hostile accounts lead 1, 0 and 6 of 20 answers after a
# month, the same as with a total of 10.
ROOM = 20
# A note that only reads like another one forms no pair, so no lead sees and rejects it. An author without a confirmed
# note leads with such notes only while they have at most MOST_UNREVIEWED unreviewed notes from the last LATELY.
MOST_UNREVIEWED = 30
LATELY = timedelta(days=7)


@dataclass(frozen=True)
class Record:
    """The review history of a contributor's notes in one team.

    `rejected`, `accepted`: their claims against confirmed notes of others that leads settled within WINDOW.
    `confirmed`: the number of their confirmed notes. `unreviewed`: the number of their unconfirmed notes within LATELY,
    counted up to MOST_UNREVIEWED + 1. `claims`: by id of a confirmed note of somebody else, the position of their open
    claim against it among their claims of that day, from 1.
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
        """How many confirmed notes of others the contributor's unreviewed notes of one day may come before."""
        return ROOM * (1 + self.confirmed)

    @property
    def why_not_trusted(self) -> str:
        """Why the contributor's notes do not come first; "" if they may."""
        if self.trusted:
            return ""
        of = f"{self.rejected} proposals of {self.name} were rejected in the last {WINDOW.days} days"
        return f"{of}, {self.accepted} accepted"

    def why_not_before(self, confirmed_id: int) -> str:
        """Return why their claim does not put a note before this confirmed one; "" if it may."""
        if self.why_not_trusted:
            return self.why_not_trusted
        if self.claims.get(confirmed_id, 1) > self.room:
            return f"not reviewed, and {self.name} has {self.room} notes of that day before confirmed ones already"
        return ""

    @property
    def why_not_unpaired(self) -> str:
        """Why their note that only reads like a confirmed one does not come before it; "" if it may."""
        if self.why_not_trusted:
            return self.why_not_trusted
        if not self.confirmed and self.unreviewed > MOST_UNREVIEWED:
            of = f"more than {MOST_UNREVIEWED} unreviewed notes of the last {LATELY.days} days"
            return f"{self.name} has {of}, and no confirmed note"
        return ""


@dataclass(frozen=True)
class Rivalry:
    """An unreviewed note and a confirmed note of somebody else on the same subject.

    `claimed`: an open claim of the note's author is about the two. Claims of others change nothing. `rejected`: a lead
    has rejected that the note replaces the confirmed one. `rejected_before`: a lead has rejected another note with
    nearly the same words. `deprecated`: the note is deprecated. `repeats`: it contains every sentence of the confirmed
    one, so it changes nothing.
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
