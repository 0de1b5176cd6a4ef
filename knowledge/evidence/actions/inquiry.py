"""One search on its way through the phases: what is asked, of which sources, until when, and what is known so far."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from random import Random
from typing import Any

import numpy as np

from accounts.rules.guard.detection import masked
from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions.read import SourceRoot, source_root
from knowledge.evidence.adapters.files import FileScan
from knowledge.evidence.adapters.git import NoTree
from knowledge.evidence.adapters.grep import TermPlace
from knowledge.evidence.adapters.listing import FileList
from knowledge.evidence.adapters.streams import StreamMatch
from knowledge.evidence.adapters.synthesiser import Synthesiser
from knowledge.evidence.models import KnowledgeCluster, Source
from knowledge.evidence.rules.ask import Cited, EvidenceQuestion, InquiryStep, Notes, Phase, standalone
from knowledge.evidence.rules.coverage import TermWeights
from knowledge.evidence.rules.disagreement import Disagreement
from knowledge.evidence.rules.keywords import Census, Keywords, extract, joined
from knowledge.evidence.rules.ranking import RankedFile
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.scope import SHORT, BadPath, SearchScope, clean_path
from knowledge.evidence.rules.tokens import exact_terms, named_things
from knowledge.evidence.rules.windows import Finder

# Seconds a search may take in all; what is missing by then is said in `degraded`.
SECONDS = {ReuseMode.FILENAME_ONLY: 5.0, ReuseMode.FAST: 20.0, ReuseMode.DEEP: 60.0}
# Of that, to write the files of a repository's newest commit; the hourly check goes on where this is not enough.
CHECKOUT = 12.0
# More with a model: each of its calls takes seconds.
WITH_A_MODEL = 60.0


class NoEvidenceQuestion(Refused):
    code = "invalid"
    detail = "The question is empty."


class NoSuchSource(Refused):
    code = "invalid"
    detail = "Unknown source."


class NoSuchPath(Refused):
    code = "invalid"
    detail = "No such path in the sources."


class Cancelled(Exception):
    """The caller has disconnected."""


Progress = Callable[[Phase], None]
# Source and path.
FileKey = tuple[str, str]


def quiet(phase: Phase) -> None:
    pass


def waiting() -> bool:
    return False


@dataclass
class Inquiry:
    """`ends` is on time.monotonic; `gone` tells whether the caller has left."""

    ask: EvidenceQuestion
    by: Member
    now: datetime
    sources: list[Source]
    keywords: Keywords
    exact: tuple[str, ...]
    # Names in the question: what does not have them is likely about another thing of the kind.
    things: tuple[str, ...]
    rng: Random
    ends: float
    gone: Callable[[], bool]
    progress: Progress
    # Whether the question had what looks like a secret: as kept it could not be told from others, so it is not.
    has_secret: bool = False
    notes: Notes = field(default_factory=Notes)
    phases: list[Phase] = field(default_factory=list)
    vector: np.ndarray | None = None
    # Where the files of each source lie, as they were found when the search began.
    roots: dict[str, SourceRoot] = field(default_factory=dict)
    # Of each source that could be entered, before anything of it was read.
    listings: dict[str, FileList] = field(default_factory=dict)
    # Files that the answer of before has not seen as they are now.
    uncovered: list[tuple[str, str]] = field(default_factory=list)
    scans: dict[str, FileScan] = field(default_factory=dict)
    # (source, path) of documents that cannot be read → why.
    unread: dict[tuple[str, str], str] = field(default_factory=dict)
    # (source, path) of documents whose text is kept → its hash.
    documents: dict[tuple[str, str], str] = field(default_factory=dict)
    census: dict[str, Census] = field(default_factory=dict)
    rarity: dict[str, float] = field(default_factory=dict)
    weights: TermWeights = field(default_factory=lambda: TermWeights({}))
    ranked: list[RankedFile] = field(default_factory=list)
    # Places of exact and of large files' terms, to be read when they may be cited; and texts that went by as streams.
    places: dict[FileKey, list[TermPlace]] = field(default_factory=dict)
    spots: dict[FileKey, list[StreamMatch]] = field(default_factory=dict)
    generated: set[FileKey] = field(default_factory=set)
    # Of the first files: what each says it is about, and how near that is to the question.
    heads: dict[FileKey, str] = field(default_factory=dict)
    head_cosines: dict[FileKey, float] = field(default_factory=dict)
    best_content: dict[str, float] = field(default_factory=dict)
    exact_in: dict[FileKey, frozenset[str]] = field(default_factory=dict)
    # Text → its cosine to the question. The same passages are looked at again where the first look found too little.
    cosines: dict[str, float] = field(default_factory=dict)
    # A cited file that another says it takes the place of → that one.
    superseded: dict[FileKey, FileKey] = field(default_factory=dict)
    cited: list[Cited] = field(default_factory=list)
    nearest: list[Cited] = field(default_factory=list)
    # Of cited files that say different things: which, and what.
    disagreement: Disagreement | None = None
    # The number of a cited passage whose file is of a later day than that of another of its series, and of that one.
    newer: tuple[int, int] | None = None
    hints: list[KnowledgeCluster] = field(default_factory=list)
    # Clusters whose question is near this one in other words: a search that tells the same adds the question to one.
    reworded: list[KnowledgeCluster] = field(default_factory=list)
    # The reference of a cluster that the search is to renew, whatever others answer the question.
    renews: str = ""
    steps: list[InquiryStep] = field(default_factory=list)
    model: Synthesiser | None = None
    _finder: tuple[Keywords, Finder] | None = None

    @property
    def finder(self) -> Finder:
        """Finds the question's words in texts, those it has by now."""
        if self._finder is None or self._finder[0] is not self.keywords:
            self._finder = self.keywords, Finder(self.keywords)
        return self._finder[1]

    def root(self, source: Source) -> SourceRoot:
        """Where the files of a source lie. Raises NoTree."""
        if source.slug not in self.roots:
            self.roots[source.slug] = source_root(source, ends=min(self.ends, time.monotonic() + CHECKOUT))
        return self.roots[source.slug]

    def commit(self, slug: str) -> str:
        """The commit of a repository that is searched; "" for a folder."""
        return self.roots[slug].commit if slug in self.roots else ""

    def source(self, slug: str) -> Source:
        return next(source for source in self.sources if source.slug == slug)

    def scopes(self, source: Source) -> list[SearchScope]:
        return [SearchScope(tuple(source.include), tuple(source.exclude)), self.ask.scope]

    def stop_if_gone(self) -> None:
        if self.gone():
            raise Cancelled("The caller has disconnected.")

    @property
    def late(self) -> bool:
        return time.monotonic() > self.ends

    @contextmanager
    def phase(self, name: str) -> Iterator[Callable[[str], None]]:
        """Time a phase; what is told within is what it found. Raises Cancelled before it begins."""
        self.stop_if_gone()
        told: list[str] = []
        began = time.perf_counter()
        yield told.append
        done = Phase(name, round((time.perf_counter() - began) * 1000, 2), told[-1] if told else "")
        self.phases.append(done)
        self.progress(done)


