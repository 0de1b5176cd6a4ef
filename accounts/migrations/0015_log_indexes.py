from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently, TrigramExtension
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    without_downtime = "the indexes are made concurrently"
    dependencies = [("accounts", "0014_ask_to_deposit")]

    operations = [
        TrigramExtension(),
        AddIndexConcurrently(
            model_name="logentry",
            index=models.Index(fields=["-at", "-id"], name="log_newest"),
        ),
        AddIndexConcurrently(
            model_name="logentry",
            index=GinIndex(fields=["line", "why"], opclasses=["gin_trgm_ops", "gin_trgm_ops"], name="log_text"),
        ),
    ]
