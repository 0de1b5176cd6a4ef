"""Erase a forgotten person's data from evidence search."""

from accounts.models import User
from knowledge.evidence.models import KnowledgeCluster, Search


def clear_searches(*, user: User) -> dict[str, int]:
    """What they asked the files goes, and the clusters of their own team; counts by what they are.

    The questions a shared cluster answered say of nobody who asked them, and stay.
    """
    searches, _ = Search.objects.filter(user=user).delete()
    clusters, _ = KnowledgeCluster.objects.filter(team__owner=user).delete()
    return {"searches": searches, "clusters": clusters}
