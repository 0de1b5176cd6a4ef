"""What people do to one insight: edit, promote, deprecate, restore, leave, pin, unpin, set the owner.

Each action reads the row again under its lock, checks permissions there, and writes a log line in the same transaction.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction

from accounts.actions import owners
from accounts.models import GuardTerm, Team
from accounts.rules.guard.detection import find_secrets, masked, strip_invisible
from accounts.rules.refused import NotAllowed, NotFound, Refused, Stale
from accounts.rules.rights import Level, Member, TeamKind
from knowledge.adapters.embedder import EmbedderDown, current
from knowledge.models import Anchor, Insight, Lexicon, Pair, Topic
from knowledge.models.insight import WORD_FIELDS
from knowledge.review.actions.second_reviewer import require_reviewer
from knowledge.review.rules.triage import BECOMES, closed
from knowledge.rules.draft import clean_paths, clean_questions, clean_symbols, clean_tags, searchable, searched
from knowledge.rules.vocabulary import AnchorKind, Kind, Status

ANCHORED: dict[str, tuple[AnchorKind, Callable[[Any], list[str]]]] = {
    "tags": (AnchorKind.TAG, clean_tags),
    "files": (AnchorKind.FILE, clean_paths),
    "symbols": (AnchorKind.SYMBOL, clean_symbols),
}
# The fields that are lists of texts, each with the function that cleans it.
LISTS: dict[str, Callable[[Any], list[str]]] = {
    **{name: clean for name, (_, clean) in ANCHORED.items()},
    "questions": clean_questions,
}
SEARCHED = ("title", "body", "reasoning", "questions")
EDITABLE = (*SEARCHED, "kind", "repo", "stability")


# By these actions a lead confirms what the insight says.
CONFIRMING = ("promote", "restore")
SUGGEST = "suggest the edit, and a lead approves it."
BY_SUPERUSER = (
    "In this team a superuser promotes an insight, or two leads of different teams do by rating it helpful, each on its"
    " page (not by a token)."
)


class SecretInEdit(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was changed."


class BadEdit(Refused):
    code = "invalid"


class WrongStatus(Refused):
    code = "wrong_status"
    status = 409


def edit(
    *,
    ref: str,
    changes: Mapping[str, Any],
    revision: int,
    by: Member,
    now: datetime,
    why: str = "",
    reviewed: bool = False,
    seen: Insight | None = None,
) -> Insight:
    """Change fields of an insight at `revision`. Allowed for leads, and for the author of a draft that nobody else has
    said again or found helpful.

    `changes` may contain EDITABLE fields and tags, files, symbols. `reviewed`: somebody else has proposed the changes,
    or they undo an edit. `seen`: the row, if the caller has just read it for `by`. Raises NotFound, NotAllowed, Stale
    (with the current row in `extra["current_revision"]`), SecretInEdit, BadEdit, NeedsReviewer; then nothing was
    changed.
    """
    seen = seen or _visible(ref, by)
    changes = clean_changes(changes, GuardTerm.objects.all().allowed(seen.team_id))
    said = {name: changes.get(name, getattr(seen, name)) for name in SEARCHED}
    # A vector takes milliseconds to compute, and 200 rows whose tags change need none.
    vector = _vector(said) if any(said[name] != getattr(seen, name) for name in SEARCHED) else None
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
        insight = _locked(seen.pk)
        _may_edit(insight, by)
        if insight.revision != revision or seen.revision != revision:
            raise Stale(
                errors={"revision": [f"It is at revision {insight.revision}."]},
                current_revision=insight.revision,
            )
        fields = {k: v for k, v in changes.items() if k in EDITABLE and getattr(insight, k) != v}
        anchors = {k: v for k, v in changes.items() if k in ANCHORED and getattr(insight, k) != sorted(v)}
        if not fields and not anchors:
            return insight
        if fields.get("kind", insight.kind) == Kind.DECISION and not fields.get("reasoning", insight.reasoning):
            raise BadEdit(errors={"reasoning": ["A DECISION requires reasoning."]})
        require_reviewer(insight, reviewed=reviewed)
        _apply(insight, fields, anchors, vector, by=by, now=now, why=masked(why))
    return insight


def promote(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Promote an insight: a lead says that the team may rely on it. In the team of everyone only a superuser may.

    There, two leads of different teams can promote by rating it helpful, each in person (`Insight.receive`).
    """
    return _move(ref, "promote", "promoted", by, now, why)


