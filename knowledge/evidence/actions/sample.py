"""Sample: from the first files of the ranking to the lines that are evidence.

Every promising file is read; short ones have their best windows found exactly, long ones in DEEP by Monte Carlo
sampling. A window's score without a model is half its words and half its meaning. The order of the files follows what
their windows say: in FAST by their words, in DEEP by their meaning too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from accounts.rules.guard.detection import masked, redact_personal
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.probe import reader
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.adapters.files import UnreadableFile
from knowledge.evidence.rules import briefing, sampling, windows
from knowledge.evidence.rules.ask import Cited
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.windows import Lines, Window

# Files read for their windows, and windows of each that get a vector: some 15 ms a window on one thread.
READ = {ReuseMode.FAST: 12, ReuseMode.DEEP: 24}
PASSAGES = {ReuseMode.FAST: 1, ReuseMode.DEEP: 2}
MOST_EVIDENCE = 5
MOST_OF_A_FILE = 2
# A window nobody would quote; and a file so far behind the first that it is about something else.
LEAST = 0.15
NEAR_THE_BEST = 0.5


@dataclass(frozen=True)
class SampledPassage:
    """A window of a file, with its text as it stands there."""

    file: RankedFile
    window: Window
    text: str
    sha256: str
    heading: str
    cosine: float = 0.0
    judged: float | None = None

    @property
    def score(self) -> float:
        """0–1: what a model judged; else half its words, half its meaning, words alone where there is no vector."""
        if self.judged is not None:
            return self.judged
        words = min(self.window.coverage, 1.0)
        return words if not self.cosine else 0.5 * words + 0.5 * max(self.cosine, 0.0)


def sample(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Fill in `cited`, and put the files that were read in the order of what was read. Raises Cancelled."""
    with inquiry.phase("sample") as told:
        passages = passages_of(inquiry, shelf, inquiry.ranked[: READ[inquiry.ask.mode]])
        passages = ordered(inquiry, passages)
        inquiry.cited = choose(inquiry, score_by_model(inquiry, passages))
        told(f"{len(inquiry.cited)} passages of {len({one.path for one in inquiry.cited})} files")


# Passages a model judges once the files are in order: those of the first files, two for each that may be cited.
MOST_JUDGED = 10


def score_by_model(inquiry: Inquiry, passages: list[SampledPassage]) -> list[SampledPassage]:
    """The passages of the first files with the model's scores, the others as they are."""
    if inquiry.model is None:
        return passages
    first = {file.key: place for place, file in enumerate(inquiry.ranked[: inquiry.ask.top_k])}
    mine = [one for one in passages if one.file.key in first][:MOST_JUDGED]
    scores = model_scores(inquiry, [one.text for one in mine])
    if scores is None:
        return passages
    good = [replace(one, judged=score / 10) for one, score in zip(mine, scores, strict=True)]
    return [one for one in good if one.judged and one.judged * 10 >= sampling.FLOOR]


def passages_of(inquiry: Inquiry, shelf: Shelf, files: Sequence[RankedFile]) -> list[SampledPassage]:
    found: list[SampledPassage] = []
    for file in files:
        inquiry.stop_if_gone()
        if inquiry.late:
            inquiry.notes.down("time", "not every matching file was read")
            break
        try:
            read = shelf.text(inquiry.source(file.source), file.path)
        except UnreadableFile as fault:
            inquiry.notes.down(f"file {file.path}", str(fault))
            continue
        for window in windows_of(inquiry, read.text):
            heading = briefing.heading_above(read.text, window.start)
            text = read.text[window.start : window.end]
            found.append(SampledPassage(file, window, text, read.sha256, heading))
    return found


def windows_of(inquiry: Inquiry, text: str) -> list[Window]:
    """The best windows of one text: exact, by their words; in DEEP, whose scorer is dear, sampled from WHOLE on."""
    count = PASSAGES[inquiry.ask.mode]
    regex, read = reader(inquiry)
    hits = windows.hits(text, regex, read)
    if len(text) <= sampling.WHOLE or inquiry.ask.mode is not ReuseMode.DEEP:
        best = windows.best(text, hits, inquiry.keywords, inquiry.rarity, count)
        return best or [_head(text)]
    starts = sampling.anchors(text, inquiry.ask.text, hits, inquiry.keywords, inquiry.rarity)
    sampled = sampling.sample(text, starts, scorer(inquiry, text), inquiry.rng)
    lines = Lines(text)
    around = [_worth(inquiry, hits, lines.window(probe.start, probe.end)) for probe in sampled.found]
    return windows.apart(around, count)


def _worth(inquiry: Inquiry, hits: Sequence[windows.TermHit], window: Window) -> Window:
    inside = [hit for hit in hits if window.start <= hit.at < window.end]
    total = windows.full_worth(inquiry.keywords, inquiry.rarity)
    worth = windows.worth_of(inside, inquiry.keywords, inquiry.rarity)
    return replace(
        window, coverage=worth / total if total else 0.0, words=frozenset(w for hit in inside for w in hit.words)
    )


def _head(text: str) -> Window:
    return Lines(text).window(0, min(len(text), windows.WINDOW))


