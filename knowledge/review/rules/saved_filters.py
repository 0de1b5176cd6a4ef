"""The parameters of a list's address that a saved filter keeps.

A list is filtered by the parameters of its address alone, so a filter stores those. It does not store the page number,
since page 7 of last month's list may be empty now, nor parameters that the list does not know.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Listing(StrEnum):
    """The lists that can be filtered."""

    INBOX = "inbox"
    INSIGHTS = "insights"
    ACTIVITY = "activity"
    SESSIONS = "sessions"
    SKILLS = "skills"


# The parameters of each list, in the order of the address, with the largest length of their values (as the forms of
# those lists have it).
KNOWN: Mapping[Listing, Mapping[str, int]] = MappingProxyType(
    {
        Listing.INBOX: {"tab": 20, "team": 60, "kind": 20, "tag": 60, "repo": 200, "assigned": 10, "owner": 10},
        Listing.INSIGHTS: {
            "q": 2_000,
            "kind": 20,
            "status": 20,
            "team": 60,
            "tag": 60,
            "repo": 200,
            "pinned": 5,
            "stale": 5,
            "author": 150,
            "owner": 150,
            "topic": 36,
            "reviewed": 5,
            "created_since": 10,
            "created_until": 10,
            "strength": 6,
            "nearest": 5,
            "rank": 5,
            "ordering": 20,
            "cols": 200,
        },
        Listing.ACTIVITY: {
            "q": 400,
            "who": 150,
            "verb": 40,
            "group": 10,
            "ref": 80,
            "team": 60,
            "via": 6,
            "since": 10,
            "until": 10,
            "ordering": 20,
            "cols": 200,
        },
        Listing.SESSIONS: {
            "agent": 80,
            "user": 150,
            "repo": 200,
            "branch": 200,
            "team": 60,
            "state": 10,
            "handoff": 8,
            "conversation": 4,
            "since": 10,
            "until": 10,
            "ordering": 20,
            "cols": 200,
        },
        Listing.SKILLS: {
            "q": 500,
            "status": 10,
            "team": 60,
            "author": 150,
            "owner": 150,
            "trigger": 200,
            "used": 5,
            "ordering": 20,
            "cols": 200,
        },
    }
)
# Parameters that say how the list is shown. By themselves they filter nothing.
SHOWING = {"tab", "nearest", "rank", "ordering", "cols"}
LONGEST_NAME = 60


def known_parameters(listing: Listing, given: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that the list knows, without empty values and those that are too long."""
    found = {name: str(given.get(name, "")).strip() for name in KNOWN[listing]}
    return {
        name: value
        for name, value in found.items()
        if value and len(value) <= KNOWN[listing][name] and "\0" not in value
    }


def narrows(wanted: Mapping[str, str]) -> bool:
    """Return whether there is anything worth saving under a name."""
    return bool(set(wanted) - SHOWING)
