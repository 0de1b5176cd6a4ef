"""The annotations of a team's time axis in a vault, out of the database and back.

<team>/annotations.md   the latest day last
"""

from collections.abc import Iterator

from accounts.actions.vault import records_of_kind
from accounts.actions.vault_rows import People, record, restored
from accounts.models import Team
from accounts.rules.page import BadPage, Page
from sessions_app.models import Annotation
from sessions_app.rules.annotations import text_faults

ANNOTATIONS = "annotations.md"
_ANNOTATION = ("day", "text", "added_by", "added_at", "changed_at")


def pages_of(team: Team, people: People) -> Iterator[tuple[str, Page]]:
    """The page, if the team has any."""
    rows = Annotation.objects.filter(team=team).order_by("day", "pk")
    records = [{"annotation": record(row, _ANNOTATION, people)} for row in rows]
    if records:
        said = "\n".join(f"- {row}" for row in rows)
        yield ANNOTATIONS, Page({"annotations": len(records)}, {"": said}, (), records)


def restore(team: Team, page: Page, people: People) -> int:
    """How many. Raises BadPage."""
    rows = []
    for said in records_of_kind(page.records, "annotation"):
        row = Annotation(team=team, **restored(Annotation, _ANNOTATION, said, people))
        if text_faults(row.text) or None in (row.day, row.added_at, row.changed_at):
            raise BadPage("an annotation has no text, no day or no time")
        rows.append(row)
    Annotation.objects.filter(team=team).delete()
    return len(Annotation.objects.bulk_create(rows))


def is_empty(team: Team) -> bool:
    return not Annotation.objects.filter(team=team).exists()
