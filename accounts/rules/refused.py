"""The one way to say no.

An action refuses by raising its own exception, declared above it and derived from `Refused`. The doors let it
pass: `config/errors.py` turns it into a problem document, or a page, once. A form alone catches what names its fields,
to show it beside them with the typing kept.
"""

from typing import ClassVar, Self

# The log's verb for an attempt that was refused.
REFUSED = "refused"


class Refused(Exception):
    """A request that was understood and is not carried out. Nothing has changed when it is raised.

    `code` is stable and lower_snake (clients branch on it), `status` an HTTP status, `errors` field → faults.
    `team_id`: whose leads should know of the attempt, 0 if it is nothing to know of.
    """

    code: ClassVar[str] = "invalid"
    status: ClassVar[int] = 400
    detail: ClassVar[str] = "The request could not be carried out."
    # Seconds after which the same call may be made again; 0: it would be refused again.
    retry_after: ClassVar[int] = 0

    def __init__(
        self, detail: str = "", *, errors: dict[str, list[str]] | None = None, team_id: int = 0, **extra: object
    ) -> None:
        super().__init__(detail or self.detail)
        self.message = detail or self.detail
        self.errors = errors or {}
        self.team_id = team_id
        self.extra = extra

    def about(self, ref: str) -> Self:
        """The same, with what it is about named in the message: the address of a page's act does not."""
        if ref not in self.message:
            self.message = f"{ref}: {self.message}"
        return self

    @property
    def in_full(self) -> str:
        """The message with every fault and the field it is of, in one line."""
        faults = [f"{name}: {fault}" for name, faults in self.errors.items() for fault in faults]
        return " ".join([self.message, *faults])


class NotFound(Refused):
    """There is no such thing, or it is not for this member to know of it: the two never differ."""

    code = "not_found"
    status = 404
    detail = "Not found."


class NotAllowed(Refused):
    """The member sees the thing but may not do this to it."""

    code = "not_allowed"
    status = 403
    detail = "You do not have permission to do this."


class Stale(Refused):
    """Somebody else changed the row since it was read. `extra["current"]` is what it is now."""

    code = "stale_revision"
    status = 412
    detail = "This was changed since you read it."
