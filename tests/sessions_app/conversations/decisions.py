"""Conversations in which something is decided, and some about other things."""

from collections.abc import Sequence

from accounts.rules.rights import Member
from knowledge.retrieval.rules.ask import Ask
from sessions_app.answers.actions.build_answer import BuiltAnswer, build_answer
from sessions_app.transcripts.rules.turn import Turn
from tests.conftest import NOW


def turns(day: int, *said: str) -> tuple[Turn, ...]:
    """The user begins; one minute between turns."""
    roles = ("user", "assistant")
    return tuple(Turn(roles[n % 2], text, f"2026-11-{day:02}T09:{n:02}:00+00:00") for n, text in enumerate(said))


RETRIES = turns(
    3,
    "The payment client retried every failed call last night and locked accounts. We need a retry policy.",
    "I would retry all server errors ten times with a fixed pause of one second.",
    "No, ten is far too many. At most 4 attempts, with exponential backoff capped at 60 seconds.",
    "So the payment client retries server errors only, at most 4 attempts, backoff capped at 60 seconds.",
)
RETRIES_AMENDED = turns(
    18,
    "The gateway now kills idle connections at 32 seconds, so the retry policy's 60 second backoff dies mid-wait.",
    "Then the backoff of the payment client must stay below 32 seconds.",
    "Cap it at 30 seconds. The 4 attempts stay.",
    "Amended: the payment client's backoff is capped at 30 seconds instead of 60, still at most 4 attempts.",
)
OTHERS = (
    turns(
        5,
        "Which date format do we use in the CSV export for the warehouse?",
        "ISO 8601 would be the safest.",
        "They can only read DD.MM.YYYY, so that is what the export writes.",
        "The CSV export writes DD.MM.YYYY.",
    ),
    turns(
        6,
        "The sidebar of the catalogue page overlaps the footer on phones.",
        "I will make it collapse below 640 pixels.",
        "Good, and keep the filters reachable by a button.",
        "Done: a filter button below 640 pixels.",
    ),
    turns(
        7,
        "How are thumbnails of product photos generated?",
        "With Pillow, at 400 pixels, as JPEG.",
        "WebP please, quality 74, and strip the EXIF data.",
        "Thumbnails are WebP at quality 74 without EXIF.",
    ),
)
QUESTION = (
    "The payment client keeps retrying calls for minutes when the gateway answers with server errors, and the backoff "
    "pause is longer than the connection lives. How should it retry?"
)
UNRELATED = "Which chart library draws the sales figures on the quarterly report's front page?"


def ask(
    by: Member,
    text: str = QUESTION,
    *,
    max_tokens: int = 800,
    include: Sequence[str] = ("insights", "conversations"),
    repo: str = "shop",
    kinds: Sequence[str] = (),
    files: Sequence[str] = (),
) -> BuiltAnswer:
    """The answer to a question on the shop's repository."""
    asked = Ask(text, repo=repo, kinds=list(kinds), files=list(files))
    return build_answer(ask=asked, max_tokens=max_tokens, by=by, now=NOW, include=include)
