"""Annotations of a team's time axis: listing, adding, changing and removing them."""

from datetime import UTC, date, datetime, timedelta

from django.db import transaction

from accounts.models import GuardTerm, Team
from accounts.rules.guard.detection import find_secrets, strip_invisible
from accounts.rules.refused import NotFound, Refused, Stale
from accounts.rules.rights import Level, Member, team_for_write
from sessions_app.actions.measured_rows import team_ids_of
from sessions_app.models import Annotation
from sessions_app.querysets.annotations import AnnotationQuerySet
from sessions_app.rules.annotations import MOST, MOST_A_DAY, day_faults, text_faults

DAY = timedelta(days=1)


class BadAnnotation(Refused):
    code = "invalid"
    detail = "The annotation was not saved."


class SecretInAnnotation(Refused):
    code = "secret_found"
    detail = "The text contains a secret. Nothing was stored."


def annotations_of(*, by: Member, team: str = "", since: date | None = None) -> AnnotationQuerySet:
    """Those of one of the member's teams, or of all, the latest first; from a day on. Raises NoSuchTeam on `team`."""
    rows = Annotation.objects.visible_to(by).filter(team_id__in=team_ids_of(by, team))
    return (rows.filter(day__gte=since) if since else rows).latest_first()


def one_annotation(*, annotation_id: int, by: Member) -> Annotation:
    """One that the member may change. Raises NotFound, NotAllowed."""
    row: Annotation | None = Annotation.objects.visible_to(by).latest_first().filter(pk=annotation_id).first()
    if row is None:
        raise NotFound
    _require_change(row, by)
    return row


def may_change(row: Annotation, by: Member) -> bool:
    """A lead may, and who added it; a token needs the scope to write in either case."""
    return by.may(row.team_id, Level.CONTRIBUTOR) and (row.added_by_id == by.user_id or by.may(row.team_id, Level.LEAD))


def annotate(
    *, text: str, by: Member, now: datetime, team: str = "", day: date | None = None
) -> tuple[Annotation, bool]:
    """Mark a day, without one the present, in UTC; with whether it is new: the same text on a day is there once.

    Raises NoSuchTeam or TeamUnclear on `team`, NotAllowed, BadAnnotation on `text` or `day`, SecretInAnnotation.
    """
    access = team_for_write(by, team)
    today = now.astimezone(UTC).date()
    day = day or today
    text = _checked(text, day, today, access.id)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=access.id)
        there = Annotation.objects.visible_to(by).filter(team_id=access.id)
        same = there.filter(day=day, text=text).latest_first().first()
        if same:
            return same, False
        if there.count() >= MOST:
            raise BadAnnotation(errors={"text": [f"A team has at most {MOST:,} annotations: remove some first."]})
        mine = there.filter(added_by_id=by.user_id, added_at__gt=now - DAY)
        if not by.may(access.id, Level.LEAD) and mine.count() >= MOST_A_DAY:
            why = f"A contributor adds at most {MOST_A_DAY} annotations a day; a lead may add more."
            raise BadAnnotation(errors={"text": [why]}, team_id=access.id)
        row = Annotation(team_id=access.id, day=day, text=text)
        row.add(by=by, at=now)
    return Annotation.objects.visible_to(by).latest_first().get(pk=row.pk), True


def change_annotation(
    *, annotation_id: int, text: str, day: date, by: Member, now: datetime, read_at: datetime | None = None
) -> Annotation:
    """Set its text and day. `read_at`: its `changed_at` when it was read.

    Raises NotFound, NotAllowed, BadAnnotation on `text` or `day`, SecretInAnnotation, Stale.
    """
    with transaction.atomic():
        row = _for_change(annotation_id, by, read_at)
        text = _checked(text, day, now.astimezone(UTC).date(), row.team_id)
        row.change(day=day, text=text, by=by, at=now)
    return row


def remove_annotation(*, annotation_id: int, by: Member, now: datetime, read_at: datetime | None = None) -> None:
    """Take it from the time axis; the log keeps its text. Raises NotFound, NotAllowed, Stale."""
    with transaction.atomic():
        _for_change(annotation_id, by, read_at).remove(by=by, at=now)


def _for_change(annotation_id: int, by: Member, read_at: datetime | None) -> Annotation:
    rows = Annotation.objects.visible_to(by).filter(pk=annotation_id)
    row: Annotation | None = rows.select_for_update(no_key=True).first()
    if row is None:
        raise NotFound
    _require_change(row, by)
    if read_at and row.changed_at != read_at:
        raise Stale(errors={"text": [f"It was changed while you were editing, to: {row}"]}, current=row.pk)
    return row


def _require_change(row: Annotation, by: Member) -> None:
    by.require(row.team_id, Level.CONTRIBUTOR)
    if not may_change(row, by):
        by.require(row.team_id, Level.LEAD)


def _checked(text: str, day: date, today: date, team_id: int) -> str:
    """The text as it is stored: one line, without invisible characters, and with no secret in it."""
    text = " ".join(strip_invisible(text).text.split())
    faults = {"text": text_faults(text), "day": day_faults(day, today)}
    if any(faults.values()):
        raise BadAnnotation(errors={name: found for name, found in faults.items() if found})
    if found := find_secrets(text, field="text", allowed=GuardTerm.objects.all().allowed(team_id)):
        raise SecretInAnnotation(errors={"text": [str(one) for one in found]})
    return text
