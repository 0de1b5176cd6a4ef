"""By what a sweep finds passages that helped: that a conversation was opened says nothing of them any more."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("sessions_app", "0027_passage_measured")]
    operations = [
        AddIndexConcurrently(
            model_name="servedpassage",
            index=models.Index(
                condition=models.Q(("helpful", True)), fields=["passage", "query"], name="served_and_helped"
            ),
        ),
        RemoveIndexConcurrently(model_name="servedpassage", name="served_and_useful"),
    ]
