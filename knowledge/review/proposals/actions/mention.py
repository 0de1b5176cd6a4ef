"""Find the members whom a text about an item under review mentions."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime, timedelta

from accounts.models import Membership, User
from accounts.querysets import MembershipQuerySet
from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, Mention, Pair
from knowledge.review.rules.mentions import candidates, mentioned

# How often a day a member can mention the same colleague. Further mentions stay in the text, but are not listed for the
# colleague. Leads have no limit.
MOST_MENTIONS_A_DAY = 10
DAY = timedelta(days=1)
# The decision whose reason is the note of a suggestion.
SUGGESTED = "suggested"


def mention_in_note(row: EditProposal, *, by: Member, now: datetime) -> None:
    """Store the mentions in the note of a suggestion, as for a comment; members whom an earlier version of the note
    mentioned are not mentioned again.
    """
    already = {name for one in row.comments.filter(decision=SUGGESTED) for name in one.names}
    named = [one for one in people_named(row, row.note, by=by, at=now) if one.username not in already]
    if named:
        row.comment(row.note, by=by, at=now, mentioned=named, decision=SUGGESTED)


def people_named(row: EditProposal | Pair, text: str, *, by: Member, at: datetime) -> list[User]:
    """Return the members whom a text of `by` mentions, in its order, without `by` and without those whom `by` has
    mentioned too often today.
    """
    people = {one.user.username: one.user for one in mentionable(row, only=candidates(text))}
    people.pop(by.username, None)
    named = [people[name] for name in mentioned(text, people)]
    if not named or all(by.may(team_id, Level.LEAD) for team_id in teams_of(row)):
        return named
    today = Mention.objects.filter(user__in=named, comment__author_id=by.user_id, comment__at__gt=at - DAY)
    often = Counter(today.values_list("user_id", flat=True))
    return [one for one in named if often[one.pk] < MOST_MENTIONS_A_DAY]


def mentionable(row: EditProposal | Pair, *, only: Collection[str] | None = None) -> MembershipQuerySet:
    """Return the members who can be mentioned: they may see the row and can sign in. `only`: restrict to these
    names.
    """
    first, *others = teams_of(row)
    rows: MembershipQuerySet = Membership.objects.all().filter(team_id=first, user__is_active=True)
    for team_id in others:
        rows = rows.filter(user__memberships__team_id=team_id)
    named = rows if only is None else rows.filter(user__username__in=only)
    return named.select_related("user").order_by("user__username")


def teams_of(row: EditProposal | Pair) -> list[int]:
    """Return the teams that a reader must belong to: two for a pair of which one side was moved."""
    if isinstance(row, Pair):
        return list(dict.fromkeys((row.a.team_id, row.b.team_id)))
    return [row.team_id]
