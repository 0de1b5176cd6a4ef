"""What a team may use: calls a minute, insights stored. Both may be empty, so the previous version writes teams as ever."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0015_log_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="team",
            name="calls_per_minute",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="API calls a minute of all its agents together. Empty: LOAM_TEAM_RATE_LIMIT; 0: no limit.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="team",
            name="most_insights",
            field=models.PositiveIntegerField(
                blank=True, help_text="How many insights it may store. Empty: no limit.", null=True
            ),
        ),
    ]
