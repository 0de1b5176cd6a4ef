"""Change tags, kind, repository and owner of many insights. Each row has its own permission check, lock and log line.

Rows that can certainly be changed are written together: 200 took ten seconds one by one, with 14 statements each. All
others (another lead has to approve, somebody has changed the row, a secret) are tried one by one, which gives the
reason if one is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import GuardTerm, LogEntry, Team
from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Member
from knowledge.models import Anchor, EditProposal, Insight
from knowledge.review.actions.curate import BadEdit, SecretInEdit, clean_changes, may_edit, set_owner
from knowledge.review.proposals.actions.suggest import edit_or_suggest
from knowledge.review.rules.triage import MOST_AT_ONCE
from knowledge.rules.vocabulary import AnchorKind, Kind

MOST = MOST_AT_ONCE
# The fields that can be changed for many rows together: neither the vector nor the search terms depend on them.
TOGETHER = ("tags", "kind", "repo")


class TooMany(Refused):
    code = "invalid"
    detail = f"At most {MOST} at once."


@dataclass(frozen=True)
class BulkChange:
    """The requested change; fields that are None or empty stay as they are. A tag is added to rows that lack it and
    removed from rows that have it.
    """

    add_tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    kind: str = ""
    repo: str | None = None
    owner: str | None = None

    @property
    def is_nothing(self) -> bool:
        return not (self.add_tags or self.remove_tags or self.kind or self.repo is not None or self.owner is not None)

    @property
    def words(self) -> str:
        """Return the change in a few words."""
        said = [
            *(f"tag {tag} added" for tag in self.add_tags),
            *(f"tag {tag} removed" for tag in self.remove_tags),
            *([f"kind {self.kind}"] if self.kind else []),
            *([f"repository {self.repo or 'none'}"] if self.repo is not None else []),
            *([f"owner {self.owner or 'nobody'}"] if self.owner is not None else []),
        ]
        return ", ".join(said)

    def owns(self, row: Insight) -> bool:
        """Return whether it sets another owner for this row."""
        return self.owner is not None and self.owner != (row.owner.username if row.owner else "")

    def of(self, row: Insight) -> dict[str, Any]:
        """Return the fields of this row that it changes, in the form that `curate.edit` takes."""
        tags = [tag for tag in row.tags if tag not in self.remove_tags]
        tags += [tag for tag in self.add_tags if tag not in tags]
        wanted: dict[str, Any] = {"tags": tags}
        wanted |= {"kind": self.kind} if self.kind else {}
        wanted |= {"repo": self.repo} if self.repo is not None else {}
        return {name: value for name, value in wanted.items() if getattr(row, name) != value}


@dataclass
class BulkEdited:
    """The result. `rows`: the changed rows; `unchanged`: rows that had the values already; `suggested`: edits that
    another lead has to approve; `steps`: how to undo it.
    """

    rows: list[Insight] = field(default_factory=list)
    suggested: list[EditProposal] = field(default_factory=list)
    unchanged: int = 0
    refused: list[tuple[str, Refused]] = field(default_factory=list)
    steps: list[list[Any]] = field(default_factory=list)


def bulk_edit(*, refs: Sequence[str], change: BulkChange, by: Member, now: datetime, why: str = "") -> BulkEdited:
    """Make the same change to each of these insights. A refusal does not affect the others. Raises TooMany,
    NotFound.
    """
    once = list(dict.fromkeys(refs))
    if len(once) > MOST:
        raise TooMany(errors={"ref": [f"At most {MOST}; {len(once)} were selected."]})
    seen = {row.ref: row for row in Insight.objects.visible_to(by).whole().with_ref(once)}
    if not seen:
        raise NotFound
    done = BulkEdited()
    wanted = {ref: change.of(row) for ref, row in seen.items() if not change.owns(row)}
    edits = [Wanted(ref, seen[ref].revision, changes) for ref, changes in wanted.items() if changes]
    together = edit_together(edits, by=by, now=now, why=why)
    for ref in once:
        row = seen.get(ref)
        if ref in together:
            done.rows.append(together[ref])
            before = {name: getattr(seen[ref], name) for name in wanted[ref]}
            done.steps.append(["edit back", ref, together[ref].revision, before])
            continue
        if row is None or not (change.of(row) or change.owns(row)):
            done.unchanged += row is not None
            continue
        try:
            _edit_one(row, change, done, by=by, now=now, why=why)
        except Stale:
            done.refused.append((ref, Stale("It was changed while you were editing.")))
        except Refused as refused:
            done.refused.append((ref, refused))
    return done


@dataclass(frozen=True)
class Wanted:
    """The new values of some fields of a row, valid only at this revision."""

    ref: str
    revision: int
    changes: Mapping[str, Any]


def edit_together(
    wanted: Sequence[Wanted], *, by: Member, now: datetime, why: str = "", reviewed: bool = False
) -> dict[str, Insight]:
    """Change many rows in a dozen statements, each as `curate.edit` would, and return the changed ones by reference. A
    row that is missing from the result is unchanged; `curate.edit` gives the reason. `reviewed`: see `curate.edit`.
    """
    asked = {one.ref: one for one in wanted if set(one.changes) <= set(TOGETHER)}
    allowed = _Allowed(by, reviewed=reviewed)
    columns: set[str] = set()
    made, lines, dropped, added = [], [], [], []
    with transaction.atomic():
        for row in _locked(list(asked), by):
            changes = allowed.changes(row, asked[row.ref])
            if changes is None:
                continue
            tags = changes.pop("tags", None)
            if tags is not None:
                gone, new = _tags_that_differ(row, tags)
                dropped += [anchor.pk for anchor in gone]
                added += new
            before = {"tags": row.tags} if tags is not None else {}
            anchors = {"tags": tags} if tags is not None else {}
            line = f"{row.ref} edited: {', '.join([*changes, *anchors])}"
            changed, entry = row.prepare_change(
                changes, verb="edited", line=line, by=by, at=now, why=masked(why), also=(before, anchors)
            )
            row.assess(len(row.anchors.all()) + (len(new) - len(gone) if anchors else 0))
            columns.update(changed, ["quality"])
            made.append(row)
            lines.append(entry)
        if made:
            Anchor.objects.filter(pk__in=dropped).delete()
            Anchor.objects.bulk_create(added)
            Insight.objects.bulk_update(made, sorted(columns))
            LogEntry.objects.bulk_create(lines)
    for row in made:
        row.forget_read_anchors()
    return {row.ref: row for row in made}


def _locked(refs: Sequence[str], by: Member) -> list[Insight]:
    """Return the rows after locking their teams and then the rows, in the order that all actions use."""
    found = dict(Insight.objects.visible_to(by).with_ref(refs).values_list("pk", "team_id")) if refs else {}
    if not found:
        return []
    list(Team.objects.select_for_update(no_key=True).filter(pk__in=set(found.values())).order_by("pk"))
    list(Insight.objects.select_for_update(no_key=True).filter(pk__in=found).order_by("pk").values_list("pk"))
    return list(Insight.objects.visible_to(by).whole().filter(pk__in=found).order_by("pk"))


def _tags_that_differ(row: Insight, tags: Sequence[str]) -> tuple[list[Anchor], list[Anchor]]:
    """Return the row's tags to delete, and the unsaved tags to add."""
    gone = [one for one in row.anchors.all() if one.kind == AnchorKind.TAG and one.value not in tags]
    new = [Anchor(insight=row, kind=AnchorKind.TAG, value=tag) for tag in tags if tag not in row.tags]
    return gone, new


