"""Undo an action on a skill's pages, if nobody has changed the skill since."""

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

# The names of the undo steps (`bulk.undo`).
STATE, TEXT, OWNER = "skill state", "skill text", "skill owner"
Step = list[Any]
Fields = dict[str, Any]


@dataclass(frozen=True)
class UndoneSkill:
    """The undone skill, as messages name it, and its new revision."""

    ref: str
    revision: int


@dataclass(frozen=True)
class SkillBefore:
    """A skill as it was before an action."""

    pk: int
    revision: int
    state: Mapping[str, Any]
    sheet: Sheet

    @classmethod
    def of(cls, skill: Skill) -> "SkillBefore":
        return cls(skill.pk, skill.revision, skill.state(), skill.latest.sheet)

    def steps(self, now: Skill) -> list[Step]:
        """Return the steps that undo one action; [] if it changed nothing, or somebody else made a change in between.

        An edit of a draft overwrites it, so its text is restored; an edit that began a draft is undone by setting the
        draft aside.
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
    """Undo the edit of a draft. Raises what `put_state_back` and `author.edit` raise."""
    with transaction.atomic():
        skill = _locked(skill_id, revision, by)
        changes = {name: Triggers.made(**value) if name == "triggers" else value for name, value in before.items()}
        sent: dict[str, Any] = {"by": by, "now": now, "why": "undone"}
        done = edit(name=skill.name, team=skill.team.slug, changes=changes, revision=revision, **sent)
    return [UndoneSkill(done.skill.name, done.skill.revision)]


def put_owner_back(by: Member, now: datetime, skill_id: int, given: str, was: str) -> list[UndoneSkill]:
    """Undo the setting of an owner. Raises what `set_owner` raises, and Stale if another was set since."""
    skill = _visible(skill_id, by)
    if (skill.owner.username if skill.owner else "") != given:
        raise Stale(f"The owner of {skill.name} was changed since.")
    set_owner(name=skill.name, team=skill.team.slug, owner=was, by=by, now=now, why="undone")
    return [UndoneSkill(skill.name, skill.revision)]


def _locked(skill_id: int, revision: int, by: Member) -> Skill:
    """Return the locked skill. Raises NotFound, NotAllowed, Stale."""
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
    """Return, by key, the name and the revision of the skills that the member may see."""
    rows = Skill.objects.visible_to(by).filter(pk__in=keys).values_list("pk", "name", "revision")
    return {key: (name, revision) for key, name, revision in rows}


# Steps that are refused unless the skill has a given revision.
AT_REVISION = (STATE, TEXT)
STEPS: dict[str, Callable[..., list[Any]]] = {STATE: put_state_back, TEXT: put_text_back, OWNER: put_owner_back}
