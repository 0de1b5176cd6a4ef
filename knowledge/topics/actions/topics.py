"""Topics as people meet them: which there are, and what a lead does to them (rename, merge), which outlives every
regrouping.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.actions import owners
from accounts.models import LogEntry, Team
from accounts.rules.guard.detection import find_secrets, masked, redact_personal, strip_invisible
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Level, Member
from knowledge.models import Insight, Topic
from knowledge.rules.vectors import unit
from knowledge.rules.vocabulary import HEIRS, REGROUPED
from knowledge.topics.rules.layout import Circle, circles, wishes


class BadLabel(Refused):
    code = "invalid"


class SecretInLabel(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was changed."


class NotMergeable(Refused):
    code = "invalid"
    detail = "These two topics cannot be merged."


@dataclass(frozen=True)
class Overview:
    """A topic with how many insights that a query may return it has, of which kinds, the most frequent first."""

    topic: Topic
    kinds: dict[str, int]

    @property
    def count(self) -> int:
        return sum(self.kinds.values())


def overviews(*, by: Member, team: str = "", owner: str = "") -> list[Overview]:
    """The topics of all teams or one, the largest first; `owner`: of this owner. Raises NoSuchTeam."""
    team_ids = [by.named(team).id] if team else list(by.team_ids)
    topics = Topic.objects.visible_to(by).filter(team_id__in=team_ids).current().select_related("team", "owner")
    topics = topics.filter(owner__username=owner) if owner else topics
    counts = _kinds(Insight.objects.visible_to(by, only=team_ids).retrievable().kinds_by_topic())
    found = [Overview(topic, dict(counts.get(topic.pk, {}))) for topic in topics.defer("centroid")]
    return sorted(found, key=lambda one: (-one.count, one.topic.label, one.topic.pk))


def overview(*, topic_id: UUID, by: Member) -> Overview:
    """One topic, or the one it was merged into, or of one that a regrouping removed the one with most of its insights.
    Raises NotFound.
    """
    topic = Topic.objects.visible_to(by).with_id(topic_id) or _heir(topic_id, by)
    if topic is None:
        raise NotFound
    topic = Topic.objects.select_related("team", "owner").get(pk=topic.heir_id)
    mine = Insight.objects.visible_to(by, only=[topic.team_id]).retrievable().of_topic(topic.pk)
    return Overview(topic, dict(_kinds(mine.kinds_by_topic()).get(topic.pk, {})))


# So many regroupings in a row are followed: an address of two months ago still leads somewhere.
MOST_FOLLOWED = 60


def _heir(topic_id: UUID, by: Member) -> Topic | None:
    """What has become of a removed topic, from the lines of the regroupings since."""
    lines = LogEntry.objects.all().visible_to(by).about(REGROUPED)
    id = str(topic_id)
    for _ in range(MOST_FOLLOWED):
        after = lines.filter(**{f"after__{HEIRS}__has_key": id}).values_list("after", flat=True).first()
        if after is None:
            return None
        id = after[HEIRS][id]
        if found := Topic.objects.visible_to(by).with_id(id):
            return found
    return None


@dataclass(frozen=True)
class PlacedTopic:
    """A topic and its place on the map."""

    overview: Overview
    circle: Circle


# More circles than these cannot be told apart.
MAPPED = 36


def mapped(found: Sequence[Overview], *, by: Member) -> list[PlacedTopic]:
    """The first of these topics, which are the largest, on a map."""
    shown = [one for one in found if one.count][:MAPPED]
    rows = Topic.objects.visible_to(by).filter(pk__in=[one.topic.pk for one in shown], centroid__isnull=False)
    centres = dict(rows.values_list("pk", "centroid"))
    wanted = wishes([unit(centres[one.topic.pk]).tolist() if one.topic.pk in centres else None for one in shown])
    return [PlacedTopic(*pair) for pair in zip(shown, circles([one.count for one in shown], wanted), strict=True)]


def _kinds(rows: Sequence[tuple[UUID, str, int]]) -> dict[UUID, Counter[str]]:
    counts: dict[UUID, Counter[str]] = {}
    for topic_id, kind, n in rows:
        counts.setdefault(topic_id, Counter())[kind] = n
    return counts


def rename(*, topic_id: UUID, label: str, by: Member, now: datetime, why: str = "", was: str = "") -> Topic:
    """Give a topic a name. `was`: the name it had when it was looked at, "" for whatever it has.

    Raises NotFound, NotAllowed, BadLabel and SecretInLabel on `label`, Stale.
    """
    label = _clean(label)
    with transaction.atomic():
        topic = _for_lead(topic_id, by)
        _as_seen(topic, topic_id, was, label)
        if topic.label != label or not topic.named:
            topic.rename(label, by=by, at=now, why=masked(why))
    return topic


def merge(*, topic_id: UUID, into: UUID, by: Member, now: datetime, why: str = "", was: str = "") -> Topic:
    """Put a topic's insights into another of the same team, which stays. Its id leads to the other from then on.

    `was` as of `rename`. Raises NotFound, NotAllowed, NotMergeable on `into`, Stale.
    """
    with transaction.atomic():
        gone = _for_lead(topic_id, by)
        _as_seen(gone, topic_id, was)
        kept = Topic.objects.visible_to(by).with_id(into)
        if kept is None or kept.team_id != gone.team_id:
            raise NotMergeable(errors={"into": ["The team has no topic with this id."]})
        if kept.merged_into_id:
            kept = Topic.objects.get(pk=kept.merged_into_id)
        if kept.pk == gone.pk:
            raise NotMergeable(errors={"into": ["This is the same topic."]})
        kept.merge_in(gone, by=by, at=now, why=masked(why))
    return kept


def set_owner(*, topic_id: UUID, owner: str, by: Member, now: datetime, why: str = "") -> Topic:
    """Set who of the team answers for a topic; empty: nobody. Raises NotFound, and as `owners.set_owner`."""
    with transaction.atomic():
        topic = _held(topic_id, by)
        owners.set_owner(topic, owner=owner, by=by, now=now, why=why)
    return topic


def _as_seen(topic: Topic, topic_id: UUID, was: str, wanted: str = "") -> None:
    """What another person has named, or merged into another, since it was looked at stays as it is. A name that a
    regrouping has given it is nobody's. Raises Stale.
    """
    merged = topic.pk != topic_id
    named = topic.named and topic.label not in (was, wanted)
    if was and (merged or named):
        raise Stale(errors={"label": [f"Its name is now “{topic.label}”."]})


def _for_lead(topic_id: UUID, by: Member) -> Topic:
    """As `_held`, of a team that the member leads."""
    seen = _held(topic_id, by)
    by.require(seen.team_id, Level.LEAD)
    return seen


def _held(topic_id: UUID, by: Member) -> Topic:
    """The topic, or the one it was merged into, with its team's row held: as regrouping and deposits hold it."""
    seen = Topic.objects.visible_to(by).with_id(topic_id)
    if seen is None:
        raise NotFound
    Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
    seen.refresh_from_db()
    return Topic.objects.get(pk=seen.heir_id)


def _clean(label: str) -> str:
    """One line, without what nobody sees, a secret or somebody's address."""
    line = " ".join(strip_invisible(label).text.split())
    if not line:
        raise BadLabel(errors={"label": ["Enter a name."]})
    if found := find_secrets(line, field="label"):
        raise SecretInLabel(errors={"label": [str(finding) for finding in found]})
    return redact_personal(line)[0]
