"""The count of calls that all processes share, in a table that no crash needs to bring back."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_log_withheld")]
    operations = [
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("key", models.CharField(max_length=60, primary_key=True, serialize=False)),
                ("window", models.BigIntegerField()),
                ("count", models.BigIntegerField()),
            ],
            options={"verbose_name_plural": "tallies"},
        ),
        migrations.RunSQL("ALTER TABLE accounts_tally SET UNLOGGED", migrations.RunSQL.noop),
    ]
