"""The sweeps of `knowledge` by name: beat runs them on schedule, an operator by hand; each run is recorded."""

from collections.abc import Callable, Collection
from datetime import datetime

from accounts.actions.jobs import Work, run_job
from accounts.models import JobRun
from knowledge.jobs.adapters.job_queue import enqueue
from knowledge.judging.actions.judge_pairs import judge_pairs
from knowledge.judging.actions.retry_dedup import retry_dedup
from knowledge.lifecycle.actions.fade import fade
from knowledge.lifecycle.actions.infer import infer_all, infer_due
from knowledge.retrieval.actions import upkeep
from knowledge.review.actions.forget import erase_forgotten
from knowledge.topics.actions.regroup import regroup
from knowledge.topics.rules.grouping import GROWN_SHARE

SWEEPS: dict[str, Callable[[datetime, Collection[str]], Work]] = {
    "embed_waiting": lambda now, force: upkeep.embed_waiting().work,
    "reconsider": lambda now, force: retry_dedup(now=now),
    "judge_pairs": lambda now, force: judge_pairs(now=now),
    "reweigh_drifted": lambda now, force: upkeep.reweigh_drifted().work,
    "recount": lambda now, force: upkeep.recount().work,
    "forget_old": lambda now, force: upkeep.forget_old(now=now).work,
    "erase_forgotten": lambda now, force: erase_forgotten(now=now),
    "fade": lambda now, force: fade(now=now, force=force),
    "infer_due": lambda now, force: infer_due(now=now),
    "infer": lambda now, force: infer_all(now=now),
    "regroup": lambda now, force: regroup(now=now),
    "regroup_grown": lambda now, force: regroup(now=now, share=GROWN_SHARE),
}


# Cut short after seconds, for others wait in their queue; the rest is done behind those, not a minute later.
IN_SLICES = ("embed_waiting", "reconsider")


def sweep(name: str, *, clock: Callable[[], datetime], force: Collection[str] = ()) -> JobRun:
    """Run one of SWEEPS now. `force`: slugs of teams in which `fade` may go beyond its budget.

    Raises what the sweep raises, which is recorded all the same.
    """
    task = f"knowledge.{name}"
    again = (lambda: enqueue(task)) if name in IN_SLICES else None
    return run_job(name=task, work=lambda: SWEEPS[name](clock(), force), clock=clock, again=again)
