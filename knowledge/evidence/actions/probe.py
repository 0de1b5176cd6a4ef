"""Probe: the first phases of a search, each doing at once what can be done at once.

Phase 1: names and sizes of all files, the words of the question counted in them, its vector, clusters that are near.
Phase 2: content and structure, and their fusion. What needs rows runs in the caller's thread, the rest beside it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.adapters.llm import LlmDown
from knowledge.evidence.actions.inquiry import Inquiry
from knowledge.evidence.actions.locate import beginnings, locate_exact, locate_words, short_words, stream, unpacked
from knowledge.evidence.actions.read import Shelf, digests, scan_source
from knowledge.evidence.adapters.documents import UNREAD_FORMAT, is_rich, is_unread
from knowledge.evidence.adapters.encodings import foreign_files
from knowledge.evidence.adapters.files import (
    LATE,
    MANY,
    FileScan,
    FoundFiles,
    SourceGone,
    UnreadableFile,
    folder_of,
)
from knowledge.evidence.adapters.grep import GrepDown, GrepStopped, Located, matched_words
from knowledge.evidence.adapters.streams import COMMON, is_archive, is_packed
from knowledge.evidence.models import Document, KnowledgeCluster, Source
from knowledge.evidence.querysets import TagQuerySet
from knowledge.evidence.rules import ranking, reuse
from knowledge.evidence.rules.coverage import term_weights
from knowledge.evidence.rules.generated import asks_for, is_generated_name
from knowledge.evidence.rules.keywords import (
    Census,
    Keywords,
    census,
    companions,
    joined,
    pattern,
    with_real_parts,
)
from knowledge.evidence.rules.reuse import ReuseMode
from knowledge.evidence.rules.scope import NEVER
from knowledge.evidence.rules.tokens import holds
from knowledge.evidence.rules.windows import compiled
from knowledge.models import Anchor
from knowledge.retrieval.rules import bm25

# Threads beside the caller's: one for names, one for words, one for the vector.
BESIDE = 3
MOST_HINTS = 5
# Documents that nobody has read yet, per search: each is a program started. The hourly job reads the rest.
NEW_DOCUMENTS = 20

Blocks = list[tuple[str, Mapping[str, int]]]


def probe(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Fill in scans, counts, vector and hints. Raises Cancelled."""
    with inquiry.phase("probe") as told, ThreadPoolExecutor(max_workers=BESIDE) as pool:
        vector = pool.submit(_vector, inquiry)
        scans = {source.slug: pool.submit(_scan, inquiry, source) for source in inquiry.sources}
        inquiry.keywords = widened(inquiry)
        counted = inquiry.sources if _counts(inquiry) else []
        words = {source.slug: pool.submit(_words, inquiry, source) for source in counted}
        exact = {source.slug: pool.submit(_exact, inquiry, source, scans[source.slug]) for source in counted}
        inquiry.vector = vector.result()
        inquiry.hints = _hints(inquiry)
        for source in inquiry.sources:
            _join(inquiry, source, scans[source.slug], words.get(source.slug), exact.get(source.slug), shelf)
        _weigh(inquiry)
        files = sum(len(one.files) for one in inquiry.scans.values())
        told(
            f"{files:,} files, {len(inquiry.rarity)} of {len(inquiry.keywords.words)} words, {len(inquiry.hints)} hints"
        )


# Files whose heads are looked at, some .1 ms each to read, once. Of 300 questions in the words of tldr pages the manual
# page is among the first sixty for .86, and for .83 where sixty heads were looked at.
HEADS = 120


