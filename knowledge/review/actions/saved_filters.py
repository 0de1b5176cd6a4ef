"""Save the filter of a list under a name, for oneself or for a team."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from accounts.models import GuardTerm, Team
from accounts.rules.guard.detection import find_secrets, strip_invisible
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Level, Member, TeamAccess, TeamKind
from knowledge.models import SavedFilter
from knowledge.review.rules.saved_filters import LONGEST_NAME, Listing, known_parameters, narrows

# The largest number of filters of one team for one list: all of them are shown above it.
MOST = 30


class BadFilter(Refused):
    detail = "The filter was not saved."


class SecretInFilter(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was stored."


def save_filter(
    *,
    listing: Listing,
    name: str,
    given: Mapping[str, str],
    team: str,
    by: Member,
    now: datetime,
    read_at: datetime | None = None,
) -> SavedFilter:
    """Save the parameters of a list's address (`given`, by name; unknown ones are left out). A filter of the same name
    is overwritten; another lead's only if it is unchanged since `read_at`. `team`: `personal`, or a team that the
    member leads.

    Raises NoSuchTeam on `team`, NotAllowed, SecretInFilter and BadFilter on `name`, `query` or `team`, Stale.
    """
    access = by.named(team)
    by.require(access.id, Level.LEAD)
    name, wanted = " ".join(strip_invisible(name).text.split()), known_parameters(listing, given)
    faults = _faults(name, wanted, access)
    if faults:
        raise BadFilter(errors=faults)
    _guard(name, wanted, access.id)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        mine = SavedFilter.objects.filter(team_id=access.id, listing=listing)
        row = mine.called(name).first()
        if row is None and mine.count() >= MOST:
            raise BadFilter(errors={"name": [f"There are {MOST} filters already: delete some first."]})
        if row and row.wanted != wanted and row.owner_id != by.user_id and row.changed_at != read_at:
            raise Stale(errors={"name": [f"“{row.name}” was replaced by another filter."]}, current=row.pk)
        row = row or SavedFilter(team_id=access.id, listing=listing)
        row.name = name
        row.put(wanted, by=by, at=now)
    return row


def delete_filter(*, filter_id: int, by: Member, now: datetime) -> SavedFilter:
    """Delete one of the member's own filters, or one of a team they lead. Raises NotFound, NotAllowed."""
    with transaction.atomic():
        row = SavedFilter.objects.visible_to(by).filter(pk=filter_id).select_for_update(no_key=True).first()
        if row is None:
            raise NotFound
        by.require(row.team_id, Level.LEAD)
        row.remove(by=by, at=now)
    return row


def _faults(name: str, wanted: Mapping[str, str], access: TeamAccess) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    if not name:
        errors["name"] = ["Enter a name."]
    elif len(name) > LONGEST_NAME:
        errors["name"] = [f"At most {LONGEST_NAME} characters."]
    if not narrows(wanted):
        errors["query"] = ["There is nothing to save: set a filter first."]
    other = wanted.get("team", access.slug) != access.slug
    if other and access.kind is not TeamKind.PERSONAL:
        errors["team"] = ["The filter uses another team, which members of this team cannot see."]
    return errors


def _guard(name: str, wanted: Mapping[str, str], team_id: int) -> None:
    allowed = GuardTerm.objects.all().allowed(team_id)
    texts = {"name": name, "query": " ".join(wanted.values())}
    found = {field: find_secrets(text, field=field, allowed=allowed) for field, text in texts.items()}
    errors = {field: [str(item) for item in items] for field, items in found.items() if items}
    if errors:
        raise SecretInFilter(errors=errors)
