import django.contrib.postgres.search
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import CharField, F, Func, Value


class Migration(migrations.Migration):
    """Errors are found by a part of their message, and by a question that holds the whole of it."""

    atomic = False
    without_downtime = "one index is made and one dropped concurrently; the version before searches without it, slower"
    dependencies = [("knowledge", "0055_anchor_message_words")]

    operations = [
        AddIndexConcurrently(
            model_name="anchor",
            index=GinIndex(
                Func(
                    Func(
                        F("value"),
                        Value("<(?:num|size|span|time|host|mail|path|url|text|value)>|[\\W_]"),
                        Value(" "),
                        Value("g"),
                        function="regexp_replace",
                        output_field=CharField(),
                    ),
                    template="to_tsvector('simple', %(expressions)s)",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                condition=models.Q(kind="message"),
                name="anchor_message",
            ),
        ),
        RemoveIndexConcurrently(model_name="anchor", name="anchor_message_words"),
    ]
