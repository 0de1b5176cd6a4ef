"""What the store holds of what a trial was answered: each once, and whole. Run by `manage.py shell`."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from knowledge.jobs.actions.audit import audit
from knowledge.models import Corroboration, Insight, Receipt, Signal
from sessions_app.models import AgentSession, SessionEvent


def kept(answered: Mapping[str, Any]) -> dict[str, Any]:
    """Raises AssertionError naming what is lost, doubled or half-written; says how much there was to count.

    `answered`: `deposits` (key → (text, reference)), and where the trial had them `sessions` (id → whether it was
    ended), `events` (id → how many) and `ratings` ((question, reference, verdict) each).
    """
    found = _deposits(answered["deposits"])
    found |= _sessions(answered.get("sessions", {}), answered.get("events", {}))
    found |= _ratings(answered.get("ratings", ()))
    faults = [str(fault) for fault in audit(now=timezone.now())]
    assert not faults, faults
    return found | {"faults": 0}


def _deposits(answered: Mapping[str, Sequence[str]]) -> dict[str, int]:
    said = Counter(text for text, _ in answered.values())
    told = {one.draft.get("ref") for one in Corroboration.objects.filter(body__in=list(said))}
    stored = Insight.objects.filter(body__in=list(said))
    # What was stored while the embedder was away, and merged since, stands as a row and in what its heir was told.
    merged = [one for one in stored if one.superseded_by_id and one.ref in told]
    rows = Counter(one.body for one in stored) - Counter(one.body for one in merged)
    again = Counter(Corroboration.objects.filter(body__in=list(said)).values_list("body", flat=True))
    wrong = {text: (n, rows[text], again[text]) for text, n in said.items() if rows[text] + again[text] != n}
    assert not wrong, f"answered, rows, told again: {wrong}"
    receipts = dict(Receipt.objects.filter(key__in=list(answered)).values_list("key", "insight__ref"))
    assert receipts == {key: ref for key, (_, ref) in answered.items()}, "an answer and its receipt differ"
    return {"deposits": len(answered), "rows": rows.total(), "told again": again.total()}


# A session that was not ended may have fallen silent since, or have been ended without our hearing of it.
ANY = ("live", "abandoned", "ended")


def _sessions(answered: Mapping[str, bool], events: Mapping[str, int]) -> dict[str, int]:
    if not answered:
        return {}
    rows = dict(AgentSession.objects.filter(key__in=list(answered)).values_list("key", "state"))
    wrong = {key: rows.get(key) for key, over in answered.items() if rows.get(key) not in (("ended",) if over else ANY)}
    assert not wrong, f"sessions that were answered and are not as they were left: {wrong}"
    told = Counter(SessionEvent.objects.filter(session__key__in=list(events)).values_list("session__key", flat=True))
    short = {key: (n, told[key]) for key, n in events.items() if told[key] != n}
    assert not short, f"events answered, kept: {short}"
    return {"sessions": len(rows), "ended": sum(answered.values()), "events": sum(events.values())}


def _ratings(answered: Sequence[Sequence[str]]) -> dict[str, int]:
    asked = {query for query, _, _ in answered}
    rows = {(str(query), kind) for query, kind in Signal.objects.filter(query__in=asked).values_list("query", "kind")}
    lost = [one for one in answered if (one[0], one[2]) not in rows]
    assert not lost, f"ratings that were answered and are not there: {lost}"
    return {"ratings": len(answered)}


def main() -> None:
    sys.stdout.write(json.dumps(kept(json.load(sys.stdin))) + "\n")
