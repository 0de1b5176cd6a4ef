"""The parts of the OpenAPI schema that are common to all endpoints: how a request may be refused, and that unknown
fields are.

Views declare what they take and what they return on success. The possible errors follow from that and are declared here
once: an endpoint that needs a token can be called without one, and one that takes a body can be sent an oversized one.
"""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework.serializers import CharField

PROBLEM = "application/problem+json"
WHY = {
    400: "The request is invalid; `errors` names the fields.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The token's scopes or the member's level are insufficient.",
    404: "Not found, or not visible to you.",
    409: "Conflict with the current state; `code` says why.",
    412: "Changed since you read it; `current` has the current version.",
    413: "The request is too large.",
    415: "The body is not application/json.",
    428: "The header If-Match is missing: the revision you read.",
    429: "Too many calls; Retry-After says when to try again.",
    507: "The server's disk is nearly full: nothing was written. Writes are accepted again once there is space.",
}
# These may name the revision in the body.
OF_A_REVISION = {"insights_propose"}
# Writes that cannot conflict with stored data: a repeated statement is overwritten, and a missing row is 404.
NEVER_IN_CONFLICT = (
    "contradictions_report",
    "guard_terms_add",
    "guard_terms_withdraw",
    "insights_deposit_batch",  # each item has a status of its own
    "preferences_edit",
    "preferences_forget",
    "preferences_state",
    "provenance",
    "query",
    "query_why_not",
    "ratings",
    "surface",
    "topics_rename",
    "webhooks_remove",
    "evidence_search",
)
# Also answered on a nearly full disk (config/middleware/disk_space.py lists them by URL names).
READS = ("query", "query_why_not", "surface", "evidence_search")
# Two teams may have a skill of that name, so readers may have to name the team, too.
AMBIGUOUS = "/skills/{name}/"


class Strict(OpenApiSerializerExtension):
    """A StrictSerializer refuses unknown fields, and null for text."""

    target_class = "accounts.serializers.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        shape = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        for name, field in self.target.fields.items():
            if isinstance(field, CharField) and not field.allow_blank and "type" in shape["properties"][name]:
                shape["properties"][name]["minLength"] = 1
        return {**shape, "additionalProperties": False}


def refusals(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Add the possible refusals to each operation, by reference. A postprocessing hook of drf-spectacular."""
    answers = result["components"].setdefault("responses", {})
    for status, why in WHY.items():
        content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}
        answers[f"Refused{status}"] = {"description": why, "content": content}
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            for status in _may_be(path, method, operation):
                operation["responses"][str(status)] = {"$ref": f"#/components/responses/Refused{status}"}
    return result


def _may_be(path: str, method: str, operation: dict[str, Any]) -> list[int]:
    """Return the statuses with which an operation may be refused."""
    parameters = operation.get("parameters", [])
    places = {parameter["in"] for parameter in parameters}
    body = "requestBody" in operation
    token = {} not in operation.get("security", [{}])
    conflict = (method != "get" and operation["operationId"] not in NEVER_IN_CONFLICT) or AMBIGUOUS in path
    matched = any(parameter["name"] == "If-Match" for parameter in parameters)
    found = [400] * bool(body or places - {"path"})
    found += [401, 403, 429] if token else []
    found += [404] * bool(body or places)
    found += [409] * conflict
    found += [412, 428] * matched
    found += [412] * (operation["operationId"] in OF_A_REVISION)
    found += [413, 415] * body
    found += [507] * (method != "get" and operation["operationId"] not in READS)
    return sorted(found)
