"""`skills/…` for agents and scripts."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from accounts.authentication import AgentRequest
from accounts.rules.refused import NotFound
from knowledge.api.insights import IF_MATCH, sent_revision
from knowledge.filters import InsightPages
from knowledge.serializers.insights import OwnerIn, ReasonIn
from skills.actions import author, distil, owner, transfer
from skills.models import Skill, SkillUse, SkillVersion
from skills.rules.comparison import difference
from skills.serializers import (
    CreatedOut,
    DistilIn,
    SkillEditIn,
    SkillIn,
    SkillOut,
    SkillPageOut,
    SkillReadIn,
    SkillsIn,
    SkillsVersionsOut,
    TeamIn,
    VersionOut,
    VersionsIn,
    created_out,
    files_out,
    skill_out,
)

# Of a skill's history so many versions are shown; each with all its words.
MOST_VERSIONS = 50


class Skills(APIView):
    """Write a skill, or list them."""

    @extend_schema(operation_id="skills_list", parameters=[SkillsIn], responses=SkillPageOut)
    def get(self, request: AgentRequest) -> Response:
        """Newest first, without their instructions; narrowed by the parameters, a page at a time."""
        asked = _parameters(SkillsIn, request)
        rows = Skill.objects.visible_to(request.member).of_team(asked["team"]).with_status(asked["status"])
        pages = InsightPages()
        found = rows.with_words(asked["q"]).whole().counted(SkillUse.objects.all())
        skills: list[Skill] = pages.paginate_queryset(found, request, view=self) or []
        return pages.get_paginated_response([skill_out(skill, brief=True) for skill in skills])

    @extend_schema(operation_id="skills_create", request=SkillIn, responses={200: CreatedOut, 201: CreatedOut})
    def post(self, request: AgentRequest) -> Response:
        """Write a skill for the team. A contributor's is a draft that a lead publishes (`proposed_by`); to publish at
        once takes a lead. Sent again, it is answered with the skill as it is; a name under which the team has another
        one is refused (409, `name_taken`).
        """
        form = SkillIn(data=request.data)
        form.is_valid(raise_exception=True)
        live = form.validated_data["status"] == "published"
        team, now = form.validated_data["team"], timezone.now()
        done = author.create(sheet=form.sheet(), team=team, by=request.member, now=now, live=live, strict=True)
        return Response(created_out(done, _skill_by_id(done.skill.pk)), status=201 if done.created else 200)


class OneSkill(APIView):
    """Read or edit a skill."""

    @extend_schema(operation_id="skills_get", parameters=[SkillReadIn], responses=SkillOut)
    def get(self, request: AgentRequest, name: str) -> Response:
        """With its instructions. What is being written, if anything is; `published=true` for what agents get."""
        asked = _parameters(SkillReadIn, request)
        skill = _find(request, name, asked["team"])
        if asked["published"] and skill.live is None:
            raise NotFound
        return _answer(skill, published=asked["published"])

    @extend_schema(operation_id="skills_edit", parameters=[IF_MATCH, TeamIn], request=SkillEditIn, responses=SkillOut)
    def patch(self, request: AgentRequest, name: str) -> Response:
        """Change what is named; agents get it when it is published. A lead's act, except for one's own draft that was
        never published. `If-Match` carries the revision you read: missing 428, outdated 412.
        """
        team = _parameters(TeamIn, request)["team"]
        skill = _find(request, name, team)
        revision = sent_revision(request)
        form = SkillEditIn(data=request.data)
        form.is_valid(raise_exception=True)
        done = author.edit(
            name=name,
            team=team,
            changes=form.changes(skill.latest.sheet),
            revision=revision,
            by=request.member,
            now=timezone.now(),
            why=form.validated_data["reason"],
        )
        return _answer(_skill_by_id(done.skill.pk))


class Publishing(APIView):
    """publish or retire a skill; which one is set by the URL."""

    verb: Any = None

    @extend_schema(parameters=[TeamIn], request=ReasonIn, responses=SkillOut)
    def post(self, request: AgentRequest, name: str) -> Response:
        team = _parameters(TeamIn, request)["team"]
        _find(request, name, team)
        form = ReasonIn(data=request.data)
        form.is_valid(raise_exception=True)
        act = getattr(author, self.verb)
        done = act(name=name, team=team, by=request.member, now=timezone.now(), why=form.validated_data["reason"])
        return _answer(_skill_by_id(done.pk))


class Owning(APIView):
    """Say who answers for a skill; a lead's act, or the present owner's."""

    @extend_schema(operation_id="skills_owner", parameters=[TeamIn], request=OwnerIn, responses=SkillOut)
    def post(self, request: AgentRequest, name: str) -> Response:
        """A member of the team, or nobody."""
        team = _parameters(TeamIn, request)["team"]
        _find(request, name, team)
        form = OwnerIn(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        sent = {"owner": data["owner"], "by": request.member, "now": timezone.now(), "why": data["reason"]}
        done = owner.set_owner(name=name, team=team, **sent)
        return _answer(_skill_by_id(done.pk))


class Versions(APIView):
    """What a skill said before."""

    @extend_schema(operation_id="skills_versions", parameters=[VersionsIn], responses=SkillsVersionsOut)
    def get(self, request: AgentRequest, name: str) -> Response:
        """Newest first, each with what changed from the one before; or, with `from` and `to`, what changed between."""
        asked = _parameters(VersionsIn, request)
        skill = _find(request, name, asked["team"])
        rows = list(SkillVersion.objects.filter(skill=skill).by_number().prefetch_related("triggers")[:MOST_VERSIONS])
        if "from" in asked or "to" in asked:
            return Response(_between(rows, asked))
        before = [*rows[1:], None]
        return Response({"results": [_version(skill, *pair) for pair in zip(rows, before, strict=True)]})


class Distillation(APIView):
    """Draft a skill from a topic."""

    @extend_schema(operation_id="topics_distil", request=DistilIn, responses={200: CreatedOut, 201: CreatedOut})
    def post(self, request: AgentRequest, topic_id: UUID) -> Response:
        """From its promoted insights, for a lead to edit; distilled twice it is the same skill."""
        form = DistilIn(data=request.data)
        form.is_valid(raise_exception=True)
        name = form.validated_data["name"]
        done = distil.distil(topic_id=topic_id, by=request.member, now=timezone.now(), name=name)
        return Response(created_out(done, _skill_by_id(done.skill.pk)), status=201 if done.created else 200)


class Export(APIView):
    """A skill as a zip archive: a folder with SKILL.md and the files beside it."""

    @extend_schema(
        operation_id="skills_export", parameters=[TeamIn], responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    def get(self, request: AgentRequest, name: str) -> HttpResponse:
        """What agents get; of a draft what is being written."""
        team = _parameters(TeamIn, request)["team"]
        called, data = transfer.export_zip(name=name, team=team, by=request.member)
        headers = {"Content-Disposition": f'attachment; filename="{called}.zip"', "X-Content-Type-Options": "nosniff"}
        return HttpResponse(data, content_type="application/zip", headers=headers)


def _parameters(form: type[Serializer[Any]], request: AgentRequest) -> dict[str, Any]:
    sent = form(data=request.query_params.dict())
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


def _find(request: AgentRequest, name: str, team: str) -> Skill:
    return _skill_by_id(Skill.objects.all().one_named(name, team, request.member).pk)


def _skill_by_id(pk: int) -> Skill:
    return Skill.objects.all().whole().counted(SkillUse.objects.all()).get(pk=pk)


def _answer(skill: Skill, *, published: bool = False) -> Response:
    return Response(skill_out(skill, published=published), headers={"ETag": f'"{skill.revision}"'})


def _between(rows: list[SkillVersion], asked: dict[str, Any]) -> dict[str, Any]:
    known = {version.number: version for version in rows}
    for end in ("from", "to"):
        if asked.get(end) not in known:
            raise ValidationError({end: ["Unknown version."]})
    old, new = known[asked["from"]], known[asked["to"]]
    names = (f"version {old.number}", f"version {new.number}")
    return {"from": old.number, "to": new.number, "diff": difference(old.sheet, new.sheet, names=names)}


def _version(skill: Skill, version: SkillVersion, before: SkillVersion | None) -> dict[str, Any]:
    names = (f"version {before.number}" if before else "nothing", f"version {version.number}")
    data = {
        "number": version.number,
        "live": version.pk == skill.live_id,
        "published_at": version.published_at,
        "published_by": version.published_by.username if version.published_by else None,
        "why": version.why,
        "written_at": version.written_at,
        "written_by": version.written_by.username if version.written_by else None,
        "description": version.description,
        "instructions": version.instructions,
        "triggers": version.called_by.as_dict(),
        "files": files_out(version.files),
        "diff": difference(before.sheet if before else None, version.sheet, names=names),
    }
    return dict(VersionOut(data).data)
