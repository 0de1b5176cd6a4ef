"""Deployment: settings, the embedded database, the Celery app, URL mounts and the error map. Nothing of the product."""

import gc

from config.celery import app as celery_app

__all__ = ["celery_app"]

# New objects between two collections, of the newest, the newer and all, in every process from here on. By Python's 700,
# 10 and 10 a process collected six hundred times while it loaded Django and the addresses, where hardly anything is
# garbage: 2.6 to 2.9 s of a processor, 2.0 since (three runs of each in turn on two busy cores).
gc.set_threshold(10_000, 20, 50)
