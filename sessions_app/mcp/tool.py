"""A tool: the REST call it is, what an agent must know to use it well, and what its answer says in short."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import mcp_types as mcp

from accounts.rules.field_names import unknown_names
from sessions_app.mcp import schemas
from sessions_app.mcp.gateway import Answer, Gateway


@dataclass(frozen=True)
class Tool:
    """`call` is `METHOD path`; `takes` maps each argument to what it means; `says` makes the short text of an answer.

    An argument called otherwise than the API's field, or that stands deeper in the body, has its place in `places`
    ("triggers.tags"); `fixed` is sent along always. `reads` changes nothing; `again` may be repeated without effect;
    `destroys` cannot be undone by the same caller.
    """

    name: str
    title: str
    manual: str
    call: str
    takes: Mapping[str, str]
    says: Callable[[Any], str]
    reads: bool = False
    again: bool = False
    destroys: bool = False
    places: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)

    def described(self) -> mcp.Tool:
        """As `tools/list` shows it."""
        call = schemas.of(self.call)
        fields = {name: self._field(name, call) for name in self.takes}
        return mcp.Tool(
            name=self.name,
            title=self.title,
            description=self.manual,
            input_schema={
                "type": "object",
                "properties": fields,
                "required": [name for name in self.takes if self._place(name) in call.required],
                "additionalProperties": False,
            },
            output_schema=_object(call.answer),
            annotations=mcp.ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                idempotent_hint=self.again,
                open_world_hint=False,
            ),
        )

    def _place(self, name: str) -> str:
        return self.places.get(name, name)

    def _field(self, name: str, call: schemas.Call) -> dict[str, Any]:
        first, _, deeper = self._place(name).partition(".")
        found = call.fields[first]
        found = found["properties"][deeper] if deeper else found
        return {**schemas.tolerant(found), "description": self.takes[name]}

    async def run(self, api: Gateway, given: Mapping[str, Any]) -> mcp.CallToolResult:
        """Make the call. What the API refuses is told in words, and is an error of the tool, not of the protocol."""
        if faults := unknown_names(given, self.takes, "argument"):
            return _refusal({"detail": "The call has faults.", "code": "invalid", "errors": faults})
        answer = await self._asked(api, given)
        if answer.refused:
            return _refusal(answer.body)
        data = {"results": answer.body} if isinstance(answer.body, list) else answer.body
        text = "\n".join([self.says(data), *degradations(data)])
        return mcp.CallToolResult(content=[mcp.TextContent(type="text", text=text)], structured_content=data)

    async def _asked(self, api: Gateway, given: Mapping[str, Any]) -> Answer:
        method, path = self.call.split()
        fields = schemas.of(self.call).fields
        body: dict[str, Any] = dict(self.fixed)
        for name, value in given.items():
            first, _, deeper = self._place(name).partition(".")
            if value is None:
                continue
            shape = fields[first]["properties"][deeper] if deeper else fields[first]
            value = _listed(value) if schemas.is_list(shape) else value
            if f"{{{first}}}" in path:
                path = path.replace(f"{{{first}}}", quote(str(value), safe=""))
            elif deeper:
                body.setdefault(first, {})[deeper] = value
            else:
                body[first] = value
        if "{" in path:
            missing = path.partition("{")[2].partition("}")[0]
            name = next((n for n in self.takes if self._place(n) == missing), missing)
            return Answer(400, {"detail": "The call has faults.", "errors": {name: ["This argument is required."]}})
        return await (api.call(method, path, query=body) if method == "GET" else api.call(method, path, body))


def _listed(value: Any) -> Any:
    """A list that came as a text: as JSON, or separated by commas or line ends."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            pass
    return [part.strip() for part in text.replace("\n", ",").split(",") if part.strip()]


def _object(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer's shape as an object, which is all that structured content may be."""
    if answer.get("type") == "array":
        return {"type": "object", "properties": {"results": answer}, "required": ["results"]}
    return answer


def degradations(data: Any) -> list[str]:
    """What the answer had to do without."""
    parts = data.get("degraded") if isinstance(data, dict) else None
    return [f"(Without the {part['component']}: {part['reason']})" for part in parts or ()]


def _refusal(problem: Any) -> mcp.CallToolResult:
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=in_words(problem))],
        structured_content=problem if isinstance(problem, dict) else None,
        is_error=True,
    )


def in_words(problem: Any) -> str:
    """A problem document as a person would say it: what is wrong, with which argument."""
    if not isinstance(problem, dict):
        return "The server could not answer."
    said = [str(problem.get("detail") or problem.get("title") or "It was refused.")]
    for name, faults in (problem.get("errors") or {}).items():
        said.append(f"{name}: {' '.join(map(str, faults))}")
    if problem.get("code"):
        said.append(f"({problem['code']})")
    return "\n".join(said)
