"""The sweep of `skills` on Celery beat's table, where an operator may change it."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAME = "skills.embed_skills"
MINUTELY = {"minute": "*", "hour": "*", "day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def create(apps: StateApps, schema_editor: object) -> None:
    schedule, _ = apps.get_model("django_celery_beat", "CrontabSchedule").objects.get_or_create(**MINUTELY)
    tasks = apps.get_model("django_celery_beat", "PeriodicTask").objects
    tasks.get_or_create(name=NAME, defaults={"task": NAME, "crontab": schedule})


class Migration(migrations.Migration):
    dependencies = [
        ("skills", "0001_skills_versions_triggers"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
