import django.contrib.postgres.indexes
import django.contrib.postgres.operations
import django.db.models
from django.db import migrations

import knowledge.querysets.text_search


class Migration(migrations.Migration):
    atomic = False
    without_downtime = "the index is made concurrently"
    dependencies = [("knowledge", "0037_undoable_action")]

    operations = [
        django.contrib.postgres.operations.AddIndexConcurrently(
            model_name="insight",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    knowledge.querysets.text_search.SearchedText(
                        django.db.models.F("ref"),
                        django.db.models.F("title"),
                        django.db.models.F("body"),
                        django.db.models.F("reasoning"),
                        django.db.models.F("repo"),
                    ),
                    name="gin_trgm_ops",
                ),
                name="insight_text",
            ),
        ),
    ]
