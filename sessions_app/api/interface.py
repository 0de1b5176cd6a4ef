"""Who reads the texts of an answer, and through which interface: by it a text names calls that its reader has."""

from typing import Any

from rest_framework.request import Request

from accounts.authentication import AgentRequest
from sessions_app.answers.actions.fences import fence_for
from sessions_app.answers.rules.calls import Interface

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


def reader_of(request: AgentRequest) -> dict[str, Any]:
    """The context of a serializer with texts: the interface they are read through, their reader and its fence."""
    return {"via": interface_of(request), "by": request.member, "fence": fence_for(request.member)}
