"""A tool: the REST calls it is, what an agent must know to use it well, and what their answers say.

Most tools are one call. Where an argument means another call (`end`, `take`, `claims`, a reference that is a
session's), the tool's `route` says which calls are made, in their order.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import mcp_types as mcp

from accounts.rules.fence import inert
from accounts.rules.field_names import unknown_names
from sessions_app.answers.rules.answer import lacks
from sessions_app.answers.rules.fence import Fence
from sessions_app.mcp import schemas
from sessions_app.mcp.gateway import ApiAnswer, Gateway
from sessions_app.mcp.tool_result import ToolText

Given = Mapping[str, Any]
# Tokens of a text whose tool says nothing else.
BUDGET = 800


@dataclass(frozen=True)
class Call:
    """`path` is `METHOD path`; `says` makes the text of its answer.

    An argument called otherwise than the API's field, or that stands deeper in the body, has its place in `places`
    ("triggers.tags"); `fixed` is sent along unless the caller gives it.
    """

    path: str
    says: Callable[[Any, Given], ToolText]
    places: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def place(self, name: str) -> str:
        return self.places.get(name, name)

    def shape(self, name: str) -> schemas.Schema:
        """The schema of an argument's field."""
        first, _, deeper = self.place(name).partition(".")
        found = schemas.of(self.path).fields[first]
        return found["properties"][deeper] if deeper else found

    async def made(self, api: Gateway, given: Given) -> ApiAnswer:
        """The answer of the API to the call with these arguments."""
        method, path = self.path.split()
        body: dict[str, Any] = dict(self.fixed)
        for name, value in given.items():
            if value is None:
                continue
            first, _, deeper = self.place(name).partition(".")
            value = _listed(value) if schemas.is_list(self.shape(name)) else value
            if f"{{{first}}}" in path:
                path = path.replace(f"{{{first}}}", quote(str(value), safe=""))
            elif deeper:
                body.setdefault(first, {})[deeper] = value
            else:
                body[first] = value
        if "{" in path:
            missing = path.partition("{")[2].partition("}")[0]
            name = next((n for n, place in self.places.items() if place == missing), missing)
            return ApiAnswer(400, {"detail": "The call has faults.", "errors": {name: ["This argument is required."]}})
        return await (api.call(method, path, query=body) if method == "GET" else api.call(method, path, body))


