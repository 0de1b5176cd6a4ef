"""`manage.py write_reference`: generate docs/reference/ from the REST, MCP, client and command definitions."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, CommandError
from drf_spectacular.generators import SchemaGenerator

from sessions_app.client.src.commands.main import parser
from sessions_app.mcp.catalogue import DEFAULT, TOOLS
from sessions_app.mcp.schemas import Schema
from sessions_app.mcp.tool import Tool

FOLDER = Path(settings.BASE_DIR) / "docs" / "reference"
WRITTEN = "Written by `manage.py write_reference`; a test compares it with the code."
OURS = ("accounts", "config", "knowledge", "sessions_app", "skills")


class Command(BaseCommand):
    help = "Write the pages of docs/reference/ from the code; with --check, say which of them are out of date."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a page would change")

    def handle(self, *args: Any, **options: Any) -> None:
        pages = {FOLDER / name: page() for name, page in PAGES.items()}
        changed = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
        if options["check"] and changed:
            raise CommandError(
                f"Out of date: {', '.join(path.name for path in changed)}. Run manage.py write_reference."
            )
        for path in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path])
            self.stdout.write(str(path.relative_to(settings.BASE_DIR)))


def rest_page() -> str:
    """Return the page of the REST API: a table for each part of it."""
    whole: Schema = SchemaGenerator().get_schema(request=None, public=True)
    paths: Mapping[str, Mapping[str, Any]] = whole["paths"]
    by_part: dict[str, list[tuple[str, ...]]] = {}
    for path, methods in paths.items():
        for method, operation in methods.items():
            row = (
                f"`{method.upper()} {path}`",
                _first_line(operation.get("description", "")),
                _fields(operation, whole),
            )
            by_part.setdefault(operation["tags"][0], []).append(row)
    head = (
        "A token goes into the header `Authorization: Bearer`. Errors are `application/problem+json`: `detail` "
        "says what is wrong, `errors` names fields. The running server has every shape at `/api/v1/docs/`, and the "
        "OpenAPI 3.1 schema at `/api/v1/schema/`. Required fields are bold."
    )
    parts = (f"## {part}\n\n{_table(('call', 'effect', 'fields'), rows)}" for part, rows in sorted(by_part.items()))
    return _page("REST API", head, parts)


def mcp_page() -> str:
    """Return the page of the MCP tools, those of the default toolset first."""
    head = (
        "At `/mcp`, with the token as a bearer token, or over stdio with `loam mcp`. Agents see the default toolset; "
        "the header `X-Loam-Toolset: all`, `?toolset=all` or `LOAM_MCP_TOOLSET=all` adds the rest. Answers are text; "
        "`X-Loam-Format: json` or `?format=json` adds structured content."
    )
    default = {tool.name for tool in DEFAULT}
    tools = sorted(TOOLS, key=lambda tool: tool.name not in default)
    return _page("MCP tools", head, (_tool(tool, tool.name in default) for tool in tools))


def client_page() -> str:
    """Return the page of the client's commands."""
    head = (
        "`loam.py` is one file, for Python 3.9 and newer; see [connecting agents](../connecting-agents.md). "
        "Each command takes `--json` (answer as JSON) and `--timeout SECONDS`, too."
    )
    found = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    texts = {action.dest: action.help or "" for action in found._choices_actions}
    parts = (
        f"## loam {name}\n\n{_sentence(texts.get(name, ''))}\n\n{_options(one)}" for name, one in found.choices.items()
    )
    return _page("Client commands", head, parts)


def commands_page() -> str:
    """Return the page of `manage.py`'s commands that are Loam's own."""
    names = sorted(name for name, app in get_commands().items() if app in OURS)
    return _page("Server commands", "`manage.py COMMAND`, from the folder of the project.", map(_command, names))


PAGES: dict[str, Callable[[], str]] = {
    "rest.md": rest_page, "mcp.md": mcp_page, "client.md": client_page, "commands.md": commands_page,
}  # fmt: skip


def _command(name: str) -> str:
    command = load_command_class(get_commands()[name], name)
    given = argparse.ArgumentParser(add_help=False)
    command.add_arguments(given)  # type: ignore[arg-type]
    return f"## {name}\n\n{_sentence(command.help)}\n\n{_options(given)}"


def _tool(tool: Tool, default: bool) -> str:
    schema: Schema = tool.described(whole=True).input_schema
    needed = schema.get("required", ())
    rows = [
        (f"`{name}`{' (required)' if name in needed else ''}", _kind(one), one.get("description", ""))
        for name, one in schema.get("properties", {}).items()
    ]
    extra = "" if default else " *Not in the default toolset.*"
    return f"## {tool.name}\n\n{_cell(tool.manual)}{extra}\n\n{_table(('argument', 'type', 'meaning'), rows)}"


def _options(given: argparse.ArgumentParser, shared: Sequence[str] = ()) -> str:
    """Return the table of a command's arguments, without those in `shared`."""
    rows = []
    for action in given._actions:
        if not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)) and action.dest not in shared:
            rows.append((f"`{_spelling(action)}`", _meaning(action)))
    return _table(("argument", "meaning"), rows) if rows else "No arguments."


def _meaning(action: argparse.Action) -> str:
    names = [str(name) for name in action.choices or ()]
    if action.help == ", ".join(names):  # the names of commands need no description
        return ", ".join(f"`{name}`" for name in names)
    return _cell((action.help or "").replace("%%", "%"))


def _spelling(action: argparse.Action) -> str:
    values = "|".join(map(str, action.choices)) if action.choices and len(list(action.choices)) < 8 else ""
    value = values or str(action.metavar or action.dest.upper())
    if not action.option_strings:
        return value.lower() if not values else value
    return action.option_strings[-1] + (f" {value}" if action.nargs != 0 else "")


def _fields(operation: Schema, whole: Schema) -> str:
    """Return the parameters of a call, in the address or the body; required ones are bold."""
    query = [(one["name"], one.get("required")) for one in operation.get("parameters", ()) if one["in"] == "query"]
    content = operation.get("requestBody", {}).get("content", {})
    shape: Schema = next((one["schema"] for one in content.values()), {})
    shape = whole["components"]["schemas"][shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
    body = [(name, name in shape.get("required", ())) for name in shape.get("properties", {})]
    return ", ".join(f"**`{name}`**" if needed else f"`{name}`" for name, needed in [*query, *body])


def _kind(one: Mapping[str, Any]) -> str:
    if "enum" in one:
        return ", ".join(f"`{value}`" for value in one["enum"])
    inner = one.get("items", {})
    if one.get("type") == "array":
        return f"list of {_kind(inner)}"
    kinds = one.get("type", "object")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "No arguments."
    lines = [heads, ["---"] * len(heads), *([_cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _page(title: str, head: str, parts: Iterator[str]) -> str:
    return "\n\n".join([f"# {title}", f"{head}\n\n{WRITTEN}", *parts]) + "\n"


def _first_line(text: str) -> str:
    return text.strip().partition("\n\n")[0].replace("\n", " ")


def _sentence(text: str) -> str:
    text = _cell(text).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
