"""Cite: link what was proposed from a transcript to the passages that say it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from knowledge.models import Insight
from sessions_app.conversations.actions.quote import link
from sessions_app.models import AgentSession, Passage, Quotation
from sessions_app.transcripts.rules.blocks import plain

LONGEST = 100_000


def cite_decisions(*, session: AgentSession, decisions: Iterable[Mapping[str, Any]], now: datetime) -> int:
    """Link the insights that a session's decisions became, or were found to repeat, to their passages; return the
    number of new links.

    Runs in the transaction that wrote the passages. A second call changes nothing.
    """
    wanted = {str(one["ref"]): str(one.get("quote") or one["statement"]) for one in decisions if one.get("ref")}
    linked = Quotation.objects.filter(session=session, passage__isnull=False, insight__ref__in=wanted)
    for ref in linked.values_list("insight__ref", flat=True):
        wanted.pop(ref, None)
    if not wanted:
        return 0
    rows = list(Passage.objects.all().of_session(session.pk).only("pk", "session_id", "text"))
    said = [(row, plain(row.text, LONGEST)) for row in rows]
    done = 0
    for insight in Insight.objects.filter(ref__in=wanted).only("pk", "ref", "team_id"):
        words = wanted[insight.ref].rstrip(" .…")
        found = [row for row, text in said if words in text][:1]
        if found:
            Quotation.objects.filter(session=session, insight=insight, passage__isnull=True).delete()
            link(insight=insight, passages=found, now=now, by=None)
            done += 1
    return done
