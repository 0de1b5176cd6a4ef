import django.contrib.postgres.operations
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    without_downtime = "the index is made concurrently"
    dependencies = [("knowledge", "0034_count_people")]

    operations = [
        django.contrib.postgres.operations.AddIndexConcurrently(
            model_name="anchor",
            index=models.Index(
                models.Func(
                    models.F("value"),
                    models.Value("^.*/"),
                    models.Value(""),
                    function="regexp_replace",
                    output_field=models.CharField(),
                ),
                condition=models.Q(("kind", "file")),
                name="anchor_file_name",
            ),
        ),
    ]
