"""What became of skills that came in from files, or went out into them."""

from dataclasses import dataclass, field

CREATED, CHANGED, UNCHANGED, REFUSED = "created", "changed", "unchanged", "refused"


@dataclass(frozen=True)
class Arrived:
    """What became of one folder or section: `outcome` is one of the four above; `why` what is wrong with it, or to know
    of it.
    """

    path: str
    outcome: str
    name: str = ""
    why: str = ""


@dataclass
class ExportedSkills:
    """What was written, by name; `kept` were edited where they lie, and left alone."""

    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
