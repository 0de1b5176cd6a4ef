"""Processes of a suite, for what can be measured side by side. It imports nothing that needs Django to be set up."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import django


def processes(count: int) -> ProcessPoolExecutor:
    """Return a pool of new processes in which Django is set up as in this one; none shares a connection or a thread."""
    return ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"), initializer=django.setup)