def rank(*, inquiry: Inquiry, shelf: Shelf) -> None:
    """Fill in `ranked`. Raises Cancelled."""
    with inquiry.phase("rank") as told, ThreadPoolExecutor(max_workers=BESIDE) as pool:
        lists = []
        for source in inquiry.sources:
            found = inquiry.scans.get(source.slug)
            if found is None:
                continue
            structure = pool.submit(ranking.structure_scores, list(found.files), inquiry.keywords)
            mentioned = pool.submit(ranking.mentions, inquiry.ask.text, list(found.files))
            counted = inquiry.census.get(source.slug)
            content = ranking.content_scores(counted, inquiry.rarity, found.sizes) if counted else {}
            exact = {path: terms for (slug, path), terms in inquiry.exact_in.items() if slug == source.slug}
            asked = inquiry.weights.share(term.lower() for term in inquiry.exact)
            telling = ranking.exact_scores(exact, inquiry.exact, len(found.files), asked)
            scores = (content, structure.result(), mentioned.result(), telling)
            lists.append(ranking.fused(source.slug, inquiry.ask.text, *scores))
            inquiry.best_content[source.slug] = max(content.values(), default=0.0)
        inquiry.ranked = ranking.merged(lists)
        if inquiry.ask.mode is not ReuseMode.FILENAME_ONLY:
            _rank_by_heads(inquiry, shelf)
        best = inquiry.ranked[0].path if inquiry.ranked else "nothing"
        told(f"{len(inquiry.ranked):,} files match, first {best}")


def _rank_by_heads(inquiry: Inquiry, shelf: Shelf) -> None:
    """Put the first files in order by what they say they are about, too."""
    first = inquiry.ranked[:HEADS]
    finder = inquiry.finder
    shares = {}
    for file in first:
        found = inquiry.scans[file.source].files[file.path]
        head = inquiry.heads[file.key] = shelf.head(inquiry.source(file.source), found)
        shares[file.key] = inquiry.weights.share(finder.words(head))
    inquiry.ranked = [*ranking.with_heads(first, shares), *inquiry.ranked[HEADS:]]


# What a team's own tags or a model add to the question counts less than its own words.
TAGGED = 0.3
BY_MODEL = 0.6


def widened(inquiry: Inquiry) -> Keywords:
    """The question's words with those that go with them in the team's tags, and those a model would look for."""
    words = inquiry.keywords
    words = joined(words, {term: TAGGED for tag in _tags(inquiry) for term in bm25.terms(tag)})
    if inquiry.model is None:
        return words
    try:
        told = inquiry.model.keywords(inquiry.ask.text)
    except LlmDown as down:
        inquiry.notes.down("llm", str(down))
        return words
    named = [word for level in told.levels for word in level]
    added = {term: BY_MODEL for word in named for term in bm25.terms(word)}
    added |= {term: TAGGED for word in told.other for term in bm25.terms(word) if term not in added}
    return joined(words, added)


def _tags(inquiry: Inquiry) -> list[str]:
    """What the teams' insights are tagged with beside the question's words."""
    asked = set(re.findall(r"[\w-]{2,}", inquiry.ask.text.lower()))
    tags = TagQuerySet(Anchor)
    having = tags.with_tags(asked, {source.team_id for source in inquiry.sources})
    return companions(having, tags.tags_of({insight for _, insight in having}) if having else [])


def _counts(inquiry: Inquiry) -> bool:
    return inquiry.ask.mode is not ReuseMode.FILENAME_ONLY and bool(pattern(inquiry.keywords))


def _vector(inquiry: Inquiry) -> np.ndarray | None:
    if inquiry.vector is not None or inquiry.ask.mode is ReuseMode.FILENAME_ONLY:
        return inquiry.vector
    try:
        return np.asarray(current().embed([inquiry.ask.text])[0])
    except EmbedderDown as down:
        inquiry.notes.down("embedder", str(down))
        return None


def _scan(inquiry: Inquiry, source: Source) -> FileScan | None:
    try:
        root = inquiry.root(source)
        found = scan_source(source, root, scopes=inquiry.scopes(source), ends=inquiry.ends, gone=inquiry.gone)
        if inquiry.ask.mode is not ReuseMode.FILENAME_ONLY:
            found.foreign = foreign_files(*root.at, source.pk, found.files)
        return found
    except SourceGone as gone:
        inquiry.notes.down(f"source {source.slug}", f"its folder is {gone}")
        return None


