"""A ring at the worker's door, for work that somebody waits for on a page."""

import logging

from celery import current_app
from kombu.exceptions import KombuError

logger = logging.getLogger("loam.bell")

# Seconds: beat rings once a minute anyhow, and nobody waits for a broker that does not answer.
PATIENCE = 1.0
EXPIRES = 60


def enqueue(name: str) -> None:
    """Have a task run now. That nobody hears it is no failure: the work is a row, and beat comes by."""
    options = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
    known = dict(current_app.conf.broker_transport_options or {})
    try:
        with current_app.connection_for_write(transport_options={**known, **options}) as connection:
            current_app.send_task(name, connection=connection, expires=EXPIRES, retry=False)
    except (KombuError, OSError) as fault:
        logger.warning("the worker was not rung for %s: %s", name, fault)
