"""The actions that pages offer on an insight, by its queue or by its status."""

from accounts.rules.rights import Level, Member
from knowledge.models import Insight
from knowledge.review.actions.curate import may_promote
from knowledge.review.rules.triage import Tab, closed
from knowledge.rules.vocabulary import Status, Trust

# The actions that each status allows, in the order of the buttons.
BY_STATUS = {
    Status.DRAFT: ("promote", "deprecate", "leave"),
    Status.PROMOTED: ("deprecate",),
    Status.DEPRECATED: ("promote", "restore"),
    Status.ARCHIVED: ("restore",),
}
# The actions of each queue, in the order of the buttons; the most frequent one comes first.
BY_QUEUE = {
    Tab.NEW: ("promote", "deprecate", "leave"),
    Tab.QUOTED: ("promote", "deprecate", "leave"),
    Tab.DECAYING: ("helpful", "deprecate", "leave"),
    Tab.STALE: ("validate", "deprecate"),
    Tab.QUARANTINED: ("release",),
    Tab.DRAFTS: ("promote", "deprecate", "leave"),
    Tab.SNOOZED: (),
}


def queue_acts(tab: Tab, row: Insight, member: Member) -> list[str]:
    """Return what this member may do to the insight in that queue, given its status."""
    acts = [verb for verb in BY_QUEUE[tab] if not closed(verb, Status(row.status))]
    return [verb for verb in acts if verb != "promote" or may_promote(row, member)]


def acts_of(row: Insight, member: Member) -> list[str]:
    """Return what this member may do to the insight as it is now."""
    if not member.may(row.team_id, Level.LEAD):
        return []
    if row.superseded_by_id:
        return ["reinstate"]
    confirm = [] if row.trust == Trust.CONTRADICTED else ["validate"]
    return [*status_acts(row, member), "unpin" if row.pinned else "pin", *confirm]


def plans_of(row: Insight, member: Member) -> list[str]:
    """Return how this member may snooze or assign it, whatever it waits for."""
    return [] if row.superseded_by_id or not member.may(row.team_id, Level.LEAD) else ["snooze", "assign"]


def status_acts(row: Insight, member: Member) -> list[str]:
    """Return the status changes that a lead may make."""
    return [act for act in BY_STATUS[Status(row.status)] if act != "promote" or may_promote(row, member)]
