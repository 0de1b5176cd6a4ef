"""The nightly regrouping: each team's insights fall into topics again, and keep the ids and names they can.

All computing happens outside any transaction. Then topics are written in one, and insights moved in small steps, each
of which leaves a topic whole: a run that is killed has done what it did, and the next one does the rest.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import Max

from accounts.actions.jobs import Items, Work
from accounts.models import LogEntry, Team
from accounts.rules.rights import SYSTEM
from knowledge.adapters.embedder import current
from knowledge.models import Anchor, Insight, Topic
from knowledge.retrieval.rules import bm25
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import HEIRS, REGROUPED, AnchorKind
from knowledge.topics.rules import grouping
from knowledge.topics.rules.clustering import grouped
from knowledge.topics.rules.grouping import JOINS, NIGHTLY_SHARE, Carried, carry_over, centroid, worth_regrouping
from knowledge.topics.rules.labels import Titled, labels

VERB = "regrouped"
# Grouping 50,000 takes 7 s and 690 MB (decision 0006). Of a larger team so many, drawn at random, make the topics; the
# others join the nearest.
MOST = 50_000
# Each moved row is written into every index of the table, the vector index among them: some milliseconds.
STEP = 500


@dataclass(frozen=True)
class _Member:
    """An insight as far as grouping needs it."""

    id: int
    topic_id: UUID | None
    vector: np.ndarray
    words: list[str]
    titled: Titled


def regroup(*, now: datetime, share: float = NIGHTLY_SHARE) -> Work:
    """Group each team again of whose insights at least `share` are new since it was last grouped. Counts teams, topics,
    and insights that moved to another one; and in any team those that had none and were `placed`.
    """
    counts: Counter[str] = Counter()
    rows = Insight.objects.all().groupable(current().name)
    items = Items("regroup")
    for team_id in items.each(list(rows.order_by().values_list("team_id", flat=True).distinct())):
        with items.guard(f"team {team_id}"):
            counts["placed"] += _placed(team_id, now)
            if _due(team_id, share):
                topics, moved = regroup_team(team_id=team_id, now=now)
                counts.update(teams=1, topics=topics, moved=moved)
    return items.work({what: count for what, count in counts.items() if count})


@transaction.atomic
def _placed(team_id: int, now: datetime) -> int:
    """Give those a topic that have none, as a deposit would: restored ones, or such as got their vector late."""
    Team.objects.select_for_update(no_key=True).get(pk=team_id)
    waiting = Insight.objects.of_teams([team_id]).groupable(current().name).filter(topic__isnull=True)
    rows = list(waiting.defer("lexemes", "bm25").order_by("pk")[:STEP])
    Topic.place(rows, at=now)
    Insight.objects.bulk_update(rows, ["topic"])
    return len(rows)


def _due(team_id: int, share: float) -> bool:
    mine = Insight.objects.of_teams([team_id]).groupable(current().name)
    last = LogEntry.objects.filter(team_id=team_id, subject=REGROUPED, verb=VERB).aggregate(at=Max("at"))["at"]
    arrived = mine.arrived(last).count()
    return worth_regrouping(arrived, mine.count(), share)


Progress = Callable[[int, int], None]


def regroup_team(*, team_id: int, now: datetime, progress: Progress = lambda done, total: None) -> tuple[int, int]:
    """Group one team's insights; returns how many topics they are now, and how many insights moved.

    `progress` is told how many of how many steps are done: each insight is read once, and put in its place once.
    """
    before = list(Topic.objects.all().of_team(team_id).order_by("pk"))
    rng = np.random.default_rng(team_id)
    rows = Insight.objects.of_teams([team_id]).groupable(current().name).order_by("pk")
    ids = np.array(rows.values_list("pk", flat=True))
    drawn = ids if len(ids) <= MOST else np.sort(rng.choice(ids, MOST, replace=False))
    steps = 2 * len(ids)
    members: list[_Member] = []
    for member in _members(team_id, drawn.tolist()):
        members.append(member)
        if len(members) % STEP == 0:
            progress(len(members), steps)
    if not members:
        return 0, 0
    carried = _carried(members, before, rng)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=team_id)
        if _state(Topic.objects.all().of_team(team_id)) != _state(before):
            return 0, 0  # A person renamed or merged one meanwhile: the next run begins with that.
        topics = _save_topics(team_id, carried, {member.id: member for member in members}, before, now)
    progress(len(ids), steps)
    groups = dict(zip([topic.pk for topic in topics], carried, strict=True))
    moved = _moved(team_id, groups, members, lambda done: progress(len(ids) + done, steps))
    moved += _joined(team_id, topics, sorted(set(ids.tolist()) - set(drawn.tolist())))
    _drop_empty(team_id, before, topics)
    progress(steps, steps)
    return len(topics), moved


def _members(team_id: int, ids: Sequence[int]) -> Iterator[_Member]:
    tags: dict[int, list[str]] = {}
    rows = Anchor.objects.filter(insight__team_id=team_id, kind=AnchorKind.TAG).values_list("insight_id", "value")
    for insight_id, tag in rows.iterator():
        tags.setdefault(insight_id, []).append(tag)
    read = Insight.objects.only("topic_id", "title", "body", "reasoning", "embedding")
    for some in _steps(ids):
        for row in read.filter(pk__in=some).order_by("pk"):
            if row.embedding is None:
                continue
            own = tags.get(row.pk, [])
            words = bm25.terms(f"{row.text} {' '.join(own)}")
            vector = unit(row.embedding).astype(np.float32)
            yield _Member(row.pk, row.topic_id, vector, words, Titled(row.title, row.body, own))


def _carried(members: Sequence[_Member], before: Sequence[Topic], rng: np.random.Generator) -> list[Carried]:
    """The new groups, each with the old topic it is."""
    numbers = grouped(np.stack([member.vector for member in members]), [member.words for member in members], rng)
    groups: dict[int, set[int]] = {}
    for member, number in zip(members, numbers.tolist(), strict=True):
        groups.setdefault(number, set()).add(member.id)
    had: dict[UUID, set[int]] = {}
    for member in members:
        if member.topic_id:
            had.setdefault(member.topic_id, set()).add(member.id)
    held = _merge_targets(before)
    kept = [
        grouping.TopicGroup(topic.pk, frozenset(had.get(topic.pk, ())), topic.named, topic.pk in held)
        for topic in before
        if not topic.merged_into_id
    ]
    return carry_over(kept, groups.values())


def _merge_targets(topics: Sequence[Topic]) -> set[UUID]:
    return {topic.merged_into_id for topic in topics if topic.merged_into_id}


def _state(topics: Iterable[Topic]) -> set[tuple[UUID, str, UUID | None]]:
    """What people can change about topics. One that a deposit opened meanwhile is left as it is."""
    return {
        (topic.pk, topic.label if topic.named else "", topic.merged_into_id)
        for topic in topics
        if topic.named or topic.merged_into_id
    }


def _save_topics(
    team_id: int, carried: Sequence[Carried], members: dict[int, _Member], before: Sequence[Topic], now: datetime
) -> list[Topic]:
    """The topics of these groups, in their order, saved, with the line in the team's log."""
    known = {topic.pk: topic for topic in before}
    topics = [known[one.id] if one.id else Topic(team_id=team_id, created_at=now) for one in carried]
    people = [topic.label for topic in before if topic.named and not topic.merged_into_id]
    said = labels([[members[id].titled for id in sorted(one.members)] for one in carried], people)
    for topic, one, label in zip(topics, carried, said, strict=True):
        vectors = np.stack([members[id].vector for id in sorted(one.members)])
        topic.describe(label, centroid(vectors), current().name, at=now)
    new = [topic for topic, one in zip(topics, carried, strict=True) if one.id is None]
    old = [topic for topic, one in zip(topics, carried, strict=True) if one.id]
    Topic.objects.bulk_create(new)
    Topic.objects.bulk_update(old, ["label", "terms", "centroid", "embedded_by", "updated_at"], batch_size=100)
    gone = sum(not topic.merged_into_id for topic in before) - len(old)
    kept = {topic.pk for topic in old}
    heirs = {str(was): str(topics[at].pk) for was, at in _heirs(carried, members).items() if was not in kept}
    line = f"{len(members):,} insights reclustered into {len(topics)} topics: {len(new)} new, {gone} removed"
    LogEntry.write(team_id=team_id, subject=REGROUPED, verb=VERB, line=line, by=SYSTEM, at=now, after={HEIRS: heirs})
    return topics


