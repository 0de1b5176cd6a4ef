from django.apps import AppConfig


class DeploymentConfig(AppConfig):
    """Its system checks come with config.celery, which `config` imports."""

    name = "config"
