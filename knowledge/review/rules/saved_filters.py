"""What of a list's address is kept under a name.

All that a list is narrowed to stands in its address, so a filter is what stands there, and nothing else of it: not the
page one happened to be on (a filter that opens on page 7 of what was there last month shows nothing), nor what no list
knows.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Listing(StrEnum):
    """The lists that can be narrowed."""

    INBOX = "inbox"
    INSIGHTS = "insights"


# By name, the longest value each list takes (as the forms of those lists have it), in the order of the address.
KNOWN: Mapping[Listing, Mapping[str, int]] = MappingProxyType(
    {
        Listing.INBOX: {"tab": 20, "team": 60, "kind": 20, "tag": 60, "repo": 200},
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
            "topic": 36,
            "nearest": 5,
            "ordering": 20,
        },
    }
)
# These say how it is shown, and narrow nothing by themselves.
SHOWING = {"tab", "nearest", "ordering"}
LONGEST_NAME = 60


def known_parameters(listing: Listing, given: Mapping[str, str]) -> dict[str, str]:
    """Of what stands in an address, what that list knows and could take, without what is empty."""
    found = {name: str(given.get(name, "")).strip() for name in KNOWN[listing]}
    return {
        name: value
        for name, value in found.items()
        if value and len(value) <= KNOWN[listing][name] and "\0" not in value
    }


def narrows(wanted: Mapping[str, str]) -> bool:
    """Whether there is anything in it worth a name."""
    return bool(set(wanted) - SHOWING)
