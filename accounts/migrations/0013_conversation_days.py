"""How many days a team keeps passages of conversations."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0012_share_prompts"),
    ]

    operations = [
        migrations.AddField(
            model_name="team",
            name="conversation_days",
            field=models.PositiveSmallIntegerField(
                db_default=180,
                default=180,
                help_text="How many days passages of conversations are kept.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(3650),
                ],
            ),
        ),
    ]
