"""Two texts that are equal word for word except in one place: the words in that place are their difference. A title
that repeats the text has the same words in the same place.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rapidfuzz.fuzz import ratio

from knowledge.judging.rules.relations import Cue, CueKind

# The largest number of words in that place, and the least number of equal words around it. Of 90 rewordings by three
# authors none differs from its original by so little; of 222 changed facts 16 do ("off" for "on", "exclude" for
# "include"): such a difference is what the note is about.
MOST, LEAST_SHARED = 2, 3
# From this similarity on two words are two spellings of one: "organise" and "organize" have 88, "recieve" and "receive"
# 86, "include" and "exclude" 71.
SPELLING = 85


def swapped(first: Sequence[str], second: Sequence[str]) -> Iterator[Cue]:
    """Yield the cue of one or two words in place of which the other text has others; strong. Words in order, without
    articles.
    """
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
    """Return whether one is another spelling or form of the other; a prefix that reverses the meaning ("uncached") is
    not.
    """
    one, other = sorted((" ".join(mine), " ".join(theirs)), key=len)
    return ratio(one, other) >= SPELLING and not (len(other) > len(one) and other.endswith(one))
