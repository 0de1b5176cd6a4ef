"""Deployment: settings, the embedded database, the Celery app, URL mounts and the error map. Nothing of the product
itself.
"""

import gc

from config.celery import app as celery_app

__all__ = ["celery_app"]

# Garbage collection thresholds for all processes, for the three generations. With Python's default of 700, 10 and 10, a
# process collected six hundred times while it loaded Django and the URLs, although hardly anything was garbage: 2.6 to
# 2.9 s of CPU, 2.0 since (three runs of each in turn on two busy cores).
gc.set_threshold(10_000, 20, 50)
