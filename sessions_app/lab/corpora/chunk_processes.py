"""Write the chunks of a made-up corpus in one process for each core: making a row takes a millisecond of Python."""

import os
from collections.abc import Callable
from concurrent.futures import as_completed
from functools import cache

from django.db import connection

from sessions_app.adapters.steps import StepLog, StoredStepLog
from sessions_app.lab.corpora.synthetic_corpus import CorpusPlan, of_subjects, write_chunk, write_here
from sessions_app.lab.processes import processes, shared
from sessions_app.lab.throwaway import move_to

# Below so many chunks a process would take longer to start than to write its share.
WORTH_IT = 5


def write_in_processes(plan: CorpusPlan, chunks: list[int], steps: StepLog, wrote: Callable[[], None]) -> None:
    """Write the chunks with as many processes as there are cores; they end when this one is killed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if len(chunks) < WORTH_IT or cores == 1:
        return write_here(plan, chunks, steps, wrote)
    with processes(cores, shared=(plan, str(connection.settings_dict["NAME"]))) as workers:
        pending = [workers.submit(_write, chunk) for chunk in chunks]
        try:
            for done in as_completed(pending):
                done.result()
                wrote()
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)
            raise


def _write(chunk: int) -> None:
    plan, subjects, steps = _begun()
    write_chunk(plan, subjects, chunk, steps)


@cache
def _begun() -> tuple[CorpusPlan, dict[str, list[int]], StepLog]:
    plan, name = shared()
    move_to(name)
    return plan, of_subjects(plan), StoredStepLog()
