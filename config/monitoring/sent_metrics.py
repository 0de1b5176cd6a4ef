"""Start sending metrics in programs that serve, if LOAM_METRICS is set. Commands send none."""

from django.conf import settings
from django.utils.module_loading import import_string

from config.checks import metrics_faults


def send_metrics(*, store: bool) -> None:
    """Start sending. `store`: include the figures on stored rows, which any web process may send. Imported by name, so
    that nothing is imported otherwise.
    """
    if settings.LOAM_METRICS and not metrics_faults():
        import_string("config.monitoring.otel_metrics.start")(store=store)
