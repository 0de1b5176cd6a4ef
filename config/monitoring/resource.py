"""Who a process is to OpenTelemetry: its service, its version, and itself among the others of it."""

import os
import uuid

from django.conf import settings
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, SERVICE_VERSION, Resource

# Several processes count for themselves: what they send must not be taken for one series.
INSTANCE = uuid.uuid4().hex


def described() -> Resource:
    """With what OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say of it, which go before what is said here."""
    ours = {SERVICE_NAME: "loam", SERVICE_VERSION: settings.VERSION, SERVICE_INSTANCE_ID: INSTANCE}
    given = Resource.create().attributes
    said = {name: value for name, value in given.items() if name not in ours or _is_given(name)}
    return Resource({**ours, **said})


def _is_given(name: str) -> bool:
    """Whether the environment says it, as the SDK has a default for each."""
    listed = [pair.partition("=")[0].strip() for pair in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "").split(",")]
    return name in listed or (name == SERVICE_NAME and bool(os.environ.get("OTEL_SERVICE_NAME")))
