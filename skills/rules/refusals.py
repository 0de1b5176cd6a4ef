"""Why a file is refused, in words for the person who sent it."""


class NotASkill(ValueError):
    """It breaks the published format of a skill, or the limits set here; the text says how."""
