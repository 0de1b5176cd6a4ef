"""Processes of a suite, for what can be measured side by side. It imports nothing that needs Django to be set up."""

import ctypes
import multiprocessing
import pickle
import signal
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import django

PR_SET_PDEATHSIG = 1  # <sys/prctl.h>; Linux only


def processes(count: int, *, shared: Any = None) -> ProcessPoolExecutor:
    """Return a pool of new processes in which Django is set up as in this one; none shares a connection or a thread.

    They end when this one is killed. `shared`: what `shared()` gives in each of them.
    """
    given = pickle.dumps(shared)
    return ProcessPoolExecutor(
        count, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(given,)
    )


# What is shared is read when Django is set up: it may be made of models.
_given = b""


def _begin(given: bytes) -> None:
    global _given
    _given = given
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    django.setup()


@cache
def shared() -> Any:
    """Return what was given to all processes of this pool."""
    return pickle.loads(_given)
