"""Skills that were proposed by somebody who may not publish them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("skills", "0002_schedule")]
    operations = [
        migrations.AddField(
            model_name="skill",
            name="proposed",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
