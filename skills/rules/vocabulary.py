"""The values of the enumerated fields of skills."""

from enum import StrEnum


class SkillStatus(StrEnum):
    """Only published skills are served. A retired one is kept, with its versions, and may be published again."""

    DRAFT = "draft"
    PUBLISHED = "published"
    RETIRED = "retired"


class TriggerKind(StrEnum):
    """What a skill is served for besides its meaning: a tag, a glob of file paths, words of an error."""

    TAG = "tag"
    FILE = "file"
    ERROR = "error"


class Via(StrEnum):
    """How a skill was read: matched to a question, or, in rows of earlier versions, requested by name."""

    QUERY = "query"
    NAME = "name"
