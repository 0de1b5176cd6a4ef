"""Measure topics: texts with known labels go through the product's own deposit and regrouping, and are compared."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from accounts.actions.members import create_team, member_of
from accounts.models import Team, User
from accounts.rules.rights import Member
from knowledge.adapters.embedder import EmbedderDown
from knowledge.judging.actions.deposit import Deposited, deposit_many
from knowledge.models import Insight
from knowledge.rules.draft import TITLE_LENGTH, Draft
from knowledge.rules.vocabulary import Kind
from knowledge.topics.actions.regroup import regroup_team
from sessions_app.lab.measurements.retrieval import BATCH, NoSuchSet, Progress
from sessions_app.lab.metrics.topics import LOAM, Agreement, agreement, by_words, majority

# Where each set lies in the data folder, and the field that holds the true label.
SETS = {"notes": ("corpus/til_jbranchaud.jsonl", "topic"), "titles": ("corpus/so_titles20.jsonl", "label")}
SHOWN = 20


@dataclass(frozen=True)
class Text:
    """A text whose label is known. What has no body is all title."""

    title: str
    body: str
    label: str


@dataclass(frozen=True)
class Measured:
    """`ways`: the agreement of each way; `shown`: the largest topics as (label, texts, true label of most, share)."""

    texts: int
    refused: int
    seconds: float
    ways: dict[str, Agreement]
    shown: list[tuple[str, int, str, float]]

    @property
    def figures(self) -> dict[str, Any]:
        ways = {way: asdict(one) for way, one in self.ways.items()}
        return {"texts": self.texts, "refused": self.refused, "seconds": round(self.seconds, 1), "ways": ways}


def read_labelled(*, data: Path, name: str) -> list[Text]:
    """The texts of a set. Raises NoSuchSet."""
    if name not in SETS:
        raise NoSuchSet(f"Unknown set '{name}'; available: {', '.join(SETS)}.")
    path, label = SETS[name]
    if not (data / path).is_file():
        raise NoSuchSet(f"{data} has no {path}, which the set '{name}' is in.")
    with (data / path).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    try:
        return [Text(row["title"], row.get("body", ""), row[label]) for row in rows]
    except KeyError as error:
        raise NoSuchSet(f"The set '{name}' in {data} is not in its format: {error!r}.") from error


def measure_topics(*, name: str, texts: Sequence[Text], by: Member, now: datetime, progress: Progress) -> Measured:
    """Deposit the texts into a team of their own, group it, and hold the topics against the labels.

    The baselines are k-means on TF-IDF, told the number of labels, and told Loam's number of topics. Raises
    EmbedderDown.
    """
    number = Team.objects.count()
    team = create_team(name=name[:80], slug=f"labelled-{number}", prefix=f"LABEL{number}", by=by, now=now)
    member = member_of(user=User.objects.get(pk=by.user_id), only=frozenset({team.pk}))
    kept: dict[int, Text] = {}
    for start in range(0, len(texts), BATCH):
        some = texts[start : start + BATCH]
        drafts = [Draft(kind=Kind.CONTEXT, title=one.title[:TITLE_LENGTH], body=one.body or one.title) for one in some]
        for one, done in zip(some, deposit_many(drafts=drafts, by=member, now=now, merging=False), strict=True):
            if isinstance(done, Deposited):
                if done.degraded:
                    raise EmbedderDown(done.degraded[0]["reason"])
                kept[done.insight.pk] = one
        progress(f"{name}: texts", min(start + BATCH, len(texts)), len(texts))
    begun = perf_counter()
    regroup_team(team_id=team.pk, now=now)
    return _compared(kept, len(texts) - len(kept), perf_counter() - begun)


def _compared(kept: dict[int, Text], refused: int, seconds: float) -> Measured:
    rows = Insight.objects.filter(pk__in=kept).values_list("pk", "topic_id", "topic__label")
    found = {pk: (topic_id, label) for pk, topic_id, label in rows}
    topics = [found[pk][0] for pk in kept]
    labels = [text.label for text in kept.values()]
    words = [f"{text.title}\n{text.body}" for text in kept.values()]
    loam, true = agreement(topics, labels), len(set(labels))
    ways = {
        LOAM: loam,
        "TF-IDF and k-means, told the number of labels": by_words(words, labels, true),
        "TF-IDF and k-means, told Loam's number": by_words(words, labels, loam.topics),
    }
    return Measured(len(kept), refused, seconds, ways, _largest(topics, labels, dict(found.values())))


def _largest(topics: Sequence[Any], labels: Sequence[str], called: dict[Any, str]) -> list[tuple[str, int, str, float]]:
    sizes = Counter(topic for topic in topics if topic is not None)
    most = majority(topics, labels)
    shown = []
    for topic, size in sizes.most_common(SHOWN):
        held = Counter(label for label, one in zip(labels, topics, strict=True) if one == topic)
        shown.append((called[topic], size, held.most_common(1)[0][0], most[topic] / size))
    return shown
