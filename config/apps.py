from django.apps import AppConfig
from django.conf import settings

from config.checks import tracing_faults


class DeploymentConfig(AppConfig):
    """The system checks are registered by config.celery, which `config` imports."""

    name = "config"

    def ready(self) -> None:
        from config import openapi  # noqa: F401, PLC0415 - registers how a StrictSerializer is read
        from config.database import vectors  # noqa: PLC0415

        if settings.LOAM_TRACES and not tracing_faults():
            from config.monitoring import tracing  # noqa: PLC0415 - costs what it imports, which only who wants traces pays

            tracing.start()
        from knowledge.adapters import embedder  # noqa: PLC0415

        embedder.object_with(vectors.objection)
