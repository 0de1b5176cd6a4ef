"""By what a sweep finds passages that helped; the index of those that were read on alone serves nobody now."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("sessions_app", "0018_rated_passages")]
    operations = [
        AddIndexConcurrently(
            model_name="servedpassage",
            index=models.Index(
                condition=models.Q(("read_at__isnull", False), ("helpful", True), _connector="OR"),
                fields=["passage", "query"],
                name="served_and_useful",
            ),
        ),
        RemoveIndexConcurrently(model_name="servedpassage", name="served_and_read"),
    ]