@dataclass(frozen=True)
class Tool:
    """`takes` maps each argument to what it means; `more` are arguments that only the whole toolset shows; `own` the
    schemas of those that are no field of the call. `route` gives the calls that are made, the last one the main one.

    `reads` changes nothing; `again` may be repeated without effect; `destroys` cannot be undone by the same caller.
    `hint`: by which a client that loads tools on demand finds it; `always`: such a client loads it at once.
    """

    name: str
    title: str
    manual: str
    call: Call
    takes: Mapping[str, str]
    more: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, schemas.Schema] = field(default_factory=dict)
    route: Callable[[Given], Sequence[tuple[Call, Given]]] | None = None
    answers: Sequence[str] = ()
    budget: int = BUDGET
    hint: str = ""
    always: bool = False
    reads: bool = False
    again: bool = False
    destroys: bool = False

    def described(self, *, whole: bool = False, structured: bool = False) -> mcp.Tool:
        """As `tools/list` shows it; `whole`: with the rarer arguments; `structured`: with the shape of its answer."""
        takes = {**self.takes, **self.more} if whole else self.takes
        required = schemas.of(self.call.path).required
        meta = {"anthropic/alwaysLoad": True} if self.always else {}
        return mcp.Tool(
            name=self.name,
            title=self.title,
            description=self.manual,
            input_schema={
                "type": "object",
                "properties": {name: self._field(name, said) for name, said in takes.items()},
                "required": [name for name in takes if self.call.place(name) in required],
                "additionalProperties": False,
            },
            output_schema=self._answer_schema() if structured else None,
            annotations=mcp.ToolAnnotations(
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                idempotent_hint=self.again,
                open_world_hint=False,
            ),
            _meta={**meta, "anthropic/searchHint": self.hint} if self.hint else meta or None,
        )

    def _field(self, name: str, said: str) -> dict[str, Any]:
        shape = self.own.get(name) or schemas.short(self.call.shape(name))
        return {**shape, "description": said} if said else dict(shape)

    def _answer_schema(self) -> dict[str, Any]:
        if not self.answers:
            return _object(schemas.of(self.call.path).answer)
        return {"type": "object", "anyOf": [schemas.of(path).answer for path in self.answers]}

    async def run(self, api: Gateway, given: Given, *, structured: bool = False) -> mcp.CallToolResult:
        """Make the calls. What the API refuses is told in words, and is an error of the tool, not of the protocol.

        A refusal ends it: what was done before is told with it.
        """
        if faults := unknown_names(given, {**self.takes, **self.more}, "argument"):
            return _refusal({"detail": "The call has faults.", "code": "invalid", "errors": faults}, [], structured)
        texts: list[str] = []
        data: dict[str, Any] = {}
        for call, arguments in self.route(given) if self.route else [(self.call, self._passed_on(given))]:
            known = {n: data.get(v.key) if isinstance(v, Earlier) else v for n, v in arguments.items()}
            answer = await call.made(api, known)
            if answer.refused:
                return _refusal(_explained(answer.body, call, known), texts, structured)
            found = {"results": answer.body} if isinstance(answer.body, list) else answer.body
            texts.append(self._text(call, found, given, api.fence))
            data = {**data, **found}
        content = mcp.TextContent(type="text", text="\n".join(filter(None, texts)))
        return mcp.CallToolResult(content=[content], structured_content=data if structured else None)

    def _passed_on(self, given: Given) -> Given:
        return {name: value for name, value in given.items() if name not in self.own}

    def _text(self, call: Call, data: Any, given: Given, fence: Fence) -> str:
        page = given.get("page")
        read_on = self._read_on(given) if "page" in self.own else None
        text = call.says(data, given).text(self.budget, fence, page if isinstance(page, int) else 1, read_on)
        lacking = [line for line in lacks(data.get("degraded") or ()) if line not in text]
        return "\n".join(filter(None, [text, *lacking]))

    def _read_on(self, given: Given) -> Callable[[int], str]:
        named = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in given.items() if name != "page"]
        return lambda page: f"{self.name}({', '.join([*named, f'page={page}'])})"


@dataclass(frozen=True)
class Earlier:
    """An argument that an earlier call of the same tool has answered with."""

    key: str


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


def _explained(problem: Any, call: Call, given: Given) -> Any:
    """The problem with what would have been right: the words a field takes, the reference that nothing has."""
    if not isinstance(problem, dict):
        return problem
    if problem.get("code") == "not_found" and (ref := given.get("ref")):
        return {**problem, "detail": f"There is no “{str(ref)[:60]}” that you can see."}
    if problem.get("code") == "not_found" and (session := given.get("session")):
        unknown = f"“{str(session)[:60]}” is no session of yours: pass the id that start_session gives."
        return {**problem, "detail": unknown if problem.get("detail") == "Unknown session." else problem.get("detail")}
    errors = dict(problem.get("errors") or {})
    for name in errors.keys() & given.keys():
        shape = schemas.short(call.shape(name))
        words = shape.get("enum") or shape.get("items", {}).get("enum")
        if words and not all(word in " ".join(errors[name]) for word in words):
            errors[name] = [*errors[name], f"It is one of {', '.join(words)}."]
    return {**problem, "errors": errors} if errors else problem


def _refusal(problem: Any, done: Sequence[str], structured: bool) -> mcp.CallToolResult:
    text = "\n".join([*filter(None, done), inert(in_words(problem))])  # a refusal may repeat what others wrote
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=text)],
        structured_content=problem if structured and isinstance(problem, dict) else None,
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
