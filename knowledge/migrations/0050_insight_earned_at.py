"""When people's ratings promoted an insight: leads are shown those that none of them has looked at."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0049_topic_owner")]

    operations = [
        migrations.AddField(
            model_name="insight",
            name="earned_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
