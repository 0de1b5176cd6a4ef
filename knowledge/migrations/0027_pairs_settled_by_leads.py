"""Until now nobody but a lead could settle a pair."""

from typing import Any

from django.db import migrations


def mark(apps: Any, schema_editor: Any) -> None:
    apps.get_model("knowledge", "Pair").objects.exclude(state="open").update(settled_by_lead=True)


class Migration(migrations.Migration):
    without_downtime = "one column of settled pairs, which the version before does not read"
    dependencies = [("knowledge", "0026_relations_between_insights")]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
