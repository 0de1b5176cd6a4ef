"""Two texts that are word for word the same but in one place: what stands there is what they differ in. A title that
repeats the text has the same words in the same place.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rapidfuzz.fuzz import ratio

from knowledge.judging.rules.relations import Cue, CueKind

# So many words may stand in the one place, and so many must be the same around it. Of 90 rewordings by three authors
# none is told apart from its original by so little, of 222 changed facts 16 are ("off" for "on", "exclude" for
# "include"): such a difference is what the note is about.
MOST, LEAST_SHARED = 2, 3
# From here on two words are two spellings of one: "organise" and "organize" 88, "recieve" and "receive" 86, "include"
# and "exclude" 71.
SPELLING = 85


def swapped(first: Sequence[str], second: Sequence[str]) -> Iterator[Cue]:
    """The cue of one word, or two, that the other text has another one for; strong. Words in order, articles apart."""
    changes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    places = [change for change in changes if change[0] != "equal"]
    shared = sum(end - start for kind, start, end, _, _ in changes if kind == "equal")
    found = {(tuple(first[start:end]), tuple(second[begin:stop])) for _, start, end, begin, stop in places}
    if len(found) != 1 or shared < LEAST_SHARED:
        return
    [(mine, theirs)] = found
    if mine and theirs and max(len(mine), len(theirs)) <= MOST and not _spelling(mine, theirs):
        yield Cue(CueKind.WORD, True, mine, theirs)


def _spelling(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one is another spelling or form of the other; what a prefix turns round ("uncached") is not."""
    one, other = sorted((" ".join(mine), " ".join(theirs)), key=len)
    return ratio(one, other) >= SPELLING and not (len(other) > len(one) and other.endswith(one))
