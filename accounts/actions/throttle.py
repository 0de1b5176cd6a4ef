"""Count the calls of a key (a token, a team, an address) and refuse those over its limit (rules/throttle.py)."""

import threading
from collections.abc import Mapping
from datetime import datetime

from accounts.models import Tally
from accounts.rules.throttle import CallCount, seconds_left, window_of

# The most keys that one process keeps (10,000 take some 2 MB); beyond that it starts again from the shared counts.
MOST_KEYS = 10_000

_counts: dict[str, CallCount] = {}
_lock = threading.Lock()


def throttle(*, key: str, limit: int, now: datetime) -> int:
    """Count one call of `key`. Return 0 if it is allowed, otherwise the seconds until the next one is; limit 0 is
    unlimited.
    """
    return throttle_each(limits={key: limit}, now=now)[1]


def throttle_each(*, limits: Mapping[str, int], now: datetime) -> tuple[str, int]:
    """Count one call for each key with its limit. Return ("", 0) if it is allowed, otherwise the key that is over its
    limit and the seconds until the next call is allowed.

    If one key is known to be over its limit, none is counted: a token in a loop uses up its own limit, and only that
    much of its teams'.
    """
    window, due = window_of(now), {}
    with _lock:
        counts = {key: _count(key, window) for key, limit in limits.items() if limit > 0}
        over = next((key for key, count in counts.items() if count.over(limits[key])), "")
        if over:
            return over, seconds_left(now)
        for key, count in counts.items():
            count.own += 1
            if count.due(limits[key]):
                due[key] = count.own
                count.known, count.own = count.known + count.own, 0
    over = next((key for key, sent in due.items() if _shared(key, window, sent) > limits[key]), "")
    return (over, seconds_left(now)) if over else ("", 0)


def _count(key: str, window: int) -> CallCount:
    count = _counts.get(key)
    if count is None or count.window != window:
        if len(_counts) >= MOST_KEYS:
            _counts.clear()
        count = _counts[key] = CallCount(window)
    return count


def _shared(key: str, window: int, sent: int) -> int:
    """Return the count of all processes, including these calls."""
    total = Tally.objects.all().add(key, window, sent)
    with _lock:
        count = _counts.get(key)
        if count is not None and count.window == window:
            count.known = max(count.known, total)
    return total
