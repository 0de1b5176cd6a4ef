"""All queries of `skills`."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Self

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, F, FloatField, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Concat
from pgvector import HalfVector
from pgvector.django import CosineDistance

from accounts.querysets import TeamScoped
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import PERSONAL, Member
from accounts.statements import BindParam, narrowed
from skills.rules.vocabulary import SkillStatus


class Ambiguous(Refused):
    code = "ambiguous"
    status = 409
    detail = "Several of your teams have a skill with this name; choose one with ?team=."


class SkillQuerySet(TeamScoped):
    def one_named(self, name: str, team: str, by: Member) -> Any:
        """Return the skill of that name. `team`: a slug, or "" if only one visible team has the name.

        Raises NotFound, and Ambiguous with the slugs of those teams.
        """
        rows = self.visible_to(by).filter(name=name)
        if team:
            own = by.personal
            slug = own.slug if team == PERSONAL and own else team
            rows = rows.filter(team__slug=slug)
        found = list(rows.select_related("team").order_by("team__slug")[:20])
        if not found:
            raise NotFound
        if len(found) > 1:
            slugs = [skill.team.slug for skill in found]
            raise Ambiguous(errors={"team": [f"One of {', '.join(slugs)}."]})
        return found[0]

    def whole(self) -> Self:
        """Load everything that a page or an answer shows of each skill."""
        rows = self.select_related("team", "author", "owner", "live__skill", "live__published_by", "ahead__skill")
        return rows.prefetch_related("live__triggers", "ahead__triggers")

    def counted(self, uses: "SkillUseQuerySet") -> Self:
        """Annotate `use_count` and `last_used_at`."""
        own = uses.filter(skill=OuterRef("pk")).order_by().values("skill")
        return self.annotate(
            use_count=Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0),
            last_used_at=Subquery(own.annotate(last=Max("at")).values("last")),
        )

    def with_status(self, status: str) -> Self:
        return self.filter(status=status) if status else self

    def of_team(self, slug: str) -> Self:
        return self.filter(team__slug=slug) if slug else self

    def with_words(self, text: str) -> Self:
        """Filter those with every word in their name or description."""
        rows = self
        for word in text.split()[:20]:
            rows = rows.filter(
                Q(name__icontains=word) | Q(live__description__icontains=word) | Q(ahead__description__icontains=word)
            )
        return rows

    def naming(self, refs: Sequence[str]) -> Self:
        """Filter those with one of these texts in their own text, or among their sources."""
        found = Q(sources__overlap=list(refs))
        for ref, which in product(refs, ("live", "ahead")):
            found |= Q(**{f"{which}__instructions__contains": ref}) | Q(**{f"{which}__description__contains": ref})
        return self.filter(found)

    def called_by(self, text: str, triggers: "TriggerQuerySet") -> Self:
        """Filter those with this text in a trigger of the live version or of the draft."""
        either = Q(version=OuterRef("live")) | Q(version=OuterRef("ahead"))
        return self.filter(Exists(triggers.filter(either, value__icontains=text))) if text else self

    def with_use(self, used: str, uses: "SkillUseQuerySet") -> Self:
        """`yes`: filter those that were served; `never`: the others; "": all."""
        served = Exists(uses.filter(skill=OuterRef("pk")))
        return {"yes": self.filter(served), "never": self.filter(~served)}.get(used, self)

    def to_publish(self, team_ids: Sequence[int]) -> Self:
        """Filter those of these teams that have a version which agents do not get yet."""
        return self.filter(team_id__in=team_ids, ahead__isnull=False)

    def published(self) -> Self:
        return self.filter(status=SkillStatus.PUBLISHED)


class SkillVersionQuerySet(QuerySet[Any]):
    def served_to(self, member: Member, *, only: Sequence[int] | None = None) -> Self:
        """Filter the live versions of published skills that agents of these teams may get."""
        teams = narrowed(member, only)
        return self.filter(skill__team_id__any=teams, skill__status=SkillStatus.PUBLISHED, skill__live_id=F("pk"))

    def nearest(self, vector: HalfVector | BindParam | None, within: float, triggers: "TriggerQuerySet") -> Self:
        """Annotate `distance` (cosine) and `called_for` (["kind:value", …]), order by distance, and keep those `within`
        a distance; without a vector all, and no distance. Every row is compared: a team has tens of skills, not tens of
        thousands.
        """
        distance = CosineDistance("embedding", vector) if vector else Value(None, FloatField())
        rows = self.annotate(distance=distance, called_for=ArraySubquery(triggers.of_each_version()))
        rows = rows.filter(distance__lte=within) if vector else rows
        return rows.order_by(F("distance").asc(nulls_last=True), "pk")

    def waiting_for_vector(self, model: str) -> Self:
        """Filter versions that are or may become live and have no vector of this model: the sweep's work list."""
        current = Q(skill__live_id=F("pk")) | Q(skill__ahead_id=F("pk"))
        return self.filter(current).exclude(embedded_by=model).select_related("skill").order_by("pk")

    def by_number(self) -> Self:
        """Order newest first, with who wrote and published each."""
        return self.select_related("written_by", "published_by", "skill").order_by("-number")


class TriggerQuerySet(QuerySet[Any]):
    def of_each_version(self) -> QuerySet[Any, Any]:
        """Return a subquery: the triggers of the outer row as "kind:value"."""
        text = Concat("kind", Value(":"), "value")
        return self.filter(version=OuterRef("pk")).order_by("pk").annotate(text=text).values("text")


class SkillUseQuerySet(QuerySet[Any]):
    def visible_to(self, member: Member) -> Self:
        return self.filter(skill__team_id__in=member.team_ids)
