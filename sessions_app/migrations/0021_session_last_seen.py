from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    without_downtime = "the index is made concurrently"
    dependencies = [("sessions_app", "0020_passage_storage")]

    operations = [
        AddIndexConcurrently(
            model_name="agentsession",
            index=models.Index(fields=["-last_seen_at", "-id"], name="session_last_seen"),
        ),
    ]
