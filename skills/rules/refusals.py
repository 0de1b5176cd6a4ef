"""Why a file or an archive is not taken, in words for the person who sent it."""


class NotASkill(ValueError):
    """It breaks the published format of a skill, or the bounds set here; the text says how."""


class HostileArchive(ValueError):
    """An archive that would write outside its folder, or grow past all bounds; nothing of it is read."""
