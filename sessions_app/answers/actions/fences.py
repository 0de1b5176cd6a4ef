"""Make the fence of each reader, derived from the deployment's secret."""

from django.conf import settings

from accounts.rules.rights import Member
from sessions_app.answers.rules.fence import Fence


def fence_for(member: Member) -> Fence:
    """Return the fence around the texts that this member's agents read."""
    return Fence.of(settings.SECRET_KEY, f"user:{member.user_id}")
