"""What people and agents say about what awaits review: a suggested edit, or a pair of insights."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from accounts.models import Membership, Team
from accounts.querysets import MembershipQuerySet
from accounts.rules.guard.detection import masked, strip_invisible
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.models import Comment, EditProposal, Pair
from knowledge.review.rules.mentions import candidates, mentioned

LONGEST_COMMENT = 4_000
# The decision that the note of a suggestion is the reason of.
SUGGESTED = "suggested"


class CommentMissing(Refused):
    code = "invalid"


def comment_on_pair(*, pair_id: int, text: str, by: Member, now: datetime) -> Comment:
    """Say something about two insights; who is mentioned as `@name` and may see both finds it among their mentions.

    Raises NotFound, NotAllowed, CommentMissing on `text`.
    """
    with transaction.atomic():
        pair = _lock_pair(pair_id, by)
        return add_comment(pair, text, by=by, now=now)


def read_pair_mentions(*, pair_id: int, by: Member, now: datetime) -> Pair:
    """Take a pair out of one's mentions. Raises NotFound."""
    with transaction.atomic():
        pair = _lock_pair(pair_id, by)
        pair.read_mentions(by=by, at=now)
    return pair


def add_comment(row: EditProposal | Pair, text: str, *, by: Member, now: datetime) -> Comment:
    """Add a comment to what the caller has found for `by` and holds locked. Raises NotAllowed, CommentMissing."""
    for team_id in teams_of(row):
        by.require(team_id, Level.CONTRIBUTOR)
    made = say(row, text, by=by, now=now)
    if made is None:
        raise CommentMissing(errors={"text": ["Enter a comment."]})
    return made


def say(row: EditProposal | Pair, text: str, *, by: Member, now: datetime, decision: str = "") -> Comment | None:
    """Add it to the thread, with whom it mentions; nothing of an empty text. Who has spoken, or decided, has read what
    mentioned them.
    """
    said = clean_comment(text)
    if not said and not decision:
        return None
    row.read_mentions(by=by, at=now)
    if not said:
        return None
    people = {one.user.username: one.user for one in mentionable(row, only=candidates(said))}
    people.pop(by.username, None)
    named = [people[name] for name in mentioned(said, people)]
    return row.comment(said, by=by, at=now, mentioned=named, decision=decision)


def say_note(row: EditProposal, *, by: Member, now: datetime) -> None:
    """Mention whom the note of a suggestion names, as a comment does; who was mentioned by an earlier note of it is not
    again.
    """
    already = {name for one in row.comments.filter(decision=SUGGESTED) for name in one.names}
    people = {one.user.username: one.user for one in mentionable(row, only=candidates(row.note) - already)}
    people.pop(by.username, None)
    named = [people[name] for name in mentioned(row.note, people)]
    if named:
        row.comment(row.note, by=by, at=now, mentioned=named, decision=SUGGESTED)


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


def clean_comment(text: str) -> str:
    """Without invisible characters, its secrets masked."""
    return masked(strip_invisible(text).text).strip()[:LONGEST_COMMENT]


def _lock_pair(pair_id: int, by: Member) -> Pair:
    """The pair with both sides, its team's row held. Raises NotFound."""
    seen: Pair | None = Pair.objects.visible_to(by).filter(pk=pair_id).select_related("a").first()
    if seen is None:
        raise NotFound
    Team.objects.select_for_update(no_key=True).get(pk=seen.a.team_id)
    row: Pair | None = Pair.objects.visible_to(by).with_sides().filter(pk=pair_id).first()
    if row is None:
        raise NotFound
    return row
