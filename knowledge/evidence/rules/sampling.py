"""Monte Carlo evidence sampling: the windows of a long file to score if not all can be scored.

Theory of operation (after Sirchmunk's three acts). A good scorer is expensive, so it reads few windows. *Cast the net*:
windows whose words are like the question's (fuzzy anchors; cheap, over the whole text), and some drawn at random, one
from each stratum, so that other wordings have a chance. *Focus*: around the best so far, more are drawn from a Gaussian
that narrows from round to round. *Stop* when one is as good as an answer gets, when the rounds are over, or when the
scorer has read its share of the characters. The caller passes the generator, seeded by the question, so that the same
search draws the same windows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from rapidfuzz import fuzz

from knowledge.evidence.rules.keywords import Keywords
from knowledge.evidence.rules.windows import TermHit, full_worth, worth_of

# Sirchmunk's figures, which its users have tuned over two releases.
WHOLE = 100_000  # characters: shorter texts are read whole
PROBE = 500
STRIDE = 250
ANCHORS = 10
LEAST_FUZZ = 10.0
ROUNDS = 3
STRATIFIED = 2
EACH_ROUND = 5
SEEDS = 2
ENOUGH = 8.0  # of 10: a direct answer
FLOOR = 4.0  # below, a window is no evidence
TOP = 5
# At most this share of a long text reaches the scorer.
SHARE = 0.10

# A function that returns a score of 0–10 for each (start, end).
Scorer = Callable[[Sequence[tuple[int, int]]], Sequence[float]]


@dataclass(frozen=True)
class TextWindow:
    """A scored window; `why`: anchor, stratified or gaussian."""

    start: int
    end: int
    score: float
    why: str


@dataclass(frozen=True)
class Sampled:
    """The scored windows, best first, the number of characters that the scorer read, and the number of rounds."""

    probes: tuple[TextWindow, ...]
    characters: int
    rounds: int

    @property
    def found(self) -> list[TextWindow]:
        """The windows that are evidence; if none is, the best one, whose score says so."""
        good = [probe for probe in self.probes if probe.score >= FLOOR]
        return good[:TOP] or list(self.probes[:1])


def sample(text: str, anchors: Sequence[int], score: Scorer, rng: Random, budget: int | None = None) -> Sampled:
    """Return scored windows of `text`, promising ones first. `anchors`: starts of windows, best first."""
    left = int(len(text) * SHARE) if budget is None else budget
    drawn = _Drawn(len(text), left)
    first = [(at, "anchor") for at in anchors[:ANCHORS]]
    first += [(at, "stratified") for at in _stratified(len(text), rng)]
    drawn.score(first, score)
    rounds = 0
    while rounds < ROUNDS and drawn.best < ENOUGH and drawn.room:
        rounds += 1
        sigma = len(text) / 20 / 2 ** (rounds - 1)
        drawn.score([(at, "gaussian") for at in _around(drawn.seeds, sigma, rng)], score)
    return Sampled(tuple(sorted(drawn.probes, key=lambda p: (-p.score, p.start))), drawn.characters, rounds)


class _Drawn:
    """What was scored so far, and what may still be scored."""

    def __init__(self, length: int, budget: int) -> None:
        self.length, self.left = length, budget
        self.probes: list[TextWindow] = []
        self.characters = 0

    @property
    def best(self) -> float:
        return max((probe.score for probe in self.probes), default=0.0)

    @property
    def room(self) -> bool:
        return self.left >= PROBE

    @property
    def seeds(self) -> list[TextWindow]:
        return sorted(self.probes, key=lambda probe: -probe.score)[:SEEDS]

    def score(self, starts: Sequence[tuple[int, str]], score: Scorer) -> None:
        chosen: list[tuple[int, int, str]] = []
        for at, why in starts:
            start = max(0, min(int(at), self.length - PROBE))
            end = min(self.length, start + PROBE)
            if not self.room or self._visited(start, chosen, why):
                continue
            chosen.append((start, end, why))
            self.left -= end - start
            self.characters += end - start
        if chosen:
            scores = score([(start, end) for start, end, _ in chosen])
            new = zip(chosen, scores, strict=True)
            self.probes += [TextWindow(start, end, float(worth), why) for (start, end, why), worth in new]

    def _visited(self, start: int, chosen: Sequence[tuple[int, int, str]], why: str) -> bool:
        near = PROBE / 2 if why == "stratified" else PROBE / 3
        return any(abs(start - at) < near for at in (*(p.start for p in self.probes), *(c[0] for c in chosen)))


def _stratified(length: int, rng: Random) -> list[int]:
    section = length / STRATIFIED
    return [int(section * at + rng.random() * max(1.0, section - PROBE)) for at in range(STRATIFIED)]


def _around(seeds: Sequence[TextWindow], sigma: float, rng: Random) -> list[int]:
    children = -(-EACH_ROUND // max(1, len(seeds)))
    return [int(rng.gauss(seed.start, sigma)) for seed in seeds for _ in range(children)]


def anchors(
    text: str,
    question: str,
    found: Sequence[TermHit],
    keywords: Keywords,
    rarity: dict[str, float],
    count: int = ANCHORS,
) -> list[int]:
    """Return the starts of the windows most like the question, best first, none within half a window of a better one.

    Likeness is RapidFuzz's token-set ratio (0–100) plus, with the same weight, the rarity of the keywords within: the
    ratio alone cannot distinguish a rare word from `the`.
    """
    total = full_worth(keywords, rarity) or 1.0
    scored: list[tuple[float, int]] = []
    first = 0
    lowered = question.lower()
    for start in range(0, max(1, len(text) - PROBE + STRIDE), STRIDE):
        end = start + PROBE
        while first < len(found) and found[first].at < start:
            first += 1
        inside = []
        for hit in found[first:]:
            if hit.at >= end:
                break
            inside.append(hit)
        if inside:
            worth = 100.0 * worth_of(inside, keywords, rarity) / total
            scored.append((worth, start))
    best = sorted(scored, key=lambda one: (-one[0], one[1]))[: 8 * count]
    refined = [(worth + fuzz.token_set_ratio(lowered, text[at : at + PROBE].lower()), at) for worth, at in best]
    if not refined:
        refined = _fuzzy(text, lowered)
    kept: list[int] = []
    for likeness, at in sorted(refined, key=lambda one: (-one[0], one[1])):
        if likeness >= LEAST_FUZZ and all(abs(at - other) >= STRIDE for other in kept):
            kept.append(at)
    return kept[:count]


# Without a keyword in the whole text only likeness remains, and it is computed at this many places.
MOST_FUZZED = 2_000


def _fuzzy(text: str, lowered: str) -> list[tuple[float, int]]:
    step = max(STRIDE, len(text) // MOST_FUZZED)
    return [(fuzz.token_set_ratio(lowered, text[at : at + PROBE].lower()), at) for at in range(0, len(text), step)]
