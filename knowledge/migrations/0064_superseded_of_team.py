"""The superseded rows of each team, for where their nearest are measured one by one."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("knowledge", "0063_insight_measured")]

    operations = [
        AddIndexConcurrently(
            model_name="insight",
            index=models.Index(
                condition=models.Q(("superseded_by__isnull", False)),
                fields=["team"],
                name="insight_superseded",
            ),
        ),
    ]