def _words(inquiry: Inquiry, source: Source) -> Blocks | None:
    """The matched words of every plain file that is not too large; None without ripgrep."""
    found: Blocks = []
    try:
        for block in matched_words(
            folder=folder_of(*inquiry.root(source).at),
            pattern=pattern(inquiry.keywords),
            largest=source.largest_file,
            skip=NEVER,
            ends=inquiry.ends,
            gone=inquiry.gone,
        ):
            found.append(block)
    except SourceGone:
        return []
    except GrepDown as down:
        inquiry.notes.down("ripgrep", str(down))
        return None
    except GrepStopped as stopped:  # what was printed by then stands
        inquiry.stop_if_gone()
        inquiry.notes.down("ripgrep", str(stopped))
    return found


def _exact(inquiry: Inquiry, source: Source, scanned: "Future[FileScan | None]") -> Located | None:
    found = scanned.result()
    # As the scan found it: meanwhile members of archives take the place of these.
    return locate_exact(inquiry, source, found and replace(found, files=dict(found.files)))


def _hints(inquiry: Inquiry) -> list[KnowledgeCluster]:
    """Clusters about something near: their files are looked at, their answers are not taken."""
    if inquiry.vector is None or not inquiry.sources:
        return []
    seen = KnowledgeCluster.objects.visible_to(inquiry.by).answering()
    near = seen.near(inquiry.vector, current().name, reuse.RELATED)
    return list(near.prefetch_related("evidences__source")[:MOST_HINTS])


def _join(
    inquiry: Inquiry,
    source: Source,
    scanned: "Future[FileScan | None]",
    words: "Future[Blocks | None] | None",
    exact: "Future[Located | None] | None",
    shelf: Shelf,
) -> None:
    """Bring together what was found of a source, each in its own way."""
    found = scanned.result()
    if found is None:
        return
    inquiry.scans[source.slug] = found
    for path, reason in found.named:
        inquiry.notes.skip(path, reason)
    for reason in (LATE, MANY):
        if found.skipped[reason]:
            inquiry.notes.down(f"source {source.slug}", f"{found.skipped[reason]} not searched: {reason}")
    if words is None or exact is None:
        return
    packed = unpacked(inquiry, source, found)
    counted = words.result()
    blocks = [
        (path, some)
        for path, some in counted or []
        if path in found.files
        and not _elsewhere(path)
        and path not in found.foreign
        and not _is_by_tools(inquiry, path)
    ]
    blocks += _documents(inquiry, source, found, shelf)
    census_ = _streamed(inquiry, source, found, packed if counted is not None else _plain(found, packed), blocks)
    inquiry.census[source.slug] = census_
    _placed(inquiry, source, found, exact.result(), inquiry.exact)
    words_of = (*beginnings(inquiry), *short_words(inquiry))
    _placed(inquiry, source, found, locate_words(inquiry, source, found), words_of)
    inquiry.stop_if_gone()


def _elsewhere(path: str) -> bool:
    """Whether a file's text is not what ripgrep reads of it."""
    return is_rich(path) or is_packed(path) or is_archive(path)


def _is_by_tools(inquiry: Inquiry, path: str) -> bool:
    """Whether a file's words count nothing, as tools wrote it and nobody asks for it; exact terms of it are found."""
    named = is_generated_name(path) and not asks_for(path, inquiry.ask.text)
    return named and not any(path.startswith(at) for at in inquiry.ask.scope.paths)


def _plain(found: FileScan, packed: Sequence[FoundFiles]) -> list[FoundFiles]:
    """All that can go by as a stream, without ripgrep."""
    return [*packed, *(one for one in found.files.values() if not _elsewhere(one.path))]


def _streamed(inquiry: Inquiry, source: Source, found: FileScan, files: Sequence[FoundFiles], blocks: Blocks) -> Census:
    """The census of a source, with what went by as streams."""
    if not files:
        return census(blocks, inquiry.keywords, len(found.files))
    given = stream(inquiry, source, files)
    for path, size in given.sizes.items():
        found.files[path] = replace(found.files[path], size=size)
    inquiry.spots |= {(source.slug, path): some for path, some in given.spots.items() if some}
    for path, counts in given.counts.items():
        exact = {term: counts[term] for term in inquiry.exact if counts.get(term)}
        _note(inquiry, source, path, [term for term in exact if exact[term] <= COMMON])  # as in plain files
        given.words[path] = _with_exact(given.words.get(path, Counter()), exact)
    return census([*blocks, *given.words.items()], inquiry.keywords, len(found.files))