def scorer(inquiry: Inquiry, text: str) -> sampling.Scorer:
    """0–10 for windows of one text, from words and meaning."""
    regex, read = reader(inquiry)
    total = windows.full_worth(inquiry.keywords, inquiry.rarity) or 1.0

    def score(spans: Sequence[tuple[int, int]]) -> list[float]:
        inquiry.stop_if_gone()
        found = [windows.hits(text, regex, read, start, end) for start, end in spans]
        worths = [min(1.0, windows.worth_of(hits, inquiry.keywords, inquiry.rarity) / total) for hits in found]
        by_model = model_scores(inquiry, [text[start:end] for start, end in spans])
        if by_model is not None:
            return by_model
        cosines = cosines_of(inquiry, [text[start:end] for start, end in spans])
        return [
            10 * (worth if cosines is None else 0.5 * worth + 0.5 * max(0.0, float(cosines[at])))
            for at, worth in enumerate(worths)
        ]

    return score


def model_scores(inquiry: Inquiry, texts: Sequence[str]) -> list[float] | None:
    """0–10 by the language model; None where there is none, or it is down."""
    if inquiry.model is None or not texts:
        return None
    try:
        return inquiry.model.scores(inquiry.ask.text, texts)
    except LlmDown as down:
        inquiry.notes.down("llm", str(down))
        return None


def cosines_of(inquiry: Inquiry, texts: Sequence[str]) -> np.ndarray | None:
    """None without an embedder."""
    if inquiry.vector is None or not texts:
        return None
    try:
        return np.asarray(current().embed(list(texts)) @ inquiry.vector)
    except EmbedderDown as down:
        inquiry.notes.down("embedder", str(down))
        return None


# Characters of a passage that its vector is made of, its path and heading first: what the model was trained to take in.
EMBEDDED = 700


def ordered(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> list[SampledPassage]:
    """The passages with their cosines, and the files put in the order of what was read. In FAST, where meaning orders
    nothing, only what may be cited gets a vector.
    """
    if inquiry.ask.mode is ReuseMode.DEEP:
        known = with_vectors(inquiry, passages)
        rerank(inquiry, known)
        return known
    rerank(inquiry, passages)
    first = {file.key for file in inquiry.ranked[: inquiry.ask.top_k]}
    return with_vectors(inquiry, [one for one in passages if one.file.key in first])


def with_vectors(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> list[SampledPassage]:
    """With the cosine of each, where there is an embedder."""
    cosines = cosines_of(inquiry, [f"{one.file.path}\n{one.heading}\n{one.text}"[:EMBEDDED] for one in passages])
    if cosines is None:
        return list(passages)
    return [replace(one, cosine=float(cosine)) for one, cosine in zip(passages, cosines, strict=True)]


# What a file's best window adds to what its content and name are worth; see `manage.py evaluate evidence`.
BY_WINDOW = 0.3
BY_MEANING = {ReuseMode.FAST: 0.0, ReuseMode.DEEP: 1.5}


def rerank(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> None:
    """Put the files that were read in the order of words, name, best window and meaning together."""
    best: dict[tuple[str, str], SampledPassage] = {}
    meaning: dict[tuple[str, str], float] = {}
    for one in passages:
        key = one.file.key
        if key not in best or one.window.coverage > best[key].window.coverage:
            best[key] = one
        meaning[key] = max(meaning.get(key, 0.0), one.cosine)
    read = []
    for file in inquiry.ranked[: READ[inquiry.ask.mode]]:
        found = best.get(file.key)
        window = BY_WINDOW * min(1.0, found.window.coverage) if found else 0.0
        window += BY_MEANING[inquiry.ask.mode] * meaning.get(file.key, 0.0)
        read.append(replace(file, score=file.score + window, window=window))
    rest = inquiry.ranked[READ[inquiry.ask.mode] :]
    inquiry.ranked = sorted(read, key=lambda one: (-one.score, one.source, one.path)) + rest


def choose(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> list[Cited]:
    """The passages to cite: of the first `top_k` files that are near the best, the strongest first, few of each."""
    least = NEAR_THE_BEST * max((file.score for file in inquiry.ranked[:1]), default=0.0)
    first = [file.key for file in inquiry.ranked[: inquiry.ask.top_k] if file.score >= least]
    worth = {key: 0.5 / (1 + place) for place, key in enumerate(first)}
    top = [one for one in passages if one.file.key in worth and max(one.score, one.window.coverage) >= LEAST]
    top.sort(key=lambda one: -(one.score + worth[one.file.key]))
    taken: list[SampledPassage] = []
    for one in top:
        if sum(other.file.key == one.file.key for other in taken) < MOST_OF_A_FILE:
            taken.append(one)
    return [cited(inquiry, one) for one in taken[:MOST_EVIDENCE]]


def cited(inquiry: Inquiry, one: SampledPassage) -> Cited:
    """What is shown and kept: no secret and nobody's address in it."""
    clean = redact_personal(masked(one.text))[0]
    return Cited(
        source=one.file.source,
        path=one.file.path,
        start_line=one.window.start_line,
        end_line=one.window.end_line,
        summary=briefing.summary(clean, inquiry.keywords, inquiry.rarity),
        text=clean,
        score=round(min(1.0, one.score), 4),
        sha256=one.sha256,
        text_sha256=sha256(one.text.encode()).hexdigest(),
        heading=one.heading,
        cosine=round(one.cosine, 4),
        coverage=round(one.window.coverage, 4),
        judged=one.judged,
    )
