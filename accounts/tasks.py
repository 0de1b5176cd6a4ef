"""The scheduled jobs as Celery tasks: each runs one sweep. When they run: `config/schedule.py`."""

from celery import shared_task
from django.utils import timezone

from accounts.actions.sweeps import sweep


@shared_task(name="accounts.deliver_webhooks")
def deliver_webhooks() -> None:
    sweep("deliver_webhooks", clock=timezone.now)
