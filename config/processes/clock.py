"""Beat's scheduler, which survives a clock that is set back.

Celery computes when a job is due from the moment of its last run. After a clock is set back by an hour that moment is
in the future, and nothing would run for an hour.
"""

import logging
import time
from datetime import datetime
from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

logger = logging.getLogger("loam.beat")
# Seconds. Clocks are corrected by less than this all the time.
STEP = 5.0


class ScheduleEntry(ModelEntry):
    """A job of the schedule. A last run in the future counts as one of now."""

    last_run_at: datetime

    def is_due(self) -> Any:
        """Whether it is to run, and after how many seconds to ask again."""
        now = self._default_now()
        if (self.last_run_at - now).total_seconds() > STEP:
            self.last_run_at = self.model.last_run_at = now
        return super().is_due()


class Scheduler(DatabaseScheduler):
    """Django's, with its waiting times computed again when the clock was set back."""

    Entry = ScheduleEntry
    _before = 0.0

    def tick(self, *given: Any, **more: Any) -> float:
        """Start what is due; returns the seconds until the next look, five at most."""
        now = time.time()
        if now < self._before - STEP:
            logger.warning("the clock was set back by %.0f s; the schedule goes on from now", self._before - now)
            self._heap = None
        self._before = now
        return float(super().tick(*given, **more))
