"""The scheduled jobs as Celery tasks: each runs one sweep. When they run: `config/schedule.py`."""

from celery import shared_task
from django.utils import timezone

from skills.actions.sweeps import sweep


@shared_task(name="skills.embed_skills")
def embed_skills() -> None:
    sweep("embed_skills", clock=timezone.now)
