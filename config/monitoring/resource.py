"""The OpenTelemetry resource of a process: its service, its version and its instance."""

import os
import uuid

from django.conf import settings
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, SERVICE_VERSION, Resource

# Processes count separately; their data must not be taken for one series.
INSTANCE = uuid.uuid4().hex


def described() -> Resource:
    """Return the resource. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over the values here."""
    ours = {SERVICE_NAME: "loam", SERVICE_VERSION: settings.VERSION, SERVICE_INSTANCE_ID: INSTANCE}
    given = Resource.create().attributes
    said = {name: value for name, value in given.items() if name not in ours or _is_given(name)}
    return Resource({**ours, **said})


def _is_given(name: str) -> bool:
    """Return whether the environment sets it; the SDK has a default for each."""
    listed = [pair.partition("=")[0].strip() for pair in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "").split(",")]
    return name in listed or (name == SERVICE_NAME and bool(os.environ.get("OTEL_SERVICE_NAME")))
