"""Deployment: settings, the embedded database, the Celery app, URL mounts and the error map. Nothing of the product."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
