from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F, Func, Value


class Migration(migrations.Migration):
    """Find what a person said already in another session, by a hash of its text."""

    atomic = False
    without_downtime = "the index is made concurrently"
    dependencies = [("sessions_app", "0023_rebuild_passage_near")]

    operations = [
        AddIndexConcurrently(
            model_name="passage",
            index=models.Index(
                F("user"),
                Func(F("text"), Value(0), function="hashtextextended", output_field=models.BigIntegerField()),
                name="passage_of_text",
            ),
        ),
    ]
