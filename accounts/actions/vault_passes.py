"""Export and import a vault in several passes, each of which only handles what has changed since the last one.

Export: a page is rendered again only if its rows have changed since the last pass. Import: a row has the same id in
each pass, so that a page in a later pass overwrites what it said before.
"""

from collections.abc import Hashable, Iterable
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from accounts.querysets import count_on, reserve_ids
from accounts.rules.page import BadPage

# Larger than any table, and far below the end of a sequence.
HIGHEST = 10**12
T = TypeVar("T")


class Stamps:
    """For each page of one team, the stamp of its rows when it was last rendered. `unchanged`: the pages that need not
    be rendered in this pass.
    """

    def __init__(self) -> None:
        self._of: dict[str, int] = {}
        self.unchanged: list[str] = []

    def take(self, name: str, stamp: int) -> bool:
        """Return whether the page is unchanged, and store its new stamp."""
        same = self._of.get(name) == stamp
        self._of[name] = stamp
        if same:
            self.unchanged.append(name)
        return same


class Records:
    """For each page and key, what its records said when they were last read."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Hashable, int]] = {}

    def take(self, name: str, records: Iterable[tuple[Any, T]]) -> tuple[list[T], set[Any]]:
        """Return the records that are new or changed, and the keys of those that are gone."""
        before, now = self._of.get(name, {}), dict[Hashable, int]()
        changed = []
        for key, said in records:
            now[key] = hash(repr(said))
            if before.get(key) != now[key]:
                changed.append(said)
        self._of[name] = now
        return changed, set(before) - set(now)


class RowIds:
    """Assigns ids to imported rows. In a single pass: their original ids, if none of these is taken.

    In several passes: their original ids plus an offset, in a range that is reserved from the first pass on.
    """

    def __init__(self, *, passes: bool = False) -> None:
        self.passes = passes
        self._ranges: dict[type[Model], tuple[int, int]] = {}

    def give(self, model: type[Model], rows: list[Any]) -> None:
        """Sort the rows by their original id, by which ties are broken, and assign each its id. Raises BadPage."""
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
        """Return the id here of the row with that original id. `highest`: the largest id of any row so far."""
        if model not in self._ranges:
            self._ranges[model] = reserve_ids(model, max(number, highest))
        shift, end = self._ranges[model]
        if number + shift > end:
            raise BadPage("more was written since the first pass than there was room left for: start again")
        return number + shift

    def count_on(self, model: type[Model]) -> None:
        """Set the sequence after the written rows. The reserved range is beyond them."""
        if not self.passes:
            count_on(model)


def write_rows(rows: list[Any], there: QuerySet[Any], *, batch_size: int = 500) -> None:
    """Insert the rows in this order; overwrite those whose id is in `there`."""
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
