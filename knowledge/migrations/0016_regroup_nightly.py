"""The regrouping of topics, on beat's table: all teams by night, those that have doubled every ten minutes."""

from django.db import migrations
from django.db.migrations.state import StateApps

ALWAYS = {"hour": "*", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}
SCHEDULE = {
    "knowledge.regroup": ALWAYS | {"minute": "40", "hour": "3"},
    "knowledge.regroup_grown": ALWAYS | {"minute": "*/10"},
}


def create(apps: StateApps, schema_editor: object) -> None:
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    for name, moment in SCHEDULE.items():
        schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**moment)
        tasks.get_or_create(name=name, defaults={"task": name, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0015_orientation"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
