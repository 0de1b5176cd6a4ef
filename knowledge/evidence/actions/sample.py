"""Sample: from the first files of the ranking to the lines that are evidence.

Every promising file is read; short ones have their best windows found exactly, long ones in DEEP by Monte Carlo
sampling. A window's score without a model is half its words and half its meaning. The order of the files follows what
their windows say: in FAST by their words, in DEEP by their meaning too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from accounts.rules.guard.detection import masked, redact_personal
from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.read import Shelf
from knowledge.evidence.actions.spans import (
    BY_HEAD,
    PASSAGES,
    cosines_of,
    found_of,
    header,
    is_long,
    meaning_counts,
    near_heads,
    order_by_heads,
    raise_long_files,
    spans,
    windows_of,
)
from knowledge.evidence.adapters.files import UnreadableFile
from knowledge.evidence.rules import briefing, coverage, ranking, sampling, tokens, windows
from knowledge.evidence.rules.ask import Cited
from knowledge.evidence.rules.confidence import Signs, is_found, is_located, surest, unnamed_share
from knowledge.evidence.rules.generated import asks_for, is_generated_name, is_generated_text
from knowledge.evidence.rules.languages import ENGLISH, is_in_another
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.rows import RowKind, is_table, row_kind
from knowledge.evidence.rules.windows import Window

# Files read for their windows.
READ = {ReuseMode.FAST: 12, ReuseMode.DEEP: 24}
MOST_EVIDENCE = 5
MOST_OF_A_FILE = 2
# A window nobody would quote; and a file so far behind the first that it is about something else.
LEAST = 0.15
NEAR_THE_BEST = 0.5


@dataclass(frozen=True)
class SampledPassage:
    """A window of a file, with its text as it stands there; `header`: of the table that its text are rows of."""

    file: RankedFile
    window: Window
    text: str
    sha256: str
    heading: str
    cosine: float = 0.0
    judged: float | None = None
    header: str = ""

    @property
    def score(self) -> float:
        """0–1: what a model judged; else half its words, half its meaning, words alone where there is no vector."""
        if self.judged is not None:
            return self.judged
        words = min(self.window.coverage, 1.0)
        return words if not self.cosine else 0.5 * words + 0.5 * max(self.cosine, 0.0)


def sample(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Fill in `cited`, and put the files that were read in the order of what was read. Raises Cancelled."""
    read = READ[inquiry.ask.mode]
    with inquiry.phase("sample") as told:
        raise_long_files(inquiry, read)
        if inquiry.ask.mode is ReuseMode.DEEP:
            order_by_heads(inquiry)
        passages = _read_first(inquiry, shelf, read)
        before = inquiry.ranked
        inquiry.cited = choose(inquiry, score_by_model(inquiry, ordered(inquiry, passages)))
        if inquiry.ask.mode is ReuseMode.FAST and not is_found(surest(one.signs for one in inquiry.cited)):
            _look_again(inquiry, shelf, passages, before)
        told(f"{len(inquiry.cited)} passages of {len({one.path for one in inquiry.cited})} files")


def _look_again(inquiry: Inquiry, shelf: Shelf, passages: list[SampledPassage], before: list[RankedFile]) -> None:
    """Choose and order files by meaning as well, as DEEP does: the question may have been asked in other words. That
    costs a vector for each head and passage, and only a question without an answer waits for it: of twelve answers of
    .45 to .6 eleven were right.
    """
    first, after = inquiry.cited, inquiry.ranked
    inquiry.ranked = before
    order_by_heads(inquiry)
    read = {one.file.key for one in passages}
    new = [file for file in inquiry.ranked[: READ[ReuseMode.FAST]] if file.key not in read]
    known = with_vectors(inquiry, [*passages, *passages_of(inquiry, shelf, new)])
    rerank(inquiry, known, BY_MEANING[ReuseMode.DEEP])
    inquiry.cited = choose(inquiry, known)
    sure, before_sure = (surest(one.signs for one in some) for some in (inquiry.cited, first))
    if sure < before_sure:
        inquiry.cited, inquiry.ranked = first, after


# Passages a model judges, in one call: the best of each of the first files, then the second best.
MOST_JUDGED = 10
FIRST_JUDGED = 7


