"""The agents' tools: which calls each is, and its manual, written for the agent that reads it.

The default toolset is what an agent needs in every session; `TOOLS` is all there is. A model pays for each word here
with every request, so a manual says when to call, what to give and what to do with the answer, once.
"""

from sessions_app.mcp.catalogue.default import DEFAULT
from sessions_app.mcp.catalogue.optional import MORE
from sessions_app.mcp.tool import Tool

__all__ = ["DEFAULT", "TOOLS", "listed", "named"]

TOOLS: tuple[Tool, ...] = (*DEFAULT, *MORE)


def named(name: str) -> Tool | None:
    """The tool of a name, whatever the caller's toolset lists."""
    return next((tool for tool in TOOLS if tool.name == name), None)


def listed(toolset: str) -> tuple[Tool, ...]:
    """The tools that a toolset lists: all of them for `all`."""
    return TOOLS if toolset == "all" else DEFAULT
