"""The table behind the shared cache, which counts failed logins for all processes."""

from django.core.management import call_command
from django.db import migrations


def create(apps: object, schema_editor: object) -> None:
    call_command("createcachetable", verbosity=0)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_everyone")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
