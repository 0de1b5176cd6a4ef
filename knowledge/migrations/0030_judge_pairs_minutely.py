"""The sweep that asks the configured model about open pairs, on beat's table."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAME = "knowledge.judge_pairs"
MINUTELY = {"minute": "*", "hour": "*", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def create(apps: StateApps, schema_editor: object) -> None:
    schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**MINUTELY)
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.get_or_create(name=NAME, defaults={"task": NAME, "crontab": schedule})


class Migration(migrations.Migration):
    without_downtime = "one row in beat's table, which a worker of the version before says it does not know"
    dependencies = [
        ("knowledge", "0029_messages_of_errors"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
