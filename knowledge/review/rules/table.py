"""A table of rows on a page: its columns, and by which of them it is sorted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class TableColumn:
    """`order`: the fields it is sorted by, ascending; none: it is not sorted by. `largest_first`: how a first click on
    its heading sorts it, as is wanted of dates and counts.
    """

    name: str
    label: str
    order: tuple[str, ...] = ()
    largest_first: bool = False


@dataclass(frozen=True)
class RowTable:
    """`title`: the column that is always there. `shown`: the columns without a choice. `order`: how it is sorted when
    nothing is asked for. `synonyms`: other names that an address may give an order.
    """

    title: TableColumn
    columns: tuple[TableColumn, ...]
    shown: tuple[str, ...]
    order: str
    synonyms: Mapping[str, str] = field(default_factory=dict)

    def columns_of(self, given: Iterable[str]) -> list[TableColumn]:
        """The columns of these names in the order of the table; the default ones if none is known."""
        names = set(given) & {column.name for column in self.columns} or set(self.shown)
        return [column for column in self.columns if column.name in names]

    def ordering_of(self, given: str) -> tuple[str, tuple[str, ...]]:
        """The order as the address names it and the fields it sorts by, which never tie; the table's own if unknown."""
        sortable = {column.name: column for column in (self.title, *self.columns) if column.order}
        name = self.synonyms.get(given, given)
        if name.removeprefix("-") not in sortable:
            name = self.order
        sign = "-" if name.startswith("-") else ""
        return name, (*(f"{sign}{one}" for one in sortable[name.removeprefix("-")].order), f"{sign}id")

    def sort_links(self, columns: Iterable[TableColumn], now: str) -> list[tuple[TableColumn, str, str]]:
        """Each column with the order that its heading links to, and how it is sorted now (as `aria-sort` says it)."""
        links = []
        for column in (self.title, *columns):
            up, down = column.name, f"-{column.name}"
            sorted_now = {up: "ascending", down: "descending"}.get(now, "")
            first, other = (down, up) if column.largest_first else (up, down)
            links.append((column, (other if now == first else first) if column.order else "", sorted_now))
        return links

    def orderings(self) -> list[tuple[str, str]]:
        """Every order by name and in words, for a control where there is no heading to click."""
        found = []
        for column in (self.title, *self.columns):
            if column.order:
                up, down = (
                    (column.name, f"{column.label}, ascending"),
                    (f"-{column.name}", f"{column.label}, descending"),
                )
                found += [down, up] if column.largest_first else [up, down]
        return found
