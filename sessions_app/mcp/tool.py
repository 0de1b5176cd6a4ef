"""A tool: the REST calls it makes, what an agent must know to use it, and how the answers are rendered.

Most tools make one call. If an argument means another call (`end`, `take`, `claims`, a session's reference), the tool's
`route` returns the calls to make, in order.
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
# The default token budget of a tool's text.
BUDGET = 800


@dataclass(frozen=True)
class Call:
    """`path` is `METHOD path`; `says` renders the answer.

    `places` maps an argument to the API's field, if it has another name or is nested in the body ("triggers.tags");
    `fixed` is sent unless the caller gives it.
    """

    path: str
    says: Callable[[Any, Given], ToolText]
    places: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def place(self, name: str) -> str:
        return self.places.get(name, name)

    def shape(self, name: str) -> schemas.Schema:
        """Return the schema of an argument's field."""
        first, _, deeper = self.place(name).partition(".")
        found = schemas.of(self.path).fields[first]
        return found["properties"][deeper] if deeper else found

    async def made(self, api: Gateway, given: Given) -> ApiAnswer:
        """Return the answer of the API to the call with these arguments."""
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
    """`takes` maps each argument to its meaning; `more`: arguments that only the whole toolset shows; `own`: the
    schemas of arguments that are no field of the call. `route` returns the calls to make, the main one last.

    `reads`: it changes nothing; `again`: repeating it has no effect; `destroys`: the caller cannot undo it. `hint`: the
    words by which a client that loads tools on demand finds it; `always`: such a client loads it at once.
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
        """Return the tool for `tools/list`. `whole`: with the rarer arguments; `structured`: with the schema of its
        answer.
        """
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
        """Make the calls and return the result. A refusal of the API is rendered in words, as an error of the tool and
        not of the protocol.

        A refusal stops the calls; the results of those before it are included.
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
    """The value of an argument that is taken from the answer to an earlier call of the same tool."""

    key: str


def _listed(value: Any) -> Any:
    """Return a list that was sent as text: as JSON, or separated by commas or line ends."""
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
    """Return an answer's schema as an object, since structured content can be nothing else."""
    if answer.get("type") == "array":
        return {"type": "object", "properties": {"results": answer}, "required": ["results"]}
    return answer


def _on_one_line(given: object) -> str:
    """Return what a caller gave, short and without line breaks: an error must not have lines that look like Loam's."""
    return " ".join(str(given).split())[:60]


def _explained(problem: Any, call: Call, given: Given) -> Any:
    """Return the problem with what would have been right: the allowed values of a field, or that the reference does not
    exist.
    """
    if not isinstance(problem, dict):
        return problem
    if problem.get("code") == "not_found" and (ref := given.get("ref")):
        return {**problem, "detail": f"There is no “{_on_one_line(ref)}” that you can see."}
    if problem.get("code") == "not_found" and (session := given.get("session")):
        unknown = f"“{_on_one_line(session)}” is no session of yours: pass the id that start_session gives."
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
    """Return a problem document in words: what is wrong, with which argument."""
    if not isinstance(problem, dict):
        return "The server could not answer."
    said = [str(problem.get("detail") or problem.get("title") or "It was refused.")]
    for name, faults in (problem.get("errors") or {}).items():
        said.append(f"{name}: {' '.join(map(str, faults))}")
    if problem.get("code"):
        said.append(f"({problem['code']})")
    return "\n".join(said)
