"""What machines call their faults by (F0451, ZL-3302) is part of an error: digests and lines of errors that have it are
made again.
"""

from itertools import groupby
from operator import attrgetter

from django.db import migrations
from django.db.migrations.state import StateApps

from knowledge.errors.rules.fingerprint import RECIPE, fingerprint, searchable_lines

BATCH = 1_000


def rebuild(apps: StateApps, schema_editor: object) -> None:
    anchors = apps.get_model("knowledge", "Anchor")
    rows = anchors.objects.filter(kind="error").exclude(detail="").order_by("insight_id", "pk")
    for insight, errors in groupby(rows.iterator(BATCH), attrgetter("insight_id")):
        told = list(errors)
        found = [(row, fingerprint(row.detail)) for row in told]
        renamed = [(row, again) for row, again in found if again is not None and again.digest != row.value]
        if not renamed:
            continue
        for row, again in renamed:
            anchors.objects.filter(pk=row.pk).delete()
            row.pk, row.value, row.recipe = None, again.digest, again.recipe
        anchors.objects.bulk_create([row for row, _ in renamed], ignore_conflicts=True)
        lines = {line for row in told for line in searchable_lines(row.detail)}
        anchors.objects.filter(insight_id=insight, kind="message").exclude(value__in=lines).delete()
        made = [anchors(insight_id=insight, kind="message", value=line, recipe=RECIPE) for line in lines]
        anchors.objects.bulk_create(made, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0060_lines_of_errors")]
    operations = [migrations.RunPython(rebuild, migrations.RunPython.noop)]
    without_downtime = "the version before makes the old digest of such an error, and finds it by its words meanwhile"
