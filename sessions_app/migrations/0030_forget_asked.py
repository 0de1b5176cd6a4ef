"""Questions leave the facts of handoffs: an agent asks in its user's words, and only they are to see them."""

from typing import Any

from django.db import migrations

ASKED = "Queried: "


def forget(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("sessions_app", "Handoff").objects.filter(facts__icontains=ASKED).only("facts")
    for row in rows.iterator():
        row.facts = [line for line in row.facts if not line.startswith(ASKED)]
        row.save(update_fields=["facts"])


class Migration(migrations.Migration):
    # Each row by itself: nobody waits for all of them.
    atomic = False
    without_downtime = "rows are written one by one, and the version before reads a handoff without such lines as well"
    dependencies = [("sessions_app", "0029_embedding_change")]
    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
