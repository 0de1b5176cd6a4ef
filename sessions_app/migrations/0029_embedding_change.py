"""Changes to another embedding model, of which each process looks whether one is at its switch."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0028_index_helpful_passages")]
    operations = [
        migrations.CreateModel(
            name="EmbeddingChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model", models.CharField(max_length=80)),
                ("begun_at", models.DateTimeField()),
                ("step", models.CharField(blank=True, max_length=80)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("seen_at", models.DateTimeField()),
                ("quiet_until", models.DateTimeField(null=True)),
                ("switched_at", models.DateTimeField(null=True)),
            ],
        ),
    ]
