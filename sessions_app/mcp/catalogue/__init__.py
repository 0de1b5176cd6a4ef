"""The tools: which calls each one makes, and its manual, written for the agent that reads it.

The default toolset has what an agent needs in every session; `TOOLS` has all tools. A model pays for each word here
with every request, so a manual says once when to call, what to give and what to do with the answer.
"""

from sessions_app.mcp.catalogue.default import DEFAULT
from sessions_app.mcp.catalogue.optional import MORE
from sessions_app.mcp.tool import Tool

__all__ = ["DEFAULT", "TOOLS", "listed", "named"]

TOOLS: tuple[Tool, ...] = (*DEFAULT, *MORE)


def named(name: str) -> Tool | None:
    """Return the tool of that name, from any toolset; None if there is none."""
    return next((tool for tool in TOOLS if tool.name == name), None)


def listed(toolset: str) -> tuple[Tool, ...]:
    """Return the tools of a toolset; `all` has all of them."""
    return TOOLS if toolset == "all" else DEFAULT
