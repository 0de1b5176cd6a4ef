"""What the local judge is trained on: labelled pairs of real texts, and sentences of real notes with known edits.

Only sets whose licence lets weights be shipped: NL2Bash (MIT), GitBugs (CC BY 4.0), notes under MIT. Of NL2Bash and
GitBugs the choosing half (`metrics.held_out`), so that the other half still measures.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

from knowledge.rules import stance_edits as edits
from knowledge.rules.metrics import held_out

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """Two texts and what they are to each other: same, contradiction or unrelated. `source`: where the pair is from."""

    a: str
    b: str
    label: str
    source: str


# What one pair of a source counts, before the three labels are brought to equal sums. Free paraphrases are the rarest
# and the likest to what is deposited; single edits are many and easy.
WORTH = {
    "nl2bash": 12.0,
    "gitbugs": 10.0,
    "nearby command": 1.5,
    "nearby sentence": 1.0,
    "next sentence": 0.5,
    "retold": 0.5,
    "reworded": 2.0,
    "respelled": 1.0,
    "shortened": 1.0,
    "denial retold": 1.0,
    "negated": 0.5,
    "opposite": 1.0,
    "another value": 2.0,
    "switched": 1.0,
    "renamed": 0.7,
    "replaced": 0.7,
    "elsewhere": 0.7,
}


def worth(examples: Sequence[Example]) -> list[float]:
    """What each counts, so that the three labels count the same together."""
    sums: dict[str, float] = defaultdict(float)
    for one in examples:
        sums[one.label] += WORTH[one.source]
    return [WORTH[one.source] / sums[one.label] for one in examples]


def choosing(rows: Iterable[Row]) -> list[Row]:
    """The half of a labelled set that may be learned from."""
    return [row for row in rows if not held_out(row["a"])]


def labelled(rows: Iterable[Row], source: str) -> list[Example]:
    return [Example(row["a"], row["b"], row["label"], source) for row in rows]


def following(notes: Iterable[Sequence[str]], rng: Random) -> Iterator[Example]:
    """Sentences that follow each other in one note: one subject, two statements."""
    for sentences in notes:
        for first, second in pairwise(sentences):
            if rng.random() < 0.4:
                yield Example(first, second, "unrelated", "next sentence")


def edited(sentences: Iterable[str], names: Sequence[str], words: Sequence[str], rng: Random) -> Iterator[Example]:
    """For each sentence the pairs that its words allow. `names`, `words`: what to put in the place of others."""

    def told(text: str, share: float) -> str:
        """Retold with that chance: an edit alone would be told by how little else differs."""
        return (edits.retold(text, rng) or text) if rng.random() < share else text

    for sentence in sentences:
        yield from _same(sentence, told, rng)
        yield from _opposed(sentence, names, told, rng)
        renamed = edits.renamed(sentence, rng, names)
        if renamed and renamed != sentence:
            yield Example(sentence, told(renamed, 0.5), "unrelated", "renamed")
        replaced = edits.replaced(sentence, rng, words)
        if replaced:
            yield Example(sentence, replaced, "unrelated", "replaced")
        if rng.random() < 0.3:
            here, there = edits.elsewhere(sentence, rng)
            yield Example(here, told(there, 0.5), "unrelated", "elsewhere")


def _same(sentence: str, told: Callable[[str, float], str], rng: Random) -> Iterator[Example]:
    retold, reworded = edits.retold(sentence, rng), edits.reworded(sentence, rng)
    shortened, denial = edits.shortened(sentence, rng), edits.negated(sentence, rng)
    if retold:
        yield Example(sentence, retold, "same", "retold")
    if reworded:
        yield Example(sentence, told(reworded, 0.4), "same", "reworded")
    if shortened:
        yield Example(sentence, told(shortened, 0.5), "same", "shortened")
    if denial and rng.random() < 0.3:
        yield Example(denial, told(denial, 1.0), "same", "denial retold")
    if rng.random() < 0.3:
        yield Example(sentence, edits.respelled(sentence, rng), "same", "respelled")


def _opposed(sentence: str, names: Sequence[str], told: Callable[[str, float], str], rng: Random) -> Iterator[Example]:
    made = {
        "negated": edits.negated(sentence, rng),
        "opposite": edits.opposite(sentence, rng),
        "another value": edits.another_value(sentence, rng),
        "switched": edits.switched(sentence, rng, names),
    }
    for source, text in made.items():
        if text and text != sentence:
            yield Example(sentence, told(text, 0.5), "contradiction", source)
