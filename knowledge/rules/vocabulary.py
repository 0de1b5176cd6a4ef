"""The closed lists of words that insights are described with."""

from enum import StrEnum


class Kind(StrEnum):
    """What an insight is: a fix, a reusable way, a trap, background, a process, a version fact, or a position taken."""

    SOLUTION = "SOLUTION"
    PATTERN = "PATTERN"
    PITFALL = "PITFALL"
    CONTEXT = "CONTEXT"
    WORKFLOW = "WORKFLOW"
    DEPENDENCY = "DEPENDENCY"
    DECISION = "DECISION"


class Status(StrEnum):
    """Where it stands in its life. Archived ones are kept and can be restored, but are out of retrieval."""

    DRAFT = "draft"
    PROMOTED = "promoted"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"


# Shown and filtered by as a status; the row keeps the one it had, to have it again when it is restored.
SUPERSEDED = "superseded"
STANDINGS = (*(status.value for status in Status), SUPERSEDED)


class Stability(StrEnum):
    """How soon it may stop being true."""

    EVERGREEN = "evergreen"
    STABLE = "stable"
    EVOLVING = "evolving"


class Source(StrEnum):
    """Where an insight comes from. SAID: what a person typed in a conversation, TRANSCRIPT: what their agent said."""

    AGENT = "agent"
    HUMAN = "human"
    IMPORT = "import"
    TRANSCRIPT = "transcript"
    SAID = "said"
    EVIDENCE = "evidence"


class Trust(StrEnum):
    """Whether what it was learned from still says so: an axis of its own beside the status."""

    VALIDATED = "validated"
    STALE = "stale"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


class AnchorKind(StrEnum):
    """What ties an insight to a place in the code, or to an error."""

    FILE = "file"
    SYMBOL = "symbol"
    TAG = "tag"
    ERROR = "error"
    # What an error says, wherever it was raised; its fingerprint (ERROR) also names the place.
    MESSAGE = "message"


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


# The third voice that says the same makes it high (the living model's confidence_promote_at).
CONFIDENT_AT = 3


def confidence(people: int) -> Confidence:
    """How sure the team may be: derived from how many people said it, the first one included."""
    if people >= CONFIDENT_AT:
        return Confidence.HIGH
    return Confidence.MEDIUM if people == CONFIDENT_AT - 1 else Confidence.LOW


# Fields that forms name otherwise than they are stored.
_FIELD_NAMES = {"body": "text", "repo": "repository"}


def field_name(name: str) -> str:
    """A field of an insight as forms and differences name it."""
    return _FIELD_NAMES.get(name, name.replace("_", " "))


# Verbs of the log that read otherwise than they are stored.
_VERB_NAMES = {"left": "dismissed", "regrouped": "reclustered"}


def verb_name(verb: str) -> str:
    """A verb of the log as people read it."""
    return _VERB_NAMES.get(verb, verb)


def stored_verb(name: str) -> str:
    """The verb of the log that people read as `name`."""
    return next((verb for verb, read in _VERB_NAMES.items() if read == name), name)


# A regrouping's line in the log is about this, and keeps under the other name which topic has most of a removed one's
# insights: {id: id}.
REGROUPED, HEIRS = "topics", "heirs"
