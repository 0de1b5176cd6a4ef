"""The argument and answer schemas of tools, read from the OpenAPI schema of the calls they make, so that the two cannot
differ.

OpenAPI 3.1 is JSON Schema, so schemas are copied as they are, with their references resolved.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from sessions_app.mcp.gateway import API

Schema = dict[str, Any]
# Keys that only code generators need or that are of no use to an agent, which would pay for them with each list of
# tools.
NOISE = {"title", "readOnly", "writeOnly", "deprecated", "x-spec-enum-id", "format"}


@dataclass(frozen=True)
class Operation:
    """A REST call in the schema: its fields (body, parameters), the required ones, and the schema of its answer."""

    fields: Mapping[str, Schema]
    required: frozenset[str]
    answer: Schema


@lru_cache(maxsize=1)
def _openapi() -> Schema:
    """Return the OpenAPI schema. It takes some 300 ms, once per process."""
    schema: Schema = SchemaGenerator().get_schema(request=None, public=True)
    return schema


def is_read() -> bool:
    return _openapi.cache_info().currsize > 0


@lru_cache(maxsize=100)
def of(call: str) -> Operation:
    """Return the operation of a call `METHOD path` (`POST insights/`, `GET insights/{ref}/`)."""
    method, path = call.split()
    found = _openapi()["paths"][API + path][method.lower()]
    body = _plain(found.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {}))
    fields = dict(body.get("properties", {}))
    required = set(body.get("required", ()))
    for one in found.get("parameters", ()):
        if one["in"] in ("query", "path"):
            said = {"description": one["description"]} if "description" in one else {}
            fields[one["name"]] = {**_plain(one["schema"]), **said}
            required |= {one["name"]} if one.get("required") else set()
    done = next(found["responses"][status] for status in ("200", "201", "202") if status in found["responses"])
    answer = _plain(done["content"]["application/json"]["schema"])
    return Operation(fields, frozenset(required), answer)


def _plain(schema: Any) -> Any:
    """Return the schema without references and without NOISE. The generator writes `oneOf` for "this or null"; if
    "this" can be anything, null would match both, so it is left out.
    """
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _plain({**_openapi()["components"]["schemas"][name], **{k: v for k, v in schema.items() if k != "$ref"}})
    if "oneOf" in schema:
        schema = {**{name: one for name, one in schema.items() if name != "oneOf"}, "anyOf": schema["oneOf"]}
    if "properties" in schema:
        inner = {name: _plain(one) for name, one in schema["properties"].items()}
        rest = {k: _plain(v) for k, v in schema.items() if k not in NOISE and k != "properties"}
        return {**rest, "properties": inner}
    return {k: _plain(v) for k, v in schema.items() if k not in NOISE}


def is_list(field: Schema) -> bool:
    return field.get("type") == "array"


def short(field: Schema) -> Schema:
    """Return the schema of a field as the agent's model reads it with each request: its type and allowed values only.

    A list may also be sent as text (JSON, or separated by commas); the schema need not say so.
    """
    found = next((one for one in field.get("anyOf", ()) if one.get("type") != "null"), field)
    kept: Schema = {"type": found.get("type", "string")}
    if "enum" in found:
        kept["enum"] = [one for one in found["enum"] if one not in ("", None)]
    if is_list(found):
        kept["items"] = short(found.get("items", {}))
    if found.get("properties"):
        kept["properties"] = {name: short(one) for name, one in found["properties"].items()}
        kept["required"] = list(found.get("required", ()))
    return kept
