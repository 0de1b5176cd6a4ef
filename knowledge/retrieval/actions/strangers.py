"""Find strangers' drafts among the candidates: drafts in the team of everyone whose author is in none of the member's
teams.

Anybody with an account contributes to the team of everyone. A draft there by somebody with whom the member shares no
other team may match a question best by its wording. It is served after everything else that answers, with its author.
"""

from collections.abc import Sequence

from accounts.models import Membership
from accounts.rules.rights import Member, TeamKind
from knowledge.models import Insight
from knowledge.retrieval.rules.ranking import Candidate
from knowledge.rules.vocabulary import Status


def strangers(rows: Sequence[Candidate], by: Member) -> frozenset[int]:
    """Return the ids of these candidates that are strangers' drafts. One query, only if there are drafts
    in that team.
    """
    open_to_all = next((team for team in by.teams if team.kind is TeamKind.EVERYONE), None)
    if open_to_all is None:
        return frozenset()
    prefix = f"{open_to_all.prefix}-"
    drafts = [row.id for row in rows if row.status != Status.PROMOTED and row.ref.startswith(prefix)]
    if not drafts:
        return frozenset()
    shared = [team.id for team in by.teams if team.kind is TeamKind.SHARED]
    colleagues = Membership.objects.filter(team_id__in=shared).values("user_id")
    theirs = Insight.objects.filter(pk__in=drafts, team_id=open_to_all.id).exclude(author_id=by.user_id)
    theirs = theirs.exclude(author__in=colleagues).exclude(author__is_superuser=True)
    return frozenset(theirs.values_list("pk", flat=True))
