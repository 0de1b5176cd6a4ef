"""Through which interface a call came, so that its texts name calls that its reader has."""

from rest_framework.request import Request

from sessions_app.rules.calls import Interface

# `mcp` is set by /mcp itself and by hooks, whose texts an agent with MCP tools reads; `cli` by the client's commands.
HEADER = "X-Loam-Interface"
# The client's hooks of before the header.
CLIENT = "loam-client/"


def interface_of(request: Request) -> Interface:
    """The interface that the request names; without one, MCP for the client and REST for anybody else."""
    named = request.headers.get(HEADER, "").lower()
    if named in set(Interface):
        return Interface(named)
    return Interface.MCP if request.headers.get("User-Agent", "").startswith(CLIENT) else Interface.REST
