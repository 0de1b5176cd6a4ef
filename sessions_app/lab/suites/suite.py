"""What every suite of `evaluate` is given and gives back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from accounts.actions.members import member_of
from accounts.models import User
from accounts.rules.rights import Member
from sessions_app.lab.measurements.retrieval import Progress
from sessions_app.lab.metrics.tables import Table


@dataclass(frozen=True)
class SuiteRequest:
    """What is to be measured, on which data. `sets`: those of a suite that knows several; none means its own choice.
    `cache`: the folder in which vectors are kept, for a suite that starts processes of its own.
    """

    data: Path
    now: datetime
    progress: Progress
    sets: Sequence[str] = ()
    cache: Path | None = None


@dataclass(frozen=True)
class SuiteOutcome:
    """`figures` are plain data for a JSON file, `tables` what a person reads of them; `missed`: bars of the suite that
    were not held, in words.
    """

    figures: dict[str, Any]
    tables: list[Table]
    missed: Sequence[str] = ()


def evaluator() -> Member:
    """An account that may make teams and sees every shared one, in a database that is thrown away."""
    user, _ = User.objects.get_or_create(username="evaluator", defaults={"is_superuser": True})
    return member_of(user=user)