def score_by_model(
    inquiry: Inquiry, passages: list[SampledPassage], read: Sequence[tuple[str, str]] = ()
) -> list[SampledPassage]:
    """The passages of the first files with the model's scores, the others as they are. What was `read` by its wish is
    judged before all others.
    """
    if inquiry.model is None:
        return passages
    keys = list(dict.fromkeys([*read, *(file.key for file in inquiry.ranked)]))
    place = {key: at for at, key in enumerate(keys)}
    by_place = sorted(passages, key=lambda one: place[one.file.key])  # stable: the best of a file stays before the next
    best = list({one.file.key: one for one in reversed(by_place)}.values())[::-1]
    first = best[: max(FIRST_JUDGED, len(read))]
    more = [one for one in by_place if one not in first]
    mine = [*first, *more][:MOST_JUDGED]
    scores = model_scores(inquiry, [one.text for one in mine])
    if scores is None:
        return passages
    good = [replace(one, judged=score / 10) for one, score in zip(mine, scores, strict=True)]
    return [one for one in good if one.judged and one.judged * 10 >= sampling.FLOOR]


# Files that are read although time is over: without them all that was found before is for nothing.
READ_LATE = 3


# Generated files that others take the places of, among the first ones: each costs the reading of a file.
MOST_DROPPED = 100


def _read_first(inquiry: Inquiry, shelf: Shelf, read: int) -> list[SampledPassage]:
    """The passages of the first `read` files that no tool wrote for tools; those come last in the ranking."""
    passages = passages_of(inquiry, shelf, inquiry.ranked[:read])
    looked_at = read
    while looked_at < read + MOST_DROPPED:
        dropped = sum(file.key in inquiry.generated for file in inquiry.ranked[:looked_at])
        new = inquiry.ranked[looked_at : read + dropped]
        if not new or inquiry.late:
            break
        passages += passages_of(inquiry, shelf, new)
        looked_at = read + dropped
    if inquiry.generated:
        inquiry.ranked = sorted(inquiry.ranked, key=lambda file: file.key in inquiry.generated)
    return passages


def passages_of(inquiry: Inquiry, shelf: Shelf, files: Sequence[RankedFile]) -> list[SampledPassage]:
    found: list[SampledPassage] = []
    for place, file in enumerate(files):
        inquiry.stop_if_gone()
        if inquiry.late and place >= READ_LATE:
            inquiry.notes.down("time", "not every matching file was read")
            break
        try:
            found += _passages(inquiry, shelf, file)
        except UnreadableFile as fault:
            inquiry.notes.down(f"file {file.path}", str(fault))
            inquiry.notes.skip(file.path, str(fault))
    return found


def _passages(inquiry: Inquiry, shelf: Shelf, file: RankedFile) -> list[SampledPassage]:
    """The best windows of one file. Raises Unreadable."""
    source, found = inquiry.source(file.source), found_of(inquiry, file)
    long = is_long(inquiry, file)
    given: list[SampledPassage] = []
    if long:
        for span in spans(inquiry, file):
            given += _cut(inquiry, file, span.text, span.line, span.sha256, 1)
    deep = inquiry.ask.mode is ReuseMode.DEEP and found is not None and found.size <= source.largest_file
    if not long or deep:
        read = shelf.text(source, file.path)
        given += _cut(inquiry, file, read.text, 1, read.sha256, PASSAGES[inquiry.ask.mode])
    return _distinct(given)


def _cut(inquiry: Inquiry, file: RankedFile, text: str, line: int, digest: str, count: int) -> list[SampledPassage]:
    """Windows of a text that begins in this line of the file; none of one that tools wrote for tools."""
    if (is_generated_name(file.path) or is_generated_text(text)) and not _is_asked_for(inquiry, file):
        inquiry.generated.add(file.key)
        return []
    kind = row_kind(file.path, text)
    top = ""
    if kind is RowKind.TABLE:
        top = text.split("\n", 1)[0].strip() if line == 1 else header(inquiry, file.key)
    given = []
    for window in windows_of(inquiry, text, kind, count):
        if kind is RowKind.PROSE:
            window = windows.whole_sentences(text, window)
        heading = top or ("" if kind is RowKind.LOG else briefing.heading_above(text, window.start, file.path))
        placed = replace(window, start_line=window.start_line + line - 1, end_line=window.end_line + line - 1)
        inner = text[window.start : window.end]
        rows = top if kind is RowKind.TABLE and placed.start_line > 1 else ""
        given.append(SampledPassage(file, placed, inner, digest, heading, header=rows))
    return given


