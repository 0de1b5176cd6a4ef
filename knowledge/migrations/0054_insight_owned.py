"""The insights of an owner are found by an index of those that have one."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("knowledge", "0053_insight_owner")]

    operations = [
        AddIndexConcurrently(
            model_name="insight",
            index=models.Index(
                condition=models.Q(("owner__isnull", False)),
                fields=["owner", "-created_at", "-id"],
                name="insight_owned",
            ),
        ),
    ]
