"""The vectors of each team in an index, in place of one on team and kind: what is measured one by one is read from it.

The new index is there before the old one goes, so every question has one.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("knowledge", "0062_inbox_state_of_proposal")]

    operations = [
        AddIndexConcurrently(
            model_name="insight",
            index=models.Index(
                condition=models.Q(("retrievable", True)),
                fields=["team", "kind"],
                include=("id", "embedding", "forgotten_at", "quarantined_at"),
                name="insight_measured",
            ),
        ),
        RemoveIndexConcurrently(model_name="insight", name="insight_kinds_of_team"),
    ]
