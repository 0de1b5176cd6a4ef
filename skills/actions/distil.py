"""Distil a draft of a skill from a topic with several promoted insights, for a lead to edit and publish."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.models import Anchor, Insight, Pair, Topic
from knowledge.rules.vocabulary import Kind, Status
from skills.actions import author
from skills.actions.author import Authored
from skills.rules.distilling import SEVERAL, InsightLesson, distilled

# The largest number of insights of a topic that are used, the strongest ones. A skill of more would be a manual.
MOST = 30


class TooLittle(Refused):
    code = "invalid"
    status = 409
    detail = f"Distilling needs at least {SEVERAL} promoted insights; this topic has fewer."


def distil(*, topic_id: UUID, by: Member, now: datetime, name: str = "") -> Authored:
    """Draft a skill of the topic's team, under `name` or a name made from the topic's label. Only for leads. If the
    topic was distilled before, that skill is returned.

    Raises NotFound, NotAllowed, TooLittle, and what `author.create` raises.
    """
    topic = Topic.objects.visible_to(by).with_id(topic_id)
    if topic is None:
        raise NotFound
    by.require(topic.team_id, Level.LEAD)
    topic = Topic.objects.select_related("team").get(pk=topic.heir_id)
    lessons = _lessons(topic, by, now)
    if len(lessons) < SEVERAL:
        raise TooLittle
    sheet = distilled(topic.label, topic.terms, lessons)
    return author.create(sheet=replace(sheet, name=name or sheet.name), team=topic.team.slug, by=by, now=now)


def _lessons(topic: Topic, by: Member, now: datetime) -> list[InsightLesson]:
    """Return the promoted insights of a topic, the strongest first."""
    promoted = Insight.objects.visible_to(by).retrievable().filter(topic=topic, status=Status.PROMOTED)
    rows = list(promoted.served(Anchor.objects.all(), Pair.objects.all()))
    rows.sort(key=lambda row: (-row.effective_strength(now), row.number))
    return [_lesson(row) for row in rows[:MOST]]


def _lesson(row: Insight) -> InsightLesson:
    row.know_anchors(row.anchored)  # type: ignore[attr-defined]
    return InsightLesson(row.ref, Kind(row.kind), row.title, row.body, row.reasoning, row.tags, row.files)
