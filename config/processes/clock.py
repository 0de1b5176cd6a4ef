"""Beat's scheduler. It survives a clock that is set back, and several machines may each run one.

Celery computes when a job is due from its last run. After a clock is set back by an hour, the last run is in the
future, and nothing would run for an hour.

Of all beats on one database, only the one with the lease enqueues jobs (accounts/models/operations.py). The others
stand by and take over when it ends, or within LEASE seconds after it was killed or cut off. A beat that was suspended
checks its lease before it continues. Should two run all the same, a job runs twice: each is a sweep that does what is
left to do.
"""

import logging
import os
import secrets
import socket
import time
from datetime import datetime
from typing import Any

from django.db import DatabaseError, InterfaceError, close_old_connections
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

from accounts.models import Lease
from config import schedule

logger = logging.getLogger("loam.beat")
# Seconds. Clocks are corrected by less than this all the time.
STEP = 5.0
# Seconds that a lease is valid, and after which it is renewed; a standby beat checks as often. With a longer lease,
# jobs wait longer after a beat was killed (most are due each minute); with one shorter than a few renewals, a slow
# database would make the beats take turns.
NAME, LEASE, RENEW = "beat", 20.0, 5.0


class ScheduleEntry(ModelEntry):
    """A scheduled job. A last run in the future counts as now."""

    last_run_at: datetime

    def is_due(self) -> Any:
        """Whether the job is due, and after how many seconds to ask again."""
        now = self._default_now()
        if (self.last_run_at - now).total_seconds() > STEP:
            self.last_run_at = self.model.last_run_at = now
        return super().is_due()


class Scheduler(DatabaseScheduler):
    """The scheduler of django-celery-beat. It recomputes waiting times after the clock was set back, and enqueues
    nothing without the lease.
    """

    Entry = ScheduleEntry
    _before = 0.0
    # When the lease was last renewed, by the monotonic clock; None without it.
    _renewed: float | None = None
    _standing_by = False

    def __init__(self, *given: Any, **more: Any) -> None:
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        super().__init__(*given, **more)

    def setup_schedule(self) -> None:
        """Write the table of jobs to the database, then read the schedule from there."""
        schedule.sync()
        super().setup_schedule()

    def tick(self, *given: Any, **more: Any) -> float:
        """Enqueue the jobs that are due. Return the seconds until the next check, five at most."""
        if not self._has_lease():
            return RENEW
        now = time.time()
        if now < self._before - STEP:
            logger.warning("the clock was set back by %.0f s; the schedule goes on from now", self._before - now)
            self._heap = None
        self._before = now
        return float(super().tick(*given, **more))

    def close(self) -> None:
        """Save the schedule and give the lease back."""
        super().close()
        if self._renewed is not None:
            self._renewed = None
            try:
                Lease.objects.all().give_back(NAME, self.holder)
            except (DatabaseError, InterfaceError) as error:  # it ends by itself
                logger.warning("the lease was not given back: %s", error)

    def _has_lease(self) -> bool:
        now = time.monotonic()
        if self._renewed is not None and now - self._renewed < RENEW:
            return True
        try:
            close_old_connections()
            has_lease = Lease.objects.all().take(NAME, self.holder, LEASE)
        except (DatabaseError, InterfaceError) as error:
            logger.warning("the lease cannot be renewed: %s", error)
            has_lease = False
        if has_lease and self._standing_by:
            logger.warning("%s rings now", self.holder)
            self._initial_read, self._heap = True, None  # the other one's last runs are in the database
        if not has_lease and not self._standing_by:
            logger.warning("%s stands by: another beat rings, or the database is away", self.holder)
        self._renewed, self._standing_by = (now if has_lease else None), not has_lease
        return has_lease
