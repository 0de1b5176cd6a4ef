"""The time limits of background tasks: a task is first interrupted, then its process is ended.

Celery's own limits need its forked pool. Loam's worker runs tasks in one process (`--pool solo`), so that the embedding
model is in memory once. Pending work is a column in PostgreSQL, so ending the process loses nothing: the supervisor
starts it again, and beat enqueues the sweep again.
"""

import logging
import os
import signal
import threading
from types import FrameType

from django.conf import settings

from accounts.rules.time_limit import TimeUp

logger = logging.getLogger("loam.jobs")
# The exit code of the process, by which the supervisor's log can be told from other exits.
EXIT_CODE = 75

_watch: threading.Timer | None = None


def begin(task: object = None, **_: object) -> None:
    """Start both timers of a task."""
    global _watch
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread receives signals; pools with threads are not documented
    name = str(getattr(task, "name", "a task"))
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, settings.LOAM_TASK_SECONDS)
    _watch = threading.Timer(settings.LOAM_TASK_SECONDS + settings.LOAM_TASK_GRACE, _end, [name])
    _watch.daemon = True
    _watch.start()


def finish(**_: object) -> None:
    """Stop both timers."""
    if threading.current_thread() is threading.main_thread():
        signal.setitimer(signal.ITIMER_REAL, 0)
        if _watch:
            _watch.cancel()


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise TimeUp(f"Timed out after {settings.LOAM_TASK_SECONDS:g} s.")


def _end(name: str) -> None:
    """End the process. Runs on a separate thread: the main one does not respond, or it would have stopped."""
    logger.critical("%s did not stop when its time was up; this worker ends", name)
    os._exit(EXIT_CODE)
