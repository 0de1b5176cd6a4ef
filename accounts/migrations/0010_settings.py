from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_deliver_minutely"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="theme",
            field=models.CharField(
                choices=[("system", "system"), ("light", "light"), ("dark", "dark")], default="system", max_length=12
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="density",
            field=models.CharField(
                choices=[("comfortable", "comfortable"), ("compact", "compact")], default="comfortable", max_length=12
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="keys",
            field=models.CharField(choices=[("on", "on"), ("off", "off")], default="on", max_length=3),
        ),
        migrations.AddField(
            model_name="user",
            name="machinery",
            field=models.CharField(
                choices=[("silent", "silent"), ("brief", "brief"), ("full", "full"), ("teaching", "teaching")],
                default="full",
                max_length=12,
            ),
        ),
    ]
