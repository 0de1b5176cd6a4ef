"""Upkeep: what beat does to clusters at night. Cold ones retire, near ones are linked, the same ones become one."""

import time
from collections import Counter
from datetime import datetime, timedelta

from django.db import transaction

from accounts.actions.jobs import Items, Work
from accounts.models import Team
from accounts.rules.rights import SYSTEM
from knowledge.adapters.embedder import current
from knowledge.evidence.actions.read import digests, read_text, scan_source, source_root
from knowledge.evidence.adapters.documents import is_rich
from knowledge.evidence.adapters.encodings import foreign_files
from knowledge.evidence.adapters.files import SourceGone, UnreadableFile
from knowledge.evidence.models import Document, FileListing, KnowledgeCluster, Relation, Search, Source
from knowledge.evidence.rules import lifecycle
from knowledge.evidence.rules.lifecycle import Lifecycle, after_cooling
from knowledge.evidence.rules.likeness import asks_the_same
from knowledge.evidence.rules.scope import SearchScope
from knowledge.rules.vectors import unit

# How long a question to the files stays in its asker's history.
KEEP_SEARCHES = timedelta(days=180)
# Text of documents nobody has searched for so long is taken out again when it is needed.
KEEP_DOCUMENTS = timedelta(days=90)
# A list of files that no cluster covers any more may be covered again by a search that is on its way.
KEEP_LISTINGS = timedelta(days=1)
# All pairs are compared; beyond the warmest so many of a team it would take minutes.
MOST = 2_000


def cool(*, now: datetime) -> Work:
    """Retire what nobody asks any more; forget old questions and unused texts."""
    retired = 0
    items = Items("cool")
    for cluster in items.each(KnowledgeCluster.objects.all().answering().iterator()):
        with items.guard(cluster.ref), transaction.atomic():
            to = after_cooling(Lifecycle(cluster.lifecycle), cluster.hotness_now(now))
            if to is not Lifecycle(cluster.lifecycle):
                cluster.move(to, why="not used for long", by=SYSTEM, at=now)
                retired += 1
    searches, _ = Search.objects.all().older_than(now - KEEP_SEARCHES).delete()
    documents, _ = Document.objects.filter(used_at__lt=now - KEEP_DOCUMENTS).delete()
    FileListing.objects.filter(coverage__isnull=True, at__lt=now - KEEP_LISTINGS).delete()
    return items.work({"retired": retired, "searches": searches, "documents": documents})


# Documents read in one run, and the seconds it may take: some three a second.
MOST_READ = 1_000
PATIENCE = 600.0


def read_documents(*, now: datetime) -> Work:
    """Take the text out of documents nobody has searched yet, so that no search waits for it."""
    items, counts = Items("read_documents", within=PATIENCE), Counter(read=0, faulty=0)
    for source in items.each(Source.objects.all().searchable()):
        with items.guard(f"source {source.slug}"):
            _read_source(source, items, counts, now)
        if counts.total() >= MOST_READ or items.is_over():
            return Work(dict(counts), stopped="the rest continues in the next run")
    return items.work(dict(counts))


def _read_source(source: Source, items: Items, counts: Counter[str], now: datetime) -> None:
    """Read what is new of one source, and count it."""
    ends = time.monotonic() + PATIENCE
    scopes = [SearchScope(tuple(source.include), tuple(source.exclude))]
    try:
        root = source_root(source, ends=ends)
        found = scan_source(source, root, scopes=scopes, ends=ends)
    except SourceGone:
        return
    foreign = foreign_files(*root.at, source.pk, found.files)
    rich = [one for path, one in found.files.items() if is_rich(path) or path in foreign]
    hashes = digests(root=root, source=source, found=rich)
    known = Document.objects.all().known(hashes.values())
    for path in items.each([path for path, digest in hashes.items() if digest not in known]):
        if counts.total() >= MOST_READ:
            return
        with items.guard(f"{source.slug}/{path}"):
            try:
                read_text(root=root, source=source, path=path, now=now)
                counts["read"] += 1
            except UnreadableFile:
                counts["faulty"] += 1


def connect(*, now: datetime) -> Work:
    """Link near clusters of each team, and merge those that answer the same from the same files."""
    merged = linked = 0
    items = Items("connect")
    for team_id in items.each(Team.objects.values_list("pk", flat=True)):
        with items.guard(f"team {team_id}"):
            more = _connect_team(team_id, now)
            merged, linked = merged + more[0], linked + more[1]
    return items.work({"merged": merged, "linked": linked})


def _connect_team(team_id: int, now: datetime) -> tuple[int, int]:
    standing = KnowledgeCluster.objects.all().answering().filter(team_id=team_id, embedded_by=current().name)
    rows = list(standing.order_by("-hotness_at").prefetch_related("evidences__source", "questions")[:MOST])
    vectors = [unit(row.embedding) for row in rows]
    files = [frozenset((one.source.slug, one.path) for one in row.evidences.all()) for row in rows]
    gone: set[int] = set()
    relations = []
    merged = 0
    for one, other, cosine, common in lifecycle.pairs(vectors, files):
        if gone & {one, other}:
            continue
        if lifecycle.one_and_the_same(cosine, common) and not _apart(rows[one], rows[other]):
            older, newer = sorted((one, other), key=lambda at: (-rows[at].reuses, rows[at].created_at))
            _merge(rows[newer], rows[older], now)
            gone.add(newer)
            merged += 1
            continue
        relations += _relations(rows[one], rows[other], cosine, common)
    kept = [one for one in relations if not {one.cluster_id, one.target_id} & {rows[at].pk for at in gone}]
    with transaction.atomic():
        Relation.objects.filter(cluster__team_id=team_id).delete()
        Relation.objects.bulk_create(kept)
    return merged, len(kept) // 2


def _apart(one: KnowledgeCluster, other: KnowledgeCluster) -> bool:
    first, second = one.saved, other.saved
    return not any(
        asks_the_same(a.text, b.text, second) and asks_the_same(b.text, a.text, first)
        for a in one.questions.all()
        for b in other.questions.all()
    )


def _relations(one: KnowledgeCluster, other: KnowledgeCluster, cosine: float, common: float) -> list[Relation]:
    found = []
    for first, second in ((one, other), (other, one)):
        if cosine >= lifecycle.CONNECT:
            found.append(Relation(cluster=first, target=second, weight=round(cosine, 4), source="embed_sim"))
        if common >= lifecycle.SAME_FILES:
            found.append(Relation(cluster=first, target=second, weight=round(common, 4), source="co_occur"))
    return found


@transaction.atomic
def _merge(gone: KnowledgeCluster, into: KnowledgeCluster, now: datetime) -> None:
    """The newer gives way; its questions join those of the other, so that they go on being answered."""
    held = KnowledgeCluster.objects.select_for_update(no_key=True).get(pk=into.pk)
    for question in gone.questions.order_by("at"):
        vector = unit(question.embedding) if question.embedding is not None else None
        held.ask(question.text, vector, question.embedded_by, at=question.at)
    held.merge_count += 1
    held.reuses += gone.reuses
    held.save(update_fields=["merge_count", "reuses"])
    gone.merged_into = held
    gone.save(update_fields=["merged_into"])
    held.note(
        "merged", f"{gone.ref} merged into {held.ref}", by=SYSTEM, at=now, why="the same question, the same files"
    )
