"""A table of rows on a page: its columns and its order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class TableColumn:
    """`order`: the fields by which the column sorts, ascending; empty if it cannot be sorted by. `largest_first`: the
    first click on its heading sorts descending, as is useful for dates and counts.
    """

    name: str
    label: str
    order: tuple[str, ...] = ()
    largest_first: bool = False


@dataclass(frozen=True)
class RowTable:
    """`title`: the column that is always shown. `shown`: the columns shown by default. `order`: the default order.
    `synonyms`: other names for an order in the address.
    """

    title: TableColumn
    columns: tuple[TableColumn, ...]
    shown: tuple[str, ...]
    order: str
    synonyms: Mapping[str, str] = field(default_factory=dict)

    def columns_of(self, given: Iterable[str]) -> list[TableColumn]:
        """Return the columns of these names in the order of the table; the default ones if none is known."""
        names = set(given) & {column.name for column in self.columns} or set(self.shown)
        return [column for column in self.columns if column.name in names]

    def ordering_of(self, given: str) -> tuple[str, tuple[str, ...]]:
        """Return the name of the order, as the address has it, and the fields it sorts by, which leave no ties; the
        table's default if the name is unknown.
        """
        sortable = {column.name: column for column in (self.title, *self.columns) if column.order}
        name = self.synonyms.get(given, given)
        if name.removeprefix("-") not in sortable:
            name = self.order
        sign = "-" if name.startswith("-") else ""
        return name, (*(f"{sign}{one}" for one in sortable[name.removeprefix("-")].order), f"{sign}id")

    def sort_links(self, columns: Iterable[TableColumn], now: str) -> list[tuple[TableColumn, str, str]]:
        """Return each column with the order that its heading links to, and how it is sorted now (as a value of
        `aria-sort`).
        """
        links = []
        for column in (self.title, *columns):
            up, down = column.name, f"-{column.name}"
            sorted_now = {up: "ascending", down: "descending"}.get(now, "")
            first, other = (down, up) if column.largest_first else (up, down)
            links.append((column, (other if now == first else first) if column.order else "", sorted_now))
        return links

    def orderings(self) -> list[tuple[str, str]]:
        """Return every order by name and in words, for a select box where there are no headings to click."""
        found = []
        for column in (self.title, *self.columns):
            if column.order:
                up, down = (
                    (column.name, f"{column.label}, ascending"),
                    (f"-{column.name}", f"{column.label}, descending"),
                )
                found += [down, up] if column.largest_first else [up, down]
        return found
