"""What the doctor and /readyz tell of one part of a deployment."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SystemPart:
    """One part: whether it works, what it is or what is wrong, and how that is mended. `unsafe`: it works, and
    something could be lost.
    """

    name: str
    ok: bool
    said: str
    needed: bool = False
    mend: str = ""
    unsafe: bool = False


def checked(name: str, check: Callable[[], SystemPart], *, needed: bool = False) -> SystemPart:
    """A part that cannot even be looked at is not well: whatever it raises is what is wrong with it."""
    try:
        return check()
    except Exception as error:
        said = str(error).strip().splitlines()
        return SystemPart(name, False, f"{type(error).__name__}: {said[0] if said else 'no details'}"[:300], needed)
