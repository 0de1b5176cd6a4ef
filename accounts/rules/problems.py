"""RFC 9457 problem documents: one shape for every error of a request, whatever the interface."""

from http import HTTPStatus
from typing import Any

from accounts.rules.refused import Refused

CODES = {
    400: "invalid",
    401: "not_authenticated",
    403: "not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "too_slow",
    413: "too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    500: "internal",
    503: "unavailable",
    507: "no_room",
}
BODY = "body"


def document(
    status: int, detail: str, *, code: str = "", errors: dict[str, list[str]] | None = None, **extra: Any
) -> dict[str, Any]:
    """A problem document as a dict."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code or CODES.get(status, "error"),
        "errors": errors or {},
        **extra,
    }


def of_refused(refused: Refused) -> dict[str, Any]:
    return document(refused.status, refused.message, code=refused.code, errors=refused.errors, **refused.extra)


# A fault names what was sent; a page of it would tell no more.
LONGEST_FAULT = 300


def flat(detail: Any, path: str = "") -> dict[str, list[str]]:
    """Nested validation details as {"source.type": ["…"], "insights.2.kind": ["…"]}."""
    if isinstance(detail, dict):
        merged: dict[str, list[str]] = {}
        for key, value in detail.items():
            name = BODY if key == "non_field_errors" and not path else str(key)
            inner = path if key == "non_field_errors" and path else ".".join(filter(None, [path, name]))
            merged.update(flat(value, inner))
        return merged
    if isinstance(detail, list) and any(isinstance(item, dict | list) for item in detail):
        merged = {}
        for index, item in enumerate(detail):
            merged.update(flat(item, f"{path}.{index}".lstrip(".")) if item else {})
        return merged
    return {path or BODY: [str(item)[:LONGEST_FAULT] for item in (detail if isinstance(detail, list) else [detail])]}
