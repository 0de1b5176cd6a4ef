"""Webhooks are delivered each minute, on beat's table."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAME = "accounts.deliver_webhooks"
MINUTELY = {"minute": "*", "hour": "*", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def create(apps: StateApps, schema_editor: object) -> None:
    schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**MINUTELY)
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.get_or_create(name=NAME, defaults={"task": NAME, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_webhooks"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
