"""Whom a text about something that awaits review mentions."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime, timedelta

from accounts.models import Membership, User
from accounts.querysets import MembershipQuerySet
from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, Mention, Pair
from knowledge.review.rules.mentions import candidates, mentioned

# So often somebody has a colleague find something among their mentions in a day: what is said beyond stands where it
# was said. A lead is not bounded.
MOST_MENTIONS_A_DAY = 10
DAY = timedelta(days=1)
# The decision that the note of a suggestion is the reason of.
SUGGESTED = "suggested"


def mention_in_note(row: EditProposal, *, by: Member, now: datetime) -> None:
    """Mention whom the note of a suggestion names, as a comment does; who was mentioned by an earlier note of it is not
    again.
    """
    already = {name for one in row.comments.filter(decision=SUGGESTED) for name in one.names}
    named = [one for one in people_named(row, row.note, by=by, at=now) if one.username not in already]
    if named:
        row.comment(row.note, by=by, at=now, mentioned=named, decision=SUGGESTED)


def people_named(row: EditProposal | Pair, text: str, *, by: Member, at: datetime) -> list[User]:
    """The members whom a text of `by` mentions, without themselves and whom they mention all day, in its order."""
    people = {one.user.username: one.user for one in mentionable(row, only=candidates(text))}
    people.pop(by.username, None)
    named = [people[name] for name in mentioned(text, people)]
    if not named or all(by.may(team_id, Level.LEAD) for team_id in teams_of(row)):
        return named
    today = Mention.objects.filter(user__in=named, comment__author_id=by.user_id, comment__at__gt=at - DAY)
    often = Counter(today.values_list("user_id", flat=True))
    return [one for one in named if often[one.pk] < MOST_MENTIONS_A_DAY]


def mentionable(row: EditProposal | Pair, *, only: Collection[str] | None = None) -> MembershipQuerySet:
    """The members who may see it and can sign in, by name: who can be mentioned. `only`: of these names."""
    first, *others = teams_of(row)
    rows: MembershipQuerySet = Membership.objects.all().filter(team_id=first, user__is_active=True)
    for team_id in others:
        rows = rows.filter(user__memberships__team_id=team_id)
    named = rows if only is None else rows.filter(user__username__in=only)
    return named.select_related("user").order_by("user__username")


def teams_of(row: EditProposal | Pair) -> list[int]:
    """The teams one must be of to see it: two, of a pair of which one side was moved."""
    if isinstance(row, Pair):
        return list(dict.fromkeys((row.a.team_id, row.b.team_id)))
    return [row.team_id]
