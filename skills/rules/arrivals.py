"""The results of importing skills from files and of exporting them."""

from dataclasses import dataclass, field

CREATED, CHANGED, UNCHANGED, REFUSED = "created", "changed", "unchanged", "refused"


@dataclass(frozen=True)
class Arrived:
    """The result of one folder or section. `outcome`: one of the four above; `why`: what is wrong with it, or a
    note.
    """

    path: str
    outcome: str
    name: str = ""
    why: str = ""


@dataclass
class ExportedSkills:
    """What was written, by name; `kept`: skills that were edited there and therefore not overwritten."""

    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
