"""How well pairs are merged, told apart and superseded: counts over labelled pairs, each share with its denominator.

Three ways are put side by side: merging by similarity alone, the judge's word, and the whole write decision. Of the
labels, `updated` counts as a contradiction; pairs labelled otherwise than same, contradiction or unrelated (`one_way`,
`mixed`, `partial`) are left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from knowledge.rules.dedup import Calibration, Incoming, Judged, Neighbour, Outcome, decide
from knowledge.rules.stance import Judgement, Stance
from knowledge.rules.stance_cues import Cue
from knowledge.rules.tables import Table, decimal

LABELS = {
    "same": Stance.SAME,
    "contradiction": Stance.CONTRADICTION,
    "updated": Stance.CONTRADICTION,
    "unrelated": Stance.UNRELATED,
}


@dataclass(frozen=True)
class Pair:
    """A labelled pair, judged. `cosine` of its vectors; `judgement` None: the judge was unavailable."""

    a: str
    b: str
    label: Stance
    cosine: float
    judgement: Judgement | None
    cues: tuple[Cue, ...]


@dataclass(frozen=True)
class Share:
    """`hits` of `of`; nothing of nothing has no value."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    def __str__(self) -> str:
        return f"{decimal(self.hits / self.of)} ({self.hits}/{self.of})" if self.of else "–"


@dataclass(frozen=True)
class Measures:
    """Of one way on one set, within a band. `false_supersede`: of all pairs of the set, those that are none."""

    precision: Share
    merged: Share
    merged_of_all: Share
    swallowed: Share
    swallowed_of_all: Share
    superseded: Share
    false_supersede: Share
    queued: Share
    worst: tuple[Pair, ...]


Says = Callable[[Pair], Outcome]
# How many of the pairs that went wrong are shown.
WORST = 10


def by_similarity(pair: Pair) -> Outcome:
    """What a store does that knows no judge: whoever is in the band is merged."""
    return Outcome.MERGED


def by_judge(pair: Pair) -> Outcome:
    """The judge's word, taken as it is."""
    said = pair.judgement.stance if pair.judgement else Stance.UNSURE
    return {
        Stance.SAME: Outcome.MERGED,
        Stance.CONTRADICTION: Outcome.SUPERSEDING,
        Stance.UNSURE: Outcome.QUEUED,
        Stance.UNRELATED: Outcome.INSERTED,
    }[said]


def by_decision(calibrated: Calibration) -> Says:
    """The write decision, with the first text as somebody else's draft."""

    def says(pair: Pair) -> Outcome:
        neighbour = Neighbour(ref="A-1", similarity=pair.cosine, author_id=1)
        return decide(Incoming("", 2), [Judged(neighbour, pair.judgement, pair.cues)], calibrated).outcome

    return says


def measures(pairs: Sequence[Pair], says: Says, band: float) -> Measures:
    """What `says` does with the pairs whose cosine reaches `band`; farther ones are inserted."""
    said = [says(pair) if pair.cosine >= band else Outcome.INSERTED for pair in pairs]

    def count(outcome: Outcome | None, *labels: Stance, inside: bool = True) -> int:
        return sum(
            (outcome is None or what is outcome) and pair.label in labels and (not inside or pair.cosine >= band)
            for pair, what in zip(pairs, said, strict=True)
        )

    same, opposed = count(Outcome.MERGED, Stance.SAME), count(Outcome.MERGED, Stance.CONTRADICTION)
    return Measures(
        precision=Share(same, count(Outcome.MERGED, *Stance)),
        merged=Share(same, count(None, Stance.SAME)),
        merged_of_all=Share(same, count(None, Stance.SAME, inside=False)),
        swallowed=Share(opposed, count(None, Stance.CONTRADICTION)),
        swallowed_of_all=Share(opposed, count(None, Stance.CONTRADICTION, inside=False)),
        superseded=Share(count(Outcome.SUPERSEDING, Stance.CONTRADICTION), count(None, Stance.CONTRADICTION)),
        false_supersede=Share(count(Outcome.SUPERSEDING, Stance.SAME, Stance.UNRELATED), len(pairs)),
        queued=Share(count(Outcome.QUEUED, *Stance), count(None, *Stance)),
        worst=tuple(_worst(pairs, said)[:WORST]),
    )


def _worst(pairs: Sequence[Pair], said: Sequence[Outcome]) -> list[Pair]:
    """Merges and supersessions that lose something: contradictions swallowed first, then by how sure the judge was."""
    wrong = [
        pair
        for pair, what in zip(pairs, said, strict=True)
        if (what is Outcome.MERGED and pair.label is not Stance.SAME)
        or (what is Outcome.SUPERSEDING and pair.label is not Stance.CONTRADICTION)
    ]
    return sorted(wrong, key=lambda pair: (pair.label is not Stance.CONTRADICTION, -_sureness(pair)))


def _sureness(pair: Pair) -> float:
    return pair.judgement.confidence if pair.judgement else pair.cosine


def macro_f1(pairs: Sequence[Pair]) -> float | None:
    """Mean F1 of the labels that occur; an unsure answer is a miss of its label and a hit of none."""
    told = [(pair.label, pair.judgement.stance if pair.judgement else Stance.UNSURE) for pair in pairs]
    scores = []
    for label in dict.fromkeys(label for label, _ in told):
        right = sum(true is label and said is label for true, said in told)
        of = sum(true is label for true, _ in told) + sum(said is label for _, said in told)
        scores.append(2 * right / of)
    return sum(scores) / len(scores) if scores else None


def table(title: str, rows: Sequence[tuple[str, Measures]]) -> Table:
    """One line for each (label, measures)."""
    columns = [
        "",
        "merge precision",
        "same merged, in band",
        "… of all",
        "swallowed, in band",
        "… of all",
        "superseded",
    ]
    return Table(title, [*columns, "false supersede", "queued"], [[label, *_cells(one)] for label, one in rows])


def _cells(one: Measures) -> list[str]:
    shares = (one.precision, one.merged, one.merged_of_all, one.swallowed, one.swallowed_of_all, one.superseded)
    return [str(share) for share in (*shares, one.false_supersede, one.queued)]
