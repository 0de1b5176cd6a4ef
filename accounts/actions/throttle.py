"""Spend: whether a key may make one call more in this minute (rules/throttle.py)."""

import threading
from datetime import datetime

from accounts.models import Tally
from accounts.rules.throttle import CallCount, seconds_left, window_of

# Keys that one process keeps; beyond, it begins again and relies on what all share. 10,000 are some 2 MB.
MOST_KEYS = 10_000

_counts: dict[str, CallCount] = {}
_lock = threading.Lock()


def throttle(*, key: str, limit: int, now: datetime) -> int:
    """Count one call of `key`. 0 if it may be made, else the seconds until the next may; a limit of 0 is none."""
    if limit <= 0:
        return 0
    window = window_of(now)
    with _lock:
        count = _count(key, window)
        if count.over(limit):
            return seconds_left(now)
        count.own += 1
        sent, due = count.own, count.due(limit)
        if due:
            count.known, count.own = count.known + sent, 0
    if due and _shared(key, window, sent) > limit:
        return seconds_left(now)
    return 0


def _count(key: str, window: int) -> CallCount:
    count = _counts.get(key)
    if count is None or count.window != window:
        if len(_counts) >= MOST_KEYS:
            _counts.clear()
        count = _counts[key] = CallCount(window)
    return count


def _shared(key: str, window: int, sent: int) -> int:
    """What all have counted, these included."""
    total = Tally.objects.all().add(key, window, sent)
    with _lock:
        count = _counts.get(key)
        if count is not None and count.window == window:
            count.known = max(count.known, total)
    return total
