"""Starts sending metrics in programs that serve, where LOAM_METRICS asks for it; a command sends none."""

from django.conf import settings
from django.utils.module_loading import import_string

from config.checks import metrics_faults


def send_metrics(*, store: bool) -> None:
    """`store`: also what the store says, which any web process may. By name: else nothing is imported."""
    if settings.LOAM_METRICS and not metrics_faults():
        import_string("config.monitoring.otel_metrics.start")(store=store)
