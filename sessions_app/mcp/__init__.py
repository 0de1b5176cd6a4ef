"""The MCP server at `/mcp`: tools for agents, each of which calls the REST API within the process
(docs/decisions/0009-mcp.md).

`gateway` makes the call, `schemas` reads argument shapes from the OpenAPI schema, `catalogue` lists the tools with
their manuals, `server` implements the protocol with the official SDK.
"""

from sessions_app.mcp.server import WithMcp

__all__ = ["WithMcp"]
