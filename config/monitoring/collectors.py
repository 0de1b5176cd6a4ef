"""The doctor's check of the configured OpenTelemetry collector: whether it accepts data."""

import os
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from django.conf import settings

from config.checks import metrics_faults, tracing_faults
from config.monitoring.system_part import SystemPart, checked

DEFAULT = "http://localhost:4318"
PATIENCE = 3


def parts() -> Iterator[SystemPart]:
    """Yield one part for each kind of data that goes to a collector. Missing packages are reported by the settings' own
    check.
    """
    if settings.LOAM_TRACES == "otlp" and not tracing_faults():
        yield checked("traces", lambda: _taken("traces"))
    if settings.LOAM_METRICS == "otlp" and not metrics_faults():
        yield checked("metrics", lambda: _taken("metrics"))


def _taken(kind: str) -> SystemPart:
    """Send an empty message of the protocol to the exporter's address, and return the result."""
    address = _address(kind)
    shown = f"{urlsplit(address).scheme}://{urlsplit(address).netloc.rpartition('@')[2]}{urlsplit(address).path}"
    lost = f"{kind} are lost."
    asked = urllib.request.Request(
        address, data=b"", headers=_headers(kind) | {"Content-Type": "application/x-protobuf"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE):
            return SystemPart(kind, True, f"taken by {shown}")
    except urllib.error.HTTPError as error:
        mend = "Set OTEL_EXPORTER_OTLP_HEADERS to what it asks for." if error.code in (401, 403) else ""
        mend = mend or "Set OTEL_EXPORTER_OTLP_ENDPOINT to the collector's address for OTLP over HTTP, without a path."
        return SystemPart(kind, False, f"{shown} answers {error.code}: {lost}", mend=mend)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        why = "timed out" if isinstance(reason, socket.timeout) else type(reason).__name__
        mend = "Start the collector, or set OTEL_EXPORTER_OTLP_ENDPOINT to where it is, or unset the setting."
        return SystemPart(kind, False, f"{shown} cannot be reached ({why}): {lost}", mend=mend)


def _address(kind: str) -> str:
    given = os.environ.get(f"OTEL_EXPORTER_OTLP_{kind.upper()}_ENDPOINT")
    common = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or DEFAULT
    return given or f"{common.rstrip('/')}/v1/{kind}"


def _headers(kind: str) -> dict[str, str]:
    given = os.environ.get(f"OTEL_EXPORTER_OTLP_{kind.upper()}_HEADERS") or os.environ.get(
        "OTEL_EXPORTER_OTLP_HEADERS", ""
    )
    pairs = (one.partition("=") for one in given.split(",") if "=" in one)
    return {unquote(name).strip(): unquote(value).strip() for name, _, value in pairs}
