"""The sweep that erases for good what was forgotten a month ago, on beat's table."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAME = "knowledge.erase_forgotten"
NIGHTLY = {"minute": "40", "hour": "3", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def create(apps: StateApps, schema_editor: object) -> None:
    schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**NIGHTLY)
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.get_or_create(name=NAME, defaults={"task": NAME, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0013_moderation"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
