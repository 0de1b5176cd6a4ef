"""Use: who was served passages of a conversation, and then opens it, found them worth it.

It is weak evidence, as it is with insights (`knowledge.actions.use`): of several people it is enough to ask a lead.
"""

from datetime import datetime, timedelta

from accounts.rules.rights import Member
from sessions_app.models import AgentSession, ServedPassage

# A token can be one session for months; what it was served is still at work within a day.
SERVED_WITHIN = timedelta(days=1)


def note_read(*, session: AgentSession, by: Member, now: datetime) -> int:
    """Note that the member reads on what they were served of this session; how many answers that is."""
    return ServedPassage.objects.all().note_read(session.pk, by.user_id, now - SERVED_WITHIN, now)
