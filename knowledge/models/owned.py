"""What has somebody who answers for it."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from accounts.models import User
from accounts.rules.rights import Member


class Owned(models.Model):
    """`owner`: a member of its team, set by a lead or the present owner. It is none of what the row says, so setting
    it counts no revision.
    """

    # Its index is of the few rows that have one (`Insight.Meta`).
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False, editable=False
    )

    class Meta:
        abstract = True

    if TYPE_CHECKING:
        ref: str
        owner_id: int | None

        def note(self, *, verb: str, line: str, by: Member, at: datetime, **more: Any) -> None: ...

    def set_owner(self, owner: User | None, *, by: Member, at: datetime, why: str = "") -> None:
        self.owner = owner
        self.save(update_fields=["owner"])
        line = f"{self.ref} " + (f"is owned by {owner.username}" if owner else "has no owner")
        self.note(verb="owner set", line=line, by=by, at=at, why=why)
