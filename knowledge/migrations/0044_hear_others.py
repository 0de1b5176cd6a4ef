from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Max, Q

BATCH = 1_000


def hear_others(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Set when somebody other than its author last spoke for each insight of which somebody did."""
    insight, signal = apps.get_model("knowledge", "Insight"), apps.get_model("knowledge", "Signal")
    good = signal.objects.filter(Q(user__isnull=True) | ~Q(user=F("insight__author")))
    good = good.filter(kind__in=("helpful", "corroborated"))
    heard = good.order_by().values("insight").annotate(last=Max("at")).values_list("insight", "last")
    for pk, last in heard.iterator(chunk_size=BATCH):
        # What has been heard meanwhile, while the web of this version already serves, is newer.
        insight.objects.filter(pk=pk, favoured_at__isnull=True).update(favoured_at=last)


class Migration(migrations.Migration):
    without_downtime = "a column that the version before does not have, set row by row"
    dependencies = [("knowledge", "0043_insight_favoured_at")]

    operations = [
        migrations.RunPython(hear_others, migrations.RunPython.noop),
    ]
