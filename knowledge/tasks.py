"""What beat rings for. A task is a name, one call and a log line; the schedule is seeded in migrations."""

import logging

from celery import shared_task
from django.utils import timezone

from knowledge.actions import upkeep

logger = logging.getLogger("loam.tasks")


@shared_task(name="knowledge.embed_waiting")
def embed_waiting() -> None:
    logger.info("embed_waiting: %s", upkeep.embed_waiting())


@shared_task(name="knowledge.reweigh_drifted")
def reweigh_drifted() -> None:
    logger.info("reweigh_drifted: %s", upkeep.reweigh_drifted())


@shared_task(name="knowledge.recount")
def recount() -> None:
    logger.info("recount: %s", upkeep.recount())


@shared_task(name="knowledge.forget_old")
def forget_old() -> None:
    logger.info("forget_old: %s", upkeep.forget_old(now=timezone.now()))
