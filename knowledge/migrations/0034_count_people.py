from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def count_people(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Set by how many people each insight was said: its author, and each other whose corroboration is part of it."""
    insight = apps.get_model("knowledge", "Insight")
    for row in insight.objects.filter(corroboration_count__gt=1).only("pk", "author_id").iterator():
        merged = row.corroborations.filter(unmerged_into__isnull=True)
        others = set(merged.order_by().values_list("user_id", flat=True)) - {row.author_id}
        if others:
            insight.objects.filter(pk=row.pk).update(people=1 + len(others))


class Migration(migrations.Migration):
    without_downtime = "a column that the version before does not have, set row by row"
    dependencies = [
        ("knowledge", "0033_insight_people"),
    ]

    operations = [
        migrations.RunPython(count_people, migrations.RunPython.noop),
    ]
