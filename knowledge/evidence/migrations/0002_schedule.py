"""The wing's jobs on beat's table."""

from django.db import migrations
from django.db.migrations.state import StateApps

HOURLY = {"minute": "35", "hour": "*"}
NIGHTLY = {"minute": "50", "hour": "3"}
JOBS = {"evidence.cool": NIGHTLY, "evidence.connect": NIGHTLY, "evidence.check_sources": HOURLY}


def create(apps: StateApps, schema_editor: object) -> None:
    schedules, tasks = (
        apps.get_model("django_celery_beat", "CrontabSchedule"),
        apps.get_model("django_celery_beat", "PeriodicTask"),
    )
    for name, when in JOBS.items():
        schedule, _ = schedules.objects.get_or_create(**when, day_of_week="*", day_of_month="*", month_of_year="*")
        tasks.objects.get_or_create(name=name, defaults={"task": name, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0001_evidence_wing"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
