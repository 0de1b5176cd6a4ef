"""Heartbeat: any call in a session is a sign of its life."""

from datetime import datetime

from django.db import transaction

from accounts.rules.rights import Member
from sessions_app.models import AgentSession
from sessions_app.rules.vocabulary import HEARTBEAT_STEP, SessionState


def beat(*, by: Member, now: datetime) -> None:
    """Keep when the member's session was last heard of, to the minute; one that was given up comes back to life."""
    mine = AgentSession.objects.visible_to(by).filter(key=by.session, user_id=by.user_id)
    if mine.live().filter(last_seen_at__lt=now - HEARTBEAT_STEP).update(last_seen_at=now):
        return
    if mine.filter(state=SessionState.ABANDONED).exists():
        with transaction.atomic():
            session = mine.filter(state=SessionState.ABANDONED).select_for_update(no_key=True).first()
            if session:
                session.see(by=by, at=now)