def begin(
    *, ask: EvidenceQuestion, by: Member, now: datetime, progress: Progress = quiet, gone: Callable[[], bool] = waiting
) -> Inquiry:
    """An inquiry into the sources the member sees. Raises NothingAsked, NoSuchSource, NoSuchPath."""
    raw, text = ask.text.strip(), masked(ask.text).strip()
    if not text:
        raise NoEvidenceQuestion(errors={"query": ["The question contains no searchable words."]})
    ask = replace(ask, text=text, paths=_paths(ask), history=tuple(masked(one) for one in ask.history))
    ends = time.monotonic() + SECONDS[ask.mode]
    model = None
    if ask.mode is ReuseMode.DEEP:  # FAST is what it says: no call of a model, whatever is configured
        model = Synthesiser.configured(budget=ask.max_tokens, ends=ends + WITH_A_MODEL, gone=gone)
    notes = Notes()
    ask = replace(ask, text=_standalone(ask, model, notes))
    # What looks like a secret is looked for as it stands: it never leaves this process, and is not shown.
    has_secret = raw != text
    text = standalone(raw, ask.history) if has_secret and ask.history else raw if has_secret else ask.text
    keywords = _keywords(text)
    seed = int.from_bytes(sha256(text.encode()).digest()[:8])
    return Inquiry(
        ask=ask,
        by=by,
        now=now,
        sources=_sources(ask, by),
        keywords=keywords,
        exact=exact_terms(text),
        things=named_things(text, keywords.language),
        rng=Random(seed),
        has_secret=has_secret,
        ends=ends + (WITH_A_MODEL if model else 0.0),
        model=model,
        gone=gone,
        progress=progress,
        notes=notes,
    )


def open_sources(inquiry: Inquiry) -> None:
    """Find out at which commit each repository is searched. One that cannot be read is left out, and named."""
    repositories = [source for source in inquiry.sources if source.revision]
    if not repositories:
        return
    with inquiry.phase("checkout") as told:
        for source in repositories:
            try:
                inquiry.root(source)
            except NoTree as fault:
                inquiry.notes.down(f"source {source.slug}", str(fault))
                inquiry.sources.remove(source)
        told(", ".join(f"{slug} at {root.commit[:SHORT]}" for slug, root in inquiry.roots.items()) or "none")


def _standalone(ask: EvidenceQuestion, model: Synthesiser | None, notes: Notes) -> str:
    """The question as it can be understood without those before it: by the model, or joined to the last one."""
    if not ask.history:
        return ask.text
    if model is not None:
        try:
            return model.rewrite(ask.text, ask.history)
        except LlmDown as down:
            notes.down("llm", str(down))
    return standalone(ask.text, ask.history)


def _keywords(text: str) -> Keywords:
    """With every exact term among them, as a word or as an identifier."""
    keywords = extract(text)
    known = {*keywords.words, *keywords.identifiers}
    return joined(keywords, {}, [term.lower() for term in exact_terms(text) if term.lower() not in known])


def _paths(ask: EvidenceQuestion) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(clean_path(path) for path in ask.paths))
    except BadPath as bad:
        raise NoSuchPath(errors={"paths": [str(bad)]}) from bad


def _sources(ask: EvidenceQuestion, by: Member) -> list[Source]:
    seen = Source.objects.all().searched_by(by)
    if not ask.sources:
        return seen
    known = {source.slug for source in seen}
    unknown = [slug for slug in ask.sources if slug not in known]
    if unknown:
        raise NoSuchSource(errors={"sources": [f"You have no source '{slug[:60]}'." for slug in unknown]})
    return [source for source in seen if source.slug in ask.sources]


def phases_as_data(phases: list[Phase]) -> list[dict[str, Any]]:
    return [{"name": one.name, "took_ms": one.took_ms, "found": one.found} for one in phases]
