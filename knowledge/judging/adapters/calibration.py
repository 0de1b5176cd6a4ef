"""The calibration of the embedder in use: the one that ships with Loam, or what the operator has measured of theirs."""

from django.conf import settings

from knowledge.adapters import embedder
from knowledge.judging.rules.dedup import Calibration, calibration


def current() -> Calibration:
    """Raises ValueError when LOAM_CALIBRATION cannot be read."""
    return calibration(embedder.current().name, settings.LOAM_CALIBRATION)
