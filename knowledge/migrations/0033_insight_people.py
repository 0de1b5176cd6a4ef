from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0032_nearest_superseded"),
    ]

    operations = [
        migrations.AddField(
            model_name="insight",
            name="people",
            field=models.PositiveIntegerField(db_default=1, default=1, editable=False),
        ),
    ]
