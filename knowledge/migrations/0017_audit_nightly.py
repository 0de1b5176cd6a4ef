"""The integrity auditor, before the sweeps of the night mend what it should see, on beat's table."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAME = "knowledge.audit"
NIGHTLY = {"minute": "40", "hour": "2", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def create(apps: StateApps, schema_editor: object) -> None:
    schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**NIGHTLY)
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.get_or_create(name=NAME, defaults={"task": NAME, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0016_regroup_nightly"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
