"""The names of the next call in a text for a model, in the terms of the interface through which the text is sent.

An agent with MCP tools cannot call an address, and a script has no tools. MCP names only tools of the default toolset.
Addresses are relative to `/api/v1/`.
"""

from collections.abc import Sequence
from enum import StrEnum


class Interface(StrEnum):
    """The interface through which a text reaches its reader. A hook's texts are read by an agent with MCP tools."""

    REST = "rest"
    MCP = "mcp"
    CLI = "cli"


QUERY = {Interface.REST: "POST query/", Interface.MCP: "query_insights", Interface.CLI: "loam query"}
DEPOSIT = {Interface.REST: "POST insights/", Interface.MCP: "deposit_insight", Interface.CLI: "loam deposit"}
RATE = {Interface.REST: "POST ratings/", Interface.MCP: "rate_insight", Interface.CLI: "loam rate"}
CHECKPOINT = {
    Interface.REST: "POST sessions/{session}/checkpoint/",
    Interface.MCP: "checkpoint_session",
    Interface.CLI: "loam end --checkpoint",
}
END = {
    Interface.REST: "POST sessions/{session}/end/",
    Interface.MCP: "checkpoint_session(session=…, end=true)",
    Interface.CLI: "loam end",
}
SESSIONS = {
    Interface.REST: "GET sessions/",
    Interface.MCP: "start_session",
    Interface.CLI: "loam history",
}


def read_insight(ref: str, via: Interface) -> str:
    """Return the call that reads one insight in full."""
    return {
        Interface.REST: f"GET insights/{ref}/",
        Interface.MCP: f'get_insight(ref="{ref}")',
        Interface.CLI: f"loam query {ref}",
    }[via]


def read_skill(name: str, via: Interface) -> str:
    """Return the call that reads a skill's full instructions."""
    return {
        Interface.REST: f"GET skills/{name}/",
        Interface.MCP: f'get_insight(ref="skill:{name}")',
        Interface.CLI: f'loam query "{name}"',
    }[via]


def read_topic(topic: str, via: Interface) -> str:
    """Return the call that reads one topic."""
    return {
        Interface.REST: f'POST query/ with topic "{topic}"',
        Interface.MCP: f'query_insights(topic="{topic}")',
        Interface.CLI: "loam query",
    }[via]


def read_session(ref: str, via: Interface) -> str:
    """Return the call that reads a session with its handoff; the handoff stays on offer."""
    return {
        Interface.REST: f"GET sessions/{ref}/",
        Interface.MCP: f'get_insight(ref="{ref}")',
        Interface.CLI: f"loam handoff show {ref}",
    }[via]


def read_conversation(ref: str, via: Interface) -> str:
    """Return the call that reads the conversation of a session, as far as the caller may."""
    return {
        Interface.REST: f"GET sessions/{ref}/conversation/",
        Interface.MCP: f'get_insight(ref="{ref}/conversation")',
        Interface.CLI: f"loam conversation {ref}",
    }[via]


def put_back(ref: str, successor: str, via: Interface) -> str:
    """Return the call by which the author of a replaced note restores it."""
    return {
        Interface.REST: f"POST insights/{ref}/reinstate/",
        Interface.MCP: f'relate_insight(ref="{ref}", relations=[{{"ref": "{successor}", "relation": "contradicts"}}])',
        Interface.CLI: f"loam relate {ref} {successor} contradicts",
    }[via]


def take_over(ref: str, via: Interface) -> str:
    """Return the call that reads a handoff and takes it over: it is offered to nobody else from then on."""
    return {
        Interface.REST: f'POST sessions/{{yours}}/ack/ with handoff "{ref}"',
        Interface.MCP: f'checkpoint_session(session=…, take="{ref}")',
        Interface.CLI: f"loam handoff take {ref}",
    }[via]


def rate(refs: Sequence[str], query_id: str, via: Interface) -> str:
    """Return a line with the call that rates one answer."""
    named = ", ".join(f'"{ref}"' for ref in refs)
    return {
        Interface.REST: f'Rate what you use: POST ratings/ with insights [{named}], verdict "helpful" or "unhelpful", '
        f'query_id "{query_id}"',
        Interface.MCP: f'Rate what you use: rate_insight(insights=[{named}], verdict=…, query_id="{query_id}")',
        Interface.CLI: f"Rate what you use: loam rate {' '.join(refs)} helpful --query-id {query_id}",
    }[via]
