"""The job that compares insights deposited from clusters with their files, on beat's table."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAME = "evidence.compare_deposits"
HOURLY = {"minute": "25", "hour": "*", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def create(apps: StateApps, schema_editor: object) -> None:
    schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**HOURLY)
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.get_or_create(name=NAME, defaults={"task": NAME, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0004_scope_of_clusters"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
    # A worker of the version before drops a task that it does not know; the next hour's asks again.
    without_downtime = "one row in beat's table"
