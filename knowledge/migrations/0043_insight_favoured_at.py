from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0042_saved_filter_of_more_lists")]

    operations = [
        migrations.AddField(
            model_name="insight",
            name="favoured_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
