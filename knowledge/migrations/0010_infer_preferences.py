"""The sweeps that infer preferences, on beat's table: whom a rating has marked each minute, everybody by night."""

from django.db import migrations
from django.db.migrations.state import StateApps

EVER = {"day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}
JOBS = {
    "knowledge.infer_due": {"minute": "*", "hour": "*", **EVER},
    "knowledge.infer": {"minute": "20", "hour": "3", **EVER},
}


def create(apps: StateApps, schema_editor: object) -> None:
    schedules = apps.get_model("django_celery_beat", "CrontabSchedule").objects
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    for name, when in JOBS.items():
        schedule, _ = schedules.get_or_create(**when)
        tasks.get_or_create(name=name, defaults={"task": name, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0009_fade_nightly"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
