"""Which beat rings, when several machines run one. Nothing reads the table in the previous version."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0016_team_limits"),
    ]

    operations = [
        migrations.CreateModel(
            name="Lease",
            fields=[
                ("name", models.CharField(max_length=60, primary_key=True, serialize=False)),
                ("holder", models.CharField(max_length=200)),
                ("until", models.DateTimeField()),
            ],
        ),
    ]
