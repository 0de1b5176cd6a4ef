"""Write a skill, edit it, publish it, retire it. Only for leads; a contributor may propose a draft.

The guard comes first, then the vector, both outside any transaction; then a short transaction reads the row again under
its lock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction

from accounts.models import GuardTerm
from accounts.rules.guard.detection import find_secrets, masked, strip_invisible
from accounts.rules.refused import Refused, Stale
from accounts.rules.rights import Level, Member, TeamAccess, team_for_write
from knowledge.adapters.embedder import EmbedderDown, current
from skills.models import Skill, SkillVersion, digests
from skills.rules.package import files_fault
from skills.rules.sheet import Sheet, Triggers, faults, tidy_description, tidy_instructions
from skills.rules.vocabulary import SkillStatus

Files = Mapping[str, bytes]
Degraded = tuple[dict[str, str], ...]
# The fields that `edit` may change.
EDITABLE = ("name", "description", "instructions", "triggers", "extra")


class SecretInSkill(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was stored; remove the secret and try again."


class BadSkill(Refused):
    code = "invalid"
    detail = "The skill is invalid."


class SkillNameTaken(Refused):
    code = "name_taken"
    status = 409
    detail = "The team has another skill with this name."


class NameStays(Refused):
    code = "wrong_status"
    status = 409
    detail = "A published skill cannot be renamed: agents use its name."


class WrongSkillStatus(Refused):
    code = "wrong_status"
    status = 409


@dataclass(frozen=True)
class Authored:
    """The result. `created` is false if the skill existed; `stripped`: removed invisible characters, by field;
    `degraded`: the parts that were down.
    """

    skill: Skill
    created: bool
    changed: bool = True
    stripped: Mapping[str, int] = field(default_factory=dict)
    degraded: Degraded = ()


def create(
    *,
    sheet: Sheet,
    by: Member,
    now: datetime,
    team: str = "",
    files: Files | None = None,
    live: bool = False,
    strict: bool = False,
) -> Authored:
    """Add a skill to a team as a draft, or published if `live`, which only a lead may do. A draft of anybody else is
    marked as proposed. If the name exists, that skill is returned unchanged, so that a repeated call creates nothing.
    With `strict` this holds only if it says the same, in its live version or in its draft.

    Raises NoSuchTeam, TeamUnclear, NotAllowed, BadSkill, SecretInSkill, NameTaken; then nothing was stored.
    """
    access = team_for_write(by, team)
    if live:
        by.require(access.id, Level.LEAD)
    sheet, stripped = _guarded(sheet, files or {}, access.id)
    there = Skill.objects.all().whole().filter(team_id=access.id, name=sheet.name).first()
    if there is not None:
        return _already(there, sheet, strict)
    vector, degraded = _vector(sheet)
    try:
        skill = _insert(sheet, vector, files or {}, live, access, by, now, _why(stripped))
    except IntegrityError:  # somebody else created it at the same moment
        return _already(Skill.objects.all().whole().get(team_id=access.id, name=sheet.name), sheet, strict)
    return Authored(skill, created=True, stripped=stripped, degraded=degraded)


def edit(
    *,
    name: str,
    team: str,
    changes: Mapping[str, Any],
    revision: int | None,
    by: Member,
    now: datetime,
    why: str = "",
    files: Files | None = None,
    restored: int | None = None,
) -> Authored:
    """Change a skill at `revision` (None: any). Agents get the change only when the skill is published again. `changes`
    may contain EDITABLE fields; `files` replaces all files beside it, None keeps them. Only for leads, and for authors
    on their own draft that was never published. `restored`: the number of the version that the changes and files are
    from; a present draft is then kept as a version of its own.

    Raises NotFound, Ambiguous, NotAllowed, Stale (with `extra["current_revision"]`), BadSkill, SecretInSkill,
    NameTaken, NameStays; then nothing was changed.
    """
    seen = _editable_skill(name, team, by)
    old = seen.latest.sheet
    sheet, stripped = _guarded(_changed(old, changes), files or {}, seen.team_id)
    vector, degraded = (None, ()) if sheet.meaning == old.meaning else _vector(sheet)
    with transaction.atomic():
        skill = _locked(seen.pk)
        _require_editor(skill, by)
        if skill.revision != (seen.revision if revision is None else revision) or seen.revision != skill.revision:
            raise _stale(skill)
        named = [field for field in EDITABLE if getattr(sheet, field) != getattr(old, field)]
        named += ["files"] if files is not None and _differ(skill.latest, files) else []
        if not named:
            return Authored(skill, created=False, changed=False)
        _rename(skill, sheet.name)
        _write(skill, sheet, old, vector, restored is not None, by=by, now=now)
        if "files" in named or restored is not None:
            skill.put_files(files or {})
        skill.keep(at=now, changed=("name",))
        before, after = _log_changes(old, named), _log_changes(sheet, named)
        verb, done = ("edited", "edited") if restored is None else ("restored", f"version {restored} restored as draft")
        line = f"Skill {skill.name} {done}: {', '.join(named)}"
        why = " ".join(filter(None, (masked(why), _why(stripped))))
        skill.note(verb=verb, line=line, by=by, at=now, why=why, before=before, after=after)
    return Authored(skill, created=False, stripped=stripped, degraded=degraded)


def publish(
    *, name: str, team: str = "", by: Member, now: datetime, why: str = "", revision: int | None = None
) -> Skill:
    """Publish the draft, so that agents get it; the previous version is kept. A repeated call changes nothing.

    `revision`: the one that was read (None: any). Raises Stale if it is another now.
    """
    with transaction.atomic():
        skill = _for_lead(name, team, by, revision)
        if skill.ahead is not None or skill.status != SkillStatus.PUBLISHED:
            skill.put_live(by=by, at=now, why=masked(why))
    return skill


def retire(
    *, name: str, team: str = "", by: Member, now: datetime, why: str = "", revision: int | None = None
) -> Skill:
    """Retire a skill, so that agents no longer get it. It is kept, and can be published again. Raises WrongStatus if it
    is retired already.

    `revision`: as for `publish`.
    """
    with transaction.atomic():
        skill = _for_lead(name, team, by, revision)
        if skill.status == SkillStatus.RETIRED:
            raise WrongSkillStatus(f"{skill.name} is already retired.")
        skill.retire(by=by, at=now, why=masked(why))
    return skill


# --- before the row ---------------------------------------------------------------------------------------------
def _guarded(sheet: Sheet, files: Files, team_id: int) -> tuple[Sheet, dict[str, int]]:
    """Return the sheet without invisible characters, and their number by field. Raises SecretInSkill, BadSkill."""
    stripped: dict[str, int] = {}

    def clean(name: str, text: str) -> str:
        found = strip_invisible(text)
        if found.count:
            stripped[name] = stripped.get(name, 0) + found.count
        return found.text

    sheet = Sheet(
        name=clean("name", sheet.name).strip(),
        description=tidy_description(clean("description", sheet.description)),
        instructions=tidy_instructions(clean("instructions", sheet.instructions)),
        triggers=Triggers.made(
            **{kind: [clean("triggers", v) for v in values] for kind, values in sheet.triggers.as_dict().items()}
        ),
        extra=_cleaned(dict(sheet.extra), clean),
        sources=sheet.sources,
    )
    wrong = faults(sheet)
    if wrong:
        raise BadSkill(errors=wrong)
    fault = files_fault(files)
    if fault:
        raise BadSkill(errors={"files": [fault]})
    _refuse_secrets(sheet, files, team_id)
    return sheet, stripped


def _cleaned(value: Any, clean: Any) -> Any:
    """Return plain JSON with each of its texts cleaned."""
    if isinstance(value, str):
        return clean("metadata", value)
    if isinstance(value, dict):
        return {clean("metadata", str(key)): _cleaned(inner, clean) for key, inner in value.items()}
    return [_cleaned(inner, clean) for inner in value] if isinstance(value, list) else value


def _refuse_secrets(sheet: Sheet, files: Files, team_id: int) -> None:
    allowed = GuardTerm.objects.all().allowed(team_id)
    errors: dict[str, list[str]] = {}
    texts = [*sheet.texts(), *(("files", path) for path in files)]
    if not any(find_secrets(path) for path in files):
        texts += [(path, strip_invisible(_as_text(data)).text) for path, data in files.items()]
    for name, text in texts:
        found = find_secrets(text, field=name, allowed=allowed)
        if found:
            errors.setdefault(name, []).extend(str(item) for item in found)
    if errors:
        raise SecretInSkill(errors=errors)


def _as_text(data: bytes) -> str:
    """Return the text in a file, byte by byte, even if it is binary, so that the guard can search it."""
    return data.decode("utf-8", "replace")


def _vector(sheet: Sheet) -> tuple[np.ndarray | None, Degraded]:
    """Return the vector of the sheet; without an embedder none, in which case the sweep computes it and the answer says
    so.
    """
    try:
        return current().embed([sheet.meaning])[0], ()
    except EmbedderDown as down:
        return None, ({"component": "embedder", "reason": str(down)},)


def _changed(old: Sheet, changes: Mapping[str, Any]) -> Sheet:
    return replace(old, **{name: value for name, value in changes.items() if name in EDITABLE})


# --- the row ----------------------------------------------------------------------------------------------------
def _already(there: Skill, sheet: Sheet, strict: bool) -> Authored:
    """Return the skill of that name as it is. Raises NameTaken if it must say the same and does not."""
    if strict and not any(_same(version.sheet, sheet) for version in (there.live, there.ahead) if version):
        raise SkillNameTaken(
            f"{there.team.slug} has another skill named {there.name} ({there.status}); nothing was stored. "
            "Choose another name, or edit that skill.",
            errors={"name": [SkillNameTaken.detail]},
        )
    return Authored(there, created=False, changed=False)


def _same(one: Sheet, other: Sheet) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in EDITABLE)


@transaction.atomic
def _insert(
    sheet: Sheet,
    vector: np.ndarray | None,
    files: Files,
    live: bool,
    team: TeamAccess,
    by: Member,
    now: datetime,
    why: str,
) -> Skill:
    proposed = not by.may(team.id, Level.LEAD)
    skill = Skill.objects.create(
        team_id=team.id,
        name=sheet.name,
        proposed=proposed,
        sources=list(sheet.sources),
        author_id=by.user_id,
        token_id=by.token_id,
        created_at=now,
        updated_at=now,
    )
    skill.write(sheet, vector, current().name, by=by, at=now)
    skill.save(update_fields=["ahead"])
    if files:
        skill.put_files(files)
    verb = "proposed" if proposed else "written"
    skill.note(verb=verb, line=f"Skill {skill.name} {verb}: {sheet.description}", by=by, at=now, why=why)
    if live:
        skill.put_live(by=by, at=now, why="")
    return skill


def _write(
    skill: Skill, sheet: Sheet, old: Sheet, vector: np.ndarray | None, new_version: bool, *, by: Member, now: datetime
) -> None:
    """Write the sheet. If the embedded text is unchanged, the vector is kept. `new_version`: as a new version, even if
    there is a draft.
    """
    latest = skill.latest
    if new_version:
        skill.ahead = None
    kept, model = latest.embedding, latest.embedded_by
    version = skill.write(sheet, vector, current().name, by=by, at=now)
    if sheet.meaning == old.meaning:
        version.embedding, version.embedded_by = kept, model
        version.save(update_fields=["embedding", "embedded_by"])


def _rename(skill: Skill, name: str) -> None:
    if name == skill.name:
        return
    if skill.live_id:
        raise NameStays(errors={"name": ["It is already published under this name."]})
    if Skill.objects.filter(team_id=skill.team_id, name=name).exists():
        raise SkillNameTaken(errors={"name": ["The team has another skill with this name."]})
    skill.name = name


def _editable_skill(name: str, team: str, by: Member) -> Skill:
    """Return the skill, if the member may edit it, before anything is computed."""
    found = Skill.objects.all().one_named(name, team, by)
    _require_editor(found, by)
    return Skill.objects.all().whole().get(pk=found.pk)


def _require_editor(skill: Skill, by: Member) -> None:
    """Raise NotAllowed unless the member leads the team, or wrote this draft, which agents have never received."""
    own = skill.author_id == by.user_id and skill.status == SkillStatus.DRAFT and skill.live_id is None
    if not (own and by.may(skill.team_id, Level.CONTRIBUTOR)):
        by.require(skill.team_id, Level.LEAD)


def _locked(pk: int) -> Skill:
    Skill.objects.select_for_update(no_key=True).get(pk=pk)
    return Skill.objects.all().whole().get(pk=pk)


def _for_lead(name: str, team: str, by: Member, revision: int | None) -> Skill:
    found = Skill.objects.all().one_named(name, team, by)
    by.require(found.team_id, Level.LEAD)
    skill = _locked(found.pk)
    if revision is not None and skill.revision != revision:
        raise _stale(skill)
    return skill


def _stale(skill: Skill) -> Stale:
    return Stale(errors={"revision": [f"It is at revision {skill.revision}."]}, current_revision=skill.revision)


def _differ(version: SkillVersion, files: Files) -> bool:
    kept = {path: file["sha256"] for path, file in version.files.items()}
    return kept != digests(files)


def _log_changes(sheet: Sheet, names: list[str]) -> dict[str, Any]:
    """Return the changed values for the log; for files only that they changed."""
    values = {name: getattr(sheet, name) for name in names if name != "files"}
    return {name: v.as_dict() if isinstance(v, Triggers) else v for name, v in values.items()}


def _why(stripped: Mapping[str, int]) -> str:
    return f"invisible characters stripped: {dict(stripped)}" if stripped else ""
