"""Errands are called what they are: background jobs; their task on beat's table too."""

from django.db import migrations
from django.db.migrations.state import StateApps

NAMES = ("knowledge.errands", "knowledge.background_jobs")


def forwards(apps: StateApps, schema_editor: object) -> None:
    _rename(apps, *NAMES)


def backwards(apps: StateApps, schema_editor: object) -> None:
    _rename(apps, *reversed(NAMES))


def _rename(apps: StateApps, old: str, new: str) -> None:
    apps.get_model("django_celery_beat", "PeriodicTask").objects.filter(name=old).update(name=new, task=new)


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0035_anchor_file_name"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
    ]

    without_downtime = (
        "the table keeps its name; of beat's table one row, whose job the version before says it does not know"
    )

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Errand", "BackgroundJob"),
                migrations.AlterModelTable("BackgroundJob", "knowledge_errand"),
            ]
        ),
        migrations.RunPython(forwards, backwards),
    ]
