"""Take back what was done to a skill on its pages, as long as nobody has changed it since."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.rules.refused import NotFound, Stale
from accounts.rules.rights import Level, Member
from skills.actions.author import EDITABLE, edit
from skills.actions.owner import set_owner
from skills.models import Skill
from skills.rules.sheet import Sheet, Triggers

# How the steps are named that take an act back (`bulk.undo`).
STATE, TEXT, OWNER = "skill state", "skill text", "skill owner"
Step = list[Any]
Fields = dict[str, Any]


@dataclass(frozen=True)
class UndoneSkill:
    """What a message names as undone, at the revision that it has then."""

    ref: str
    revision: int


@dataclass(frozen=True)
class SkillBefore:
    """A skill as it was before an act."""

    pk: int
    revision: int
    state: Mapping[str, Any]
    sheet: Sheet

    @classmethod
    def of(cls, skill: Skill) -> "SkillBefore":
        return cls(skill.pk, skill.revision, skill.state(), skill.latest.sheet)

    def steps(self, now: Skill) -> list[Step]:
        """The steps that take one act back; none if there was nothing to do, or somebody else did something between.

        A draft that is edited is written over: its text is put back, where a new draft is set aside.
        """
        if now.revision != self.revision + 1:
            return []
        if self.state["ahead"] is None or now.ahead_id != self.state["ahead"]:
            return [[STATE, self.pk, now.revision, dict(self.state)]]
        if now.status != self.state["status"]:
            return [[STATE, self.pk, now.revision, dict(self.state)]]
        return [[TEXT, self.pk, now.revision, self._fields(now.latest.sheet)]]

    def _fields(self, now: Sheet) -> Fields:
        named = [name for name in EDITABLE if getattr(self.sheet, name) != getattr(now, name)]
        values = {name: getattr(self.sheet, name) for name in named}
        return {name: v.as_dict() if isinstance(v, Triggers) else v for name, v in values.items()}


def put_state_back(
    by: Member, now: datetime, skill_id: int, revision: int, before: dict[str, Any]
) -> list[UndoneSkill]:
    """Undo publishing, retiring, restoring, or the edit that began a draft. Raises NotFound, NotAllowed, Stale."""
    with transaction.atomic():
        skill = _locked(skill_id, revision, by)
        skill.put_back(before, by=by, at=now)
    return [UndoneSkill(skill.name, skill.revision)]


def put_text_back(by: Member, now: datetime, skill_id: int, revision: int, before: Fields) -> list[UndoneSkill]:
    """Undo the edit of a draft. Raises as `put_state_back`, and as `author.edit`."""
    with transaction.atomic():
        skill = _locked(skill_id, revision, by)
        changes = {name: Triggers.made(**value) if name == "triggers" else value for name, value in before.items()}
        sent: dict[str, Any] = {"by": by, "now": now, "why": "undone"}
        done = edit(name=skill.name, team=skill.team.slug, changes=changes, revision=revision, **sent)
    return [UndoneSkill(done.skill.name, done.skill.revision)]


def put_owner_back(by: Member, now: datetime, skill_id: int, given: str, was: str) -> list[UndoneSkill]:
    """Undo the setting of an owner. Raises as `set_owner`, and Stale if another was set since."""
    skill = _visible(skill_id, by)
    if (skill.owner.username if skill.owner else "") != given:
        raise Stale(f"The owner of {skill.name} was changed since.")
    set_owner(name=skill.name, team=skill.team.slug, owner=was, by=by, now=now, why="undone")
    return [UndoneSkill(skill.name, skill.revision)]


def _locked(skill_id: int, revision: int, by: Member) -> Skill:
    """The skill, its row held. Raises NotFound, NotAllowed, Stale."""
    by.require(_visible(skill_id, by).team_id, Level.LEAD)
    Skill.objects.select_for_update(no_key=True).get(pk=skill_id)
    skill = _visible(skill_id, by)
    if skill.revision != revision:
        raise Stale(f"{skill.name} was changed since; change it back on its own page.")
    return skill


def _visible(skill_id: int, by: Member) -> Skill:
    row: Skill | None = Skill.objects.visible_to(by).whole().filter(pk=skill_id).first()
    if row is None:
        raise NotFound
    return row


def revisions(by: Member, keys: Collection[Any]) -> dict[Any, tuple[str, int]]:
    """By key, the name and the revision of the skills that the member sees."""
    rows = Skill.objects.visible_to(by).filter(pk__in=keys).values_list("pk", "name", "revision")
    return {key: (name, revision) for key, name, revision in rows}


# Those that are done at one revision of a skill.
AT_REVISION = (STATE, TEXT)
STEPS: dict[str, Callable[..., list[Any]]] = {STATE: put_state_back, TEXT: put_text_back, OWNER: put_owner_back}