def _heirs(carried: Sequence[Carried], members: dict[int, _Member]) -> dict[UUID, int]:
    """By the id of a topic of before, the place of the group that most of its insights are in now."""
    places: dict[UUID, Counter[int]] = {}
    for at, group in enumerate(carried):
        for id in group.members:
            if was := members[id].topic_id:
                places.setdefault(was, Counter())[at] += 1
    return {was: count.most_common(1)[0][0] for was, count in places.items()}


def _moved(
    team_id: int, groups: dict[UUID, Carried], members: Sequence[_Member], progress: Callable[[int], None]
) -> int:
    """Move insights to their topics, a step at a time; returns how many moved."""
    was = {member.id: member.topic_id for member in members}
    moved = done = 0
    for topic_id, group in groups.items():
        for some in _steps(sorted(id for id in group.members if was[id] != topic_id)):
            moved += _move(team_id, topic_id, some)
        done += len(group.members)
        progress(done)
    return moved


@transaction.atomic
def _move(team_id: int, topic_id: UUID, ids: Sequence[int]) -> int:
    """An insight that left the team meanwhile stays away; a topic that was merged meanwhile leads to its heir."""
    topic = Topic.objects.select_for_update(no_key=True).filter(pk=topic_id).first()
    if topic is None:
        return 0
    return Insight.objects.of_teams([team_id]).filter(pk__in=ids).update(topic_id=topic.heir_id)


