"""What the OpenAPI schema says of every endpoint alike: how a request is refused, and that what is unknown is.

Views say what they take and what they answer when all goes well. What may go wrong follows from that, and is written
down here once: anyone who needs a token may come without one, anyone who sends a body may send too much of it.
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
# May name the revision it is about in its body.
OF_A_REVISION = {"insights_propose"}
# Writes that nothing stored can be in the way of: what is stated again is overwritten, what is gone is 404.
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
# Answered on a nearly full disk as well (config/middleware/disk_space.py has them by the names of their addresses).
READS = ("query", "query_why_not", "surface", "evidence_search")
# A name alone may mean a skill of either of two teams, also to anyone who only reads.
AMBIGUOUS = "/skills/{name}/"


class Strict(OpenApiSerializerExtension):
    """What a StrictSerializer does not know, it refuses; and nothing, where text is wanted."""

    target_class = "accounts.serializers.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        shape = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        for name, field in self.target.fields.items():
            if isinstance(field, CharField) and not field.allow_blank and "type" in shape["properties"][name]:
                shape["properties"][name]["minLength"] = 1
        return {**shape, "additionalProperties": False}


def refusals(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A postprocessing hook of drf-spectacular: what each operation may be refused with, by reference."""
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
    """The statuses an operation may be refused with."""
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
