"""The vectors of each repository's conversations in an index: what is measured one by one is read from it."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("sessions_app", "0026_handoff_asked_last")]

    operations = [
        AddIndexConcurrently(
            model_name="passage",
            index=models.Index(
                condition=models.Q(("embedding__isnull", False)),
                fields=["team", "repo"],
                include=("id", "session", "embedding"),
                name="passage_measured",
            ),
        ),
    ]