def _joined(team_id: int, topics: Sequence[Topic], ids: Sequence[int]) -> int:
    """Those of a large team that were not drawn join the nearest topic; returns how many moved."""
    moved = 0
    centres = np.array([unit(topic.centroid) for topic in topics if topic.centroid is not None])
    read = Insight.objects.filter(embedding__isnull=False).values_list("pk", "topic_id", "embedding")
    for some in _steps(ids):
        rows = list(read.filter(pk__in=some))
        if not rows:
            continue
        cosines = np.stack([unit(embedding) for _, _, embedding in rows]) @ centres.T
        places: dict[int, list[int]] = {}
        for (pk, topic_id, _), near, cosine in zip(rows, cosines.argmax(axis=1), cosines.max(axis=1), strict=True):
            if cosine >= JOINS and topic_id != topics[near].pk:
                places.setdefault(int(near), []).append(pk)
        moved += sum(_move(team_id, topics[near].pk, pks) for near, pks in places.items())
    return moved


def _steps(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[at : at + STEP] for at in range(0, len(ids), STEP))


@transaction.atomic
def _drop_empty(team_id: int, before: Sequence[Topic], after: Sequence[Topic]) -> None:
    """Old topics that no group became, unless a person named them or merged others into them: those may fill again.

    A deposit holds the team's row while it joins one.
    """
    Team.objects.select_for_update(no_key=True).get(pk=team_id)
    kept = {topic.pk for topic in after} | _merge_targets(before)
    gone = [topic.pk for topic in before if not (topic.pk in kept or topic.named or topic.merged_into_id)]
    Topic.objects.filter(pk__in=gone).delete()
