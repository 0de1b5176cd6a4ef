"""Handoffs of before there were work items: of a user's on a repo only the latest was still offered, so that one stays
open. The lines that clients wrote into summaries ("Asked: …", "Last said: …") go to columns of their own: what was
asked is the user's.
"""

import re

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Exists, F, OuterRef, Q

ASKED = re.compile(r"\AAsked: (?P<asked>.*?)(?=\nLast said: |\Z)", re.DOTALL)
LAST = re.compile(r"(?:\A|\n)Last said: (?P<said>.*)\Z", re.DOTALL)


def close_superseded(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    handoffs = apps.get_model("sessions_app", "Handoff").objects
    handoffs.filter(acknowledged_at__isnull=False).update(closed_as="taken_over")
    later = handoffs.filter(
        Q(as_of__gt=OuterRef("as_of")) | Q(as_of=OuterRef("as_of"), pk__gt=OuterRef("pk")),
        team=OuterRef("team"),
        repo=OuterRef("repo"),
        session__user=OuterRef("session__user"),
    )
    rows = handoffs.filter(acknowledged_at__isnull=True).filter(Exists(later))
    rows.update(closed_as="superseded", acknowledged_at=F("written_at"))


def part_summaries(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for handoff in apps.get_model("sessions_app", "Handoff").objects.filter(_told("summary")).iterator():
        handoff.asked, handoff.last_message, handoff.summary = *_parted(handoff.summary), ""
        handoff.save(update_fields=["asked", "last_message", "summary"])
    for session in apps.get_model("sessions_app", "AgentSession").objects.filter(_told("said__summary")).iterator():
        asked, last = _parted(session.said["summary"])
        session.said = {**session.said, "summary": "", "asked": asked, "last_message": last}
        session.save(update_fields=["said"])


def _told(field: str) -> Q:
    return Q(**{f"{field}__startswith": "Asked: "}) | Q(**{f"{field}__startswith": "Last said: "})


def _parted(summary: str) -> tuple[str, str]:
    asked, last = ASKED.match(summary), LAST.search(summary)
    return asked["asked"].strip() if asked else "", last["said"].strip() if last else ""


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0005_work_items")]
    without_downtime = "handoffs that the version before does not offer either, and summaries taken apart"
    operations = [
        migrations.RunPython(close_superseded, migrations.RunPython.noop),
        migrations.RunPython(part_summaries, migrations.RunPython.noop),
    ]
