"""The closed lists of words that skills are described with."""

from enum import StrEnum


class SkillStatus(StrEnum):
    """Only published skills are served. A retired one is kept, with its versions, and may be published again."""

    DRAFT = "draft"
    PUBLISHED = "published"
    RETIRED = "retired"


class TriggerKind(StrEnum):
    """What calls for a skill beside its meaning: a tag, a glob of file paths, words of an error."""

    TAG = "tag"
    FILE = "file"
    ERROR = "error"


class Via(StrEnum):
    """How a skill came to be read: matched to a question, or, in rows of earlier versions, asked for by name."""

    QUERY = "query"
    NAME = "name"
