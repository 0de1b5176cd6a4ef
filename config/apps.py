from django.apps import AppConfig


class DeploymentConfig(AppConfig):
    """Its system checks come with config.celery, which `config` imports."""

    name = "config"

    def ready(self) -> None:
        from config import openapi, vectors  # noqa: F401, PLC0415 - openapi registers how a StrictSerializer is read
        from knowledge.adapters import embedder  # noqa: PLC0415

        embedder.object_with(vectors.objection)
