"""Find the contradictions in an answer, both detected ones and open pairs. Also name the topics of an answer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from accounts.rules.rights import Member
from accounts.rules.spoken_names import spoken_actor
from knowledge.models import Pair, Topic
from knowledge.retrieval.actions.standings import is_confirmed
from knowledge.retrieval.rules.contradiction import Advice, Contradiction, claimed, contradictions, newer, reported


@dataclass(frozen=True)
class Summary:
    """A topic of an answer. `kinds`: the number of found insights of each kind, the most frequent first."""

    id: UUID
    label: str
    kinds: dict[str, int]
    count: int


def warn(*, ids: Sequence[int], advice: Sequence[Advice], vectors: np.ndarray, by: Member) -> list[Contradiction]:
    """Return the contradictions among these insights, and the open pairs that one of them is a side of; these come
    first.

    Pairs that people have settled are left out. `ids`, `advice` and `vectors` are in the same order.
    """
    if not ids:
        return []
    pairs = Pair.objects.all().contradictions_of(ids, by)
    asked = [_asked(pair) for pair in pairs if pair.state == Pair.State.OPEN and not _of_one_aside(pair, ids)]
    known = {frozenset((pair.a.ref, pair.b.ref)) for pair in pairs}
    read = contradictions(advice, vectors) if len(advice) > 1 else []
    return asked + [one for one in read if frozenset((one.a, one.b)) not in known]


def _of_one_aside(pair: Pair, ids: Sequence[int]) -> bool:
    """Return whether both sides are unreviewed notes of one author, one of them is not in the answer, and nobody else
    has reported them. Then readers of the other side need no warning, and a warning would take room from confirmed
    notes.
    """
    sides = (pair.a, pair.b)
    author = pair.a.author_id
    unreviewed = author == pair.b.author_id and not any(map(is_confirmed, sides))
    return unreviewed and pair.raised_by_user_id in (None, author) and not all(side.pk in ids for side in sides)


def _asked(pair: Pair) -> Contradiction:
    """Return an open pair as a warning."""
    later = newer((pair.a.ref, pair.a.learned_at.timestamp()), (pair.b.ref, pair.b.learned_at.timestamp()))
    claim = claimed(spoken_actor(pair.raised_by), pair.successor.ref if pair.successor else "")
    reason = reported(claim, pair.reason)
    return Contradiction(pair.a.ref, pair.b.ref, 1.0, (pair.question,), reason, later, claim, pair.reason)


def summarise(*, found: Mapping[UUID, Counter[str]], by: Member) -> list[Summary]:
    """Return the topics of an answer with their names, in the order given."""
    if not found:
        return []
    labels = Topic.objects.all().labels_of(found, by)
    return [
        Summary(id, labels[id], dict(kinds.most_common()), kinds.total()) for id, kinds in found.items() if id in labels
    ]
