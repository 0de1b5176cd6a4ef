"""Whether a team requires a second reviewer for its promoted insights. Off, so the previous version reads teams as ever."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0017_leases"),
    ]

    operations = [
        migrations.AddField(
            model_name="team",
            name="second_reviewer",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Changes to promoted insights need the approval of another lead.",
            ),
        ),
    ]
