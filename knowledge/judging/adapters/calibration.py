"""The calibration of the embedder in use: the built-in one, or the operator's own."""

from django.conf import settings

from knowledge.adapters import embedder
from knowledge.judging.rules.dedup import Calibration, calibration


def current() -> Calibration:
    """Return the calibration. Raises ValueError if LOAM_CALIBRATION cannot be read."""
    return calibration(embedder.current().name, settings.LOAM_CALIBRATION)
