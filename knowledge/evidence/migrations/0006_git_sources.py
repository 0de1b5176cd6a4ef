"""Sources that are a Git repository at a branch, tag or commit, and the commit that cited lines were read at."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evidence", "0005_compare_deposits_hourly")]

    operations = [
        migrations.AddField(
            model_name="source",
            name="revision",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Of a Git repository: the branch, tag or commit to search. Empty: the folder as it is.",
                max_length=200,
            ),
        ),
        migrations.AddField(
            model_name="evidence",
            name="commit",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    ]
