"""The scheduled jobs as Celery tasks: each runs one sweep. When they run: `config/schedule.py`."""

from celery import shared_task
from django.utils import timezone

from knowledge.jobs.actions import run_background as asked_for
from knowledge.jobs.actions.audit import audited
from knowledge.jobs.actions.sweeps import sweep


@shared_task(name="knowledge.embed_waiting")
def embed_waiting() -> None:
    sweep("embed_waiting", clock=timezone.now)


@shared_task(name="knowledge.reconsider")
def reconsider() -> None:
    sweep("reconsider", clock=timezone.now)


@shared_task(name="knowledge.judge_pairs")
def judge_pairs() -> None:
    sweep("judge_pairs", clock=timezone.now)


@shared_task(name="knowledge.reweigh_drifted")
def reweigh_drifted() -> None:
    sweep("reweigh_drifted", clock=timezone.now)


@shared_task(name="knowledge.recount")
def recount() -> None:
    sweep("recount", clock=timezone.now)


@shared_task(name="knowledge.forget_old")
def forget_old() -> None:
    sweep("forget_old", clock=timezone.now)


@shared_task(name="knowledge.fade")
def fade() -> None:
    sweep("fade", clock=timezone.now)


@shared_task(name="knowledge.infer_due")
def infer_due() -> None:
    sweep("infer_due", clock=timezone.now)


@shared_task(name="knowledge.infer")
def infer() -> None:
    sweep("infer", clock=timezone.now)


@shared_task(name="knowledge.erase_forgotten")
def erase_forgotten() -> None:
    sweep("erase_forgotten", clock=timezone.now)


@shared_task(name="knowledge.regroup")
def regroup() -> None:
    sweep("regroup", clock=timezone.now)


@shared_task(name="knowledge.regroup_grown")
def regroup_grown() -> None:
    sweep("regroup_grown", clock=timezone.now)


@shared_task(name=asked_for.TASK)
def jobs() -> None:
    asked_for.run(clock=timezone.now)


@shared_task(name="knowledge.audit")
def audit() -> None:
    audited(clock=timezone.now)
