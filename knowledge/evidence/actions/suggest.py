"""Suggest: questions worth asking the files again, for somebody who begins to type one."""

from datetime import datetime

from accounts.rules.rights import Member
from knowledge.evidence.models import KnowledgeCluster, Search
from knowledge.evidence.rules.confidence import FLOOR

MOST = 8
# Rows looked at of each; further back nobody means them.
LOOKED_AT = 200


def suggest(*, by: Member, now: datetime, begins: str = "", most: int = MOST) -> list[str]:
    """One's own questions that hold these words and were answered, newest first, then those that the warmest clusters
    answer.
    """
    mine = Search.objects.asked_by(by).answered(FLOOR).filter(text__icontains=begins.strip()).order_by("-at")
    asked = list(mine.values_list("text", flat=True)[:LOOKED_AT])
    seen = (
        KnowledgeCluster.objects.visible_to(by)
        .answering()
        .filter(confidence__gte=FLOOR, questions__text__icontains=begins.strip())
    )
    clusters = sorted(seen.distinct().order_by("-hotness_at")[:LOOKED_AT], key=lambda one: -one.hotness_now(now))
    return list(dict.fromkeys([*asked, *(one.name for one in clusters)]))[:most]
