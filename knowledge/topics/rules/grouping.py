"""Topics: what a team's insights are about, as groups that keep their identity.

A new insight joins the nearest. A regrouping gives new groups (`clustering`); `carry_over` finds out which of them is
which old topic, and respects what people did. Figures and what was tried: docs/decisions/0006-topics.md
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def unit_rows(rows: Floats) -> Floats:
    """Each row of length 1; one of next to none as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 1e-6, lengths, 1.0), np.float32)


def centroid(vectors: Floats) -> Floats:
    """The centre of a topic, of length 1, from its members' own vectors (n, dimensions)."""
    return unit_rows(np.asarray(vectors, np.float32).mean(axis=0, keepdims=True))[0]


# Of new notes of 76 folders nine in ten have a topic as near, of new questions about ten tools eight in ten; of 300
# abstracts about 1970s computing, which belong to none, one in a hundred and one in twenty.
JOINS = 0.40


def nearest(vector: Floats, centroids: Mapping[UUID, Floats]) -> UUID | None:
    """The id of the topic a new insight joins at once, or None if none is near enough; equal ones: the smallest id."""
    best, nearness = None, JOINS
    for topic in sorted(centroids):
        cosine = float(np.dot(vector, centroids[topic]))
        if cosine > nearness or (best is None and cosine == nearness):
            best, nearness = topic, cosine
    return best


# With one new insight in a hundred, one old one in ten changes its topic: for so little nobody's map is drawn again
# (decision 0006). What is new meanwhile has joined the nearest topic, or opened one.
NIGHTLY_SHARE = 0.05
# A team that has doubled (an import, the first days) need not wait for the night.
GROWN_SHARE = 0.5


def worth_regrouping(arrived: int, total: int, share: float) -> bool:
    """Whether so many of a team's insights are new since it was last grouped that grouping it again says something."""
    return arrived > 0 and arrived >= share * total


@dataclass(frozen=True)
class TopicGroup:
    """A topic as it is kept. `members`: ids of insights; `named`: a person gave it its label; `held`: a person merged
    other topics into it, so what is in it stays together.
    """

    id: UUID
    members: frozenset[int]
    named: bool = False
    held: bool = False

    @property
    def by_people(self) -> bool:
        return self.named or self.held


@dataclass(frozen=True)
class Carried:
    """A topic after a regrouping. `id`: whose place it takes, None if it is new."""

    id: UUID | None
    members: frozenset[int]


# Of two topics' members together so many must be in both (Jaccard), or a new one would inherit a foreign past. The two
# halves of a topic that splits have .5 each.
SAME_TOPIC = 0.25


def carry_over(old: Iterable[TopicGroup], new: Iterable[Iterable[int]]) -> list[Carried]:
    """Which old topic each new group is, by best overlap; each old id at most once.

    What people did survives. Groups that came mostly out of a held topic are one again. Named and held topics choose
    first, and one whose insights were scattered over other groups gets them back.
    """
    topics = sorted(old, key=lambda topic: topic.id)
    groups = _rejoined(topics, [frozenset(group) for group in new])
    pairs = sorted(
        (not topic.by_people, -overlap, topic.id, at)
        for topic in topics
        for at, group in enumerate(groups)
        if (overlap := _overlap(topic.members, group)) >= SAME_TOPIC
    )
    ids: dict[int, UUID] = {}
    for _, _, topic_id, at in pairs:
        if at not in ids and topic_id not in ids.values():
            ids[at] = topic_id
    scattered = [topic for topic in topics if topic.by_people and topic.id not in ids.values()]
    return _gathered([Carried(ids.get(at), group) for at, group in enumerate(groups)], scattered)


def _overlap(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other) if one else 0.0


def _rejoined(topics: Iterable[TopicGroup], groups: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """The groups, those put together of which more than half of the members that had a topic were in one held topic."""
    before = {member: topic for topic in topics for member in topic.members}
    together: dict[UUID, frozenset[int]] = {}
    rest: list[frozenset[int]] = []
    for group in groups:
        known = [before[member] for member in group if member in before]
        held = Counter(topic.id for topic in known if topic.held).most_common(1)
        if held and held[0][1] * 2 > len(known):
            together[held[0][0]] = together.get(held[0][0], frozenset()) | group
        else:
            rest.append(group)
    return [*together.values(), *rest]


def _gathered(carried: Sequence[Carried], scattered: Iterable[TopicGroup]) -> list[Carried]:
    """The same, with the insights of `scattered` topics, as far as they are there, in groups of their own again."""
    there = frozenset().union(*(one.members for one in carried))
    apart = [Carried(topic.id, topic.members & there) for topic in scattered if topic.members & there]
    taken = frozenset().union(*(one.members for one in apart))
    rest = [Carried(one.id, one.members - taken) for one in carried]
    return [one for one in (*rest, *apart) if one.members]
