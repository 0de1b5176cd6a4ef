"""Reserve references for new insights within the quota of a team."""

from accounts.models import Team
from accounts.rules.refused import Refused
from knowledge.models.insight import Insight


class QuotaReached(Refused):
    code = "quota_reached"
    status = 403

    def __init__(self, team: str, most: int, stored: int) -> None:
        super().__init__(
            f"The team '{team}' stores {stored:,} of at most {most:,} insights: nothing was added. "
            "Forget or move insights it no longer needs, or ask the operator of Loam for a larger quota.",
            quota=most,
            stored=stored,
        )


def take_numbers(team_id: int, count: int) -> int:
    """Reserve references for `count` new insights and return the first number. Holds the team's row until the
    transaction ends, so that two deposits cannot both take the last place. Raises QuotaReached.
    """
    team = Team.objects.get(pk=team_id)
    first = team.take_numbers(count)
    if team.most_insights is not None:
        stored = Insight.objects.filter(team_id=team_id).stored()
        if stored + count > team.most_insights:
            raise QuotaReached(team.slug, team.most_insights, stored)
    return first
