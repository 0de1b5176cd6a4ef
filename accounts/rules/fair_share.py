"""Whose calls give way to whose, by what each has used of a machine lately.

Use is seconds of processor and of statements, and fades: half of it is forgotten after ten seconds. Who keeps a
core busy has used some fourteen, a client that asks four times a second two at most. A caller who has used more than
twice what another has lets that one pass; of those who use about the same, nobody does, and they take turns.
"""

from dataclasses import dataclass

# Seconds after which half of what was used is forgotten. Shorter, a heavy caller is forgiven while its calls wait;
# longer, one is held back for what it did minutes ago.
HALF_LIFE = 10.0
# So many times as much must have been used, and so many seconds at all: below, nobody notices the other.
FACTOR, LEAST = 2.0, 1.0
# Calls at once, in one process, of a caller who has used so many seconds, a fifth of a core: more would only take
# Python's lock from each other, and a call that comes would have to wait for all of them to reach their next statement.
# Sixteen clients of one team had 26 to 37 answers a second from two processes with two at once in each, 32 to 36 with
# eight (27 November 2026, at a load of 6 to 11 by other work).
FEW, BUSY = 2, 3.0
# Seconds from the start of a call for which it is one of those few. What takes longer waits for something else, as a
# language model.
QUICK = 0.5
# Seconds from its arrival for which a call is let pass: nineteen of twenty answers take less on a busy machine. What
# takes longer, as a large page, is a long piece of work itself.
PASSING = 0.3
# Seconds that one call lets others pass in all, well within the ten after which a client gives up.
LONGEST = 1.0


@dataclass(frozen=True)
class Usage:
    """Seconds used, as they were at a moment."""

    seconds: float = 0.0
    at: float = 0.0

    def faded(self, now: float) -> float:
        """Return what is left of it now."""
        return float(self.seconds * 0.5 ** ((now - self.at) / HALF_LIFE))

    def more(self, seconds: float, now: float) -> "Usage":
        """Return it with so much more."""
        return Usage(self.faded(now) + seconds, now)


def gives_way(used: float, other: float) -> bool:
    """Return whether a caller who has used so much lets one pass who has used as much as `other`."""
    return used >= LEAST and used > FACTOR * other


def most_at_once(used: float, most: int) -> int:
    """Return how many calls of a caller who has used so much may be under way, where all may have `most`."""
    return min(FEW, most) if used >= BUSY else most
