"""The ring for work that people ask for on pages, on beat's table."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAME = "knowledge.errands"
MINUTELY = {"minute": "*", "hour": "*", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def create(apps: StateApps, schema_editor: object) -> None:
    schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**MINUTELY)
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.get_or_create(name=NAME, defaults={"task": NAME, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0023_errand")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
    # A worker of the version before drops a task that it does not know; the next minute's ring asks again.
    without_downtime = "one row in beat's table"
