"""Proposals of a language model from conversations on beat's table, every hour."""

from django.db import migrations
from django.db.migrations.state import StateApps

JOBS = {"sessions.propose_by_model": {"minute": "35", "hour": "*"}}


def create(apps: StateApps, schema_editor: object) -> None:
    schedules = apps.get_model("django_celery_beat", "CrontabSchedule").objects
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    for name, when in JOBS.items():
        schedule, _ = schedules.get_or_create(**when, day_of_week="*", day_of_month="*", month_of_year="*")
        tasks.get_or_create(name=name, defaults={"task": name, "crontab": schedule})


class Migration(migrations.Migration):
    without_downtime = "a row in beat's table, which a worker of the version before says it does not know"

    dependencies = [
        ("sessions_app", "0016_read_by_model"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
