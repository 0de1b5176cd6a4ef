"""What lets a vault be exported and imported in several passes, of which each takes over what the last one left.

Out: a page is rendered again where the rows it is made of are others than at the last pass. In: a row has the same id
in each pass, so that what a page says in a later pass is written over what it said before.
"""

from collections.abc import Hashable, Iterable
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from accounts.querysets import count_on, reserve_ids
from accounts.rules.page import BadPage

# Far beyond any table, and far below where a sequence would end.
HIGHEST = 10**12
T = TypeVar("T")


class Stamps:
    """By page of one team, what its rows were when it was rendered last. `unchanged`: the pages that need not be
    rendered in this pass.
    """

    def __init__(self) -> None:
        self._of: dict[str, int] = {}
        self.unchanged: list[str] = []

    def take(self, name: str, stamp: int) -> bool:
        """Whether the page is as it was; from now on it is as `stamp` says."""
        same = self._of.get(name) == stamp
        self._of[name] = stamp
        if same:
            self.unchanged.append(name)
        return same


class Records:
    """By page and key, what its records said when they were read last."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Hashable, int]] = {}

    def take(self, name: str, records: Iterable[tuple[Any, T]]) -> tuple[list[T], set[Any]]:
        """The records that are new or say something else, and the keys of those that are gone."""
        before, now = self._of.get(name, {}), dict[Hashable, int]()
        changed = []
        for key, said in records:
            now[key] = hash(repr(said))
            if before.get(key) != now[key]:
                changed.append(said)
        self._of[name] = now
        return changed, set(before) - set(now)


class RowIds:
    """The ids that rows get. In one pass: those they had, where none of them is taken here.

    In several: those they had, all moved by as much, into a range that is kept free of others from the first pass on.
    """

    def __init__(self, *, passes: bool = False) -> None:
        self.passes = passes
        self._ranges: dict[type[Model], tuple[int, int]] = {}

    def give(self, model: type[Model], rows: list[Any]) -> None:
        """Sort the rows by the id they had, by which ties are broken, and give each its own. Raises BadPage."""
        if any(not isinstance(row.pk, int) or not 0 < row.pk < HIGHEST for row in rows):
            raise BadPage("an id is missing or invalid")
        rows.sort(key=lambda row: row.pk)
        if self.passes:
            for row in rows:
                row.pk = self.of(model, row.pk, rows[-1].pk)
        elif model._default_manager.filter(pk__in=[row.pk for row in rows]).exists():
            for row in rows:
                row.pk = None

    def of(self, model: type[Model], number: int, highest: int = 0) -> int:
        """The id here of the row that had that one. `highest`: that any row has so far."""
        if model not in self._ranges:
            self._ranges[model] = reserve_ids(model, max(number, highest))
        shift, end = self._ranges[model]
        if number + shift > end:
            raise BadPage("more was written since the first pass than there was room left for: start again")
        return number + shift

    def count_on(self, model: type[Model]) -> None:
        """Let ids be given out after those of the rows, which are written. What is kept free is beyond them."""
        if not self.passes:
            count_on(model)


def write_rows(rows: list[Any], there: QuerySet[Any], *, batch_size: int = 500) -> None:
    """Insert the rows, in this order; one that is `there` by its id is written over."""
    known = set(there.filter(pk__in=[row.pk for row in rows if row.pk is not None]).values_list("pk", flat=True))
    there.model._default_manager.bulk_create([row for row in rows if row.pk not in known], batch_size=batch_size)
    columns = [one.name for one in there.model._meta.concrete_fields if not one.primary_key and not one.generated]
    there.model._default_manager.bulk_create(
        [row for row in rows if row.pk in known],
        batch_size=batch_size,
        update_conflicts=True,
        unique_fields=["pk"],
        update_fields=columns,
    )
