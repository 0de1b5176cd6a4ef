import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evidence", "0003_read_documents_hourly")]

    operations = [
        migrations.CreateModel(
            name="FileListing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64)),
                ("packed", models.BinaryField()),
                ("at", models.DateTimeField()),
                (
                    "source",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="listings",
                        to="evidence.source",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("source", "digest"), name="file_listing_once")],
            },
        ),
        migrations.AddField(
            model_name="knowledgecluster", name="scope", field=models.JSONField(editable=False, null=True)
        ),
        migrations.CreateModel(
            name="ScopeCoverage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cluster",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="coverage",
                        to="evidence.knowledgecluster",
                    ),
                ),
                (
                    "listing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="coverage", to="evidence.filelisting"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("cluster", "listing"), name="scope_coverage_once")],
            },
        ),
    ]
