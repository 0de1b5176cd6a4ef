"""The scheduled jobs as Celery tasks: each runs one sweep. When they run: `config/schedule.py`."""

from celery import shared_task
from django.utils import timezone

from sessions_app.actions.sweeps import sweep


@shared_task(name="sessions.recover_silent")
def recover_silent() -> None:
    sweep("recover_silent", clock=timezone.now)


@shared_task(name="sessions.drop_old")
def drop_old() -> None:
    sweep("drop_old", clock=timezone.now)


@shared_task(name="sessions.embed_passages")
def embed_passages() -> None:
    sweep("embed_passages", clock=timezone.now)


@shared_task(name="sessions.place_passages")
def place_passages() -> None:
    sweep("place_passages", clock=timezone.now)


@shared_task(name="sessions.drop_old_passages")
def drop_old_passages() -> None:
    sweep("drop_old_passages", clock=timezone.now)


@shared_task(name="sessions.propose_passages")
def propose_passages() -> None:
    sweep("propose_passages", clock=timezone.now)


@shared_task(name="sessions.propose_by_model")
def propose_by_model() -> None:
    sweep("propose_by_model", clock=timezone.now)
