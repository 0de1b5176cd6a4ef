"""The sweeps of `knowledge` on Celery beat's table, where an operator may change them."""

from django.db import migrations
from django.db.migrations.state import StateApps

MINUTELY = {"minute": "*", "hour": "*"}
QUARTERLY = {"minute": "*/15", "hour": "*"}
NIGHTLY = {"minute": "20", "hour": "3"}
JOBS = {
    "knowledge.embed_waiting": MINUTELY,
    "knowledge.reweigh_drifted": QUARTERLY,
    "knowledge.recount": NIGHTLY,
    "knowledge.forget_old": NIGHTLY,
}


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
        ("knowledge", "0003_nearest_index"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
