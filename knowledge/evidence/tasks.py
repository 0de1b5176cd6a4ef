"""The scheduled jobs as Celery tasks: each runs one sweep. When they run: `config/schedule.py`."""

from celery import shared_task
from django.utils import timezone

from knowledge.evidence.actions.sweeps import sweep


@shared_task(name="evidence.cool")
def cool() -> None:
    sweep("cool", clock=timezone.now)


@shared_task(name="evidence.connect")
def connect() -> None:
    sweep("connect", clock=timezone.now)


@shared_task(name="evidence.read_documents")
def read_documents() -> None:
    sweep("read_documents", clock=timezone.now)


@shared_task(name="evidence.check_sources")
def check_sources() -> None:
    sweep("check_sources", clock=timezone.now)


@shared_task(name="evidence.compare_deposits")
def compare_deposits() -> None:
    sweep("compare_deposits", clock=timezone.now)
