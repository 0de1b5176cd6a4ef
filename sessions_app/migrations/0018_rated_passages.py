"""What an asker said of a passage that answered them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0017_model_on_beat")]
    operations = [
        migrations.AddField(model_name="servedpassage", name="helpful", field=models.BooleanField(null=True)),
    ]
