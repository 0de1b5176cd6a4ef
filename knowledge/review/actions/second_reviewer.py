"""The second reviewer: if a team requires one, a change to a promoted insight needs a second person."""

from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.models import Insight, Pair


class NeedsReviewer(Refused):
    code = "needs_reviewer"
    status = 409
    detail = "The team requires a second reviewer for promoted insights. Suggest the change; another lead approves it."


def require_reviewer(*rows: Insight, reviewed: bool) -> None:
    """Raise NeedsReviewer if one of these needs a second reviewer to change. `reviewed`: somebody else has proposed the
    change, or it undoes one. The caller holds the rows.
    """
    if reviewed:
        return
    for row in rows:
        if row.needs_reviewer:
            raise NeedsReviewer(f"{row.ref} is promoted. {NeedsReviewer.detail}")


def stated_by_another(pair: Pair, kept: Insight, by: Member) -> bool:
    """Return whether somebody else, or their agent, has proposed that this side supersedes the other, so that the
    member is the second person.
    """
    return pair.successor_id == kept.pk and pair.stated_by_user_id not in (None, by.user_id)
