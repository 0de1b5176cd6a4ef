"""Tags, kind, repository and owner of many insights at once, each row with its own rights, lock and log line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Member
from knowledge.models import EditProposal, Insight
from knowledge.review.actions.bulk import MOST, TooMany
from knowledge.review.actions.curate import set_owner
from knowledge.review.proposals.actions.suggest import edit_or_suggest


@dataclass(frozen=True)
class BulkChange:
    """What is changed; what is None or empty stays. A tag is added to those that lack it and taken from those that
    have it.
    """

    add_tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    kind: str = ""
    repo: str | None = None
    owner: str | None = None

    @property
    def is_nothing(self) -> bool:
        return not (self.add_tags or self.remove_tags or self.kind or self.repo is not None or self.owner is not None)

    def owns(self, row: Insight) -> bool:
        """Whether it gives this row another owner."""
        return self.owner is not None and self.owner != (row.owner.username if row.owner else "")

    def of(self, row: Insight) -> dict[str, Any]:
        """The fields of this row that it changes, as `curate.edit` takes them."""
        tags = [tag for tag in row.tags if tag not in self.remove_tags]
        tags += [tag for tag in self.add_tags if tag not in tags]
        wanted: dict[str, Any] = {"tags": tags}
        wanted |= {"kind": self.kind} if self.kind else {}
        wanted |= {"repo": self.repo} if self.repo is not None else {}
        return {name: value for name, value in wanted.items() if getattr(row, name) != value}


@dataclass
class BulkEdited:
    """`rows`: those that were changed; `unchanged`: those that had it already; `suggested`: what another lead has to
    approve; `steps`: what takes it back."""

    rows: list[Insight] = field(default_factory=list)
    suggested: list[EditProposal] = field(default_factory=list)
    unchanged: int = 0
    refused: list[tuple[str, Refused]] = field(default_factory=list)
    steps: list[list[Any]] = field(default_factory=list)


def bulk_edit(*, refs: Sequence[str], change: BulkChange, by: Member, now: datetime, why: str = "") -> BulkEdited:
    """Make the same change to each of these. One that is refused spoils no other. Raises TooMany, NotFound."""
    once = list(dict.fromkeys(refs))
    if len(once) > MOST:
        raise TooMany(errors={"ref": [f"At most {MOST}; {len(once)} were selected."]})
    seen = {row.ref: row for row in Insight.objects.visible_to(by).whole().with_ref(once)}
    if not seen:
        raise NotFound
    done = BulkEdited()
    for ref in once:
        row = seen.get(ref)
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


def _edit_one(row: Insight, change: BulkChange, done: BulkEdited, *, by: Member, now: datetime, why: str) -> None:
    """All of the change to one row, or none of it. That another lead has to approve an edit keeps no owner waiting."""
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
