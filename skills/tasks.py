"""What beat rings for; the schedule is seeded in migrations."""

from celery import shared_task
from django.utils import timezone

from skills.actions.sweeps import sweep


@shared_task(name="skills.embed_skills")
def embed_skills() -> None:
    sweep("embed_skills", clock=timezone.now)
