"""The sweeps of passages on beat's table: what waits for a vector or for its team each minute, old ones by night."""

from django.db import migrations
from django.db.migrations.state import StateApps

MINUTELY = {"minute": "*", "hour": "*"}
NIGHTLY = {"minute": "40", "hour": "3"}
JOBS = {
    "sessions.embed_passages": MINUTELY,
    "sessions.place_passages": MINUTELY,
    "sessions.drop_old_passages": NIGHTLY,
}


def create(apps: StateApps, schema_editor: object) -> None:
    schedules = apps.get_model("django_celery_beat", "CrontabSchedule").objects
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    for name, when in JOBS.items():
        schedule, _ = schedules.get_or_create(**when, day_of_week="*", day_of_month="*", month_of_year="*")
        tasks.get_or_create(name=name, defaults={"task": name, "crontab": schedule})


class Migration(migrations.Migration):
    without_downtime = "rows in beat's table, which a worker of the version before says it does not know"
    dependencies = [
        ("sessions_app", "0009_conversations_forgotten"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
