"""A draft or promoted DECISION does not fade any more: the sweep has no moment at which to look at it."""

from django.db import migrations
from django.db.migrations.state import StateApps


def clear(apps: StateApps, schema_editor: object) -> None:
    decisions = apps.get_model("knowledge", "Insight").objects.filter(kind="DECISION", fades_at__isnull=False)
    decisions.filter(status__in=("draft", "promoted")).update(fades_at=None)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0024_errands_minutely")]
    operations = [migrations.RunPython(clear, migrations.RunPython.noop)]
    # A moment that the version before still writes is passed over by the sweep of this one.
    without_downtime = "one column of a few rows, which the version before reads as never"