def deprecate(*, ref: str, by: Member, now: datetime, why: str = "", reviewed: bool = False) -> Insight:
    """Deprecate an insight: a lead says that it no longer holds. It fades fast, and is found until then. `reviewed`: as
    for `edit`, if it is promoted.
    """
    return _move(ref, "deprecate", "deprecated", by, now, why, reviewed=reviewed)


def restore(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Restore a deprecated or archived insight as a draft, or a forgotten one that is not erased yet as it was. Only
    for leads.
    """
    return _remember(ref, by, now, why) or _move(ref, "restore", "restored", by, now, why)


def leave(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Leave an insight as it is: a lead has looked at it, and it leaves its queue until something new speaks for it."""
    with transaction.atomic():
        insight = _for_lead(ref, by)
        line = f"{ref} dismissed"
        insight.change({"reviewed_at": now}, verb="left", line=line, by=by, at=now, why=masked(why))
    return insight


def pin(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Pin an insight: while it is promoted, it does not fade. Only for leads."""
    return _set_pinned(ref, True, by, now, why)


def unpin(*, ref: str, by: Member, now: datetime, why: str = "") -> Insight:
    return _set_pinned(ref, False, by, now, why)


def set_owner(*, ref: str, owner: str, by: Member, now: datetime, why: str = "") -> Insight:
    """Set which member of the team answers for an insight; "" for nobody. Raises NotFound, and what `owners.set_owner`
    raises.
    """
    seen = Insight.objects.visible_to(by).called(ref).first()
    if seen is None:
        raise NotFound
    with transaction.atomic():
        Insight.objects.select_for_update(no_key=True).get(pk=seen.pk)
        row: Insight = Insight.objects.whole().get(pk=seen.pk)
        owners.set_owner(row, owner=owner, by=by, now=now, why=why)
    return row


def owner_back(*, ref: str, given: str, was: str, by: Member, now: datetime) -> Insight:
    """Undo the setting of an owner, unless somebody has set another one since. Raises what `set_owner` raises, and
    Stale.
    """
    row = Insight.objects.visible_to(by).whole().called(ref).first()
    if row is not None and (row.owner.username if row.owner else "") != given:
        raise Stale(f"The owner of {ref} was changed since.")
    return set_owner(ref=ref, owner=was, by=by, now=now, why="undone")


def _remember(ref: str, by: Member, now: datetime, why: str) -> Insight | None:
    """Undo `forget` for a lead. Return None for anybody else, who must not learn that there is something to undo."""
    led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
    with transaction.atomic():
        seen = Insight.objects.of_teams(led).forgotten().filter(ref=ref).first()
        if seen is None:
            return None
        Team.objects.select_for_update(no_key=True).get(pk=seen.team_id)
        insight = Insight.objects.select_for_update(no_key=True).get(pk=seen.pk)
        lexicon = Lexicon.of(insight.team_id)
        insight.readmit(lexicon, mark="forgotten_at", verb="remembered", by=by, at=now, why=masked(why))
        Topic.place([insight], at=now)
        insight.save(update_fields=["topic"])
        for pair in Pair.objects.all().open_about(insight).select_related("a", "b"):
            pair.mark(by=by, at=now)
    return Insight.objects.whole().get(pk=insight.pk)


def _move(ref: str, act: str, verb: str, by: Member, now: datetime, why: str, *, reviewed: bool = False) -> Insight:
    with transaction.atomic():
        insight = _for_lead(ref, by)
        hindered = closed(act, Status(insight.status))
        if insight.superseded_by and (hindered or act == "restore"):
            raise WrongStatus(f"{ref} was superseded by {insight.superseded_by.ref}; use `reinstate` to restore it.")
        if hindered:
            raise WrongStatus(f"{ref} is {insight.status}; it cannot be {verb}.")
        if act == "promote" and not may_promote(insight, by):
            raise NotAllowed(BY_SUPERUSER, team_id=insight.team_id)
        require_reviewer(insight, reviewed=reviewed)
        insight.set_status(BECOMES[act], verb=verb, by=by, at=now, why=masked(why))
        if act in CONFIRMING:
            insight.confirm(by=by, at=now)
    return insight


def _set_pinned(ref: str, pinned: bool, by: Member, now: datetime, why: str) -> Insight:
    verb = "pinned" if pinned else "unpinned"
    with transaction.atomic():
        insight = _for_lead(ref, by)
        if insight.pinned != pinned:
            changes = {"pinned": pinned, "strength": insight.effective_strength(now), "strength_at": now}
            insight.change(changes, verb=verb, line=f"{ref} {verb}", by=by, at=now, why=masked(why))
            if pinned:
                insight.confirm(by=by, at=now)
    return insight


def _visible(ref: str, by: Member) -> Insight:
    insight = Insight.objects.visible_to(by).whole().filter(ref=ref).first()
    if insight is None:
        raise NotFound
    return insight


def _locked(pk: int) -> Insight:
    # Only lock the row, without reading its columns: no vector is needed here, and 200 rows wait for one another.
    Insight.objects.select_for_update(no_key=True).values_list("pk").get(pk=pk)
    return Insight.objects.whole().get(pk=pk)


def _for_lead(ref: str, by: Member) -> Insight:
    insight = _locked(_visible(ref, by).pk)
    by.require(insight.team_id, Level.LEAD)
    return insight


def _may_edit(insight: Insight, by: Member) -> None:
    needed = _needed(insight, by)
    if insight.author_id == by.user_id and _backed(insight) and not by.may(insight.team_id, needed):
        said = f"have corroborated {insight.ref}" if insight.people > 1 else f"have found {insight.ref} helpful"
        raise NotAllowed(f"Others {said}: {SUGGEST}", team_id=insight.team_id)
    by.require(insight.team_id, needed)


def may_edit(insight: Insight, by: Member) -> bool:
    """Return whether `edit` would be allowed: for the author's own draft that nobody else has said again or found
    helpful, or for a lead of its team.
    """
    return by.may(insight.team_id, _needed(insight, by))


def may_promote(insight: Insight, by: Member) -> bool:
    """Return whether this member is allowed to `promote`: a lead, or in the team of everyone only a superuser."""
    open_to_leads = insight.team.kind != TeamKind.EVERYONE
    return by.may(insight.team_id, Level.LEAD) and (open_to_leads or by.is_superuser)


def _needed(insight: Insight, by: Member) -> Level:
    """Return the level needed to edit: the author's, if only the author said it. If others have said the same or found
    it helpful, an edit could make it say something that they never read, and their ratings would count for that.
    """
    own = insight.author_id == by.user_id and insight.status == Status.DRAFT
    return Level.CONTRIBUTOR if own and not _backed(insight) and not insight.pinned else Level.LEAD


def _backed(insight: Insight) -> bool:
    """Return whether somebody besides its author has said the same or found it helpful."""
    return insight.people > 1 or insight.favoured_at is not None


def clean_changes(changes: Mapping[str, Any], allowed: Collection[str]) -> dict[str, Any]:
    """Return the changes without invisible characters. Raises if they contain a secret that the team has not added to
    its allowlist.
    """
    cleaned: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    for name, value in changes.items():
        texts = [strip_invisible(text).text for text in (value if name in LISTS else [value])]
        found = [finding for text in texts for finding in find_secrets(text, field=name, allowed=allowed)]
        if found:
            errors[name] = [str(item) for item in found]
        cleaned[name] = LISTS[name](texts) if name in LISTS else texts[0].strip()
    if errors:
        raise SecretInEdit(errors=errors)
    empty = [name for name in ("title", "body") if name in cleaned and not cleaned[name]]
    if empty:
        raise BadEdit(errors={name: ["This field cannot be empty."] for name in empty})
    return cleaned


def _vector(texts: Mapping[str, Any]) -> np.ndarray | None:
    """Return the vector of the changed text, computed before the row is locked; None if the sweep has to compute it."""
    try:
        text = searchable(texts["title"], texts["body"], texts["reasoning"])
        return current().embed([searched(text, texts["questions"])])[0]
    except EmbedderDown:
        return None


def _apply(
    insight: Insight,
    fields: dict[str, Any],
    anchors: dict[str, list[str]],
    vector: np.ndarray | None,
    *,
    by: Member,
    now: datetime,
    why: str,
) -> None:
    """Write the changed fields and anchors, and update the search index. The caller holds the team's row."""
    before, counted = {name: getattr(insight, name) for name in anchors}, insight.words
    for name, values in anchors.items():
        kind = ANCHORED[name][0]
        insight.replace_anchors([kind], [Anchor(kind=kind, value=value) for value in values])
    line = f"{insight.ref} edited: {', '.join([*fields, *anchors])}"
    insight.change(fields, verb="edited", line=line, by=by, at=now, why=why, also=(before, anchors))
    insight.assess(Anchor.objects.filter(insight=insight).count())
    insight.save(update_fields=["quality"])
    if any(name in fields for name in SEARCHED):
        insight.index_merged_terms(Lexicon.of(insight.team_id), counted=counted)
        insight.set_vector(vector, current().name)
        insight.save(update_fields=[*WORD_FIELDS, "embedding", "embedded_by"])
