"""Why a file is not taken, in words for the person who sent it."""


class NotASkill(ValueError):
    """It breaks the published format of a skill, or the bounds set here; the text says how."""
