"""Comments of people and agents on a suggested edit or a pair of insights."""

from datetime import datetime

from django.db import transaction

from accounts.models import Team
from accounts.rules.guard.detection import masked, strip_invisible
from accounts.rules.refused import NotFound, Refused
from accounts.rules.rights import Level, Member
from knowledge.models import Comment, EditProposal, Pair
from knowledge.review.proposals.actions.mention import people_named, teams_of

LONGEST_COMMENT = 4_000


class CommentMissing(Refused):
    code = "invalid"


def comment_on_pair(*, pair_id: int, text: str, by: Member, now: datetime) -> Comment:
    """Comment on two insights. Members mentioned as `@name` who may see both find it among their mentions.

    Raises NotFound, NotAllowed, CommentMissing on `text`.
    """
    with transaction.atomic():
        pair = _lock_pair(pair_id, by)
        return add_comment(pair, text, by=by, now=now)


def read_pair_mentions(*, pair_id: int, by: Member, now: datetime) -> Pair:
    """Remove a pair from the member's mentions. Raises NotFound."""
    with transaction.atomic():
        pair = _lock_pair(pair_id, by)
        pair.read_mentions(by=by, at=now)
    return pair


def add_comment(row: EditProposal | Pair, text: str, *, by: Member, now: datetime) -> Comment:
    """Add a comment to a row that the caller has found for `by` and locked. Raises NotAllowed, CommentMissing."""
    for team_id in teams_of(row):
        by.require(team_id, Level.CONTRIBUTOR)
    made = say(row, text, by=by, now=now)
    if made is None:
        raise CommentMissing(errors={"text": ["Enter a comment."]})
    return made


def say(row: EditProposal | Pair, text: str, *, by: Member, now: datetime, decision: str = "") -> Comment | None:
    """Add the text and its mentions to the thread; nothing if it is empty. A member who comments or decides has read
    what mentioned them.
    """
    said = clean_comment(text)
    if not said and not decision:
        return None
    row.read_mentions(by=by, at=now)
    if not said:
        return None
    return row.comment(said, by=by, at=now, mentioned=people_named(row, said, by=by, at=now), decision=decision)


def clean_comment(text: str) -> str:
    """Return the text without invisible characters and with its secrets masked."""
    return masked(strip_invisible(text).text).strip()[:LONGEST_COMMENT]


def _lock_pair(pair_id: int, by: Member) -> Pair:
    """Return the pair with both sides after locking its team's row. Raises NotFound."""
    seen: Pair | None = Pair.objects.visible_to(by).filter(pk=pair_id).select_related("a").first()
    if seen is None:
        raise NotFound
    Team.objects.select_for_update(no_key=True).get(pk=seen.a.team_id)
    row: Pair | None = Pair.objects.visible_to(by).with_sides().filter(pk=pair_id).first()
    if row is None:
        raise NotFound
    return row
