"""Snooze and assign items of the inbox: insights by reference, pairs as `pair:12`, suggested edits as `edit:12`. Only
for leads.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Membership, Team, User
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Level, Member
from knowledge.models import EditProposal, InboxState, Insight, Pair
from knowledge.review.rules.triage import MOST_AT_ONCE

# The prefixes of pairs and suggested edits among the names of items.
PAIR, EDIT = "pair:", "edit:"
# The name by which members assign an item to themselves.
ME = "me"


class BadSnooze(Refused):
    code = "invalid"
    detail = "Not snoozed."


class NoItems(Refused):
    code = "invalid"
    detail = f"Select from 1 to {MOST_AT_ONCE} items."


class NotACurator(Refused):
    code = "invalid"


@dataclass
class StatesChanged:
    """The result: the changed items by name, with the references they are about; the refused ones; and how to
    undo it.
    """

    items: dict[str, str] = field(default_factory=dict)
    refused: list[tuple[str, Refused]] = field(default_factory=list)
    steps: list[list[Any]] = field(default_factory=list)


def snooze(
    *, items: Sequence[str], until: datetime | None, until_used: bool = False, by: Member, now: datetime
) -> StatesChanged:
    """Hide items from the queues until a time, or until they are used: rated, corroborated or opened from an answer. A
    refusal does not affect the others; with a single item it is raised. Raises BadSnooze, NoItems.
    """
    if (until is None) != until_used or (until is not None and until <= now):
        raise BadSnooze(errors={"until": ["Choose a later date, or until the insight is used."]})
    return _each(items, by, lambda state: state.snooze(until=until, until_used=until_used, by=by, at=now))


def unsnooze(*, items: Sequence[str], by: Member, now: datetime) -> StatesChanged:
    """Return items to the queues. An item that is not snoozed stays as it is."""

    def wake(state: InboxState) -> None:
        if state.snoozed_at:
            state.unsnooze(by=by, at=now)

    return _each(items, by, wake)


def assign(*, items: Sequence[str], assignee: str, by: Member, now: datetime) -> StatesChanged:
    """Assign items to a member who leads their team: `me` for the member itself, "" for nobody. Raises what `snooze`
    raises, and NotACurator on `assignee`.
    """
    name = by.username if assignee == ME else assignee

    def hand_over(state: InboxState) -> None:
        user = _curator(name, state.sides[0].team_id, by) if name else None
        if state.assignee_id != (user.pk if user else None):
            state.assign(user, by=by, at=now)

    return _each(items, by, hand_over)


def put_back(*, item: str, before: dict[str, Any], after: dict[str, Any], by: Member, now: datetime) -> list[Insight]:
    """Undo a snooze or an assignment, and return what it is about. Raises NotFound, NotAllowed, and Stale if somebody
    has snoozed or assigned it since.
    """
    with transaction.atomic():
        state = _locked(item, by)
        if state.as_data() != after:
            raise Stale("It was snoozed or assigned again since.")
        assignee = before.get("assignee_id")
        if assignee and not User.objects.filter(pk=assignee).exists():
            before = {**before, "assignee_id": None}
        state.put_back(before, by=by, at=now)
    return state.sides


def curators(team_ids: Iterable[int], *, by: Member) -> dict[int, list[str]]:
    """Return, by team, the names of the leads to whom its items may be assigned, without the member."""
    mine = [team for team in team_ids if by.may(team, Level.LEAD)]
    rows = Membership.objects.visible_to(by).curators(mine).exclude(user_id=by.user_id)
    found: dict[int, list[str]] = {team: [] for team in mine}
    for team, name in rows.values_list("team_id", "user__username"):
        found[team].append(name)
    return found


def _curator(name: str, team_id: int, by: Member) -> User:
    if name == by.username:
        return User.objects.get(pk=by.user_id)
    found = Membership.objects.visible_to(by).curators([team_id]).filter(user__username=name).first()
    if found is None:
        raise NotACurator(errors={"assignee": [f"{name[:60]} does not lead the team of this item."]})
    return found.user


def _each(items: Sequence[str], by: Member, change: Callable[[InboxState], None]) -> StatesChanged:
    once = list(dict.fromkeys(items))
    if not 1 <= len(once) <= MOST_AT_ONCE:
        raise NoItems(errors={"ref": [NoItems.detail]})
    done = StatesChanged()
    for item in once:
        try:
            with transaction.atomic():
                state = _locked(item, by)
                before = state.as_data()
                change(state)
                done.items[item] = state.name
                if state.as_data() != before:
                    done.steps.append(["inbox state", item, before, state.as_data()])
        except Refused as refused:
            if len(once) == 1:
                raise
            done.refused.append((item, refused))
    return done


def number_of(item: str) -> str:
    """Return the name of an item as it is stored: for a pair and a suggested edit the number alone."""
    return item.removeprefix(PAIR).removeprefix(EDIT)


def _locked(item: str, by: Member) -> InboxState:
    """Return the state of an item, a new one if it has none, after locking its team's row. Raises NotFound,
    NotAllowed.
    """
    known = _item(item, by)
    sides = InboxState(**known).sides
    for side in sides:
        by.require(side.team_id, Level.LEAD, of=" and ".join(one.ref for one in sides))
    Team.objects.select_for_update(no_key=True).get(pk=sides[0].team_id)
    state: InboxState | None = InboxState.objects.all().with_item().filter(**known).first()
    return state or InboxState(**known)


def _item(item: str, by: Member) -> dict[str, Any]:
    """Return what the item is about, by the name of the column. Raises NotFound."""
    if item.startswith(PAIR):
        return {"pair": _numbered(Pair.objects.visible_to(by).select_related("a", "b"), item)}
    if item.startswith(EDIT):
        return {"proposal": _numbered(EditProposal.objects.visible_to(by).select_related("insight"), item)}
    row: Insight | None = Insight.objects.visible_to(by).filter(ref=item).first()
    if row is None:
        raise NotFound
    return {"insight": row}


def _numbered(rows: QuerySet[Any], item: str) -> Any:
    number = number_of(item)
    known = number.isascii() and number.isdecimal() and len(number) < 18
    row = rows.filter(pk=int(number)).first() if known else None
    if row is None:
        raise NotFound
    return row
