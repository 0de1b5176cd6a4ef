"""What the dashboard counts, in the words by which its lists are narrowed."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a question ended. `abstained`: there were candidates, and none was relevant enough, or there were none."""

    ANSWERED = "answered"
    UNANSWERED = "unanswered"
    ABSTAINED = "abstained"


class EventGroup(StrEnum):
    """Lines of the log that tell of one kind of thing under several actions."""

    REVIEWS = "reviews"
    FADED = "faded"


# What a person decides about an insight. In the log an automatic promotion has the same action: it is a decision of
# the person whose rating completed it, if it was given on a page.
DECISIONS = (
    "promoted",
    "deprecated",
    "restored",
    "left",
    "pinned",
    "unpinned",
    "validated",
    "superseded",
    "reinstated",
)
# What the nightly sweep makes of an insight whose strength has gone.
FADES = ("deprecated", "archived")
