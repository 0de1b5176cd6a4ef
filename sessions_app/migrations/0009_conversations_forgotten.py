"""A conversation can be forgotten; sharing much is left to the worker."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0008_passages"),
    ]

    operations = [
        migrations.AddField(
            model_name="agentsession",
            name="conversation_forgotten_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="sessionsharing",
            name="waiting",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
