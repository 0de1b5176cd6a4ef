"""What the pages of topics and skills need to show who answers for them, and to set it."""

from typing import Any

from accounts.models import Membership
from accounts.rules.rights import Level, Member, TeamKind

# A team of more is given a field to type a name into.
MOST_CHOICES = 200


def owner_choices(member: Member, team_id: int, owner_id: int | None, *, typed: bool = False) -> dict[str, Any]:
    """Whether the member may set the owner, and the names to choose from. In a personal team there is nobody else.

    `typed`: without the names, for a page that is opened often and whose owner is seldom set.
    """
    own = owner_id is not None and owner_id == member.user_id and member.may(team_id, Level.CONTRIBUTOR)
    access = member.access(team_id)
    shared = access is not None and access.kind is not TeamKind.PERSONAL
    if not shared or not (own or member.may(team_id, Level.LEAD)):
        return {}
    if typed:
        return {"may_own": True, "owners_typed": True}
    rows = Membership.objects.visible_to(member).filter(team_id=team_id, user__is_active=True)
    names = rows.order_by("user__username").values_list("user__username", flat=True)[: MOST_CHOICES + 1]
    return {"may_own": True, "owners": list(names), "owners_typed": len(names) > MOST_CHOICES}
