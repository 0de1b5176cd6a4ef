from collections.abc import Sequence
from itertools import pairwise
from random import Random

from knowledge.evidence.rules.keywords import extract
from knowledge.evidence.rules.sampling import ENOUGH, FLOOR, PROBE, ROUNDS, SHARE, TOP, anchors, sample
from knowledge.evidence.rules.windows import Finder

LONG = "Nothing to see in this line of text.\n" * 4_000
ANSWER = "Find the largest blobs of the git history with rev-list."
AT = 100_000
TEXT = LONG[:AT] + ANSWER + LONG[AT:]


class Scorer:
    """8.5 within the answer, less with the distance; counts what it sees."""

    def __init__(self, top: float = 8.5) -> None:
        self.seen: list[tuple[int, int]] = []
        self.top = top

    def __call__(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        self.seen += spans
        return [max(0.0, self.top - abs(start - AT) / 2_000) for start, _ in spans]


def starts(question: str) -> list[int]:
    keywords = extract(question)
    return anchors(TEXT, question, Finder(keywords).hits(TEXT), keywords, dict.fromkeys(keywords.words, 1.0))


class TestAnchors:
    def test_stand_where_the_words_are(self) -> None:
        first = starts("largest git blobs")[0]
        assert first - PROBE <= AT <= first + PROBE

    def test_go_by_likeness_where_no_word_is(self) -> None:
        assert len(starts("zygomorphic")) <= 10

    def test_stand_apart(self) -> None:
        found = sorted(starts("line of text"))
        assert all(b - a >= PROBE // 2 for a, b in pairwise(found))


class TestSample:
    def test_stops_early_at_a_direct_answer(self) -> None:
        done = sample(TEXT, [AT - 100], Scorer(), Random(1))
        assert done.rounds == 0 and done.probes[0].score >= ENOUGH

    def test_closes_in_on_the_best_from_round_to_round(self) -> None:
        scorer = Scorer(top=7.5)
        done = sample(TEXT, [AT - 8_000], scorer, Random(1))
        assert done.rounds == ROUNDS
        best = done.probes[0]
        assert best.why == "gaussian" and abs(best.start - AT) < 8_000

    def test_shows_the_scorer_a_tenth_at_most(self) -> None:
        scorer = Scorer(top=5)
        done = sample(TEXT, list(range(0, len(TEXT), 600)), scorer, Random(1))
        assert done.characters <= SHARE * len(TEXT)
        assert done.characters == sum(end - start for start, end in scorer.seen)

    def test_looks_elsewhere_too(self) -> None:
        whys = {probe.why for probe in sample(TEXT, [0], Scorer(top=5), Random(1)).probes}
        assert whys == {"anchor", "stratified", "gaussian"}

    def test_draws_the_same_windows_for_the_same_seed(self) -> None:
        one, other, third = (sample(TEXT, [0], Scorer(top=5), Random(seed)).probes for seed in (1, 1, 2))
        assert one == other != third

    def test_takes_only_windows_over_the_floor_and_at_most_some(self) -> None:
        done = sample(TEXT, list(range(AT - 3_000, AT + 3_000, 500)), Scorer(), Random(1))
        assert 1 <= len(done.found) <= TOP
        assert all(probe.score >= FLOOR for probe in done.found)

    def test_shows_the_best_when_none_is_good(self) -> None:
        done = sample(TEXT, [0], Scorer(top=1), Random(1))
        assert len(done.found) == 1 and done.found[0].score < FLOOR
