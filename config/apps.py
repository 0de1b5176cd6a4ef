from django.apps import AppConfig


class DeploymentConfig(AppConfig):
    """Its system checks come with config.celery, which `config` imports."""

    name = "config"

    def ready(self) -> None:
        from config import openapi  # noqa: F401, PLC0415 - registers how drf-spectacular reads a StrictSerializer
