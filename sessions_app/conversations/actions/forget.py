"""Forget: delete a session's conversation for good. Its user may delete all of it, a lead what their team can read.

Unlike an insight it cannot be restored: nothing depends on a passage. A transcript that is sent again is refused.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import chain, groupby

from django.db import transaction

from accounts.rules.guard.detection import masked
from accounts.rules.refused import NotAllowed, NotFound
from accounts.rules.rights import Level, Member, Scope, lacking
from sessions_app.conversations.actions.withdraw import hold_teams, withdraw_proposals_of
from sessions_app.models import AgentSession, Handoff, Passage, SessionSharing
from sessions_app.querysets.passages import PassageQuerySet


def forget_conversation(*, name: str, by: Member, now: datetime, why: str = "") -> int:
    """Delete the passages of a session and whatever was taken from its transcript; return how many passages were
    deleted.

    Its user deletes all of it, a lead what their teams can read. Raises NotFound, and NotAllowed, also for a token of
    its user that is narrowed to teams and does not reach all of it.
    """
    with transaction.atomic():
        found = AgentSession.objects.all().readable_by(by, Passage.objects.all()).named(name).first()
        if found is None:
            raise NotFound("Unknown session.")
        hold_teams([found.user_id])
        session = AgentSession.objects.select_for_update(no_key=True).get(pk=found.pk)
        rows = Passage.objects.filter(session=session)
        mine = session.user_id == by.user_id
        if mine and Scope.WRITE not in by.scopes:
            raise NotAllowed(lacking(Scope.WRITE))
        if mine and (session.team_id not in by.team_ids or rows.exclude(team_id__in=by.team_ids).exists()):
            by.require_whole("This conversation is also of teams that this token is not for")
        led = [team.id for team in by.teams if by.may(team.id, Level.LEAD)]
        if not mine:
            rows = rows.filter(team_id__in=led)
            if session.team_id not in led and not rows.exists():
                raise NotAllowed("Only the session's user or a lead can forget its conversation.")
        gone = delete_passages(rows)
        withdraw_proposals_of([session.user_id], now=now)
        if mine or session.team_id in led:
            _forget_in_handoffs(session)
            session.forget_conversation(by=by, at=now, passages=gone, why=masked(why))
        else:
            session.note_forgotten(by=by, at=now, passages=gone, why=masked(why))
    return gone


def forget_conversations_of(user_id: int, *, now: datetime) -> int:
    """Delete all passages of a person, their sharing settings, and the words of their sessions in handoffs, including
    handoffs that continue them; return how many passages were deleted.
    """
    hold_teams([user_id])
    SessionSharing.objects.filter(user_id=user_id).delete()
    gone = delete_passages(Passage.objects.filter(user_id=user_id))
    withdraw_proposals_of([user_id], now=now)
    rows = list(Handoff.objects.filter(session__user_id=user_id).select_related("session"))
    for (team_id, repo), some in groupby(sorted(rows, key=_place), key=_place):
        _drop_continued({text for row in some for text in _left(row)}, team_id, repo)
    for row in rows:
        row.forget_words()
    return gone


def delete_passages(rows: PassageQuerySet) -> int:
    """Delete these passages and all rows about them; return the number of passages."""
    return rows.delete()[1].get(Passage._meta.label, 0)


def _forget_in_handoffs(session: AgentSession) -> None:
    handoff = Handoff.objects.filter(session=session).first()
    if handoff:
        _drop_continued({*handoff.next_steps, *handoff.found_blockers}, handoff.team_id, handoff.repo)
        handoff.forget_told(session.digest)


def _drop_continued(texts: Collection[str], team_id: int, repo: str) -> None:
    """Delete from later handoffs the words that they took from these texts."""
    if texts:
        for row in Handoff.objects.filter(team_id=team_id, repo=repo).exclude(continues=[]):
            row.drop_continued(texts)


def _place(row: Handoff) -> tuple[int, str]:
    return row.team_id, row.repo


def _left(row: Handoff) -> Iterator[str]:
    yield from filter(None, [row.note])
    yield from chain(row.pending, row.next_steps, row.blockers, row.found_blockers)
