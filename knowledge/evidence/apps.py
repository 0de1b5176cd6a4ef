from django.apps import AppConfig


class EvidenceConfig(AppConfig):
    """Asking raw files, and keeping what was learned."""

    name = "knowledge.evidence"
    label = "evidence"
    verbose_name = "Evidence"