def _is_asked_for(inquiry: Inquiry, file: RankedFile) -> bool:
    """Whether a generated file may answer: the question or its paths name it, or it alone has an exact term."""
    return asks_for(file.path, inquiry.ask.text) or set(inquiry.exact_in) == {file.key}


def _distinct(passages: Sequence[SampledPassage]) -> list[SampledPassage]:
    """Without windows whose lines another, better one has."""
    kept: list[SampledPassage] = []
    for one in sorted(passages, key=lambda passage: -passage.window.coverage):
        first, last = one.window.start_line, one.window.end_line
        if all(last < other.window.start_line or first > other.window.end_line for other in kept):
            kept.append(one)
    return kept


def model_scores(inquiry: Inquiry, texts: Sequence[str]) -> list[float] | None:
    """0–10 by the language model; None where there is none, or it is down."""
    if inquiry.model is None or not texts:
        return None
    try:
        return inquiry.model.scores(inquiry.ask.text, texts)
    except LlmDown as down:
        inquiry.notes.down("llm", str(down))
        return None


# Characters of a passage that its vector is made of, its path and heading first: what the model was trained to take in.
EMBEDDED = 700


def ordered(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> list[SampledPassage]:
    """The passages with their cosines, and the files put in the order of what was read. In FAST, where meaning orders
    only files that words do not tell apart, by their heads, a passage gets a vector only if it may be cited.
    """
    if inquiry.ask.mode is ReuseMode.DEEP:
        known = with_vectors(inquiry, passages)
        rerank(inquiry, known)
        return known
    rerank(inquiry, passages)
    if ranking.is_close(inquiry.ranked, inquiry.ask.most_files):
        read = READ[inquiry.ask.mode]
        near = near_heads(inquiry, [one for one in inquiry.ranked[:read] if one.key not in inquiry.generated])
        inquiry.ranked = ranking.with_meaning(inquiry.ranked[:read], near) + inquiry.ranked[read:]
    first = {file.key for file in _first(inquiry, passages)}
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


def rerank(inquiry: Inquiry, passages: Sequence[SampledPassage], by_meaning: float | None = None) -> None:
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
        if found and is_long(inquiry, file):
            file = _by_window(inquiry, file, found)
        if file.key in inquiry.generated:
            file = replace(file, score=ranking.GENERATED * file.score)
        window = BY_WINDOW * min(1.0, found.window.coverage) if found else 0.0
        by = BY_MEANING[inquiry.ask.mode] if by_meaning is None else by_meaning
        near = by * meaning.get(file.key, 0.0) + bool(by) * BY_HEAD * inquiry.head_cosines.get(file.key, 0.0)
        window += meaning_counts(inquiry) * near
        if found and is_in_another(found.text, inquiry.keywords.language):
            file = replace(file, score=ranking.ELSEWHERE * file.score, content=ranking.ELSEWHERE * file.content)
        held = file.score if inquiry.keywords.language == ENGLISH else ranking.in_other_language(file)
        read.append(replace(file, score=held + window, window=window))
    rest = inquiry.ranked[READ[inquiry.ask.mode] :]
    inquiry.ranked = sorted(read, key=lambda one: (-one.score, one.source, one.path)) + rest


def _by_window(inquiry: Inquiry, file: RankedFile, best: SampledPassage) -> RankedFile:
    """A long file with what its best window is worth as a text by itself, where that is more."""
    counts = Counter(inquiry.finder.words(best.text))
    sizes = [size for scanned in inquiry.scans.values() for size in scanned.sizes.values()]
    worth = ranking.window_score(counts, inquiry.rarity, len(best.text), sum(sizes) / max(1, len(sizes)))
    content = worth / (inquiry.best_content.get(file.source) or worth or 1.0)
    gained = max(0.0, content - file.content)
    return replace(file, score=file.score + gained, content=file.content + gained)


def _first(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> list[RankedFile]:
    """The first `top_k` files that say different things."""
    texts = {one.file.key: one.text for one in reversed(passages)}
    return ranking.distinct(inquiry.ranked[: READ[inquiry.ask.mode]], texts, inquiry.ask.most_files)


def choose(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> list[Cited]:
    """The passages to cite: of the first `top_k` files that are near the best, the strongest first, few of each."""
    if any(one.judged is not None for one in passages):
        return _choose_judged(inquiry, passages)
    least = NEAR_THE_BEST * max((file.score for file in inquiry.ranked[:1]), default=0.0)
    first = [file.key for file in _first(inquiry, passages) if file.score >= least]
    worth = {key: 0.5 / (1 + place) for place, key in enumerate(first)}
    top = [one for one in passages if one.file.key in worth and max(one.score, one.window.coverage) >= LEAST]
    top.sort(key=lambda one: -(one.score + worth[one.file.key]))
    taken = ranking.few_of_each([one.file.key for one in top], MOST_OF_A_FILE, MOST_EVIDENCE)
    found = [cited(inquiry, top[at]) for at in taken]
    # Beside the place of what was copied into the question, what has only its other words is about something else.
    if any(one.signs and one.signs.located for one in found):
        return [one for one in found if one.signs and one.signs.exact]
    return found


def _choose_judged(inquiry: Inquiry, passages: Sequence[SampledPassage]) -> list[Cited]:
    """Those a model found best, whatever their files' place in the ranking was; their files come first in it now."""
    taken: list[SampledPassage] = []
    for one in sorted(passages, key=lambda one: -(one.judged or 0.0)):
        files = {other.file.key for other in taken}
        if one.file.key not in files and len(files) == inquiry.ask.most_files:
            continue
        if sum(other.file.key == one.file.key for other in taken) < MOST_OF_A_FILE:
            taken.append(one)
    first = {one.file.key: at for at, one in reversed(list(enumerate(taken)))}
    inquiry.ranked = sorted(inquiry.ranked, key=lambda file: first.get(file.key, len(taken)))
    return [cited(inquiry, one) for one in taken[:MOST_EVIDENCE]]


def cited(inquiry: Inquiry, one: SampledPassage) -> Cited:
    """What is shown and kept: no secret and nobody's address in it."""
    told = f"{one.header}\n{one.text}" if one.header else one.text
    clean, heading = (redact_personal(masked(text))[0] for text in (told, one.heading))
    return Cited(
        source=one.file.source,
        path=one.file.path,
        start_line=one.window.start_line,
        end_line=one.window.end_line,
        summary=briefing.summary(clean, inquiry.keywords, inquiry.rarity, is_table=is_table(one.file.path)),
        text=clean,
        score=round(min(1.0, one.score), 4),
        sha256=one.sha256,
        text_sha256=sha256(one.text.encode()).hexdigest(),
        heading=heading,
        cosine=round(one.cosine, 4),
        coverage=round(one.window.coverage, 4),
        judged=one.judged,
        signs=_signs(inquiry, one),
        commit=inquiry.commit(one.file.source),
    )


def _signs(inquiry: Inquiry, one: SampledPassage) -> Signs:
    """What speaks for this passage as the answer; a path that the question spells out is part of it."""
    finder = inquiry.finder
    is_spelled = any(term.lower() in one.file.path.lower() for term in inquiry.exact)
    told = f"{one.file.path}\n{one.text}" if is_spelled else one.text
    found = windows.with_exact(finder.hits(told), told, inquiry.exact)
    titles = f"{one.file.path} {one.heading} {inquiry.heads.get(one.file.key, '')}"
    name = finder.words(titles)
    weights = inquiry.weights
    said = {word for hit in found for word in hit.words}.union(name)
    things = [words[0] for thing in inquiry.things if (words := finder.read(thing)) and words[0] in weights.weights]
    held = tokens.share_held(inquiry.exact, told)
    copied = [term.lower() for term in inquiry.exact if tokens.names_one_thing(term)]
    asked = {word for term in copied for word in (term, *finder.read(term))}
    places = [sum(some.counted(term) for some in inquiry.census.values()) for term in copied]
    return Signs(
        coverage=round(weights.share(said), 4),
        tight=round(coverage.tightest(found, weights), 4),
        absent=round(weights.share(weights.absent), 4),
        unnamed=round(unnamed_share(sum(thing not in said for thing in things), len(things), len(weights.weights)), 4),
        cosine=None if inquiry.vector is None else round(one.cosine, 4),
        exact=held,
        located=is_located(weights.share(asked), held, places),
    )
