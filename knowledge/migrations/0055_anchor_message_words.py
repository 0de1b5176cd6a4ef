from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Errors are found by the words of their message, whatever else stands in it."""

    atomic = False
    without_downtime = "the index is made concurrently"
    dependencies = [("knowledge", "0054_insight_owned")]

    operations = [
        AddIndexConcurrently(
            model_name="anchor",
            index=GinIndex(
                condition=models.Q(kind="message"),
                fields=["value"],
                name="anchor_message_words",
                opclasses=["gin_trgm_ops"],
            ),
        ),
    ]