def _with_exact(words: Counter[str], exact: Mapping[str, int]) -> Counter[str]:
    """The matched words with the exact terms: of one in several parts the pattern finds the parts alone."""
    return words | Counter(exact)


def _placed(inquiry: Inquiry, source: Source, found: FileScan, located: Located | None, terms: Sequence[str]) -> None:
    """Keep where terms stand in plain files, and count them where nothing else has."""
    if located is None:
        return
    named = {term.lower(): term for term in terms}
    words = {term: read[0] for term in terms if (read := inquiry.finder.read(term))}
    words |= {begin: word for word in inquiry.keywords.words for begin in terms if word.startswith(begin)}
    counts = inquiry.census[source.slug].counts
    for path, some in located.counts.items():
        if path not in found.files or _elsewhere(path):
            continue
        inquiry.places.setdefault((source.slug, path), []).extend(located.places.get(path, []))
        _note(inquiry, source, path, [named[term] for term in some if term in named])
        held = dict(counts.get(path, {}))
        for term, times in some.items():
            word = term if term in inquiry.keywords.identifiers or term in inquiry.keywords.words else words.get(term)
            if word:
                held[word] = max(held.get(word, 0), times)
        counts[path] = held


def _note(inquiry: Inquiry, source: Source, path: str, terms: Sequence[str]) -> None:
    """That a file has these of the exact terms."""
    exact = {term for term in terms if term in inquiry.exact}
    if exact:
        key = (source.slug, path)
        inquiry.exact_in[key] = inquiry.exact_in.get(key, frozenset()) | exact


def _documents(inquiry: Inquiry, source: Source, found: FileScan, shelf: Shelf) -> Blocks:
    """What ripgrep cannot see into: by the text that was taken out of it, of some new ones now."""
    for path in found.files:
        if is_unread(path):
            inquiry.unread[source.slug, path] = UNREAD_FORMAT
    rich = [one for path, one in found.files.items() if is_rich(path) or path in found.foreign]
    wanted = pattern(inquiry.keywords)
    if not rich or not wanted:
        return []
    hashes = digests(root=inquiry.root(source), source=source, found=rich)
    inquiry.documents |= {(source.slug, path): digest for path, digest in hashes.items()}
    known = Document.objects.all().known(hashes.values())
    new = [path for path, digest in hashes.items() if digest not in known]
    for done, path in enumerate(new):
        inquiry.stop_if_gone()
        if done == NEW_DOCUMENTS or inquiry.late:
            reason = f"{len(new) - done} documents not read yet; the next searches and the hourly job continue"
            inquiry.notes.down("documents", reason)
            break
        try:
            shelf.text(source, path)
        except UnreadableFile as fault:
            inquiry.unread[source.slug, path] = str(fault)
    faults = Document.objects.all().faults(hashes.values())
    inquiry.unread |= {(source.slug, path): faults[one] for path, one in hashes.items() if one in faults}
    texts = Document.objects.all().matching(hashes.values(), inquiry.keywords.beginnings)
    regex = compiled(wanted)
    counted = []
    for path, digest in hashes.items():
        lowered = texts.get(digest, "").lower()
        exact = {term: lowered.count(term.lower()) for term in inquiry.exact if holds(lowered, term)}
        _note(inquiry, source, path, [term for term in exact if exact[term] <= COMMON])  # as in plain files
        counted.append((path, _with_exact(Counter(regex.findall(texts.get(digest, ""))), exact)))
    return [(path, some) for path, some in counted if some]


def _weigh(inquiry: Inquiry) -> None:
    """Over all sources together: a word is as rare as it is in all that is asked."""
    together = Census(
        {(slug, path): counts for slug, one in inquiry.census.items() for path, counts in one.counts.items()},
        sum(one.files for one in inquiry.census.values()),
    )
    sizes = {(slug, path): size for slug, one in inquiry.scans.items() for path, size in one.sizes.items()}
    inquiry.keywords = with_real_parts(inquiry.keywords, together.df)
    inquiry.rarity = together.rarity(inquiry.keywords)
    inquiry.weights = term_weights(inquiry.keywords, together, sizes)
