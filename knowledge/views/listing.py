"""What all pages with a table share: one page of rows with the total, and the export."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.http import HttpResponseBase, StreamingHttpResponse

from accounts.authentication import PageRequest
from accounts.rules.refused import Refused
from knowledge.review.rules.table import RowTable

# Two screens of rows.
PAGE = 50
# Counted no further: more is no number that anybody acts on.
COUNTED = 10_000


def table_page(request: PageRequest, table: RowTable, found: Any, rows: Any) -> dict[str, Any]:
    """What the template shows of a table: the page of `found` that the address names, its columns and order, and the
    total. `rows`: a queryset of all that the rows show, from which those of the page are read by their key.
    """
    given = request.GET.get("page", "1")
    page = int(given) if given.isdecimal() and 1 <= int(given) <= COUNTED // PAGE else 1
    ordering, fields = table.ordering_of(request.GET.get("ordering", ""))
    start = (page - 1) * PAGE
    # Which rows first, of a narrow index, and then those: else every row that is passed over is read whole.
    ids = list(found.order_by(*fields).values_list("pk", flat=True)[start : start + PAGE + 1])
    read = list(rows.filter(pk__in=ids).order_by(*fields))
    more = len(ids) > PAGE and page < COUNTED // PAGE
    total = start + len(ids) if len(ids) <= PAGE and (ids or not start) else count(found)
    return {
        "rows": read[:PAGE],
        "page": page,
        "more": more,
        "total": capped(total),
        "first": start + 1,
        "last": start + min(len(read), PAGE),
        **table_columns(request, table, ordering),
    }


def table_columns(request: PageRequest, table: RowTable, ordering: str) -> dict[str, Any]:
    """The columns that the address chooses, the links of their headings, and all there are to choose from."""
    columns = table.columns_of(",".join(request.GET.getlist("cols")).split(","))
    return {
        "columns": columns,
        "headings": table.sort_links(columns, ordering),
        "every_column": [(column, column in columns) for column in table.columns],
        "orderings": [(name, words, name == ordering) for name, words in table.orderings()],
    }


def count(found: Any) -> int:
    """How many rows there are, at most one more than are counted."""
    return int(found.order_by().values("pk")[: COUNTED + 1].count())


def capped(total: int) -> str:
    return f"{COUNTED:,}+" if total > COUNTED else f"{total:,}"


class BadFilters(Refused):
    detail = "Nothing was exported: a filter has an invalid value."


def require_valid(form: forms.Form) -> None:
    """Check the filters of an export, whose answer has no place for faults. Raises BadFilters."""
    if not form.is_valid():
        faults = {name: [f"{name}: {one}" for one in found] for name, found in form.errors.items()}
        raise BadFilters(errors=faults)


class _Echo:
    """A file whose writing is what is written."""

    def write(self, text: str) -> str:
        return text


def csv_file(name: str, rows: Iterable[list[str]]) -> HttpResponseBase:
    """Return the rows as a CSV file, with a byte order mark, by which Excel knows UTF-8."""

    def lines() -> Iterator[Any]:
        writer = csv.writer(_Echo(), quoting=csv.QUOTE_ALL)
        yield "\ufeff"
        for row in rows:
            yield writer.writerow(row)

    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "X-Content-Type-Options": "nosniff"}
    return StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8", headers=headers)