class _Allowed:
    """Decides whether a row can be changed without `curate.edit`. New values are checked for secrets once per team, not
    once per row.
    """

    def __init__(self, by: Member, *, reviewed: bool) -> None:
        self._by, self._reviewed = by, reviewed
        self._terms: dict[int, Any] = {}
        self._cleaned: dict[Any, dict[str, Any] | None] = {}

    def changes(self, row: Insight, wanted: Wanted) -> dict[str, Any] | None:
        """Return the cleaned fields that change; None if nothing changes or `curate.edit` has to decide."""
        if row.revision != wanted.revision or not may_edit(row, self._by):
            return None
        if row.needs_reviewer and not self._reviewed:
            return None
        kept = [tag for tag in wanted.changes.get("tags", ()) if tag in row.tags]
        new = {**wanted.changes}
        if "tags" in new:
            new["tags"] = [tag for tag in new["tags"] if tag not in row.tags]
        cleaned = self._clean(row.team_id, new)
        if cleaned is None or (cleaned.get("kind") == Kind.DECISION and not row.reasoning):
            return None
        if "tags" in cleaned:
            cleaned["tags"] = [*kept, *(tag for tag in cleaned["tags"] if tag not in kept)]
        now = {"tags": row.tags, "kind": row.kind, "repo": row.repo}
        same = {name: sorted(value) if name == "tags" else value for name, value in cleaned.items()}
        return {name: value for name, value in cleaned.items() if same[name] != now[name]} or None

    def _clean(self, team_id: int, new: Mapping[str, Any]) -> dict[str, Any] | None:
        key = (team_id, *(f"{name}: {value}" for name, value in new.items()))
        if key not in self._cleaned:
            if team_id not in self._terms:
                self._terms[team_id] = GuardTerm.objects.all().allowed(team_id)
            try:
                self._cleaned[key] = clean_changes(new, self._terms[team_id])
            except (SecretInEdit, BadEdit):
                self._cleaned[key] = None
        found = self._cleaned[key]
        return None if found is None else dict(found)


def _edit_one(row: Insight, change: BulkChange, done: BulkEdited, *, by: Member, now: datetime, why: str) -> None:
    """Apply the whole change to one row, or nothing of it. The owner is set even if another lead has to approve the
    edit.
    """
    changes, was = change.of(row), row.owner.username if row.owner else ""
    before = {name: getattr(row, name) for name in changes}
    made: Insight | EditProposal = row
    with transaction.atomic():
        if change.owns(row):
            made = set_owner(ref=row.ref, owner=change.owner or "", by=by, now=now, why=why)
        if changes:
            made = edit_or_suggest(
                ref=row.ref, changes=changes, revision=row.revision, by=by, now=now, why=why, seen=row
            )
    if change.owns(row):
        done.steps.append(["owner back", row.ref, change.owner or "", was])
    if isinstance(made, EditProposal):
        done.suggested.append(made)
        return
    done.rows.append(made)
    if changes:
        done.steps.append(["edit back", row.ref, made.revision, before])
