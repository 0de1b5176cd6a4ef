"""What beat rings for. A task is a name and one call, which records its run; the schedule is seeded in migrations."""

from celery import shared_task
from django.utils import timezone

from accounts.actions.sweeps import sweep


@shared_task(name="accounts.deliver_webhooks")
def deliver_webhooks() -> None:
    sweep("deliver_webhooks", clock=timezone.now)
