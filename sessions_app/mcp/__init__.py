"""MCP at `/mcp`: the agents' tools, each one call of the REST API from within (docs/decisions/0009-mcp.md).

`gateway` makes the call, `schemas` reads the shapes off the OpenAPI schema, `catalogue` lists the tools with what an
agent must know of them, `server` speaks the protocol by the official SDK.
"""

from sessions_app.mcp.server import WithMcp

__all__ = ["WithMcp"]
