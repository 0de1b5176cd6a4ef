"""A second reviewer: where a team requires one, a change to a promoted insight takes a second person."""

from accounts.rules.refused import Refused
from accounts.rules.rights import Member
from knowledge.models import Insight, Pair


class NeedsReviewer(Refused):
    code = "needs_reviewer"
    status = 409
    detail = "The team requires a second reviewer for promoted insights. Suggest the change; another lead approves it."


def require_reviewer(*rows: Insight, reviewed: bool) -> None:
    """Raise NeedsReviewer if one of these changes only with a second reviewer. `reviewed`: the change is what somebody
    else has proposed, or takes one back. The caller holds the rows.
    """
    if reviewed:
        return
    for row in rows:
        if row.needs_reviewer:
            raise NeedsReviewer(f"{row.ref} is promoted. {NeedsReviewer.detail}")


def stated_by_another(pair: Pair, kept: Insight, by: Member) -> bool:
    """Whether somebody else, or their agent, has proposed that this side supersedes the other: the member is the second
    person then.
    """
    return pair.successor_id == kept.pk and pair.stated_by_user_id not in (None, by.user_id)
