"""The result of a check of one part of a deployment, for the doctor and /readyz."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SystemPart:
    """One part: whether it works, what it is or what is wrong, and how to fix it. `unsafe`: it works, but data could be
    lost.
    """

    name: str
    ok: bool
    said: str
    needed: bool = False
    mend: str = ""
    unsafe: bool = False


def checked(name: str, check: Callable[[], SystemPart], *, needed: bool = False) -> SystemPart:
    """Return the result of a check; if it raises, the part is down and the exception is the reason."""
    try:
        return check()
    except Exception as error:
        said = str(error).strip().splitlines()
        return SystemPart(name, False, f"{type(error).__name__}: {said[0] if said else 'no details'}"[:300], needed)
