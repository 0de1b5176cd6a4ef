"""The Celery app. The broker only wakes workers: pending work is a column in PostgreSQL, and beat enqueues the sweeps
again every minute.
"""

import os
from pathlib import Path

from celery import Celery, signals
from django.conf import settings

from config.checks import refuse_to_start
from config.monitoring.sent_metrics import send_metrics
from config.processes import broker, time_limits

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

broker.register()
app = Celery("loam")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(lambda: settings.INSTALLED_APPS)
signals.task_prerun.connect(time_limits.begin)
signals.task_postrun.connect(time_limits.finish)


@signals.celeryd_init.connect
@signals.beat_init.connect
def check_settings(**_: object) -> None:
    refuse_to_start()


@signals.celeryd_init.connect
def start_sending_metrics(**_: object) -> None:
    send_metrics(store=False)


@signals.celeryd_init.connect
@signals.beat_init.connect
def make_broker_folders(**_: object) -> None:
    """Make the folders that the file-system broker needs."""
    folders = app.conf.broker_transport_options
    for name in ("data_folder_in", "control_folder", "processed_folder"):
        if name in folders:
            Path(folders[name]).mkdir(parents=True, exist_ok=True, mode=0o700)
