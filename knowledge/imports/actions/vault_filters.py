"""The filters of a team in a vault, out of the database and back.

<team>/filters.md   those its people share; in a personal team one's own
"""

from collections.abc import Iterator

from accounts.actions.vault import records_of_kind
from accounts.actions.vault_rows import People, record, restored
from accounts.models import Team
from accounts.rules.page import BadPage, Page
from knowledge.models import SavedFilter
from knowledge.review.rules.saved_filters import LONGEST_NAME, Listing, known_parameters

FILTERS = "filters.md"
_FILTER = ("listing", "name", "wanted", "owner", "changed_at")


def pages_of(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    """The page, if the team has any."""
    rows = SavedFilter.objects.filter(team=team).order_by("listing", "name", "pk")
    records = [{"filter": record(row, _FILTER, people)} for row in rows]
    if records:
        said = "\n".join(f"- {row.name} ({row.listing})" for row in rows)
        yield FILTERS, Page({"filters": len(records)}, {"": said}, (), records)


def restore(team: Team, page: Page, people: People) -> int:
    """How many. What no list knows is left out. Raises BadPage."""
    rows = []
    for said in records_of_kind(page.records, "filter"):
        row = SavedFilter(team=team, **restored(SavedFilter, _FILTER, said, people))
        if row.listing not in set(Listing) or not 0 < len(row.name) <= LONGEST_NAME or row.changed_at is None:
            raise BadPage("a filter has no list, no name or no time")
        if not isinstance(row.wanted, dict):
            raise BadPage(f"the filter {row.name} has no words")
        row.wanted = known_parameters(Listing(row.listing), row.wanted)
        rows.append(row)
    SavedFilter.objects.filter(team=team).delete()
    return len(SavedFilter.objects.bulk_create(rows))


def is_empty(team: Team) -> bool:
    return not SavedFilter.objects.filter(team=team).exists()
